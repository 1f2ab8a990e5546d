/* Runs a compute shader on a device, the first or the one with the index that is its argument, and checks the result. Every failure ends
 * the program with code 1. */
#include "one_queue.h"
#include "sum.h"

int main(int argc, char **argv)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    uint32_t index = argc > 1 ? (uint32_t)atoi(argv[1]) : 0, count = 16;
    VkPhysicalDevice all[16];
    CHECK(vkEnumeratePhysicalDevices(instance, &count, all) >= 0);
    CHECK(index < count);
    VkDevice device;
    OK(vkCreateDevice(all[index], &device_with_one_queue, NULL, &device));
    sum(all[index], device, 0, 1);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
