/* A layer of the kind of VK_LAYER_FUCHSIA_imagepipe_swapchain: it creates surfaces and swapchains itself and passes neither to drivers. */
#include "vulkan.h"
#include <vulkan/vk_layer.h>

#define FUNCTION(name) \
    if (strcmp(wanted, #name) == 0) return (PFN_vkVoidFunction)name##_
#define SURFACE ((VkSurfaceKHR)0x5f)
#define SWAPCHAIN ((VkSwapchainKHR)0x5c)

static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;

static PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr_(VkInstance handle, const char *wanted);
static PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr_(VkDevice handle, const char *wanted);

/* The loader's link in the chain of a create info; the next layer finds it instead of this layer's. */
#define LINK(type_, info)                                                                                    \
    ({                                                                                                       \
        const struct VkBaseInStructure *it = (info)->pNext;                                                   \
        while (it->sType != type_ || ((VkLayerInstanceCreateInfo *)it)->function != VK_LAYER_LINK_INFO)       \
            it = it->pNext;                                                                                  \
        (void *)it;                                                                                          \
    })

CALL vkCreateInstance_(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    VkLayerInstanceCreateInfo *link = LINK(VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, info);
    next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return ((PFN_vkCreateInstance)next_instance(NULL, "vkCreateInstance"))(info, allocator, out);
}
CALL vkCreateDevice_(VkPhysicalDevice handle, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
    VkLayerDeviceCreateInfo *link = LINK(VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, info);
    next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice next = (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(NULL, "vkCreateDevice");
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return next(handle, info, allocator, out);
}
CALL vkCreateImagePipeSurfaceFUCHSIA_(VkInstance handle, const VkImagePipeSurfaceCreateInfoFUCHSIA *info,
                                      const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    (void)handle, (void)allocator;
    SAY("surface for %u", FIRST, info->imagePipeHandle);
    return *out = SURFACE, VK_SUCCESS;
}
CALL_VOID vkDestroySurfaceKHR_(VkInstance handle, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator) {
    (void)handle, (void)allocator;
    SAY("%s destroyed", FIRST, surface == SURFACE ? "surface" : "something else");
}
CALL vkGetPhysicalDeviceSurfaceSupportKHR_(VkPhysicalDevice handle, uint32_t family, VkSurfaceKHR surface, VkBool32 *out) {
    (void)handle, (void)family;
    return *out = surface == SURFACE, VK_SUCCESS;
}
CALL vkCreateSwapchainKHR_(VkDevice handle, const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator,
                           VkSwapchainKHR *out) {
    (void)handle, (void)allocator;
    SAY("swapchain on %s", FIRST, info->surface == SURFACE ? "the surface" : "something else");
    return *out = SWAPCHAIN, VK_SUCCESS;
}
CALL_VOID vkDestroySwapchainKHR_(VkDevice handle, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator) {
    (void)handle, (void)allocator;
    SAY("%s destroyed", FIRST, swapchain == SWAPCHAIN ? "swapchain" : "something else");
}

static PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr_(VkDevice handle, const char *wanted) {
    FUNCTION(vkGetDeviceProcAddr);
    FUNCTION(vkCreateSwapchainKHR);
    FUNCTION(vkDestroySwapchainKHR);
    return next_device(handle, wanted);
}
static PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr_(VkInstance handle, const char *wanted) {
    FUNCTION(vkGetInstanceProcAddr);
    FUNCTION(vkGetDeviceProcAddr);
    FUNCTION(vkCreateInstance);
    FUNCTION(vkCreateDevice);
    FUNCTION(vkCreateImagePipeSurfaceFUCHSIA);
    FUNCTION(vkDestroySurfaceKHR);
    FUNCTION(vkGetPhysicalDeviceSurfaceSupportKHR);
    FUNCTION(vkCreateSwapchainKHR);
    FUNCTION(vkDestroySwapchainKHR);
    return next_instance == NULL ? NULL : next_instance(handle, wanted);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = vkGetInstanceProcAddr_;
    interface->pfnGetDeviceProcAddr = vkGetDeviceProcAddr_;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
