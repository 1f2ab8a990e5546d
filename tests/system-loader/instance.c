/* Commands of instances and physical devices, and the look-ups. There is one physical device. */
#include "loader.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceVersion(uint32_t *version) {
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

static VkResult extensions(const char *const *names, uint32_t available, uint32_t *count, VkExtensionProperties *out) {
    if (out == NULL) return *count = available, VK_SUCCESS;
    if (*count > available) *count = available;
    for (uint32_t i = 0; i < *count; ++i) {
        memset(&out[i], 0, sizeof out[i]);
        strncpy(out[i].extensionName, names[i], VK_MAX_EXTENSION_NAME_SIZE - 1);
        out[i].specVersion = 1;
    }
    return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    static const char *const names[] = {"VK_KHR_surface", "VK_EXT_debug_utils", "VK_KHR_android_surface", "VK_EXT_headless_surface"};
    if (layer != NULL) die("vkEnumerateInstanceExtensionProperties", "asked for a layer");
    return extensions(names, getenv("SYSTEM_LOADER_NO_HEADLESS_SURFACES") == NULL ? 4 : 3, count, out);
}

/* How many structures with settings of layers there are (VK_EXT_layer_settings, which is newer than some headers). */
static unsigned settings_of_layers(const VkInstanceCreateInfo *info) {
    unsigned count = 0;
    for (const VkBaseInStructure *next = info->pNext; next != NULL; next = next->pNext) count += (int)next->sType == 1000496000;
    return count;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    (void)allocator;
    if (info->enabledLayerCount != 0) die("vkCreateInstance", "layers were passed on");
    struct object *instance = object_new(INSTANCE, owner_new(INSTANCE), NULL);
    note("vkCreateInstance", instance, "%u", settings_of_layers(info));
    *out = (VkInstance)instance;
    return VK_SUCCESS;
}
CALL_VOID DestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    NOTE("vkDestroyInstance", instance, INSTANCE, " ");
    owner_delete(owner_of("vkDestroyInstance", instance, INSTANCE));
}
CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out) {
    struct owner *owner = owner_of("vkEnumeratePhysicalDevices", instance, INSTANCE);
    if (getenv("SYSTEM_LOADER_NO_DEVICES") != NULL) return *count = 0, VK_SUCCESS;
    if (owner->child == NULL) owner->child = object_new(PHYSICAL_DEVICE, owner, instance);
    if (out != NULL && *count > 0) out[0] = (VkPhysicalDevice)owner->child;
    *count = 1;
    return VK_SUCCESS;
}

CALL EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    struct owner *owner = owner_of("vkEnumeratePhysicalDeviceGroups", instance, INSTANCE);
    if (getenv("SYSTEM_LOADER_NO_DEVICES") != NULL) return *count = 0, VK_SUCCESS;
    if (owner->child == NULL) owner->child = object_new(PHYSICAL_DEVICE, owner, instance);
    if (out != NULL && *count > 0) out->physicalDeviceCount = 1, out->physicalDevices[0] = (VkPhysicalDevice)owner->child;
    *count = 1;
    return VK_SUCCESS;
}

