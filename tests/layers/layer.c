/* A layer, and what its library exports. Which of these exist is chosen by -D:
 *   EXPORT_PLAIN      interface 0: vkGetInstanceProcAddr, vkGetDeviceProcAddr
 *   EXPORT_NAMED      interface 0: LAYER_NAME in front of GetInstanceProcAddr and GetDeviceProcAddr
 *   EXPORT_OTHER      names that only a manifest's "functions" tells: PREFIX_lookup, PREFIX_device_lookup, PREFIX_negotiate
 *   EXPORT_NEGOTIATE  interface 1 and 2: vkNegotiateLoaderLayerInterfaceVersion
 *   EXPORT_INTROSPECTION  interface 0: the enumerations of the library's layers and extensions
 */
#ifndef CONFIGURATION
#define CONFIGURATION "layer"
#endif
#ifndef PREFIX
#define PREFIX test
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define PREFIXED(name) JOIN(PREFIX, _##name)

#include "layer.h"
#include "state.h"
#include "alone.h"
#include "objects.h"
#include "chain.h"
#include "create_info.h"
#include "callbacks.h"
#include "instance.h"
#include "device.h"
#include "messenger.h"
#include "surface.h"
#include "reenter.h"
#include "pre_instance.h"
#include "lookup.h"

static __attribute__((unused)) VkResult negotiate(VkNegotiateLayerInterface *interface) {
    ALONE("negotiate");
    trace("negotiate", "offered=%u", interface->loaderLayerInterfaceVersion);
    reenter("negotiate");
    if (interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT) die("negotiate", "sType %d", interface->sType);
    if (does("refuse")) return (VkResult)number("refuse", VK_ERROR_INITIALIZATION_FAILED);
    uint32_t version = (uint32_t)number("interface", 2);
    interface->loaderLayerInterfaceVersion = version;
    if (version < 2 || does("no_functions")) return VK_SUCCESS;
    interface->pfnGetInstanceProcAddr = layer_GetInstanceProcAddr;
    interface->pfnGetDeviceProcAddr = does("instance_only") || does("no_device_lookup") ? NULL : layer_GetDeviceProcAddr;
    interface->pfnGetPhysicalDeviceProcAddr = does("no_physical_device_lookup") ? NULL : layer_GetPhysicalDeviceProcAddr;
    return VK_SUCCESS;
}

/* The same function under another name, which is noted. */
#define EXPORT_LOOK_UPS(by, instance_name, device_name)                                                          \
    EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_name(VkInstance instance, const char *name) {       \
        trace("look_up", "by=" by);                                                                              \
        return layer_GetInstanceProcAddr(instance, name);                                                        \
    }                                                                                                            \
    EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_name(VkDevice device, const char *name) {             \
        trace("device_look_up", "by=" by);                                                                       \
        return layer_GetDeviceProcAddr(device, name);                                                            \
    }

#ifdef EXPORT_PLAIN
EXPORT_LOOK_UPS("plain", vkGetInstanceProcAddr, vkGetDeviceProcAddr)
#endif

#ifdef EXPORT_NAMED
EXPORT_LOOK_UPS("named", JOIN(LAYER_NAME, GetInstanceProcAddr), JOIN(LAYER_NAME, GetDeviceProcAddr))
#endif

#ifdef EXPORT_OTHER
EXPORT_LOOK_UPS("manifest", PREFIXED(lookup), PREFIXED(device_lookup))
EXPORT VKAPI_ATTR VkResult VKAPI_CALL PREFIXED(negotiate)(VkNegotiateLayerInterface *interface) {
    trace("negotiate_by", "manifest");
    return negotiate(interface);
}
#endif

/* What a library of interface version 0 exports for loaders that have no manifests: this one does not call them. */
#ifdef EXPORT_INTROSPECTION
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *out) {
    (void)count, (void)out;
    die("introspection", "layers");
}
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    (void)layer, (void)count, (void)out;
    die("introspection", "extensions");
}
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceLayerProperties(VkPhysicalDevice device, uint32_t *count, VkLayerProperties *out) {
    (void)device, (void)count, (void)out;
    die("introspection", "device layers");
}
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    (void)device, (void)layer, (void)count, (void)out;
    die("introspection", "device extensions");
}
#endif

#ifdef EXPORT_NEGOTIATE
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    return negotiate(interface);
}
#endif
