/* VkDevice and what hangs below it. */
#include "driver.h"
#include <string.h>

/* The devices of a VkDeviceGroupDeviceCreateInfo by name: each must be one of this driver's. */
static const char *group_list(const void *next) {
    const char *names[VK_MAX_DEVICE_GROUP_SIZE];
    for (const VkBaseInStructure *link = next; link != NULL; link = link->pNext) {
        if (link->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) continue;
        const VkDeviceGroupDeviceCreateInfo *group = (const void *)link;
        for (uint32_t i = 0; i < group->physicalDeviceCount; ++i)
            names[i] = PHYSICAL_DEVICE_OF("vkCreateDevice", group->pPhysicalDevices[i])->device->name;
        return name_list(group->physicalDeviceCount, names);
    }
    return "";
}

/* The number of values of 7 in a structure of a type that no registry has. */
static int stranger(const void *next) {
    int sevens = 0;
    for (const VkBaseInStructure *link = next; link != NULL; link = link->pNext)
        for (int i = 0; link->sType == (VkStructureType)9999 && i < 8; ++i) sevens += ((const uint64_t *)(link + 1))[i] == 7;
    return sevens;
}

CALL vkCreateDevice_(VkPhysicalDevice handle, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
    struct object *physical_device = PHYSICAL_DEVICE_OF("vkCreateDevice", handle);
    const VkPhysicalDeviceFeatures *features = info->pEnabledFeatures;
    trace("vkCreateDevice", "device=%s layers=%u extensions=%s chain=%s stranger=%d group=%s features=%s allocator=%d", physical_device->device->name,
          info->enabledLayerCount, name_list(info->enabledExtensionCount, info->ppEnabledExtensionNames), chain_types(info->pNext), stranger(info->pNext),
          group_list(info->pNext), features == NULL ? "NULL" : features->inheritedQueries ? "inheritedQueries" : "others", allocator != NULL);
    FORCED_RESULT("vkCreateDevice");
    struct names enabled = {0};
    for (uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
        if (!names_have(&physical_device->device->extensions, info->ppEnabledExtensionNames[i])) return VK_ERROR_EXTENSION_NOT_PRESENT;
        strncpy(enabled.name[enabled.count++], info->ppEnabledExtensionNames[i], NAME_SIZE - 1);
    }
    struct object *device = object_new(DEVICE, physical_device, 0);
    device->extensions = enabled;
    object_takes(device, allocator);
    *out = (VkDevice)device;
    return VK_SUCCESS;
}

CALL_VOID vkDestroyDevice_(VkDevice handle, const VkAllocationCallbacks *allocator) {
    struct object *device = DEVICE_OF("vkDestroyDevice", handle);
    trace("vkDestroyDevice", "allocator=%d", allocator != NULL);
    object_gives("vkDestroyDevice", device, allocator);
    object_delete_children(device);
    object_delete("vkDestroyDevice", DEVICE, device);
}

static void queue(VkDevice handle, uint32_t index, VkQueue *out) {
    struct object *device = DEVICE_OF("vkGetDeviceQueue", handle);
    struct object *found = object_child(device, QUEUE, index);
    *out = (VkQueue)(found != NULL ? found : object_new(QUEUE, device, index));
}
CALL_VOID vkGetDeviceQueue_(VkDevice handle, uint32_t family, uint32_t index, VkQueue *out) {
    trace("vkGetDeviceQueue", "family=%u index=%u", family, index);
    queue(handle, index, out);
}
CALL_VOID vkGetDeviceQueue2_(VkDevice handle, const VkDeviceQueueInfo2 *info, VkQueue *out) {
    trace("vkGetDeviceQueue2", "family=%u index=%u", info->queueFamilyIndex, info->queueIndex);
    queue(handle, info->queueIndex, out);
}
CALL vkQueueWaitIdle_(VkQueue handle) {
    object_check("vkQueueWaitIdle", QUEUE, handle);
    trace("vkQueueWaitIdle", " ");
    return VK_SUCCESS;
}
CALL vkQueueSubmit_(VkQueue handle, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
    (void)infos, (void)fence;
    object_check("vkQueueSubmit", QUEUE, handle);
    trace("vkQueueSubmit", "count=%u", count);
    FORCED_RESULT("vkQueueSubmit");
    return VK_SUCCESS;
}
/* Nothing is ever under way, so one fence is as good as another. */
CALL vkCreateFence_(VkDevice handle, const VkFenceCreateInfo *info, const VkAllocationCallbacks *allocator, VkFence *out) {
    (void)allocator;
    DEVICE_OF("vkCreateFence", handle);
    trace("vkCreateFence", "flags=%u", info->flags);
    FORCED_RESULT("vkCreateFence");
    *out = (VkFence)(uintptr_t)1;
    return VK_SUCCESS;
}
CALL_VOID vkDestroyFence_(VkDevice handle, VkFence fence, const VkAllocationCallbacks *allocator) {
    (void)fence, (void)allocator;
    DEVICE_OF("vkDestroyFence", handle);
    trace("vkDestroyFence", " ");
}
CALL vkWaitForFences_(VkDevice handle, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t limit) {
    (void)fences, (void)all, (void)limit;
    DEVICE_OF("vkWaitForFences", handle);
    trace("vkWaitForFences", "count=%u", count);
    FORCED_RESULT("vkWaitForFences");
    return VK_SUCCESS;
}
CALL vkDeviceWaitIdle_(VkDevice handle) {
    DEVICE_OF("vkDeviceWaitIdle", handle);
    trace("vkDeviceWaitIdle", " ");
    FORCED_RESULT("vkDeviceWaitIdle");
    return VK_SUCCESS;
}