CALL_VOID GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures *out) {
    NOTE("vkGetPhysicalDeviceFeatures", device, PHYSICAL_DEVICE, " ");
    memset(out, 0, sizeof *out);
}
CALL_VOID GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out) {
    NOTE("vkGetPhysicalDeviceProperties", device, PHYSICAL_DEVICE, " ");
    memset(out, 0, sizeof *out);
    out->apiVersion = VK_API_VERSION_1_3;
    strcpy(out->deviceName, "system");
}
CALL_VOID GetPhysicalDeviceFormatProperties(VkPhysicalDevice device, VkFormat format, VkFormatProperties *out) {
    NOTE("vkGetPhysicalDeviceFormatProperties", device, PHYSICAL_DEVICE, "%d", format);
    memset(out, 0, sizeof *out);
}
CALL GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice device, VkFormat format, VkImageType type, VkImageTiling tiling,
                                            VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *out) {
    NOTE("vkGetPhysicalDeviceImageFormatProperties", device, PHYSICAL_DEVICE, "%d %d %d %u %u", format, type, tiling, usage, flags);
    memset(out, 0, sizeof *out);
    return VK_SUCCESS;
}
CALL_VOID GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *out) {
    NOTE("vkGetPhysicalDeviceQueueFamilyProperties", device, PHYSICAL_DEVICE, " ");
    if (out != NULL && *count > 0) memset(out, 0, sizeof *out);
    *count = 1;
}
CALL_VOID GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *out) {
    NOTE("vkGetPhysicalDeviceMemoryProperties", device, PHYSICAL_DEVICE, " ");
    memset(out, 0, sizeof *out);
}
CALL_VOID GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice device, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
                                                       VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count,
                                                       VkSparseImageFormatProperties *out) {
    (void)out;
    NOTE("vkGetPhysicalDeviceSparseImageFormatProperties", device, PHYSICAL_DEVICE, "%d %d %d %u %d", format, type, samples, usage, tiling);
    *count = 0;
}
CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    static const char *const names[] = {"VK_KHR_swapchain"};
    NOTE("vkEnumerateDeviceExtensionProperties", device, PHYSICAL_DEVICE, " ");
    if (layer != NULL) die("vkEnumerateDeviceExtensionProperties", "asked for a layer");
    return extensions(names, 1, count, out);
}
CALL EnumerateDeviceLayerProperties(VkPhysicalDevice device, uint32_t *count, VkLayerProperties *out) {
    const char *name = getenv("SYSTEM_LOADER_LAYER");
    NOTE("vkEnumerateDeviceLayerProperties", device, PHYSICAL_DEVICE, " ");
    if (name != NULL && out != NULL && *count > 0) memset(out, 0, sizeof *out), strncpy(out->layerName, name, VK_MAX_EXTENSION_NAME_SIZE - 1);
    *count = name != NULL;
    return VK_SUCCESS;
}
/* A command that no registry has. */
CALL_VOID GetPhysicalDeviceSecretsTEST(VkPhysicalDevice device, float first, uint64_t second, void *third, int fourth, int fifth, int sixth, int seventh) {
    NOTE("vkGetPhysicalDeviceSecretsTEST", device, PHYSICAL_DEVICE, "%g %llx %d %d %d %d %d", first, (unsigned long long)second, third != NULL,
         fourth, fifth, sixth, seventh);
}
CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
    (void)allocator;
    owner_of("vkCreateDevice", physical_device, PHYSICAL_DEVICE);
    for (const VkBaseInStructure *next = info->pNext; next != NULL; next = next->pNext) {
        const VkDeviceGroupDeviceCreateInfo *group = (const void *)next;
        for (uint32_t i = 0; next->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO && i < group->physicalDeviceCount; ++i)
            owner_of("vkCreateDevice with a group", group->pPhysicalDevices[i], PHYSICAL_DEVICE);
    }
    static struct owner *shared;
    struct owner *owner = shared != NULL && getenv("SYSTEM_LOADER_SHARES_KEY") != NULL ? shared : owner_new(DEVICE);
    shared = owner;
    ++owner->devices;
    struct object *device = object_new(DEVICE, owner, physical_device);
    owner->child = object_new(QUEUE, owner, device);
    note("vkCreateDevice", device, " ");
    *out = (VkDevice)device;
    return VK_SUCCESS;
}

