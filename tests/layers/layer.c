/* A layer, and what its library exports. Which of these exist is chosen by -D:
 *   EXPORT_PLAIN      interface 0: vkGetInstanceProcAddr, vkGetDeviceProcAddr
 *   EXPORT_NAMED      interface 0: LAYER_NAME in front of GetInstanceProcAddr and GetDeviceProcAddr
 *   EXPORT_OTHER      names that only a manifest's "functions" tells: PREFIX_lookup, PREFIX_device_lookup, PREFIX_negotiate
 *   EXPORT_NEGOTIATE  interface 1 and 2: vkNegotiateLoaderLayerInterfaceVersion
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
#include "objects.h"
#include "chain.h"
#include "instance.h"
#include "device.h"
#include "reenter.h"
#include "pre_instance.h"
#include "lookup.h"

static __attribute__((unused)) VkResult negotiate(VkNegotiateLayerInterface *interface) {
    trace("negotiate", "offered=%u", interface->loaderLayerInterfaceVersion);
    reenter();
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

#ifdef EXPORT_PLAIN
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    return layer_GetInstanceProcAddr(instance, name);
}
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char *name) {
    return layer_GetDeviceProcAddr(device, name);
}
#endif

#ifdef EXPORT_NAMED
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL JOIN(LAYER_NAME, GetInstanceProcAddr)(VkInstance instance, const char *name) {
    return layer_GetInstanceProcAddr(instance, name);
}
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL JOIN(LAYER_NAME, GetDeviceProcAddr)(VkDevice device, const char *name) {
    return layer_GetDeviceProcAddr(device, name);
}
#endif

#ifdef EXPORT_OTHER
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL PREFIXED(lookup)(VkInstance instance, const char *name) {
    return layer_GetInstanceProcAddr(instance, name);
}
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL PREFIXED(device_lookup)(VkDevice device, const char *name) {
    return layer_GetDeviceProcAddr(device, name);
}
EXPORT VKAPI_ATTR VkResult VKAPI_CALL PREFIXED(negotiate)(VkNegotiateLayerInterface *interface) { return negotiate(interface); }
#endif

#ifdef EXPORT_NEGOTIATE
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    return negotiate(interface);
}
#endif
