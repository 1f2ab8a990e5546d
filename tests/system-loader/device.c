/* Commands of devices, queues and command buffers. */
#include "loader.h"

#include <sched.h>
#include <string.h>

CALL_VOID DestroyDevice(VkDevice device, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    NOTE("vkDestroyDevice", device, DEVICE, " ");
    struct owner *owner = owner_of("vkDestroyDevice", device, DEVICE);
    if (--owner->devices == 0) owner_delete(owner);
    /* Another thread has the key before this call comes back, if there is one that waits for a device. */
    for (int i = 0; i < 3; ++i) sched_yield();
}
CALL_VOID GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out) {
    NOTE("vkGetDeviceQueue", device, DEVICE, "%u %u", family, index);
    *out = (VkQueue)owner_of("vkGetDeviceQueue", device, DEVICE)->child;
}
CALL_VOID GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info, VkQueue *out) {
    NOTE("vkGetDeviceQueue2", device, DEVICE, "%u %u", info->queueFamilyIndex, info->queueIndex);
    *out = (VkQueue)owner_of("vkGetDeviceQueue2", device, DEVICE)->child;
}
CALL DeviceWaitIdle(VkDevice device) {
    NOTE("vkDeviceWaitIdle", device, DEVICE, " ");
    return VK_SUCCESS;
}
CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags, void **out) {
    (void)out;
    NOTE("vkMapMemory", device, DEVICE, "%llx %llx %llx %x", (unsigned long long)(uintptr_t)memory, (unsigned long long)offset,
         (unsigned long long)size, flags);
    return VK_SUCCESS;
}
CALL AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out) {
    NOTE("vkAllocateCommandBuffers", device, DEVICE, "%u", info->commandBufferCount);
    struct owner *owner = owner_of("vkAllocateCommandBuffers", device, DEVICE);
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) out[i] = (VkCommandBuffer)object_new(COMMAND_BUFFER, owner, device);
    return VK_SUCCESS;
}
CALL CreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSwapchainKHR *out) {
    (void)allocator;
    NOTE("vkCreateSwapchainKHR", device, DEVICE, "surface%u", surface_of("vkCreateSwapchainKHR", info->surface)->number);
    *out = (VkSwapchainKHR)1;
    return VK_SUCCESS;
}
CALL_VOID DestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    NOTE("vkDestroySwapchainKHR", device, DEVICE, "%llu", (unsigned long long)(uintptr_t)swapchain);
}
CALL SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info) {
    static const char *const command = "vkSetDebugUtilsObjectNameEXT";
    const struct object *object = (const void *)(uintptr_t)info->objectHandle;
    switch (info->objectType) {
    case VK_OBJECT_TYPE_INSTANCE: owner_of(command, object, INSTANCE); break;
    case VK_OBJECT_TYPE_PHYSICAL_DEVICE: owner_of(command, object, PHYSICAL_DEVICE); break;
    case VK_OBJECT_TYPE_DEVICE: owner_of(command, object, DEVICE); break;
    case VK_OBJECT_TYPE_QUEUE: owner_of(command, object, QUEUE); break;
    case VK_OBJECT_TYPE_COMMAND_BUFFER: owner_of(command, object, COMMAND_BUFFER); break;
    case VK_OBJECT_TYPE_SURFACE_KHR: surface_of(command, (VkSurfaceKHR)info->objectHandle); break;
    default: die(command, "an object of another type");
    }
    NOTE("vkSetDebugUtilsObjectNameEXT", device, DEVICE, "%s%u", kind_names[object->kind], object->number);
    return VK_SUCCESS;
}

CALL QueueWaitIdle(VkQueue queue) {
    NOTE("vkQueueWaitIdle", queue, QUEUE, " ");
    return VK_SUCCESS;
}
CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
    (void)infos;
    NOTE("vkQueueSubmit", queue, QUEUE, "%u %llx", count, (unsigned long long)(uintptr_t)fence);
    return VK_SUCCESS;
}

#define BUFFER(command, ...) NOTE(command, buffer, COMMAND_BUFFER, __VA_ARGS__)

