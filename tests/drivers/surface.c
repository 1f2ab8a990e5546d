/* VkSurfaceKHR: this driver's own object (own_surfaces=1) or the loader's VkIcdSurface structure, and what is asked of it. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

/* Records what a surface is: "own index=N" or the contents of the loader's structure. */
static void trace_surface(const char *command, VkSurfaceKHR handle) {
    if (handle == VK_NULL_HANDLE) return trace(command, "surface=NULL");
    if (config.own_surfaces) return trace(command, "surface=own index=%u", object_check(command, SURFACE, (void *)handle)->index);
    const VkIcdSurfaceBase *base = (const void *)handle;
    switch (base->platform) {
        case VK_ICD_WSI_PLATFORM_XCB: {
            const VkIcdSurfaceXcb *xcb = (const void *)base;
            return trace(command, "surface=xcb connection=%llx window=%u", (unsigned long long)(uintptr_t)xcb->connection, xcb->window);
        }
        case VK_ICD_WSI_PLATFORM_XLIB: {
            const VkIcdSurfaceXlib *xlib = (const void *)base;
            return trace(command, "surface=xlib display=%llx window=%lu", (unsigned long long)(uintptr_t)xlib->dpy, xlib->window);
        }
        case VK_ICD_WSI_PLATFORM_WAYLAND: {
            const VkIcdSurfaceWayland *wayland = (const void *)base;
            return trace(command, "surface=wayland display=%llx surface_pointer=%llx", (unsigned long long)(uintptr_t)wayland->display,
                         (unsigned long long)(uintptr_t)wayland->surface);
        }
        case VK_ICD_WSI_PLATFORM_DISPLAY: {
            const VkIcdSurfaceDisplay *display = (const void *)base;
            return trace(command, "surface=display mode=%llx plane=%u stack=%u transform=%d alpha=%g alpha_mode=%d extent=%ux%u",
                         (unsigned long long)display->displayMode, display->planeIndex, display->planeStackIndex, (int)display->transform,
                         (double)display->globalAlpha, (int)display->alphaMode, display->imageExtent.width, display->imageExtent.height);
        }
        case VK_ICD_WSI_PLATFORM_HEADLESS: return trace(command, "surface=headless");
        default: die(command, "surface %p has platform %d", (void *)handle, (int)base->platform);
    }
}

static VkResult create(const char *command, VkInstance handle, const void *next, uint64_t window, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    struct object *instance = INSTANCE_OF(command, handle);
    trace(command, "window=%llu chain=%s allocator=%d", (unsigned long long)window, chain_types(next), allocator != NULL);
    FORCED_RESULT(command);
    static _Atomic uint32_t made;
    if (names_have(&config.lies, command)) return *out = VK_NULL_HANDLE, VK_SUCCESS;
    struct object *surface = object_new(SURFACE, instance, made++);
    object_takes(surface, allocator);
    *out = (VkSurfaceKHR)surface;
    return VK_SUCCESS;
}
CALL vkCreateXcbSurfaceKHR_(VkInstance handle, const VkXcbSurfaceCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    return create("vkCreateXcbSurfaceKHR", handle, info->pNext, info->window, allocator, out);
}
CALL vkCreateXlibSurfaceKHR_(VkInstance handle, const VkXlibSurfaceCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    return create("vkCreateXlibSurfaceKHR", handle, info->pNext, info->window, allocator, out);
}
CALL vkCreateWaylandSurfaceKHR_(VkInstance handle, const VkWaylandSurfaceCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    return create("vkCreateWaylandSurfaceKHR", handle, info->pNext, (uintptr_t)info->surface, allocator, out);
}
CALL vkCreateHeadlessSurfaceEXT_(VkInstance handle, const VkHeadlessSurfaceCreateInfoEXT *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    return create("vkCreateHeadlessSurfaceEXT", handle, info->pNext, 0, allocator, out);
}
CALL vkCreateDisplayPlaneSurfaceKHR_(VkInstance handle, const VkDisplaySurfaceCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out) {
    return create("vkCreateDisplayPlaneSurfaceKHR", handle, info->pNext, info->planeIndex, allocator, out);
}
CALL_VOID vkDestroySurfaceKHR_(VkInstance handle, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator) {
    INSTANCE_OF("vkDestroySurfaceKHR", handle);
    trace_surface("vkDestroySurfaceKHR", surface);
    object_gives("vkDestroySurfaceKHR", object_find(SURFACE, (void *)surface), allocator);
    if (surface != VK_NULL_HANDLE) object_delete("vkDestroySurfaceKHR", SURFACE, (void *)surface);
}

#define ON_SURFACE(command) PHYSICAL_DEVICE_OF(command, handle); trace_surface(command, surface); FORCED_RESULT(command)

CALL vkGetPhysicalDeviceSurfaceSupportKHR_(VkPhysicalDevice handle, uint32_t family, VkSurfaceKHR surface, VkBool32 *out) {
    ON_SURFACE("vkGetPhysicalDeviceSurfaceSupportKHR");
    *out = family == 0;
    return VK_SUCCESS;
}

