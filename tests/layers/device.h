/* Commands of devices and queues. */

/* A second device, made inside vkCreateDevice with the loader's callback: the chain begins below this layer. */
static void make_second_device(struct device *device, VkPhysicalDevice physical_device, VkInstance known_as) {
    struct instance *instance = device->instance;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkResult result = instance->create_device(known_as, physical_device, &info, NULL, &device->second,
                                              (PFN_vkGetInstanceProcAddr)own_function("vkGetInstanceProcAddr"), &device->second_get);
    if (result != VK_SUCCESS || device->second == VK_NULL_HANDLE || device->second_get == NULL)
        die("vkCreateDevice", "the callback returned %d", result);
    PFN_vkDeviceWaitIdle wait = (PFN_vkDeviceWaitIdle)device->second_get(device->second, "vkDeviceWaitIdle");
    if (wait == NULL) die("vkCreateDevice", "the second device has no commands");
    trace("second_device", "waits=%d", wait(device->second));
}

static PFN_vkCreateDevice next_create_device(const VkLayerDeviceLink *link, const struct instance *instance) {
    VkInstance handle = does("null_query") ? VK_NULL_HANDLE : instance->below;
    PFN_vkVoidFunction next = link->pfnNextGetInstanceProcAddr(handle, "vkCreateDevice");
    if (next == NULL) die("vkCreateDevice", "nothing below has it");
    if (next == own_function("vkCreateDevice")) die("vkCreateDevice", "the next function is this layer's own");
    return (PFN_vkCreateDevice)next;
}

/* Leaves the extensions out that this layer provides: nobody below knows them. */
static void strip_extensions(VkDeviceCreateInfo *info, const char **names) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount && count < 64; ++i)
        if (strcmp(info->ppEnabledExtensionNames[i], "VK_KHR_maintenance1") != 0 && strcmp(info->ppEnabledExtensionNames[i], "VK_TEST_layer") != 0)
            names[count++] = info->ppEnabledExtensionNames[i];
    info->enabledExtensionCount = count;
    info->ppEnabledExtensionNames = names;
}

/* Puts the next layer's handles into the group that a device is made for, as real layers do: in place. */
static void unwrap_group(const VkDeviceCreateInfo *info, VkPhysicalDevice *own) {
    VkDeviceGroupDeviceCreateInfo *group = (VkDeviceGroupDeviceCreateInfo *)info->pNext;
    while (group != NULL && group->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO)
        group = (VkDeviceGroupDeviceCreateInfo *)group->pNext;
    /* A layer that does not wrap has nothing to put there. */
    if (group == NULL || (does("constant_chains") && !does("wrap"))) return;
    const VkPhysicalDevice *given = group->pPhysicalDevices;
    for (uint32_t i = 0; i < group->physicalDeviceCount && i < VK_MAX_DEVICE_GROUP_SIZE; ++i)
        own[i] = unwrap("vkCreateDevice", "physical device", given[i]);
    group->pPhysicalDevices = own;
}

/* A device of the layer's own, made by the next layer's vkCreateDevice before or after the application's, with the same
 * link. Destroyed at once or, with the number 1, together with the application's. */
static void create_own_device(PFN_vkCreateDevice create, VkPhysicalDevice handle, const VkDeviceCreateInfo *info, VkLayerDeviceLink *link, VkDevice given, struct device *device) {
    VkLayerDeviceCreateInfo *chain = device_link(info, VK_LAYER_LINK_INFO);
    chain->u.pLayerInfo = link->pNext;
    VkDevice own = given;
    VkResult result = create(handle, info, NULL, &own);
    if (result != VK_SUCCESS || own == given) die("vkCreateDevice", "the next layer's, called twice, returned %d", result);
    PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)link->pfnNextGetDeviceProcAddr(own, "vkDestroyDevice");
    trace("own_device", " ");
    chain->u.pLayerInfo = link->pNext;
    if (number("own_device", 0) == 0) destroy(own, NULL);
    else device->own = own, device->destroy_own = destroy;
}

