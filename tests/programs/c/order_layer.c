/* A layer that writes down who stands below it: one line for each instance and device, with the file names of the
 * libraries in the order in which calls pass through them. It has to stand first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

static PFN_vkGetInstanceProcAddr next_of_instance;
static PFN_vkGetDeviceProcAddr next_of_device;
static VkInstance current;

static FILE *start(const char *what)
{
    const char *path = getenv("VKLOAD_ORDER_FILE");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file)
        fprintf(file, "%s", what);
    return file;
}

/* The loader's files have different names on the two sides that are compared. */
static void name(FILE *file, void *function)
{
    Dl_info info;
    const char *path = dladdr(function, &info) ? info.dli_fname : "nobody";
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (file)
        fprintf(file, " %s", strncmp(base, "libvulkan.so", 12) == 0 ? "loader" : base);
}

static void end(FILE *file)
{
    if (!file)
        return;
    fputc('\n', file);
    fclose(file);
}

static VkResult create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkInstance *instance)
{
    VkLayerInstanceCreateInfo *chain = (VkLayerInstanceCreateInfo *)info->pNext;
    while (chain && (chain->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || chain->function != VK_LAYER_LINK_INFO))
        chain = (VkLayerInstanceCreateInfo *)chain->pNext;
    if (!chain)
        return VK_ERROR_INITIALIZATION_FAILED;
    FILE *file = start("instance");
    for (VkLayerInstanceLink *link = chain->u.pLayerInfo; link; link = link->pNext)
        name(file, (void *)link->pfnNextGetInstanceProcAddr);
    end(file);
    next_of_instance = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_of_instance(NULL, "vkCreateInstance");
    VkResult result = create(info, callbacks, instance);
    current = *instance;
    return result;
}

static VkResult create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
                              const VkAllocationCallbacks *callbacks, VkDevice *device)
{
    VkLayerDeviceCreateInfo *chain = (VkLayerDeviceCreateInfo *)info->pNext;
    while (chain && (chain->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || chain->function != VK_LAYER_LINK_INFO))
        chain = (VkLayerDeviceCreateInfo *)chain->pNext;
    if (!chain)
        return VK_ERROR_INITIALIZATION_FAILED;
    FILE *file = start("device");
    for (VkLayerDeviceLink *link = chain->u.pLayerInfo; link; link = link->pNext)
        name(file, (void *)link->pfnNextGetDeviceProcAddr);
    end(file);
    PFN_vkGetInstanceProcAddr next = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_of_device = chain->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(current, "vkCreateDevice");
    return create ? create(physical_device, info, callbacks, device) : VK_ERROR_INITIALIZATION_FAILED;
}

static PFN_vkVoidFunction get_device_proc_addr(VkDevice device, const char *command)
{
    if (strcmp(command, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc_addr;
    return next_of_device(device, command);
}

static PFN_vkVoidFunction get_instance_proc_addr(VkInstance instance, const char *command)
{
    if (strcmp(command, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_instance_proc_addr;
    if (strcmp(command, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc_addr;
    if (strcmp(command, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)create_instance;
    if (strcmp(command, "vkCreateDevice") == 0)
        return (PFN_vkVoidFunction)create_device;
    return next_of_instance ? next_of_instance(instance, command) : NULL;
}

EXPORT VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion > 2)
        interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = get_instance_proc_addr;
    interface->pfnGetDeviceProcAddr = get_device_proc_addr;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
