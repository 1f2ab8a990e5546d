/* What the library exports. Which of these exist is chosen by -D:
 *   EXPORT_CORE       interface 0: vkGetInstanceProcAddr, vkCreateInstance, vkEnumerateInstanceExtensionProperties
 *   EXPORT_LOOKUP     interface 1: vk_icdGetInstanceProcAddr
 *   EXPORT_NEGOTIATE  interface 2: vk_icdNegotiateLoaderICDInterfaceVersion
 *   EXPORT_PHYSICAL   interface 4: vk_icdGetPhysicalDeviceProcAddr
 *   EXPORT_ADAPTERS   interface 6, on Windows alone: vk_icdEnumerateAdapterPhysicalDevices, which ends the process
 * With LACKS_SYMBOL a function, which nothing calls, calls another one that is nowhere.
 */
#define VK_NO_PROTOTYPES
#include "driver.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void (*test_on_call)(const char *command, const char *line);

#ifdef EXPORT_CORE
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    return driver_instance_proc(instance, name);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    PFN_vkVoidFunction function = driver_instance_proc(VK_NULL_HANDLE, "vkCreateInstance");
    return function == NULL ? VK_ERROR_INITIALIZATION_FAILED : ((PFN_vkCreateInstance)function)(info, allocator, out);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    PFN_vkVoidFunction function = driver_instance_proc(VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties");
    return function == NULL ? VK_ERROR_INITIALIZATION_FAILED : ((PFN_vkEnumerateInstanceExtensionProperties)function)(layer, count, out);
}
#endif

#ifdef EXPORT_LOOKUP
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name) {
    return driver_instance_proc(instance, name);
}
#endif

#ifdef EXPORT_NEGOTIATE
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    return driver_negotiate(version);
}
#endif

#ifdef EXPORT_PHYSICAL
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name) {
    return driver_physical_device_proc(instance, name);
}
#endif

#ifdef EXPORT_ADAPTERS
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdEnumerateAdapterPhysicalDevices(VkInstance instance, uint64_t adapter, uint32_t *count, VkPhysicalDevice *out) {
    (void)instance, (void)adapter, (void)count, (void)out;
    die("vk_icdEnumerateAdapterPhysicalDevices", "called outside Windows");
}
#endif

#ifdef LACKS_SYMBOL
extern void test_symbol_that_is_nowhere(void);
EXPORT void test_call_it(void) { test_symbol_that_is_nowhere(); }
#endif