/* Looks commands up in every way that a layer has, while the device exists and the loader does not know yet. */
static void look_up_while_creating(const VkLayerDeviceLink *link, const struct instance *instance, VkDevice device) {
    static const char *const names[] = {
        "vkGetDeviceProcAddr", "vkCreateFence", "vkQueueSubmit", "vkDeviceWaitIdle",
        "vkUnknownDevice0TEST", "vkUnknownPhysicalDevice0TEST", "vkNobodyKnowsTEST",
    };
    void *library = dlopen(config.loader, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) die("look_up_while_creating", "the loader is not there");
    PFN_vkGetInstanceProcAddr top = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    PFN_vkGetDeviceProcAddr top_of_device = (PFN_vkGetDeviceProcAddr)dlsym(library, "vkGetDeviceProcAddr");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        PFN_vkVoidFunction of_instance = link->pfnNextGetInstanceProcAddr(instance->below, names[i]);
        PFN_vkVoidFunction of_device = link->pfnNextGetDeviceProcAddr(device, names[i]);
        trace("while_creating", "name=%s instance=%d device=%d", names[i], of_instance != NULL, of_device != NULL);
        top(instance->below, names[i]);
        top_of_device(device, names[i]);
    }
    PFN_vkDeviceWaitIdle wait = (PFN_vkDeviceWaitIdle)link->pfnNextGetInstanceProcAddr(instance->below, "vkDeviceWaitIdle");
    if (wait != NULL && wait(device) != VK_SUCCESS) die("look_up_while_creating", "the device is not idle");
    dlclose(library);
}

CALL layer_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
    ALONE("vkCreateDevice");
    trace("vkCreateDevice", "extensions=%u allocator=%d", info->enabledExtensionCount, allocator != NULL);
    if (does("tell_info")) trace("info", "members=%s", members_of_device(info).text);
    reenter("vkCreateDevice");
    struct instance *instance = instance_of("vkCreateDevice", handle);
    if (is_added(handle)) return VK_ERROR_INITIALIZATION_FAILED;
    VkLayerDeviceLink *link = take_device_link(info);
    VkPhysicalDevice below = unwrap("vkCreateDevice", "physical device", handle);
    VkDeviceCreateInfo own = *info;
    const char *names[64];
    VkPhysicalDevice members[VK_MAX_DEVICE_GROUP_SIZE];
    unwrap_group(info, members);
    if (does("strip")) strip_extensions(&own, names);
    if (does("add_extension") && own.enabledExtensionCount < 63) {
        for (uint32_t i = 0; i < own.enabledExtensionCount; ++i) names[i] = own.ppEnabledExtensionNames[i];
        names[own.enabledExtensionCount++] = "VK_KHR_image_format_list";
        own.ppEnabledExtensionNames = names;
    }
    if (does("fail_device_early")) return (VkResult)number("fail_device_early", 0);
    if (does("swallow_device")) return VK_SUCCESS;
    if (does("null_device")) return *out = VK_NULL_HANDLE, VK_SUCCESS;
    if (does("overwrite_device")) *out = (VkDevice)(uintptr_t)number("overwrite_device", 0);
    if (does("clear_device")) memset(*out, 0, sizeof(void *));
    struct device *device = calloc(1, sizeof *device);
    PFN_vkCreateDevice create = next_create_device(link, instance);
    VkDevice given = *out;
    if (does("own_device") && !does("own_device_last")) create_own_device(create, below, &own, link, given, device);
    struct tracker *tracker;
    allocator = pass_down(allocator, &tracker);
    VkResult result = create(below, &own, allocator, out);
    if (result != VK_SUCCESS) {
        end_tracker(tracker);
        free(device);
        return result;
    }
    if (does("look_up_while_creating")) look_up_while_creating(link, instance, *out);
    if (does("own_device") && does("own_device_last")) create_own_device(create, below, &own, link, given, device);
    note_tracker((uint64_t)(uintptr_t)*out, tracker);
    device->key = key_of(*out);
    device->below = *out;
    device->get = link->pfnNextGetDeviceProcAddr;
    device->instance = instance;
    device->set_data = device_link(info, VK_LOADER_DATA_CALLBACK)->u.pfnSetDeviceLoaderData;
    if (does("fail_device")) {
        NEXT_OF_DEVICE(device, vkDestroyDevice)(*out, allocator);
        free(device);
        return (VkResult)number("fail_device", 0);
    }
    if (does("second_device")) make_second_device(device, below, instance->below);
    pthread_mutex_lock(&lock);
    for (struct device *other = is_asked_for_device_commands ? devices : NULL; other != NULL; other = other->next)
        if (other->key == device->key) die("vkCreateDevice", "a device that is not destroyed yet begins with the same word");
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock);
    if (does("wrap_devices")) *out = wrap("device", *out, NULL, device);
    if (does("garbage_device")) *out = (VkDevice)(uintptr_t)number("garbage_device", 0);
    reenter("vkCreateDevice");
    return VK_SUCCESS;
}

