/* VK_KHR_display and the acquisition of displays. One display, one mode, one plane for each physical device. */
#include "driver.h"

/* Displays and modes are numbers that name their device, so that a mix-up shows. */
static uint64_t display_of(const struct object *device) { return 0xD15000 + device->index; }
static uint64_t mode_of(const struct object *device) { return 0x30DE00 + device->index; }

#define ON_DEVICE(command) struct object *device = PHYSICAL_DEVICE_OF(command, handle); FORCED_RESULT(command)
/* Stands for any display and any mode, for a program that was told of none. */
enum { ANY = 0xA11 };
#define CHECK(command, got, expected) \
    do { if ((uint64_t)(got) != (expected) && (uint64_t)(got) != ANY) die(command, "got %llx, expected %llx", (unsigned long long)(got), (unsigned long long)(expected)); } while (0)

CALL vkGetPhysicalDeviceDisplayPropertiesKHR_(VkPhysicalDevice handle, uint32_t *count, VkDisplayPropertiesKHR *out) {
    ON_DEVICE("vkGetPhysicalDeviceDisplayPropertiesKHR");
    VkDisplayPropertiesKHR one = {.display = (VkDisplayKHR)display_of(device), .displayName = "test display", .physicalResolution = {1920, 1080}};
    return answer_array("vkGetPhysicalDeviceDisplayPropertiesKHR", &one, 1, sizeof one, count, out);
}
CALL vkGetPhysicalDeviceDisplayPlanePropertiesKHR_(VkPhysicalDevice handle, uint32_t *count, VkDisplayPlanePropertiesKHR *out) {
    ON_DEVICE("vkGetPhysicalDeviceDisplayPlanePropertiesKHR");
    VkDisplayPlanePropertiesKHR one = {.currentDisplay = (VkDisplayKHR)display_of(device), .currentStackIndex = 9};
    return answer_array("vkGetPhysicalDeviceDisplayPlanePropertiesKHR", &one, 1, sizeof one, count, out);
}
CALL vkGetDisplayPlaneSupportedDisplaysKHR_(VkPhysicalDevice handle, uint32_t plane, uint32_t *count, VkDisplayKHR *out) {
    ON_DEVICE("vkGetDisplayPlaneSupportedDisplaysKHR");
    (void)plane;
    VkDisplayKHR one = (VkDisplayKHR)display_of(device);
    return answer_array("vkGetDisplayPlaneSupportedDisplaysKHR", &one, 1, sizeof one, count, out);
}
CALL vkGetDisplayModePropertiesKHR_(VkPhysicalDevice handle, VkDisplayKHR display, uint32_t *count, VkDisplayModePropertiesKHR *out) {
    ON_DEVICE("vkGetDisplayModePropertiesKHR");
    CHECK("vkGetDisplayModePropertiesKHR", display, display_of(device));
    VkDisplayModePropertiesKHR one = {.displayMode = (VkDisplayModeKHR)mode_of(device), .parameters = {{1920, 1080}, 60000}};
    return answer_array("vkGetDisplayModePropertiesKHR", &one, 1, sizeof one, count, out);
}
CALL vkCreateDisplayModeKHR_(VkPhysicalDevice handle, VkDisplayKHR display, const VkDisplayModeCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkDisplayModeKHR *out) {
    (void)info, (void)allocator;
    ON_DEVICE("vkCreateDisplayModeKHR");
    CHECK("vkCreateDisplayModeKHR", display, display_of(device));
    *out = (VkDisplayModeKHR)mode_of(device);
    return VK_SUCCESS;
}
CALL vkGetDisplayPlaneCapabilitiesKHR_(VkPhysicalDevice handle, VkDisplayModeKHR mode, uint32_t plane, VkDisplayPlaneCapabilitiesKHR *out) {
    ON_DEVICE("vkGetDisplayPlaneCapabilitiesKHR");
    CHECK("vkGetDisplayPlaneCapabilitiesKHR", mode, mode_of(device));
    *out = (VkDisplayPlaneCapabilitiesKHR){.maxDstExtent = {plane, 77}};
    return VK_SUCCESS;
}

