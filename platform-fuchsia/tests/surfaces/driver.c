/* A driver that can present to image pipes. With OWN its surfaces are its own, else the loader's. */
#include "vulkan.h"
#include <vulkan/vk_icd.h>
#include <stdlib.h>

#define FUNCTION(name) \
    if (strcmp(wanted, #name) == 0) return (PFN_vkVoidFunction)name##_

struct object {
    VK_LOADER_DATA loader;
};
static struct object instance, device;

static const VkExtensionProperties EXTENSIONS[] = {{"VK_KHR_surface", 25}, {"VK_FUCHSIA_imagepipe_surface", 1}};

CALL vkEnumerateInstanceExtensionProperties_(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    (void)layer;
    if (out != NULL) memcpy(out, EXTENSIONS, sizeof EXTENSIONS);
    return *count = 2, VK_SUCCESS;
}
CALL vkCreateInstance_(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    (void)allocator;
    for (uint32_t i = 0; i < info->enabledExtensionCount; ++i) SAY("%s", FIRST, info->ppEnabledExtensionNames[i]);
    set_loader_magic_value(&instance);
    return *out = (VkInstance)&instance, VK_SUCCESS;
}
CALL_VOID vkDestroyInstance_(VkInstance handle, const VkAllocationCallbacks *allocator) { (void)handle, (void)allocator; }
CALL vkEnumeratePhysicalDevices_(VkInstance handle, uint32_t *count, VkPhysicalDevice *out) {
    (void)handle;
    set_loader_magic_value(&device);
    if (out != NULL) *out = (VkPhysicalDevice)&device;
    return *count = 1, VK_SUCCESS;
}
CALL_VOID vkGetPhysicalDeviceProperties_(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out) {
    (void)handle;
    *out = (VkPhysicalDeviceProperties){.apiVersion = VK_API_VERSION_1_0, .deviceName = "image pipes"};
}
CALL vkEnumerateDeviceExtensionProperties_(VkPhysicalDevice handle, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    (void)handle, (void)layer, (void)out;
    return *count = 0, VK_SUCCESS;
}
CALL vkGetPhysicalDeviceSurfaceSupportKHR_(VkPhysicalDevice handle, uint32_t family, VkSurfaceKHR surface, VkBool32 *out) {
    (void)handle, (void)family;
#ifdef OWN
    SAY("surface %llx", FIRST, (unsigned long long)surface);
#else
    SAY("platform %d", FIRST, (int)((const VkIcdSurfaceBase *)surface)->platform);
#endif
    return *out = VK_TRUE, VK_SUCCESS;
}

#ifdef OWN
CALL vkCreateImagePipeSurfaceFUCHSIA_(VkInstance handle, const VkImagePipeSurfaceCreateInfoFUCHSIA *info,
                                      const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    (void)handle, (void)allocator;
    SAY("created for %u, type %d", FIRST, info->imagePipeHandle, (int)info->sType);
    return *out = (VkSurfaceKHR)0xabc, VK_SUCCESS;
}
CALL_VOID vkDestroySurfaceKHR_(VkInstance handle, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator) {
    (void)handle, (void)allocator;
    SAY("destroyed %llx", FIRST, (unsigned long long)surface);
}
#endif

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance handle, const char *wanted) {
    (void)handle;
    FUNCTION(vkEnumerateInstanceExtensionProperties);
    FUNCTION(vkCreateInstance);
    FUNCTION(vkDestroyInstance);
    FUNCTION(vkEnumeratePhysicalDevices);
    FUNCTION(vkGetPhysicalDeviceProperties);
    FUNCTION(vkEnumerateDeviceExtensionProperties);
    FUNCTION(vkGetPhysicalDeviceSurfaceSupportKHR);
#ifdef OWN
    FUNCTION(vkCreateImagePipeSurfaceFUCHSIA);
    FUNCTION(vkDestroySurfaceKHR);
#endif
    /* Commands that a driver must have and this test does not call. */
    static const char *const UNUSED[] = {
        "vkGetPhysicalDeviceFeatures", "vkGetPhysicalDeviceFormatProperties", "vkGetPhysicalDeviceImageFormatProperties",
        "vkGetPhysicalDeviceQueueFamilyProperties", "vkGetPhysicalDeviceMemoryProperties",
        "vkGetPhysicalDeviceSparseImageFormatProperties", "vkCreateDevice", "vkGetDeviceProcAddr",
        "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "vkGetPhysicalDeviceSurfaceFormatsKHR", "vkGetPhysicalDeviceSurfacePresentModesKHR",
    };
    for (unsigned i = 0; i < sizeof UNUSED / sizeof *UNUSED; ++i)
        if (strcmp(wanted, UNUSED[i]) == 0) return (PFN_vkVoidFunction)abort;
    return NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    return *version = 3, VK_SUCCESS;
}