CALL CreateHeadlessSurfaceEXT(VkInstance instance, const VkHeadlessSurfaceCreateInfoEXT *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    (void)info, (void)allocator;
    owner_of("vkCreateHeadlessSurfaceEXT", instance, INSTANCE);
    *out = (VkSurfaceKHR)(uintptr_t)object_new(SURFACE, NULL, instance);
    return VK_SUCCESS;
}
CALL CreateAndroidSurfaceKHR(VkInstance instance, const VkAndroidSurfaceCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    (void)allocator;
    owner_of("vkCreateAndroidSurfaceKHR", instance, INSTANCE);
    if (!window_connect(info->window)) return VK_ERROR_NATIVE_WINDOW_IN_USE_KHR;
    const struct object *surface = object_new(SURFACE, NULL, instance);
    *surface_state(surface) = (struct surface_state){.window = info->window};
    note("vkCreateAndroidSurfaceKHR", surface, " ");
    *out = (VkSurfaceKHR)(uintptr_t)surface;
    return VK_SUCCESS;
}
const struct object *surface_of(const char *command, VkSurfaceKHR surface) {
    const struct object *object = (const void *)(uintptr_t)surface;
    if (object == NULL || object->kind != SURFACE || object->key != NULL) die(command, "the surface is not mine");
    if (surface_state(object)->gone) die(command, "the surface is gone");
    return object;
}
CALL_VOID DestroySurfaceKHR(VkInstance instance, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    owner_of("vkDestroySurfaceKHR", instance, INSTANCE);
    const struct object *object = surface_of("vkDestroySurfaceKHR", surface);
    note("vkDestroySurfaceKHR", object, " ");
    struct surface_state *state = surface_state(object);
    if (state->swapchains != 0) die("vkDestroySurfaceKHR", "surface%u has %u swapchains", object->number, state->swapchains);
    if (state->gone) die("vkDestroySurfaceKHR", "surface%u is gone", object->number);
    if (state->window != NULL) window_disconnect(state->window);
    state->gone = true;
}
CALL GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice device, uint32_t family, VkSurfaceKHR surface, VkBool32 *out) {
    NOTE("vkGetPhysicalDeviceSurfaceSupportKHR", device, PHYSICAL_DEVICE, "%u surface%u", family,
         surface_of("vkGetPhysicalDeviceSurfaceSupportKHR", surface)->number);
    /* Another thread must not destroy the surface meanwhile. */
    for (int i = 0; i < 3; ++i) sched_yield();
    surface_of("vkGetPhysicalDeviceSurfaceSupportKHR", surface);
    *out = VK_TRUE;
    return VK_SUCCESS;
}
CALL GetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice device, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *out) {
    NOTE("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", device, PHYSICAL_DEVICE, "surface%u",
         surface_of("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", surface)->number);
    memset(out, 0, sizeof *out);
    out->minImageCount = 2;
    return VK_SUCCESS;
}
CALL GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice device, VkSurfaceKHR surface, uint32_t *count, VkSurfaceFormatKHR *out) {
    (void)out;
    NOTE("vkGetPhysicalDeviceSurfaceFormatsKHR", device, PHYSICAL_DEVICE, "surface%u",
         surface_of("vkGetPhysicalDeviceSurfaceFormatsKHR", surface)->number);
    *count = 0;
    return VK_SUCCESS;
}
CALL GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice device, VkSurfaceKHR surface, uint32_t *count, VkPresentModeKHR *out) {
    (void)out;
    NOTE("vkGetPhysicalDeviceSurfacePresentModesKHR", device, PHYSICAL_DEVICE, "surface%u",
         surface_of("vkGetPhysicalDeviceSurfacePresentModesKHR", surface)->number);
    *count = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char *name) {
    owner_of("vkGetDeviceProcAddr", device, DEVICE);
    return strcmp(name, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)GetDeviceProcAddr : device_command(name);
}

#define COMMAND(name) {"vk" #name, (PFN_vkVoidFunction)name}
static const struct { const char *name; PFN_vkVoidFunction function; } commands[] = {
    COMMAND(DestroyInstance), COMMAND(EnumeratePhysicalDevices), COMMAND(EnumeratePhysicalDeviceGroups), COMMAND(GetPhysicalDeviceSecretsTEST),
    COMMAND(GetPhysicalDeviceFeatures), COMMAND(GetPhysicalDeviceProperties),
    COMMAND(GetPhysicalDeviceFormatProperties), COMMAND(GetPhysicalDeviceImageFormatProperties),
    COMMAND(GetPhysicalDeviceQueueFamilyProperties), COMMAND(GetPhysicalDeviceMemoryProperties),
    COMMAND(GetPhysicalDeviceSparseImageFormatProperties), COMMAND(EnumerateDeviceExtensionProperties), COMMAND(EnumerateDeviceLayerProperties),
    COMMAND(CreateDevice), COMMAND(CreateHeadlessSurfaceEXT), COMMAND(CreateAndroidSurfaceKHR), COMMAND(DestroySurfaceKHR),
    COMMAND(GetPhysicalDeviceSurfaceSupportKHR),
    COMMAND(GetPhysicalDeviceSurfaceCapabilitiesKHR), COMMAND(GetPhysicalDeviceSurfaceFormatsKHR),
    COMMAND(GetPhysicalDeviceSurfacePresentModesKHR), COMMAND(GetDeviceProcAddr),
};

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    if (instance == NULL) {
        if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)vkCreateInstance;
        if (strcmp(name, "vkEnumerateInstanceVersion") == 0) return (PFN_vkVoidFunction)vkEnumerateInstanceVersion;
        if (strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0) return (PFN_vkVoidFunction)vkEnumerateInstanceExtensionProperties;
        return NULL;
    }
    owner_of("vkGetInstanceProcAddr", instance, INSTANCE);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
        if (strcmp(commands[i].name, name) == 0) return commands[i].function;
    return device_command(name);
}
