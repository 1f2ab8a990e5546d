/* Surfaces of a layer that wraps them: numbers that nobody can take for an address, one step further from layer to layer. */

static const uint64_t SURFACE_STEP = (uint64_t)1 << 56;

static VkSurfaceKHR wrapped_surface(VkSurfaceKHR below) { return (VkSurfaceKHR)((uint64_t)below + SURFACE_STEP); }

static VkSurfaceKHR unwrapped_surface(const char *command, VkSurfaceKHR handle) {
    if ((uint64_t)handle < SURFACE_STEP) die(command, "%llx is not one of this layer's surfaces", (unsigned long long)handle);
    return (VkSurfaceKHR)((uint64_t)handle - SURFACE_STEP);
}

CALL layer_CreateHeadlessSurfaceEXT(VkInstance handle, const VkHeadlessSurfaceCreateInfoEXT *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    trace("vkCreateHeadlessSurfaceEXT", " ");
    struct instance *instance = instance_of("vkCreateHeadlessSurfaceEXT", handle);
    VkResult result = NEXT(instance, vkCreateHeadlessSurfaceEXT)(handle, info, allocator, out);
    if (result == VK_SUCCESS) *out = wrapped_surface(*out);
    return result;
}

CALL_VOID layer_DestroySurfaceKHR(VkInstance handle, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator) {
    trace("vkDestroySurfaceKHR", " ");
    struct instance *instance = instance_of("vkDestroySurfaceKHR", handle);
    NEXT(instance, vkDestroySurfaceKHR)(handle, unwrapped_surface("vkDestroySurfaceKHR", surface), allocator);
}

CALL layer_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice handle, uint32_t family, VkSurfaceKHR surface, VkBool32 *out) {
    trace("vkGetPhysicalDeviceSurfaceSupportKHR", " ");
    struct instance *instance = instance_of("vkGetPhysicalDeviceSurfaceSupportKHR", handle);
    surface = unwrapped_surface("vkGetPhysicalDeviceSurfaceSupportKHR", surface);
    return NEXT(instance, vkGetPhysicalDeviceSurfaceSupportKHR)(handle, family, surface, out);
}

CALL layer_CreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSwapchainKHR *out) {
    trace("vkCreateSwapchainKHR", " ");
    struct device *device = device_of("vkCreateSwapchainKHR", handle);
    VkSwapchainCreateInfoKHR own = *info;
    own.surface = unwrapped_surface("vkCreateSwapchainKHR", info->surface);
    return NEXT_OF_DEVICE(device, vkCreateSwapchainKHR)(handle, &own, allocator, out);
}
