/* Commands of instances and physical devices. */

static PFN_vkCreateInstance next_create_instance(const VkLayerInstanceLink *link) {
    PFN_vkVoidFunction next = link->pfnNextGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance");
    if (next == NULL) die("vkCreateInstance", "nothing below has it");
    if (next == own_function("vkCreateInstance")) die("vkCreateInstance", "the next function is this layer's own");
    return (PFN_vkCreateInstance)next;
}

/* Looks global commands up below itself, without an instance, and calls them. */
static void ask_globally(const VkLayerInstanceLink *link) {
    PFN_vkGetInstanceProcAddr get = link->pfnNextGetInstanceProcAddr;
    uint32_t version = 0, layers = 0, extensions = 0;
    PFN_vkEnumerateInstanceVersion get_version = (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion");
    PFN_vkEnumerateInstanceLayerProperties get_layers = (PFN_vkEnumerateInstanceLayerProperties)get(NULL, "vkEnumerateInstanceLayerProperties");
    PFN_vkEnumerateInstanceExtensionProperties get_extensions = (PFN_vkEnumerateInstanceExtensionProperties)get(NULL, "vkEnumerateInstanceExtensionProperties");
    /* A layer below need not answer without an instance. */
    if (get_version == NULL || get_layers == NULL || get_extensions == NULL) return trace("globals", "all=0");
    bool all = get_version(&version) == VK_SUCCESS && get_layers(&layers, NULL) == VK_SUCCESS && get_extensions(NULL, &extensions, NULL) == VK_SUCCESS;
    trace("globals", "all=%d version=%d layers=%u extensions=%d", all, version >= VK_API_VERSION_1_1, layers, extensions > 0);
}

/* Enables one extension more than the application. */
static void enable(VkInstanceCreateInfo *info, const char **names, const char *name) {
    if (info->enabledExtensionCount >= 64) die("vkCreateInstance", "too many extensions");
    memcpy(names, info->ppEnabledExtensionNames, info->enabledExtensionCount * sizeof *names);
    names[info->enabledExtensionCount++] = name;
    info->ppEnabledExtensionNames = names;
}

CALL layer_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    ALONE("vkCreateInstance");
    trace("vkCreateInstance", "layers=%u extensions=%u allocator=%d", info->enabledLayerCount, info->enabledExtensionCount, allocator != NULL);
    for (const VkBaseInStructure *next = does("tell_chain") ? info->pNext : NULL; next != NULL; next = next->pNext)
        trace("chained", "type=%d", (int)next->sType);
    if (does("tell_info")) trace("info", "members=%s", members_of_instance(info).text);
    reenter("vkCreateInstance");
    VkLayerInstanceLink *link = take_instance_link(info);
    VkLayerInstanceCreateInfo *callbacks = instance_link(info, VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK);
    PFN_vkLayerCreateDevice create_device = callbacks->u.layerDevice.pfnLayerCreateDevice;
    PFN_vkLayerDestroyDevice destroy_device = callbacks->u.layerDevice.pfnLayerDestroyDevice;
    if (does("ask_globally")) ask_globally(link);
    if (does("fail_instance_early")) return (VkResult)number("fail_instance_early", 0);
    if (does("overwrite_instance")) *out = (VkInstance)(uintptr_t)number("overwrite_instance", 0);
    if (does("clear_instance")) memset(*out, 0, sizeof(void *));
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkInstanceCreateInfo changed = *info;
    const char *names[65];
    if (does("enable_debug_utils")) enable(&changed, names, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (does("set_api")) {
        if (info->pApplicationInfo != NULL) application = *info->pApplicationInfo;
        application.apiVersion = (uint32_t)number("set_api", 0);
        changed.pApplicationInfo = &application;
    }
    struct tracker *tracker;
    allocator = pass_down(allocator, &tracker);
    VkResult result = does("swallow_instance") ? VK_SUCCESS : next_create_instance(link)(&changed, allocator, out);
    if (result != VK_SUCCESS) return end_tracker(tracker), result;
    note_tracker((uint64_t)(uintptr_t)*out, tracker);
    if (does("create_twice")) trace("twice", "result=%d", next_create_instance(link)(&changed, allocator, out));
    if (does("incomplete_instance")) return VK_INCOMPLETE;
    if (does("null_instance")) return *out = VK_NULL_HANDLE, VK_SUCCESS;
    struct instance *instance = calloc(1, sizeof *instance);
    instance->key = key_of(*out);
    instance->below = *out;
    instance->get = link->pfnNextGetInstanceProcAddr;
    instance->get_physical_device = link->pfnNextGetPhysicalDeviceProcAddr;
    instance->create_device = create_device;
    instance->has_1_1 = changed.pApplicationInfo != NULL && changed.pApplicationInfo->apiVersion >= VK_API_VERSION_1_1;
    instance->destroy_device = destroy_device;
    cache_next(instance);
    if (does("fail_instance")) {
        NEXT(instance, vkDestroyInstance)(*out, allocator);
        free(instance);
        return (VkResult)number("fail_instance", 0);
    }
    pthread_mutex_lock(&lock);
    instance->next = instances;
    instances = instance;
    pthread_mutex_unlock(&lock);
    if (does("wrap") || does("wrap_instance")) {
        struct wrapper *wrapper = wrap("instance", *out, instance, NULL);
        wrapper->loader_word = NULL;
        PFN_vkSetInstanceLoaderData set_data = instance_link(info, VK_LOADER_DATA_CALLBACK)->u.pfnSetInstanceLoaderData;
        if (set_data(*out, wrapper) != VK_SUCCESS || wrapper->loader_word != instance->key) die("vkCreateInstance", "the callback for data did nothing");
        *out = (VkInstance)wrapper;
    }
    if (does("garbage_instance")) *out = (VkInstance)(uintptr_t)number("garbage_instance", 0);
    if (does("enumerate_while_creating")) {
        uint32_t count = 0;
        result = NEXT(instance, vkEnumeratePhysicalDevices)(instance->below, &count, NULL);
        trace("while_creating", "result=%d devices=%u", result, count);
    }
    reenter("vkCreateInstance");
    return VK_SUCCESS;
}

CALL_VOID layer_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator) {
    ALONE("vkDestroyInstance");
    trace("vkDestroyInstance", "allocator=%d", allocator != NULL);
    if (handle == VK_NULL_HANDLE) return;
    reenter("vkDestroyInstance");
    struct instance *instance = instance_of("vkDestroyInstance", handle);
    struct tracker *tracker;
    allocator = pass_down_to_destroy((uint64_t)(uintptr_t)instance->below, allocator, &tracker);
    NEXT(instance, vkDestroyInstance)(unwrap("vkDestroyInstance", "instance", handle), allocator);
    end_tracker(tracker);
    if (does("destroy_twice")) NEXT(instance, vkDestroyInstance)(unwrap("vkDestroyInstance", "instance", handle), allocator);
    pthread_mutex_lock(&lock);
    struct instance **place = &instances;
    while (*place != instance) place = &(*place)->next;
    *place = instance->next;
    free_wrappers(instance, NULL);
    pthread_mutex_unlock(&lock);
    free(instance);
    reenter("vkDestroyInstance");
}

