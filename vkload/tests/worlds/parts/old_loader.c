/* A Vulkan loader of version 1.0: another one without vkEnumerateInstanceVersion. */
#ifdef OLD_LOADER
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vulkan.h>
__attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    static PFN_vkGetInstanceProcAddr next;
    if (strcmp(name, "vkEnumerateInstanceVersion") == 0) return NULL;
    if (next == NULL) next = (PFN_vkGetInstanceProcAddr)dlsym(dlopen("/opt/libvulkan.so.1", RTLD_NOW | RTLD_LOCAL), "vkGetInstanceProcAddr");
    return next(instance, name);
}
#endif
typedef int not_empty;
