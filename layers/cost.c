/*
 * Calls a command many times, for cost.sh: `cost draw COUNT` or `cost submit COUNT`. Prints the nanoseconds of one call, and ends without a report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#define OK(call)                                          \
    do {                                                  \
        if ((call) != VK_SUCCESS) {                       \
            fprintf(stderr, "cost: %s failed\n", #call);  \
            return 1;                                     \
        }                                                 \
    } while (0)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int count = atoi(argv[2]);
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    uint32_t one = 1;
    VkPhysicalDevice physical;
    if (vkEnumeratePhysicalDevices(instance, &one, &physical) < 0)
        return 1;
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queues};
    VkDevice device;
    OK(vkCreateDevice(physical, &device_info, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    OK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo buffers = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool,
                                           .commandBufferCount = 1};
    VkCommandBuffer commands;
    OK(vkAllocateCommandBuffers(device, &buffers, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(commands, &begin));
    PFN_vkCmdDraw draw = (PFN_vkCmdDraw)vkGetDeviceProcAddr(device, "vkCmdDraw");
    PFN_vkQueueSubmit submit = (PFN_vkQueueSubmit)vkGetDeviceProcAddr(device, "vkQueueSubmit");
    int draws = !strcmp(argv[1], "draw");
    double start = now();
    for (int i = 0; i < count; i++) {
        if (draws)
            draw(commands, 3, 1, 0, 0);
        else
            OK(submit(queue, 0, NULL, VK_NULL_HANDLE));
    }
    printf("%.1f\n", (now() - start) / count);
    fflush(stdout);
    /* Without a report, which is not part of a call. */
    _exit(0);
}