/* What the layer makes of a list of physical devices: fewer, more, in another order, wrapped. */
static uint32_t rearrange(struct instance *instance, VkPhysicalDevice *list, uint32_t count) {
    if (does("hide") && number("hide", 0) < count) {
        uint32_t hidden = (uint32_t)number("hide", 0);
        memmove(list + hidden, list + hidden + 1, (--count - hidden) * sizeof *list);
    }
    for (uint32_t i = 0; does("reverse") && i < count / 2; ++i) {
        VkPhysicalDevice swapped = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = swapped;
    }
    for (uint32_t i = 0; does("wrap") && i < count; ++i) list[i] = wrap("physical device", list[i], instance, NULL);
    return count;
}

static VkPhysicalDevice added(struct instance *instance) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    struct wrapper *found = wrappers;
    while (found != NULL && (found->below != NULL || found->instance != instance)) found = found->next;
    if (found == NULL) {
        found = wrap("physical device", NULL, instance, NULL);
        found->loader_word = instance->key;
    }
    pthread_mutex_unlock(&one_at_a_time);
    return (VkPhysicalDevice)found;
}

static bool is_added(const void *handle) {
    struct wrapper *found = does("add") ? find_wrapper(handle) : NULL;
    return found != NULL && found->below == NULL;
}

