/* What the programs that use a device do alike. After the declarations of the commands, where a program looks them up itself. */
#ifndef GPU_H
#define GPU_H

#include <vulkan/vulkan.h>

#include "check.h"

static inline VkPhysicalDevice first_device(VkInstance instance)
{
    VkPhysicalDevice first;
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &first);
    CHECK(count == 1 && (result == VK_SUCCESS || result == VK_INCOMPLETE));
    return first;
}

static inline uint32_t compute_family(VkPhysicalDevice physical)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = COUNT(families), family = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    CHECK(family < count);
    return family;
}

/* Makes a device with one queue of a family. */
static inline VkDevice device_of(VkPhysicalDevice physical, uint32_t family, const void *next)
{
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = family,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = next,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues};
    VkDevice device;
    OK(vkCreateDevice(physical, &info, NULL, &device));
    return device;
}

static inline VkDeviceMemory new_memory(VkPhysicalDevice physical, VkDevice device, VkMemoryRequirements needs,
                                        VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    uint32_t type = 0;
    while (type < properties.memoryTypeCount && (!(needs.memoryTypeBits & (1u << type)) ||
                                                 (properties.memoryTypes[type].propertyFlags & flags) != flags))
        type++;
    CHECK(type < properties.memoryTypeCount);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = type};
    VkDeviceMemory memory;
    OK(vkAllocateMemory(device, &info, NULL, &memory));
    return memory;
}

/* A buffer, and what the host sees of it. */
struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *words;
};

static inline struct buffer new_buffer(VkPhysicalDevice physical, VkDevice device, VkDeviceSize size, VkBufferUsageFlags usage)
{
    struct buffer made;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    OK(vkCreateBuffer(device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    made.memory = new_memory(physical, device, needs,
                             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    OK(vkBindBufferMemory(device, made.buffer, made.memory, 0));
    OK(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, (void **)&made.words));
    return made;
}

static inline void destroy_buffer(VkDevice device, struct buffer buffer)
{
    vkUnmapMemory(device, buffer.memory);
    vkDestroyBuffer(device, buffer.buffer, NULL);
    vkFreeMemory(device, buffer.memory, NULL);
}

/* Makes a pool with primary command buffers. */
static inline VkCommandPool new_commands(VkDevice device, uint32_t family, uint32_t count, VkCommandBuffer *made)
{
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    VkCommandPool pool;
    OK(vkCreateCommandPool(device, &info, NULL, &pool));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .commandBufferCount = count};
    OK(vkAllocateCommandBuffers(device, &allocate, made));
    return pool;
}

static inline void run_on(VkQueue queue, VkCommandBuffer commands)
{
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    OK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    OK(vkQueueWaitIdle(queue));
}

#endif
