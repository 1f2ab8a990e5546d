/* Makes a device on every physical device, and uses its queue; checks that the ways to a command agree. */
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

static void look_ups(VkInstance instance, VkDevice device)
{
    void *exported = dlsym(RTLD_DEFAULT, "vkGetDeviceProcAddr");
    CHECK(exported);
    CHECK((void *)vkGetInstanceProcAddr(instance, "vkGetDeviceProcAddr") == exported);
    CHECK((void *)vkGetInstanceProcAddr(instance, "vkGetInstanceProcAddr") == dlsym(RTLD_DEFAULT, "vkGetInstanceProcAddr"));
    CHECK(vkGetInstanceProcAddr(NULL, "vkCreateInstance"));
    CHECK(!vkGetInstanceProcAddr(NULL, "vkDestroyInstance"));
    CHECK(!vkGetInstanceProcAddr(NULL, "vkEnumeratePhysicalDevices"));
    static const char *const known[] = {"vkCmdDraw", "vkQueueSubmit", "vkDestroyDevice", "vkCreateBuffer", "vkBeginCommandBuffer"};
    for (size_t i = 0; i < COUNT(known); i++) {
        CHECK(vkGetInstanceProcAddr(instance, known[i]));
        CHECK(vkGetDeviceProcAddr(device, known[i]));
    }
    static const char *const wrong[] = {"", "vk", "vkCmdDra", "vkCmdDrawX", "vkcmdDraw", "vkNoSuchCommandVKLOAD"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        CHECK(!vkGetDeviceProcAddr(device, wrong[i]));
    CHECK(!vkGetDeviceProcAddr(device, "vkEnumeratePhysicalDevices"));
    CHECK(!vkGetDeviceProcAddr(device, "vkCreateInstance"));
    /* Swapchains were not enabled. */
    CHECK(!vkGetDeviceProcAddr(device, "vkCreateSwapchainKHR"));
}

static void use(VkInstance instance, VkPhysicalDevice physical_device)
{
    VkDeviceCreateInfo info = device_with_one_queue;
    const char *missing = "VK_VKLOAD_no_such_extension";
    VkDevice device = VK_NULL_HANDLE;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &missing;
    CHECK(vkCreateDevice(physical_device, &info, NULL, &device) == VK_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = 0;
    OK(vkCreateDevice(physical_device, &info, NULL, &device));
    look_ups(instance, device);

    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandBuffer buffers[3];
    VkCommandPool pool = new_commands(device, 0, COUNT(buffers), buffers);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    for (int i = 0; i < 3; i++) {
        OK(vkBeginCommandBuffer(buffers[i], &begin));
        OK(vkEndCommandBuffer(buffers[i]));
    }
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 3, .pCommandBuffers = buffers};
    OK(vkQueueSubmit(queue, 1, &submit, fence));
    OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    OK(vkDeviceWaitIdle(device));
    vkDestroyFence(device, fence, NULL);
    vkFreeCommandBuffers(device, pool, 3, buffers);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyDevice(VK_NULL_HANDLE, NULL);
}

int main(void)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice devices[16];
    uint32_t count = COUNT(devices);
    OK(vkEnumeratePhysicalDevices(instance, &count, devices));
    CHECK(count > 0);
    for (uint32_t i = 0; i < count; i++)
        use(instance, devices[i]);
    printf("%u devices used\n", count);
    vkDestroyInstance(instance, NULL);
    return 0;
}