CALL_VOID layer_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator) {
    ALONE("vkDestroyDevice");
    trace("vkDestroyDevice", "allocator=%d", allocator != NULL);
    if (handle == VK_NULL_HANDLE) return;
    reenter("vkDestroyDevice");
    struct device *device = device_of("vkDestroyDevice", handle);
    PFN_vkDestroyDevice destroy = NEXT_OF_DEVICE(device, vkDestroyDevice);
    if (device->second != VK_NULL_HANDLE) {
        PFN_vkDestroyDevice second = (PFN_vkDestroyDevice)device->second_get(device->second, "vkDestroyDevice");
        device->instance->destroy_device(device->second, NULL, second);
    }
    if (device->own != VK_NULL_HANDLE) device->destroy_own(device->own, NULL);
    struct tracker *tracker;
    allocator = pass_down_to_destroy((uint64_t)(uintptr_t)device->below, allocator, &tracker);
    destroy(unwrap("vkDestroyDevice", "device", handle), allocator);
    end_tracker(tracker);
    if (does("destroy_device_twice")) destroy(unwrap("vkDestroyDevice", "device", handle), allocator);
    /* Another thread's device would begin with the same word now, if the loader let it. */
    for (int i = 0; i < 10; ++i) sched_yield();
    pthread_mutex_lock(&lock);
    struct device **place = &devices;
    while (*place != device) place = &(*place)->next;
    *place = device->next;
    free_wrappers(NULL, device);
    pthread_mutex_unlock(&lock);
    free(device);
}

CALL_VOID layer_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *out) {
    trace("vkGetDeviceQueue", " ");
    reenter("vkGetDeviceQueue");
    struct device *device = device_of("vkGetDeviceQueue", handle);
    NEXT_OF_DEVICE(device, vkGetDeviceQueue)(unwrap("vkGetDeviceQueue", "device", handle), family, index, out);
    if (!does("wrap_devices")) return;
    /* The driver's queue is this layer's now, which has to prepare it for the layers below. */
    if (device->set_data(device->below, *out) != VK_SUCCESS) die("vkGetDeviceQueue", "the callback for data failed");
    if (key_of(*out) != device->key) die("vkGetDeviceQueue", "the callback for data did nothing");
    struct wrapper *queue = wrap("queue", *out, NULL, device);
    /* The loader gives every queue that comes out of this command its word. */
    if (does("wordless")) queue->loader_word = (const void *)(uintptr_t)0x10;
    *out = (VkQueue)queue;
}

CALL layer_QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
    trace("vkQueueSubmit", "count=%u", count);
    reenter("vkQueueSubmit");
    struct device *device = device_of("vkQueueSubmit", handle);
    return NEXT_OF_DEVICE(device, vkQueueSubmit)(unwrap("vkQueueSubmit", "queue", handle), count, infos, fence);
}