CALL vkCreateCommandPool_(VkDevice handle, const VkCommandPoolCreateInfo *info, const VkAllocationCallbacks *allocator, VkCommandPool *out) {
    (void)info, (void)allocator;
    *out = (VkCommandPool)object_new(POOL, DEVICE_OF("vkCreateCommandPool", handle), 0);
    return VK_SUCCESS;
}
CALL_VOID vkDestroyCommandPool_(VkDevice handle, VkCommandPool pool, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    DEVICE_OF("vkDestroyCommandPool", handle);
    object_delete("vkDestroyCommandPool", POOL, (void *)pool);
}
CALL vkAllocateCommandBuffers_(VkDevice handle, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out) {
    struct object *device = DEVICE_OF("vkAllocateCommandBuffers", handle);
    trace("vkAllocateCommandBuffers", "count=%u", info->commandBufferCount);
    FORCED_RESULT("vkAllocateCommandBuffers");
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) out[i] = (VkCommandBuffer)object_new(COMMAND_BUFFER, device, i);
    return VK_SUCCESS;
}
CALL_VOID vkFreeCommandBuffers_(VkDevice handle, VkCommandPool pool, uint32_t count, const VkCommandBuffer *buffers) {
    (void)pool;
    DEVICE_OF("vkFreeCommandBuffers", handle);
    for (uint32_t i = 0; i < count; ++i) object_delete("vkFreeCommandBuffers", COMMAND_BUFFER, buffers[i]);
}
CALL vkBeginCommandBuffer_(VkCommandBuffer handle, const VkCommandBufferBeginInfo *info) {
    (void)info;
    trace("vkBeginCommandBuffer", "index=%u", object_check("vkBeginCommandBuffer", COMMAND_BUFFER, handle)->index);
    return VK_SUCCESS;
}
CALL vkEndCommandBuffer_(VkCommandBuffer handle) {
    trace("vkEndCommandBuffer", "index=%u", object_check("vkEndCommandBuffer", COMMAND_BUFFER, handle)->index);
    return VK_SUCCESS;
}
CALL_VOID vkCmdDraw_(VkCommandBuffer handle, uint32_t vertices, uint32_t instances, uint32_t first, uint32_t first_instance) {
    object_check("vkCmdDraw", COMMAND_BUFFER, handle);
    trace("vkCmdDraw", "arguments=%u,%u,%u,%u", vertices, instances, first, first_instance);
}

/* Commands that only have to be there. */
CALL_VOID vkTrimCommandPool_(VkDevice handle, VkCommandPool pool, VkCommandPoolTrimFlags flags) {
    (void)pool, (void)flags;
    DEVICE_OF("vkTrimCommandPool", handle);
    trace("vkTrimCommandPool", " ");
}
CALL vkGetSemaphoreCounterValue_(VkDevice handle, VkSemaphore semaphore, uint64_t *out) {
    (void)semaphore;
    DEVICE_OF("vkGetSemaphoreCounterValue", handle);
    *out = 12;
    return VK_SUCCESS;
}
CALL_VOID vkCmdSetCullMode_(VkCommandBuffer handle, VkCullModeFlags mode) {
    object_check("vkCmdSetCullMode", COMMAND_BUFFER, handle);
    trace("vkCmdSetCullMode", "mode=%u", mode);
}

