/*
 * A loader that is odd in the way that the variable ODD names. libvkload.c uses it if FAKE_VULKAN is its path, and sets the variable from
 * the options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define VERSION VK_MAKE_API_VERSION(0, 1, 2, 0)

static int fills, instances;

static int is(const char *oddity) {
    const char *chosen = getenv("ODD");
    return chosen != NULL && strcmp(chosen, oddity) == 0;
}

static VkResult layers(uint32_t *count, VkLayerProperties *out) {
    if (is("layers-fail"))
        return VK_ERROR_UNKNOWN;
    if (out == NULL) {
        *count = is("endless") ? UINT32_MAX : 4;
        return VK_SUCCESS;
    }
    fills++;
    if (is("grows-always") || (is("grows-once") && fills == 1))
        return VK_INCOMPLETE;
    if (is("shrinks"))
        *count = 3;
    memset(out, 0, *count * sizeof *out);
    for (uint32_t i = 0; i < *count; i++) {
        /* Neither has an end. */
        memset(out[i].layerName, 'a', sizeof out[i].layerName);
        memset(out[i].description, 0xff, sizeof out[i].description);
        out[i].implementationVersion = i;
    }
    fills = 0;
    return VK_SUCCESS;
}

static VkResult version(uint32_t *out) {
    *out = VERSION;
    return VK_SUCCESS;
}

static VkResult create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance) {
    static int object;
    (void)allocator;
    /* The last one has not been destroyed. */
    if (instances != 0)
        return VK_ERROR_TOO_MANY_OBJECTS;
    if (info->pApplicationInfo->apiVersion != (is("old") ? VK_API_VERSION_1_0 : VERSION))
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    instances = 1;
    *instance = (VkInstance)&object;
    return VK_SUCCESS;
}

static void destroy(VkInstance instance, const VkAllocationCallbacks *allocator) {
    (void)instance, (void)allocator;
    instances = 0;
}

static VkResult devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out) {
    (void)instance;
    if (is("devices-fail"))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    uint32_t there = is("many-devices") ? 100 : 7, room = *count;
    *count = there < room ? there : room;
    for (uint32_t i = 0; i < *count; i++)
        out[i] = (VkPhysicalDevice)(uintptr_t)(i + 1);
    return there > room ? VK_INCOMPLETE : VK_SUCCESS;
}

static void properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out) {
    uint32_t number = (uint32_t)(uintptr_t)device - 1;
    memset(out, 0, sizeof *out);
    out->apiVersion = VK_MAKE_API_VERSION(0, 1, 1, number);
    out->driverVersion = 0x80000000u + number;
    out->vendorID = 0x10000u + number;
    out->deviceID = 0x20000u + number;
    out->deviceType = (VkPhysicalDeviceType)(number == 6 ? -1 : (int)number);
    snprintf(out->deviceName, sizeof out->deviceName, "device %u", number);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } commands[] = {
        {"vkEnumerateInstanceLayerProperties", (PFN_vkVoidFunction)layers},
        {"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)version},
        {"vkCreateInstance", (PFN_vkVoidFunction)create},
        {"vkDestroyInstance", (PFN_vkVoidFunction)destroy},
        {"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)devices},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)properties},
    };
    (void)instance;
    if (is("empty") || (is("old") && strcmp(name, "vkEnumerateInstanceVersion") == 0))
        return NULL;
    if (is("no-devices") && strcmp(name, "vkEnumeratePhysicalDevices") == 0)
        return NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].function;
    return NULL;
}