CALL layer_DeviceWaitIdle(VkDevice handle) {
    trace("vkDeviceWaitIdle", " ");
    reenter("vkDeviceWaitIdle");
    struct device *device = device_of("vkDeviceWaitIdle", handle);
    return NEXT_OF_DEVICE(device, vkDeviceWaitIdle)(unwrap("vkDeviceWaitIdle", "device", handle));
}

static VkSurfaceKHR unwrapped_surface(const char *command, VkSurfaceKHR handle);

/* A copy of a structure that names an object, with the handle that the next layer knows. */
#define NAMING(command, Info, kind, member, INSTANCE_KIND, PHYSICAL_DEVICE_KIND, DEVICE_KIND, SURFACE_KIND)                \
    CALL layer_##command(VkDevice handle, const Info *info) {                                                              \
        struct device *device = device_of("vk" #command, handle);                                                          \
        Info own = *info;                                                                                                  \
        trace("vk" #command, "kind=%d", (int)info->kind);                                                                  \
        const char *what = info->kind == INSTANCE_KIND          ? "instance"                                               \
                           : info->kind == PHYSICAL_DEVICE_KIND ? "physical device"                                        \
                           : info->kind == DEVICE_KIND          ? "device"                                                 \
                                                                : NULL;                                                    \
        if (what != NULL) own.member = (uint64_t)(uintptr_t)unwrap("vk" #command, what, (void *)(uintptr_t)info->member);  \
        if (info->kind == SURFACE_KIND && does("wrap_surfaces"))                                                           \
            own.member = (uint64_t)unwrapped_surface("vk" #command, (VkSurfaceKHR)info->member);                           \
        return NEXT_OF_DEVICE(device, vk##command)(unwrap("vk" #command, "device", handle), &own);                         \
    }
NAMING(SetDebugUtilsObjectNameEXT, VkDebugUtilsObjectNameInfoEXT, objectType, objectHandle, VK_OBJECT_TYPE_INSTANCE, VK_OBJECT_TYPE_PHYSICAL_DEVICE, VK_OBJECT_TYPE_DEVICE, VK_OBJECT_TYPE_SURFACE_KHR)
NAMING(SetDebugUtilsObjectTagEXT, VkDebugUtilsObjectTagInfoEXT, objectType, objectHandle, VK_OBJECT_TYPE_INSTANCE, VK_OBJECT_TYPE_PHYSICAL_DEVICE, VK_OBJECT_TYPE_DEVICE, VK_OBJECT_TYPE_SURFACE_KHR)
NAMING(DebugMarkerSetObjectNameEXT, VkDebugMarkerObjectNameInfoEXT, objectType, object, VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT)
NAMING(DebugMarkerSetObjectTagEXT, VkDebugMarkerObjectTagInfoEXT, objectType, object, VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_DEVICE_EXT, VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT)

/* The command of the extension that this layer adds to devices: nobody below sees it. */
CALL_VOID layer_TrimCommandPoolKHR(VkDevice handle, VkCommandPool pool, VkCommandPoolTrimFlags flags) {
    (void)pool;
    trace("vkTrimCommandPoolKHR", "flags=%u", flags);
    device_of("vkTrimCommandPoolKHR", handle);
}

/* A command of devices that no registry has. */
static VKAPI_ATTR uint64_t VKAPI_CALL layer_DeviceTEST(VkDevice handle, uint64_t a, double b) {
    trace("vkLayerDeviceTEST", " ");
    device_of("vkLayerDeviceTEST", handle);
    return a * (uint64_t)b;
}

/* What the next vkGetDeviceProcAddr gives, for a test to look at and to call. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_NextDeviceCommandTEST(VkDevice handle, const char *name) {
    struct device *device = device_of("vkNextDeviceCommandTEST", handle);
    return device->get(device->below, name);
}