/* A name or tag given to an object: the handle has to be the driver's own. Device-level objects are whatever the driver made. */
static const char *named(const char *command, VkObjectType type, uint64_t object) {
    void *handle = (void *)(uintptr_t)object;
    switch ((int)type) {
        case VK_OBJECT_TYPE_INSTANCE: object_check(command, INSTANCE, handle); return "instance";
        case VK_OBJECT_TYPE_PHYSICAL_DEVICE: return PHYSICAL_DEVICE_OF(command, handle)->device->name;
        case VK_OBJECT_TYPE_DEVICE: DEVICE_OF(command, handle); return "device";
        case VK_OBJECT_TYPE_QUEUE: object_check(command, QUEUE, handle); return "queue";
        case VK_OBJECT_TYPE_SURFACE_KHR:
            if (!config.own_surfaces) return ((const VkIcdSurfaceBase *)handle)->platform == VK_ICD_WSI_PLATFORM_HEADLESS ? "headless" : "surface";
            object_check(command, SURFACE, handle);
            return "own_surface";
        default: return "other";
    }
}
CALL vkSetDebugUtilsObjectNameEXT_(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info) {
    DEVICE_OF("vkSetDebugUtilsObjectNameEXT", handle);
    trace("vkSetDebugUtilsObjectNameEXT", "object=%s name=%s", named("vkSetDebugUtilsObjectNameEXT", info->objectType, info->objectHandle), info->pObjectName);
    return VK_SUCCESS;
}
CALL vkSetDebugUtilsObjectTagEXT_(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT *info) {
    DEVICE_OF("vkSetDebugUtilsObjectTagEXT", handle);
    trace("vkSetDebugUtilsObjectTagEXT", "object=%s tag=%llu", named("vkSetDebugUtilsObjectTagEXT", info->objectType, info->objectHandle), (unsigned long long)info->tagName);
    return VK_SUCCESS;
}

/* Numbers of VkDebugReportObjectTypeEXT are VkObjectType's for these, but for the surface. */
static VkObjectType object_type(VkDebugReportObjectTypeEXT type) {
    return type == VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT ? VK_OBJECT_TYPE_SURFACE_KHR : (VkObjectType)type;
}
CALL vkDebugMarkerSetObjectNameEXT_(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT *info) {
    DEVICE_OF("vkDebugMarkerSetObjectNameEXT", handle);
    trace("vkDebugMarkerSetObjectNameEXT", "object=%s name=%s", named("vkDebugMarkerSetObjectNameEXT", object_type(info->objectType), info->object), info->pObjectName);
    return VK_SUCCESS;
}
CALL vkDebugMarkerSetObjectTagEXT_(VkDevice handle, const VkDebugMarkerObjectTagInfoEXT *info) {
    DEVICE_OF("vkDebugMarkerSetObjectTagEXT", handle);
    trace("vkDebugMarkerSetObjectTagEXT", "object=%s", named("vkDebugMarkerSetObjectTagEXT", object_type(info->objectType), info->object));
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr_(VkDevice device, const char *name) { return driver_device_proc(device, name); }

#define D(name, core, extension) COMMAND(name, LEVEL_DEVICE, core, extension)
const struct command device_commands[] = {
    COMMAND(vkCreateDevice, LEVEL_PHYSICAL_DEVICE, VK_API_VERSION_1_0, NULL),
    D(vkGetDeviceProcAddr, VK_API_VERSION_1_0, NULL), D(vkDestroyDevice, VK_API_VERSION_1_0, NULL),
    D(vkGetDeviceQueue, VK_API_VERSION_1_0, NULL), D(vkGetDeviceQueue2, VK_API_VERSION_1_1, NULL),
    D(vkQueueWaitIdle, VK_API_VERSION_1_0, NULL), D(vkQueueSubmit, VK_API_VERSION_1_0, NULL),
    D(vkCreateFence, VK_API_VERSION_1_0, NULL), D(vkDestroyFence, VK_API_VERSION_1_0, NULL),
    D(vkWaitForFences, VK_API_VERSION_1_0, NULL),
    D(vkDeviceWaitIdle, VK_API_VERSION_1_0, NULL), D(vkCreateCommandPool, VK_API_VERSION_1_0, NULL),
    D(vkDestroyCommandPool, VK_API_VERSION_1_0, NULL), D(vkAllocateCommandBuffers, VK_API_VERSION_1_0, NULL),
    D(vkFreeCommandBuffers, VK_API_VERSION_1_0, NULL), D(vkBeginCommandBuffer, VK_API_VERSION_1_0, NULL),
    D(vkEndCommandBuffer, VK_API_VERSION_1_0, NULL), D(vkCmdDraw, VK_API_VERSION_1_0, NULL),
    D(vkTrimCommandPool, VK_API_VERSION_1_1, NULL), D(vkGetSemaphoreCounterValue, VK_API_VERSION_1_2, NULL),
    D(vkCmdSetCullMode, VK_API_VERSION_1_3, NULL),
    D(vkSetDebugUtilsObjectNameEXT, 0, "VK_EXT_debug_utils"), D(vkSetDebugUtilsObjectTagEXT, 0, "VK_EXT_debug_utils"),
    D(vkDebugMarkerSetObjectNameEXT, 0, "VK_EXT_debug_marker"), D(vkDebugMarkerSetObjectTagEXT, 0, "VK_EXT_debug_marker"),
    {0},
};