static VkSurfaceCapabilitiesKHR capabilities(void) {
    return (VkSurfaceCapabilitiesKHR){
        .minImageCount = 2, .maxImageCount = 8, .currentExtent = {640, 480}, .minImageExtent = {1, 2}, .maxImageExtent = {4096, 2160},
        .maxImageArrayLayers = 1, .supportedTransforms = 1, .currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .supportedCompositeAlpha = 1, .supportedUsageFlags = 17,
    };
}
CALL vkGetPhysicalDeviceSurfaceCapabilitiesKHR_(VkPhysicalDevice handle, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *out) {
    ON_SURFACE("vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    *out = capabilities();
    return VK_SUCCESS;
}
CALL vkGetPhysicalDeviceSurfaceCapabilities2KHR_(VkPhysicalDevice handle, const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *out) {
    VkSurfaceKHR surface = info->surface;
    ON_SURFACE("vkGetPhysicalDeviceSurfaceCapabilities2KHR");
    trace("chains_of_capabilities2", "asked=%s answered=%s", chain_types(info->pNext), chain_types(out->pNext));
    out->surfaceCapabilities = capabilities();
    bool knows_protected = names_have(&config.extensions, "VK_KHR_surface_protected_capabilities");
    for (VkBaseOutStructure *link = out->pNext; link != NULL; link = link->pNext)
        if (knows_protected && link->sType == VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR)
            ((VkSurfaceProtectedCapabilitiesKHR *)link)->supportsProtected = VK_TRUE;
    return VK_SUCCESS;
}
CALL vkGetPhysicalDeviceSurfaceCapabilities2EXT_(VkPhysicalDevice handle, VkSurfaceKHR surface, VkSurfaceCapabilities2EXT *out) {
    ON_SURFACE("vkGetPhysicalDeviceSurfaceCapabilities2EXT");
    out->minImageCount = 2;
    out->supportedSurfaceCounters = VK_SURFACE_COUNTER_VBLANK_BIT_EXT;
    return VK_SUCCESS;
}

static const VkSurfaceFormatKHR formats[2] = {{VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR}, {VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR}};
CALL vkGetPhysicalDeviceSurfaceFormatsKHR_(VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count, VkSurfaceFormatKHR *out) {
    ON_SURFACE("vkGetPhysicalDeviceSurfaceFormatsKHR");
    return answer_array("vkGetPhysicalDeviceSurfaceFormatsKHR", formats, 2, sizeof *formats, count, out);
}
CALL vkGetPhysicalDeviceSurfaceFormats2KHR_(VkPhysicalDevice handle, const VkPhysicalDeviceSurfaceInfo2KHR *info, uint32_t *count, VkSurfaceFormat2KHR *out) {
    VkSurfaceKHR surface = info->surface;
    ON_SURFACE("vkGetPhysicalDeviceSurfaceFormats2KHR");
    VkSurfaceFormat2KHR all[2] = {{.surfaceFormat = formats[0]}, {.surfaceFormat = formats[1]}};
    return answer_chained("vkGetPhysicalDeviceSurfaceFormats2KHR", all, 2, sizeof *all, count, out);
}
CALL vkGetPhysicalDeviceSurfacePresentModesKHR_(VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count, VkPresentModeKHR *out) {
    ON_SURFACE("vkGetPhysicalDeviceSurfacePresentModesKHR");
    VkPresentModeKHR modes[2] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
    return answer_array("vkGetPhysicalDeviceSurfacePresentModesKHR", modes, 2, sizeof *modes, count, out);
}
CALL vkGetPhysicalDevicePresentRectanglesKHR_(VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count, VkRect2D *out) {
    ON_SURFACE("vkGetPhysicalDevicePresentRectanglesKHR");
    VkRect2D rectangle = {{1, 2}, {3, 4}};
    return answer_array("vkGetPhysicalDevicePresentRectanglesKHR", &rectangle, 1, sizeof rectangle, count, out);
}

#define PRESENTATION(command) PHYSICAL_DEVICE_OF(command, handle); trace(command, "family=%u", family); return VK_TRUE
CALL_BOOL vkGetPhysicalDeviceXcbPresentationSupportKHR_(VkPhysicalDevice handle, uint32_t family, xcb_connection_t *connection, xcb_visualid_t visual) {
    (void)connection, (void)visual;
    PRESENTATION("vkGetPhysicalDeviceXcbPresentationSupportKHR");
}
CALL_BOOL vkGetPhysicalDeviceXlibPresentationSupportKHR_(VkPhysicalDevice handle, uint32_t family, Display *display, VisualID visual) {
    (void)display, (void)visual;
    PRESENTATION("vkGetPhysicalDeviceXlibPresentationSupportKHR");
}
CALL_BOOL vkGetPhysicalDeviceWaylandPresentationSupportKHR_(VkPhysicalDevice handle, uint32_t family, struct wl_display *display) {
    (void)display;
    PRESENTATION("vkGetPhysicalDeviceWaylandPresentationSupportKHR");
}

CALL vkCreateSwapchainKHR_(VkDevice handle, const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSwapchainKHR *out) {
    struct object *device = DEVICE_OF("vkCreateSwapchainKHR", handle);
    trace_surface("vkCreateSwapchainKHR", info->surface);
    FORCED_RESULT("vkCreateSwapchainKHR");
    struct object *swapchain = object_new(SWAPCHAIN, device, 0);
    object_takes(swapchain, allocator);
    *out = (VkSwapchainKHR)swapchain;
    return VK_SUCCESS;
}
CALL vkCreateSharedSwapchainsKHR_(VkDevice handle, uint32_t count, const VkSwapchainCreateInfoKHR *infos, const VkAllocationCallbacks *allocator, VkSwapchainKHR *out) {
    (void)allocator;
    struct object *device = DEVICE_OF("vkCreateSharedSwapchainsKHR", handle);
    for (uint32_t i = 0; i < count; ++i) {
        trace_surface("vkCreateSharedSwapchainsKHR", infos[i].surface);
        out[i] = (VkSwapchainKHR)object_new(SWAPCHAIN, device, i);
    }
    return VK_SUCCESS;
}
CALL_VOID vkDestroySwapchainKHR_(VkDevice handle, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator) {
    DEVICE_OF("vkDestroySwapchainKHR", handle);
    trace("vkDestroySwapchainKHR", " ");
    object_gives("vkDestroySwapchainKHR", object_find(SWAPCHAIN, (void *)swapchain), allocator);
    object_delete("vkDestroySwapchainKHR", SWAPCHAIN, (void *)swapchain);
}
CALL vkGetDeviceGroupSurfacePresentModesKHR_(VkDevice handle, VkSurfaceKHR surface, VkDeviceGroupPresentModeFlagsKHR *out) {
    DEVICE_OF("vkGetDeviceGroupSurfacePresentModesKHR", handle);
    trace_surface("vkGetDeviceGroupSurfacePresentModesKHR", surface);
    *out = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
    return VK_SUCCESS;
}

#define OWN(name, extension) {#name, (PFN_vkVoidFunction)name##_, LEVEL_INSTANCE, 0, extension, true}
#define P(name, extension) COMMAND(name, LEVEL_PHYSICAL_DEVICE, 0, extension)
#define SWAP(name, extension) COMMAND(name, LEVEL_DEVICE, 0, extension)
const struct command surface_commands[] = {
    OWN(vkCreateXcbSurfaceKHR, "VK_KHR_xcb_surface"),
    OWN(vkCreateXlibSurfaceKHR, "VK_KHR_xlib_surface"),
    OWN(vkCreateWaylandSurfaceKHR, "VK_KHR_wayland_surface"),
    OWN(vkCreateHeadlessSurfaceEXT, "VK_EXT_headless_surface"),
    OWN(vkCreateDisplayPlaneSurfaceKHR, "VK_KHR_display"),
    OWN(vkDestroySurfaceKHR, "VK_KHR_surface"),
    P(vkGetPhysicalDeviceSurfaceSupportKHR, "VK_KHR_surface"),
    P(vkGetPhysicalDeviceSurfaceCapabilitiesKHR, "VK_KHR_surface"),
    P(vkGetPhysicalDeviceSurfaceFormatsKHR, "VK_KHR_surface"),
    P(vkGetPhysicalDeviceSurfacePresentModesKHR, "VK_KHR_surface"),
    P(vkGetPhysicalDeviceSurfaceCapabilities2KHR, "VK_KHR_get_surface_capabilities2"),
    P(vkGetPhysicalDeviceSurfaceFormats2KHR, "VK_KHR_get_surface_capabilities2"),
    P(vkGetPhysicalDeviceSurfaceCapabilities2EXT, "VK_EXT_display_surface_counter"),
    P(vkGetPhysicalDevicePresentRectanglesKHR, "VK_KHR_swapchain"),
    P(vkGetPhysicalDeviceXcbPresentationSupportKHR, "VK_KHR_xcb_surface"),
    P(vkGetPhysicalDeviceXlibPresentationSupportKHR, "VK_KHR_xlib_surface"),
    P(vkGetPhysicalDeviceWaylandPresentationSupportKHR, "VK_KHR_wayland_surface"),
    SWAP(vkCreateSwapchainKHR, "VK_KHR_swapchain"),
    SWAP(vkDestroySwapchainKHR, "VK_KHR_swapchain"),
    SWAP(vkGetDeviceGroupSurfacePresentModesKHR, "VK_KHR_swapchain"),
    SWAP(vkCreateSharedSwapchainsKHR, "VK_KHR_display_swapchain"),
    {0},
};
