/* Look-ups by name. */

static PFN_vkVoidFunction physical_device_function(const char *name) {
    if (does("physical_device_command") && strcmp(name, "vkLayerPhysicalDeviceTEST") == 0) return (PFN_vkVoidFunction)layer_PhysicalDeviceTEST;
    if (does("tells_next") && strcmp(name, "vkNextInstanceCommandTEST") == 0) return (PFN_vkVoidFunction)layer_NextInstanceCommandTEST;
    return NULL;
}

/* Once in a process for each of the look-ups: there are hundreds of calls. */
static void reenter_once(const char *command, bool *done) {
    if (inside) return;
    pthread_mutex_lock(&lock);
    bool first = !*done;
    *done = true;
    pthread_mutex_unlock(&lock);
    if (first) reenter(command);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_GetInstanceProcAddr(VkInstance handle, const char *name) {
    static bool done;
    reenter_once("vkGetInstanceProcAddr", &done);
    if (does("no_functions_at_all")) return NULL;
    PFN_vkVoidFunction own = own_function(name);
    if (own != NULL) return own;
    if (handle == VK_NULL_HANDLE) {
        /* Only in a layer that does not intercept the creation of devices is there something left to ask below. */
        return NULL;
    }
    struct instance *instance = instance_of("vkGetInstanceProcAddr", handle);
    return instance->get(unwrap("vkGetInstanceProcAddr", "instance", handle), name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_GetDeviceProcAddr(VkDevice handle, const char *name) {
    static const char *const commands[] = {
        "vkCreateSwapchainKHR", "vkDestroySwapchainKHR",
        "vkGetDeviceProcAddr", "vkDestroyDevice", "vkGetDeviceQueue", "vkQueueSubmit", "vkDeviceWaitIdle",
        "vkTrimCommandPoolKHR", "vkLayerDeviceTEST", "vkNextDeviceCommandTEST", "vkSetDebugUtilsObjectNameEXT", "vkSetDebugUtilsObjectTagEXT",
        "vkDebugMarkerSetObjectNameEXT", "vkDebugMarkerSetObjectTagEXT",
    };
    static bool done;
    reenter_once("vkGetDeviceProcAddr", &done);
    is_asked_for_device_commands = true;
    if (does("no_device_functions")) return NULL;
    PFN_vkVoidFunction own = own_function(name);
    for (size_t i = 0; own != NULL && i < sizeof commands / sizeof *commands; ++i)
        if (strcmp(name, commands[i]) == 0) return own;
    struct device *device = device_of("vkGetDeviceProcAddr", handle);
    if (does("device_functions_of_instance")) return device->instance->get(device->instance->below, name);
    return device->get(unwrap("vkGetDeviceProcAddr", "device", handle), name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_GetPhysicalDeviceProcAddr(VkInstance handle, const char *name) {
    static bool done;
    reenter_once("vk_layerGetPhysicalDeviceProcAddr", &done);
    /* The loader's own commands on physical devices, which the layer intercepts. */
    if (strncmp(name, "vkGetPhysicalDevice", 19) == 0 && own_function(name) != NULL) return own_function(name);
    PFN_vkVoidFunction own = physical_device_function(name);
    if (own != NULL) return own;
    struct instance *instance = instance_of("vk_layerGetPhysicalDeviceProcAddr", handle);
    VkInstance below = unwrap("vk_layerGetPhysicalDeviceProcAddr", "instance", handle);
    return instance->get_physical_device == NULL ? NULL : instance->get_physical_device(below, name);
}

static PFN_vkVoidFunction own_function(const char *name) {
    static const struct { const char *name, *behaviour; PFN_vkVoidFunction function; } functions[] = {
#define OWN(name) {"vk" #name, NULL, (PFN_vkVoidFunction)layer_##name}
#define OWN_IF(behaviour, name) {"vk" #name, behaviour, (PFN_vkVoidFunction)layer_##name}
        OWN(GetInstanceProcAddr), OWN(GetDeviceProcAddr),
        {"vk_layerGetPhysicalDeviceProcAddr", "physical_device_look_up", (PFN_vkVoidFunction)layer_GetPhysicalDeviceProcAddr}, OWN(CreateInstance), OWN(DestroyInstance),
        OWN(EnumeratePhysicalDevices), OWN(EnumeratePhysicalDeviceGroups), OWN(EnumeratePhysicalDeviceGroupsKHR),
        OWN(GetPhysicalDeviceProperties), OWN(GetPhysicalDeviceQueueFamilyProperties), OWN(EnumerateDeviceExtensionProperties),
        OWN_IF("properties2", GetPhysicalDeviceProperties2), OWN_IF("wrap_surfaces", CreateHeadlessSurfaceEXT),
        OWN_IF("wrap_surfaces", DestroySurfaceKHR), OWN_IF("wrap_surfaces", GetPhysicalDeviceSurfaceSupportKHR),
        OWN_IF("wrap_surfaces", CreateSwapchainKHR),
        OWN_IF("wrap", CreateDebugUtilsMessengerEXT), OWN_IF("wrap", DestroyDebugUtilsMessengerEXT),
        OWN_IF("wrap", SubmitDebugUtilsMessageEXT),
#define FOR_CALLBACKS(name) {"vk" #name, "callbacks", (PFN_vkVoidFunction)callbacks_##name}
        FOR_CALLBACKS(CreateHeadlessSurfaceEXT), FOR_CALLBACKS(DestroySurfaceKHR),
        FOR_CALLBACKS(CreateDebugUtilsMessengerEXT), FOR_CALLBACKS(DestroyDebugUtilsMessengerEXT),
        FOR_CALLBACKS(CreateDebugReportCallbackEXT), FOR_CALLBACKS(DestroyDebugReportCallbackEXT),
        FOR_CALLBACKS(CreateSwapchainKHR), FOR_CALLBACKS(DestroySwapchainKHR),
        OWN(CreateDevice), OWN(DestroyDevice), OWN(GetDeviceQueue), OWN(QueueSubmit), OWN(DeviceWaitIdle),
        OWN_IF("strip", TrimCommandPoolKHR),
        OWN_IF("name", SetDebugUtilsObjectNameEXT), OWN_IF("name", SetDebugUtilsObjectTagEXT),
        OWN_IF("name", DebugMarkerSetObjectNameEXT), OWN_IF("name", DebugMarkerSetObjectTagEXT),
        {"vkLayerDeviceTEST", "device_command", (PFN_vkVoidFunction)layer_DeviceTEST},
        {"vkNextInstanceCommandTEST", "tells_next", (PFN_vkVoidFunction)layer_NextInstanceCommandTEST},
        {"vkNextDeviceCommandTEST", "tells_next", (PFN_vkVoidFunction)layer_NextDeviceCommandTEST},
        {"vkLayerPhysicalDeviceTEST", "physical_device_command", (PFN_vkVoidFunction)layer_PhysicalDeviceTEST},
    };
    bool no_device = does("instance_only") || does("no_create_device");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        if (strcmp(name, functions[i].name) != 0) continue;
        if (functions[i].function == (PFN_vkVoidFunction)layer_GetPhysicalDeviceProcAddr && !does("no_physical_device_lookup")) return functions[i].function;
        if (functions[i].behaviour != NULL && !does(functions[i].behaviour)) continue;
        if (does("core_groups") && functions[i].function == (PFN_vkVoidFunction)layer_EnumeratePhysicalDeviceGroupsKHR) return NULL;
        if (no_device && functions[i].function == (PFN_vkVoidFunction)layer_CreateDevice) return NULL;
        return functions[i].function;
    }
    return NULL;
}