/* The structures that end in 2 carry the older ones after sType and pNext. */
CALL vkGetPhysicalDeviceDisplayProperties2KHR_(VkPhysicalDevice handle, uint32_t *count, VkDisplayProperties2KHR *out) {
    ON_DEVICE("vkGetPhysicalDeviceDisplayProperties2KHR");
    VkDisplayProperties2KHR one = {.displayProperties = {.display = (VkDisplayKHR)display_of(device), .displayName = "test display"}};
    return answer_chained("vkGetPhysicalDeviceDisplayProperties2KHR", &one, 1, sizeof one, count, out);
}
CALL vkGetDisplayModeProperties2KHR_(VkPhysicalDevice handle, VkDisplayKHR display, uint32_t *count, VkDisplayModeProperties2KHR *out) {
    ON_DEVICE("vkGetDisplayModeProperties2KHR");
    CHECK("vkGetDisplayModeProperties2KHR", display, display_of(device));
    VkDisplayModeProperties2KHR one = {.displayModeProperties = {.displayMode = (VkDisplayModeKHR)mode_of(device)}};
    return answer_chained("vkGetDisplayModeProperties2KHR", &one, 1, sizeof one, count, out);
}
CALL vkGetDisplayPlaneCapabilities2KHR_(VkPhysicalDevice handle, const VkDisplayPlaneInfo2KHR *info, VkDisplayPlaneCapabilities2KHR *out) {
    ON_DEVICE("vkGetDisplayPlaneCapabilities2KHR");
    CHECK("vkGetDisplayPlaneCapabilities2KHR", info->mode, mode_of(device));
    out->capabilities = (VkDisplayPlaneCapabilitiesKHR){.maxDstExtent = {info->planeIndex, 77}};
    return VK_SUCCESS;
}

CALL vkReleaseDisplayEXT_(VkPhysicalDevice handle, VkDisplayKHR display) {
    ON_DEVICE("vkReleaseDisplayEXT");
    CHECK("vkReleaseDisplayEXT", display, display_of(device));
    trace("vkReleaseDisplayEXT", "device=%u", device->index);
    return VK_SUCCESS;
}
CALL vkAcquireXlibDisplayEXT_(VkPhysicalDevice handle, Display *dpy, VkDisplayKHR display) {
    ON_DEVICE("vkAcquireXlibDisplayEXT");
    CHECK("vkAcquireXlibDisplayEXT", display, display_of(device));
    trace("vkAcquireXlibDisplayEXT", "dpy=%llx", (unsigned long long)(uintptr_t)dpy);
    return VK_SUCCESS;
}
CALL vkGetRandROutputDisplayEXT_(VkPhysicalDevice handle, Display *dpy, RROutput output, VkDisplayKHR *out) {
    ON_DEVICE("vkGetRandROutputDisplayEXT");
    trace("vkGetRandROutputDisplayEXT", "dpy=%llx output=%lu", (unsigned long long)(uintptr_t)dpy, output);
    *out = (VkDisplayKHR)display_of(device);
    return VK_SUCCESS;
}
CALL vkAcquireDrmDisplayEXT_(VkPhysicalDevice handle, int32_t fd, VkDisplayKHR display) {
    ON_DEVICE("vkAcquireDrmDisplayEXT");
    CHECK("vkAcquireDrmDisplayEXT", display, display_of(device));
    trace("vkAcquireDrmDisplayEXT", "fd=%d", fd);
    return VK_SUCCESS;
}
CALL vkGetDrmDisplayEXT_(VkPhysicalDevice handle, int32_t fd, uint32_t connector, VkDisplayKHR *out) {
    ON_DEVICE("vkGetDrmDisplayEXT");
    trace("vkGetDrmDisplayEXT", "fd=%d connector=%u", fd, connector);
    *out = (VkDisplayKHR)display_of(device);
    return VK_SUCCESS;
}

#define P(name, extension) COMMAND(name, LEVEL_PHYSICAL_DEVICE, 0, extension)
const struct command display_commands[] = {
    P(vkGetPhysicalDeviceDisplayPropertiesKHR, "VK_KHR_display"),
    P(vkGetPhysicalDeviceDisplayPlanePropertiesKHR, "VK_KHR_display"),
    P(vkGetDisplayPlaneSupportedDisplaysKHR, "VK_KHR_display"),
    P(vkGetDisplayModePropertiesKHR, "VK_KHR_display"),
    P(vkCreateDisplayModeKHR, "VK_KHR_display"),
    P(vkGetDisplayPlaneCapabilitiesKHR, "VK_KHR_display"),
    P(vkGetPhysicalDeviceDisplayProperties2KHR, "VK_KHR_get_display_properties2"),
    P(vkGetDisplayModeProperties2KHR, "VK_KHR_get_display_properties2"),
    P(vkGetDisplayPlaneCapabilities2KHR, "VK_KHR_get_display_properties2"),
    P(vkReleaseDisplayEXT, "VK_EXT_direct_mode_display"),
    P(vkAcquireXlibDisplayEXT, "VK_EXT_acquire_xlib_display"),
    P(vkGetRandROutputDisplayEXT, "VK_EXT_acquire_xlib_display"),
    P(vkAcquireDrmDisplayEXT, "VK_EXT_acquire_drm_display"),
    P(vkGetDrmDisplayEXT, "VK_EXT_acquire_drm_display"),
    {0},
};
