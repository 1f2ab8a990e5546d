/* A layer of a world: passes everything on, unless its acts say otherwise. "hide" at vkEnumeratePhysicalDevices hides all devices, "last"
 * all but the last. "no-functions" at negotiate gives no function.
 * "ask" at vkGetInstanceProcAddr finds no vkCreateDevice without an instance. "take NAME" takes a device extension away, and "take-all" all.
 * "refuse" accepts no instance with extensions. */
#ifdef LAYER
#include "acts.h"
#include <vulkan/vk_layer.h>

static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static PFN_vkEnumeratePhysicalDevices next_enumerate;
static PFN_vkEnumerateDeviceExtensionProperties next_extensions;

__attribute__((constructor)) static void load(void) {
    read_acts(acts);
    at("open");
}

__attribute__((destructor)) static void unload(void) { at("close"); }

static VkResult CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    VkResult result = at_creation("vkCreateInstance", info->ppEnabledExtensionNames, info->enabledExtensionCount);
    if (result != VK_SUCCESS) return result;
    if (does("refuse") && info->enabledExtensionCount > 0) return VK_ERROR_EXTENSION_NOT_PRESENT;
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    result = ((PFN_vkCreateInstance)next_instance(VK_NULL_HANDLE, "vkCreateInstance"))(info, allocator, out);
    if (result != VK_SUCCESS) return result;
    next_enumerate = (PFN_vkEnumeratePhysicalDevices)next_instance(*out, "vkEnumeratePhysicalDevices");
    next_extensions = (PFN_vkEnumerateDeviceExtensionProperties)next_instance(*out, "vkEnumerateDeviceExtensionProperties");
    return result;
}

static int takes(const char *extension) {
    for (unsigned i = 0; i < act_count; ++i)
        if (strcmp(acts[i].action, "take") == 0 && strcmp(acts[i].argument, extension) == 0) return 1;
    return does("take-all");
}

static VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    VkExtensionProperties all[64];
    uint32_t found = 64, left = 0;
    VkResult result = next_extensions(device, layer, &found, all);
    if (result != VK_SUCCESS) return result;
    for (uint32_t i = 0; i < found; ++i) {
        if (takes(all[i].extensionName)) continue;
        if (out != NULL && left < *count) out[left] = all[i];
        ++left;
    }
    return *count = left, VK_SUCCESS;
}

static VkResult EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out) {
    VkResult result = at("vkEnumeratePhysicalDevices");
    if (result != VK_SUCCESS) return result;
    if (does("hide")) return *count = 0, VK_SUCCESS;
    if (does("last")) {
        VkPhysicalDevice all[8];
        uint32_t found = 8;
        result = next_enumerate(instance, &found, all);
        if (out != NULL && *count > 0 && found > 0) out[0] = all[found - 1];
        return *count = found > 0, result;
    }
    return next_enumerate(instance, count, out);
}

static VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
    VkResult result = at_creation("vkCreateDevice", info->ppEnabledExtensionNames, info->enabledExtensionCount);
    if (result != VK_SUCCESS) return result;
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(VK_NULL_HANDLE, "vkCreateDevice");
    return create == NULL ? VK_ERROR_INITIALIZATION_FAILED : create(physical, info, allocator, out);
}

static PFN_vkVoidFunction of_device(VkDevice device, const char *name) {
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)of_device;
    return next_device == NULL ? NULL : next_device(device, name);
}

static PFN_vkVoidFunction of_instance(VkInstance instance, const char *name) {
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (PFN_vkVoidFunction)of_instance;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)of_device;
    if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)CreateInstance;
    if (strcmp(name, "vkCreateDevice") == 0) return does("ask") && instance == VK_NULL_HANDLE ? NULL : (PFN_vkVoidFunction)CreateDevice;
    if (strcmp(name, "vkEnumerateDeviceExtensionProperties") == 0) return (PFN_vkVoidFunction)EnumerateDeviceExtensionProperties;
    if (strcmp(name, "vkEnumeratePhysicalDevices") == 0) return (PFN_vkVoidFunction)EnumeratePhysicalDevices;
    return next_instance == NULL ? NULL : next_instance(instance, name);
}

EXPORT VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    VkResult result = at("negotiate");
    if (result != VK_SUCCESS) return result;
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = does("no-functions") ? NULL : of_instance;
    interface->pfnGetDeviceProcAddr = of_device;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
#endif
