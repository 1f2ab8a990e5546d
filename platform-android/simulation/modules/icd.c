// The driver of driver.c, with the driver interface (vk_icd.h): in addition to its HAL module, or with -DNO_HMI alone. With
// -DANDROID_SURFACE it draws to windows itself, and is connected to one as long as it has a swapchain on it; with
// -DLOADERS_SURFACE as well it leaves making surfaces to the loader.
#include "driver.c"

#include "../../../tests/system-loader/window.h"

#ifndef INTERFACE_VERSION
#define INTERFACE_VERSION 5
#endif
#ifndef NEGOTIATION_RESULT
#define NEGOTIATION_RESULT 0
#endif

static int icd_extensions(const char *const *names, uint32_t available, uint32_t *count, struct extension *out) {
    if (out) {
        if (*count > available) *count = available;
        for (uint32_t i = 0; i < *count; i++) {
            memset(&out[i], 0, sizeof out[i]);
            strcpy(out[i].name, names[i]);
            out[i].version = 1;
        }
        return *count < available ? 5 : 0;
    }
    *count = available;
    return 0;
}

static int icd_instance_extensions(const char *layer, uint32_t *count, void *out) {
    static const char *const names[] = {"VK_KHR_surface", "VK_KHR_android_surface"};
    (void)layer;
#ifdef ANDROID_SURFACE
    return icd_extensions(names, 2, count, out);
#else
    return icd_extensions(names, 0, count, out);
#endif
}

static int icd_device_extensions(void *device, const char *layer, uint32_t *count, void *out) {
    static const char *const names[] = {"VK_KHR_swapchain"};
    (void)device, (void)layer;
    return icd_extensions(names, 1, count, out);
}

static void icd_properties(void *device, struct properties *out) {
    get_physical_device_properties(device, out);
    strcpy(out->name, "icd");
}

static void icd_queue_families(void *device, uint32_t *count, void *out) {
    (void)device;
    // Flags, number of queues and so on: six words of 32 bits.
    if (out && *count > 0) memcpy(out, (uint32_t[6]){4, 1}, 24);
    *count = 1;
}

#ifdef ANDROID_SURFACE

// As the loader's: VkIcdSurfaceAndroid.
struct icd_surface {
    int platform;
    void *window;
};

struct surface_info {
    int type;
    const void *next;
    uint32_t flags;
    void *window;
};

__attribute__((unused)) static struct icd_surface only_surface;
static void *connected;
static int connections;

#ifndef LOADERS_SURFACE
static int create_surface(void *instance, const struct surface_info *info, const void *allocator, uint64_t *out) {
    (void)instance, (void)allocator;
    trace("create-surface");
    only_surface.window = info->window;
    *out = (uint64_t)(uintptr_t)&only_surface;
    return 0;
}

static void destroy_surface(void *instance, uint64_t surface, const void *allocator) {
    (void)instance, (void)surface, (void)allocator;
    trace("destroy-surface");
}
#endif

static int get_support(void *device, uint32_t family, uint64_t surface, uint32_t *out) {
    (void)device, (void)family;
    *out = ((struct icd_surface *)(uintptr_t)surface)->window != 0;
    return 0;
}

struct swapchain_info {
    int type;
    const void *next;
    uint32_t flags;
    uint64_t surface;
};

static int create_swapchain(void *device, const struct swapchain_info *info, const void *allocator, uint64_t *out) {
    (void)device, (void)allocator;
    struct icd_surface *surface = (void *)(uintptr_t)info->surface;
    if (!window_connect(surface->window)) return -1000000001; // VK_ERROR_NATIVE_WINDOW_IN_USE_KHR
    connected = surface->window;
    *out = (uint64_t)(uintptr_t)surface + (uint64_t)++connections;
    return 0;
}

static void destroy_swapchain(void *device, uint64_t swapchain, const void *allocator) {
    (void)device, (void)allocator;
    if (swapchain) window_disconnect(connected);
}

#endif

static const struct {
    const char *name;
    function function;
} icd_commands[] = {
#ifdef ANDROID_SURFACE
#ifndef LOADERS_SURFACE
    {"vkCreateAndroidSurfaceKHR", (function)create_surface},
    {"vkDestroySurfaceKHR", (function)destroy_surface},
#endif
    {"vkGetPhysicalDeviceSurfaceSupportKHR", (function)get_support},
    {"vkGetPhysicalDeviceSurfaceCapabilitiesKHR", (function)nothing},
    {"vkGetPhysicalDeviceSurfaceFormatsKHR", (function)nothing},
    {"vkGetPhysicalDeviceSurfacePresentModesKHR", (function)nothing},
    {"vkCreateSwapchainKHR", (function)create_swapchain},
    {"vkDestroySwapchainKHR", (function)destroy_swapchain},
#endif
    {"vkEnumerateInstanceExtensionProperties", (function)icd_instance_extensions},
    {"vkEnumerateDeviceExtensionProperties", (function)icd_device_extensions},
    {"vkGetPhysicalDeviceProperties", (function)icd_properties},
    {"vkGetPhysicalDeviceQueueFamilyProperties", (function)icd_queue_families},
};

static function icd_find(const char *name) {
    for (size_t i = 0; i < sizeof icd_commands / sizeof *icd_commands; i++)
        if (strcmp(icd_commands[i].name, name) == 0) return icd_commands[i].function;
    return find(name);
}

static function icd_get_device_proc_addr(void *device, const char *name) {
    (void)device;
    return icd_find(name);
}

EXPORT function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
    (void)instance;
#ifdef NO_GLOBALS
    return 0;
#endif
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (function)icd_get_device_proc_addr;
    if (strncmp(name, "vk_icd", 6) == 0) return 0;
    return icd_find(name);
}

EXPORT int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    *version = INTERFACE_VERSION;
    return NEGOTIATION_RESULT;
}
