/* Instances and devices that the layer has seen, by the first word of their handles, as real layers know them; and the
 * wrappers that it hands out instead of the handles from below. */

enum { MAX_CACHED = 32 };

struct instance {
    struct { const char *name; PFN_vkVoidFunction function; } cached[MAX_CACHED];
    const void *key;
    bool has_1_1;
    VkInstance below;
    PFN_vkGetInstanceProcAddr get;
    PFN_GetPhysicalDeviceProcAddr get_physical_device;
    PFN_vkLayerCreateDevice create_device;
    PFN_vkLayerDestroyDevice destroy_device;
    struct instance *next;
};

struct device {
    const void *key;
    VkDevice below, second, own;
    PFN_vkDestroyDevice destroy_own;
    PFN_vkGetDeviceProcAddr get, second_get;
    PFN_vkSetDeviceLoaderData set_data;
    struct instance *instance;
    struct device *next;
};

/* Stands for something from below; or for nothing, if it is a physical device that the layer adds. */
struct wrapper {
    const void *loader_word;
    char kind[16];
    void *below;
    struct instance *instance;
    struct device *device;
    struct wrapper *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct instance *instances;
static struct device *devices;
/* A layer that is not does not hear of a device's end. */
static _Atomic bool is_asked_for_device_commands;
static struct wrapper *wrappers;

static unsigned instances_left(void) {
    unsigned count = 0;
    /* At the end of the process, other threads go on. */
    pthread_mutex_lock(&lock);
    for (const struct instance *one = instances; one != NULL; one = one->next) ++count;
    pthread_mutex_unlock(&lock);
    return count;
}

static const void *key_of(const void *handle) { return *(const void *const *)handle; }

static struct instance *instance_of(const char *command, const void *handle) {
    pthread_mutex_lock(&lock);
    struct instance *found = instances;
    while (found != NULL && found->key != key_of(handle)) found = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL) die(command, "an object of no instance that this layer saw");
    return found;
}

static struct device *device_of(const char *command, const void *handle) {
    pthread_mutex_lock(&lock);
    struct device *found = devices;
    while (found != NULL && found->key != key_of(handle)) found = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL) die(command, "an object of no device that this layer saw");
    return found;
}

static struct wrapper *find_wrapper(const void *handle) {
    pthread_mutex_lock(&lock);
    struct wrapper *found = wrappers;
    while (found != NULL && found != handle) found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

/* The wrapper of a handle from below: always the same one. */
static void *wrap(const char *kind, void *below, struct instance *instance, struct device *device) {
    pthread_mutex_lock(&lock);
    struct wrapper *found = wrappers;
    while (found != NULL && (below == NULL || found->below != below || strcmp(found->kind, kind) != 0)) found = found->next;
    if (found == NULL) {
        found = calloc(1, sizeof *found);
        if (below != NULL) found->loader_word = key_of(below);
        snprintf(found->kind, sizeof found->kind, "%s", kind);
        found->below = below;
        found->instance = instance;
        found->device = device;
        found->next = wrappers;
        wrappers = found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Frees the wrappers of an instance or a device; the lock is held. */
static void free_wrappers(const struct instance *instance, const struct device *device) {
    for (struct wrapper **place = &wrappers; *place != NULL;) {
        struct wrapper *found = *place;
        if ((instance == NULL || found->instance != instance) && (device == NULL || found->device != device)) {
            place = &found->next;
            continue;
        }
        *place = found->next;
        free(found);
    }
}

/* What the next layer calls the object; ends the process if this layer should have wrapped it and did not. */
static void *unwrap(const char *command, const char *kind, void *handle) {
    bool of_device = strcmp(kind, "device") == 0 || strcmp(kind, "queue") == 0;
    bool is_instance = strcmp(kind, "instance") == 0;
    if (!does(of_device ? "wrap_devices" : "wrap") && !(is_instance && does("wrap_instance"))) return handle;
    struct wrapper *found = find_wrapper(handle);
    if (found == NULL || strcmp(found->kind, kind) != 0) die(command, "%p is not one of this layer's wrappers of a %s", handle, kind);
    return found->below;
}

/* The next layer's function, which must not be this layer's own. */
static PFN_vkVoidFunction next_of_instance(const struct instance *instance, const char *name) {
    for (int i = 0; i < MAX_CACHED && instance->cached[i].name != NULL; ++i)
        if (strcmp(instance->cached[i].name, name) == 0 && instance->cached[i].function != NULL) return instance->cached[i].function;
    PFN_vkVoidFunction next = instance->get(instance->below, name);
    if (next == NULL) die(name, "nothing below has it");
    if (next == own_function(name)) die(name, "the next function is this layer's own");
    return next;
}

/* What the next layer's vkGetInstanceProcAddr gives for vk_layerGetPhysicalDeviceProcAddr knows commands on physical devices,
 * and no others. */
static void check_physical_device_look_up(const struct instance *instance) {
    PFN_vkVoidFunction found = instance->get(instance->below, "vk_layerGetPhysicalDeviceProcAddr");
    if (found == NULL) die("vk_layerGetPhysicalDeviceProcAddr", "nothing below has it");
    PFN_GetPhysicalDeviceProcAddr look_up = (PFN_GetPhysicalDeviceProcAddr)found;
    if (look_up(instance->below, "vkGetPhysicalDeviceProperties") == NULL) die("vk_layerGetPhysicalDeviceProcAddr", "no vkGetPhysicalDeviceProperties");
    static const char *const others[] = {"vkDestroyInstance", "vkQueueSubmit", "vkNobodyKnowsTEST"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (look_up(instance->below, others[i]) != NULL) die("vk_layerGetPhysicalDeviceProcAddr", "it knows %s", others[i]);
}

/* Looks the next functions up while the instance is created, as real layers do: older loaders give others later. */
static void cache_next(struct instance *instance) {
    static const char *const names[] = {
        "vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR",
        "vkGetPhysicalDeviceProperties", "vkGetPhysicalDeviceQueueFamilyProperties", "vkEnumerateDeviceExtensionProperties",
    };
    if (does("strict_look_up")) check_physical_device_look_up(instance);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        instance->cached[i].name = names[i];
        instance->cached[i].function = instance->get(instance->below, names[i]);
        if (instance->cached[i].function == own_function(names[i])) die(names[i], "the next function is this layer's own");
    }
}

static PFN_vkVoidFunction next_of_device(const struct device *device, const char *name) {
    PFN_vkVoidFunction next = device->get(device->below, name);
    if (next == NULL) die(name, "nothing below has it");
    if (next == own_function(name)) die(name, "the next function is this layer's own");
    return next;
}

#define NEXT(instance, command) ((PFN_##command)next_of_instance(instance, #command))
#define NEXT_OF_DEVICE(device, command) ((PFN_##command)next_of_device(device, #command))