CALL layer_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count, VkPhysicalDevice *out) {
    ALONE("vkEnumeratePhysicalDevices");
    trace("vkEnumeratePhysicalDevices", "fill=%d", out != NULL);
    reenter("vkEnumeratePhysicalDevices");
    struct instance *instance = instance_of("vkEnumeratePhysicalDevices", handle);
    VkPhysicalDevice all[65];
    uint32_t available = 64;
    VkInstance below = unwrap("vkEnumeratePhysicalDevices", "instance", handle);
    VkResult result = NEXT(instance, vkEnumeratePhysicalDevices)(below, &available, all);
    if (result != VK_SUCCESS) return result;
    available = rearrange(instance, all, available);
    if (does("garbage_physical_device")) all[0] = (VkPhysicalDevice)(uintptr_t)number("garbage_physical_device", 0);
    if (does("add")) all[available++] = added(instance);
    if (out == NULL) return *count = available, VK_SUCCESS;
    uint32_t given = *count < available ? *count : available;
    memcpy(out, all, given * sizeof *all);
    *count = given;
    return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult groups(const char *command, VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    ALONE(command);
    trace(command, "fill=%d", out != NULL);
    reenter(command);
    struct instance *instance = instance_of(command, handle);
    VkPhysicalDeviceGroupProperties all[65];
    memset(all, 0, sizeof all);
    for (int i = 0; i < 65; ++i) all[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
    uint32_t available = 64;
    PFN_vkEnumeratePhysicalDeviceGroups next = (PFN_vkEnumeratePhysicalDeviceGroups)next_of_instance(instance, command);
    VkResult result = next(unwrap(command, "instance", handle), &available, all);
    if (result != VK_SUCCESS) return result;
    for (uint32_t i = 0; does("reverse") && i < available / 2; ++i) {
        VkPhysicalDeviceGroupProperties swapped = all[i];
        all[i] = all[available - 1 - i];
        all[available - 1 - i] = swapped;
    }
    if (does("hide") && number("hide", 0) < available) {
        uint32_t hidden = (uint32_t)number("hide", 0);
        memmove(all + hidden, all + hidden + 1, (--available - hidden) * sizeof *all);
    }
    for (uint32_t i = 0; does("wrap") && i < available; ++i)
        for (uint32_t j = 0; j < all[i].physicalDeviceCount; ++j)
            all[i].physicalDevices[j] = wrap("physical device", all[i].physicalDevices[j], instance, NULL);
    if (does("add")) {
        all[available].physicalDeviceCount = 1;
        all[available++].physicalDevices[0] = added(instance);
    }
    if (out == NULL) return *count = available, VK_SUCCESS;
    uint32_t given = *count < available ? *count : available;
    for (uint32_t i = 0; i < given; ++i) {
        all[i].pNext = out[i].pNext;
        out[i] = all[i];
    }
    *count = given;
    return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

CALL layer_EnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    return groups("vkEnumeratePhysicalDeviceGroups", handle, count, out);
}

CALL layer_EnumeratePhysicalDeviceGroupsKHR(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    return groups("vkEnumeratePhysicalDeviceGroupsKHR", handle, count, out);
}

CALL_VOID layer_GetPhysicalDeviceProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out) {
    trace("vkGetPhysicalDeviceProperties", " ");
    reenter("vkGetPhysicalDeviceProperties");
    if (is_added(handle)) {
        memset(out, 0, sizeof *out);
        snprintf(out->deviceName, sizeof out->deviceName, "added by %.200s", config.label);
        return;
    }
    struct instance *instance = instance_of("vkGetPhysicalDeviceProperties", handle);
    NEXT(instance, vkGetPhysicalDeviceProperties)(unwrap("vkGetPhysicalDeviceProperties", "physical device", handle), out);
}

/* Real layers have the next function only if the instance has the command, and call it unseen. */
CALL_VOID layer_GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out) {
    trace("vkGetPhysicalDeviceProperties2", " ");
    struct instance *instance = instance_of("vkGetPhysicalDeviceProperties2", handle);
    if (!instance->has_1_1) die("vkGetPhysicalDeviceProperties2", "the instance does not have it");
    NEXT(instance, vkGetPhysicalDeviceProperties2)(unwrap("vkGetPhysicalDeviceProperties2", "physical device", handle), out);
}

CALL_VOID layer_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties *out) {
    trace("vkGetPhysicalDeviceQueueFamilyProperties", " ");
    reenter("vkGetPhysicalDeviceQueueFamilyProperties");
    struct instance *instance = instance_of("vkGetPhysicalDeviceQueueFamilyProperties", handle);
    if (is_added(handle)) return (void)(*count = 0);
    handle = unwrap("vkGetPhysicalDeviceQueueFamilyProperties", "physical device", handle);
    NEXT(instance, vkGetPhysicalDeviceQueueFamilyProperties)(handle, count, out);
}

CALL layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    ALONE("vkEnumerateDeviceExtensionProperties");
    trace("vkEnumerateDeviceExtensionProperties", "layer=%s fill=%d", layer == NULL ? "NULL" : layer, out != NULL);
    reenter("vkEnumerateDeviceExtensionProperties");
    struct instance *instance = instance_of("vkEnumerateDeviceExtensionProperties", handle);
    if (is_added(handle)) return *count = 0, VK_SUCCESS;
    handle = unwrap("vkEnumerateDeviceExtensionProperties", "physical device", handle);
    PFN_vkEnumerateDeviceExtensionProperties next = NEXT(instance, vkEnumerateDeviceExtensionProperties);
    if (!does("answer_extension") || layer != NULL) return next(handle, layer, count, out);
    /* One extension more than the next layer has, which no manifest lists. */
    VkExtensionProperties all[65];
    uint32_t available = 64;
    VkResult result = next(handle, NULL, &available, all);
    if (result != VK_SUCCESS) return result;
    memset(&all[available], 0, sizeof *all);
    all[available].specVersion = 3;
    strcpy(all[available++].extensionName, "VK_TEST_layer");
    if (out == NULL) return *count = available, VK_SUCCESS;
    uint32_t given = *count < available ? *count : available;
    memcpy(out, all, given * sizeof *all);
    *count = given;
    return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

/* A command of physical devices that no registry has. */
static VKAPI_ATTR uint64_t VKAPI_CALL layer_PhysicalDeviceTEST(VkPhysicalDevice handle, uint64_t a, double b) {
    trace("vkLayerPhysicalDeviceTEST", " ");
    unwrap("vkLayerPhysicalDeviceTEST", "physical device", handle);
    return a + (uint64_t)b;
}

/* What the next vkGetInstanceProcAddr gives, for a test to look at and to call. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_NextInstanceCommandTEST(VkPhysicalDevice handle, const char *name) {
    struct instance *instance = instance_of("vkNextInstanceCommandTEST", handle);
    return instance->get(instance->below, name);
}