CALL BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info) {
    BUFFER("vkBeginCommandBuffer", "%u", info->flags);
    return VK_SUCCESS;
}
CALL EndCommandBuffer(VkCommandBuffer buffer) {
    BUFFER("vkEndCommandBuffer", " ");
    return VK_SUCCESS;
}
CALL_VOID CmdDraw(VkCommandBuffer buffer, uint32_t vertices, uint32_t instances, uint32_t first, uint32_t first_instance) {
    BUFFER("vkCmdDraw", "%u %u %u %u", vertices, instances, first, first_instance);
}
CALL_VOID CmdDrawIndexed(VkCommandBuffer buffer, uint32_t indices, uint32_t instances, uint32_t first, int32_t offset, uint32_t first_instance) {
    BUFFER("vkCmdDrawIndexed", "%u %u %u %d %u", indices, instances, first, offset, first_instance);
}
CALL_VOID CmdSetLineWidth(VkCommandBuffer buffer, float width) { BUFFER("vkCmdSetLineWidth", "%g", width); }
CALL_VOID CmdSetDepthBias(VkCommandBuffer buffer, float constant, float clamp, float slope) {
    BUFFER("vkCmdSetDepthBias", "%g %g %g", constant, clamp, slope);
}
CALL_VOID CmdSetDepthBounds(VkCommandBuffer buffer, float least, float most) { BUFFER("vkCmdSetDepthBounds", "%g %g", least, most); }
CALL_VOID CmdSetBlendConstants(VkCommandBuffer buffer, const float constants[4]) {
    BUFFER("vkCmdSetBlendConstants", "%g %g %g %g", constants[0], constants[1], constants[2], constants[3]);
}
CALL_VOID CmdPushConstants(VkCommandBuffer buffer, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size, const void *values) {
    BUFFER("vkCmdPushConstants", "%llx %x %u %u %x", (unsigned long long)(uintptr_t)layout, stages, offset, size, *(const uint32_t *)values);
}
CALL_VOID CmdBlitImage(VkCommandBuffer buffer, VkImage from, VkImageLayout from_layout, VkImage to, VkImageLayout to_layout, uint32_t count,
                       const VkImageBlit *regions, VkFilter filter) {
    BUFFER("vkCmdBlitImage", "%llx %d %llx %d %u %d %d", (unsigned long long)(uintptr_t)from, from_layout, (unsigned long long)(uintptr_t)to,
           to_layout, count, regions->srcOffsets[0].x, filter);
}
CALL_VOID CmdPipelineBarrier(VkCommandBuffer buffer, VkPipelineStageFlags before, VkPipelineStageFlags after, VkDependencyFlags flags,
                             uint32_t memories, const VkMemoryBarrier *memory, uint32_t buffers, const VkBufferMemoryBarrier *ranges,
                             uint32_t images, const VkImageMemoryBarrier *image) {
    (void)ranges;
    BUFFER("vkCmdPipelineBarrier", "%x %x %x %u %x %u %u %d", before, after, flags, memories, memory->srcAccessMask, buffers, images,
           image->newLayout);
}

/* A command that no registry has. */
CALL_VOID CmdSecretTEST(VkCommandBuffer buffer, uint64_t first, float second) {
    BUFFER("vkCmdSecretTEST", "%llx %g", (unsigned long long)first, second);
}

#define COMMAND(name) {"vk" #name, (PFN_vkVoidFunction)name}
static const struct { const char *name; PFN_vkVoidFunction function; } commands[] = {
    COMMAND(DestroyDevice), COMMAND(GetDeviceQueue), COMMAND(GetDeviceQueue2), COMMAND(DeviceWaitIdle), COMMAND(MapMemory),
    COMMAND(AllocateCommandBuffers), COMMAND(CreateSwapchainKHR), COMMAND(DestroySwapchainKHR), COMMAND(QueueWaitIdle), COMMAND(QueueSubmit),
    COMMAND(BeginCommandBuffer), COMMAND(EndCommandBuffer), COMMAND(CmdDraw), COMMAND(CmdDrawIndexed), COMMAND(CmdSetLineWidth),
    COMMAND(CmdSetDepthBias), COMMAND(CmdSetDepthBounds), COMMAND(CmdSetBlendConstants), COMMAND(CmdPushConstants), COMMAND(CmdBlitImage),
    COMMAND(CmdPipelineBarrier), COMMAND(SetDebugUtilsObjectNameEXT), COMMAND(CmdSecretTEST),
};

PFN_vkVoidFunction device_command(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
        if (strcmp(commands[i].name, name) == 0) return commands[i].function;
    return NULL;
}
