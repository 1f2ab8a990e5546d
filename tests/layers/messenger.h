/* Commands of messengers: a layer that wraps instances has to put the next layer's handle in. */

CALL layer_CreateDebugUtilsMessengerEXT(VkInstance handle, const VkDebugUtilsMessengerCreateInfoEXT *info, const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *out) {
    trace("vkCreateDebugUtilsMessengerEXT", " ");
    struct instance *instance = instance_of("vkCreateDebugUtilsMessengerEXT", handle);
    handle = unwrap("vkCreateDebugUtilsMessengerEXT", "instance", handle);
    return NEXT(instance, vkCreateDebugUtilsMessengerEXT)(handle, info, allocator, out);
}

CALL_VOID layer_DestroyDebugUtilsMessengerEXT(VkInstance handle, VkDebugUtilsMessengerEXT messenger, const VkAllocationCallbacks *allocator) {
    trace("vkDestroyDebugUtilsMessengerEXT", " ");
    struct instance *instance = instance_of("vkDestroyDebugUtilsMessengerEXT", handle);
    handle = unwrap("vkDestroyDebugUtilsMessengerEXT", "instance", handle);
    NEXT(instance, vkDestroyDebugUtilsMessengerEXT)(handle, messenger, allocator);
}

CALL_VOID layer_SubmitDebugUtilsMessageEXT(VkInstance handle, VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data) {
    trace("vkSubmitDebugUtilsMessageEXT", " ");
    struct instance *instance = instance_of("vkSubmitDebugUtilsMessageEXT", handle);
    handle = unwrap("vkSubmitDebugUtilsMessageEXT", "instance", handle);
    NEXT(instance, vkSubmitDebugUtilsMessageEXT)(handle, severity, types, data);
}
