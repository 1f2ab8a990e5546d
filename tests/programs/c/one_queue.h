/* The creation of a device with one queue of the first family. */
#ifndef ONE_QUEUE_H
#define ONE_QUEUE_H

#include <vulkan/vulkan.h>

static const float one_priority = 1.0f;

static const VkDeviceQueueCreateInfo one_queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                  .queueCount = 1,
                                                  .pQueuePriorities = &one_priority};

static const VkDeviceCreateInfo device_with_one_queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                                         .queueCreateInfoCount = 1,
                                                         .pQueueCreateInfos = &one_queue};

#endif
