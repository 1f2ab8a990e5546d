/* What a program feels of a loader on a real driver: measure LIBRARY opens the loader, does everything once or often enough,
 * and prints a line for each figure: nanoseconds, a tab, its name. compare.sh runs it with two loaders in turns. */
#include <dlfcn.h>
#include <time.h>
#include <vulkan/vulkan.h>

#include "../../programs/c/check.h"

enum { COMMANDS = 100000, SUBMISSIONS = 2000, QUERIES = 200, DEVICES = 5, INSTANCES = 5 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static double since;

static void start(void)
{
    since = now();
}

static void stop(const char *name, double count)
{
    printf("%.0f\t%s\n", (now() - since) / count, name);
}

static void *library;

#define FROM_LIBRARY(name) ((PFN_##name)dlsym(library, #name))

static VkInstance make_instance(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    OK(FROM_LIBRARY(vkCreateInstance)(&info, NULL, &instance));
    return instance;
}

static VkDevice make_device(VkPhysicalDevice physical_device)
{
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues};
    VkDevice device;
    OK(FROM_LIBRARY(vkCreateDevice)(physical_device, &info, NULL, &device));
    return device;
}

/* Commands are called as the library exports them: the way of programs that are linked with it. */
static void record_and_submit(VkDevice device)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    OK(FROM_LIBRARY(vkCreateCommandPool)(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .commandBufferCount = 1};
    VkCommandBuffer commands;
    OK(FROM_LIBRARY(vkAllocateCommandBuffers)(device, &allocate, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    PFN_vkCmdSetLineWidth set_line_width = FROM_LIBRARY(vkCmdSetLineWidth);
    OK(FROM_LIBRARY(vkBeginCommandBuffer)(commands, &begin));
    start();
    for (int i = 0; i < COMMANDS; i++)
        set_line_width(commands, 1.0f);
    stop("vkCmdSetLineWidth, exported", COMMANDS);
    OK(FROM_LIBRARY(vkEndCommandBuffer)(commands));
    VkQueue queue;
    FROM_LIBRARY(vkGetDeviceQueue)(device, 0, 0, &queue);
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(FROM_LIBRARY(vkCreateFence)(device, &fence_info, NULL, &fence));
    VkSubmitInfo nothing = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    start();
    for (int i = 0; i < SUBMISSIONS; i++)
        OK(FROM_LIBRARY(vkQueueSubmit)(queue, 1, &nothing, VK_NULL_HANDLE));
    stop("vkQueueSubmit, nothing to do", SUBMISSIONS);
    OK(FROM_LIBRARY(vkQueueWaitIdle)(queue));
    start();
    for (int i = 0; i < SUBMISSIONS / 10; i++) {
        OK(FROM_LIBRARY(vkQueueSubmit)(queue, 1, &nothing, fence));
        OK(FROM_LIBRARY(vkWaitForFences)(device, 1, &fence, VK_TRUE, UINT64_MAX));
        OK(FROM_LIBRARY(vkResetFences)(device, 1, &fence));
    }
    stop("vkQueueSubmit, waiting for its fence", SUBMISSIONS / 10);
    FROM_LIBRARY(vkDestroyFence)(device, fence, NULL);
    FROM_LIBRARY(vkDestroyCommandPool)(device, pool, NULL);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    double begun = now();
    start();
    library = dlopen(argv[1], RTLD_NOW);
    CHECK(library);
    stop("loading the library", 1);
    uint32_t count = 0;
    start();
    OK(FROM_LIBRARY(vkEnumerateInstanceExtensionProperties)(NULL, &count, NULL));
    stop("vkEnumerateInstanceExtensionProperties, first", 1);
    start();
    VkInstance instance = make_instance();
    stop("vkCreateInstance, first", 1);
    VkPhysicalDevice devices[16];
    count = 16;
    start();
    OK(FROM_LIBRARY(vkEnumeratePhysicalDevices)(instance, &count, devices));
    stop("vkEnumeratePhysicalDevices, first", 1);
    CHECK(count > 0);
    start();
    VkDevice device = make_device(devices[0]);
    stop("vkCreateDevice, first", 1);
    since = begun;
    stop("from nothing to the first device", 1);
    start();
    for (int i = 0; i < QUERIES; i++)
        OK(FROM_LIBRARY(vkEnumerateInstanceExtensionProperties)(NULL, &count, NULL));
    stop("vkEnumerateInstanceExtensionProperties, later", QUERIES);
    VkPhysicalDeviceProperties properties;
    start();
    for (int i = 0; i < QUERIES; i++)
        FROM_LIBRARY(vkGetPhysicalDeviceProperties)(devices[0], &properties);
    stop("vkGetPhysicalDeviceProperties", QUERIES);
    record_and_submit(device);
    FROM_LIBRARY(vkDestroyDevice)(device, NULL);
    start();
    for (int i = 0; i < DEVICES; i++)
        FROM_LIBRARY(vkDestroyDevice)(make_device(devices[0]), NULL);
    stop("vkCreateDevice + vkDestroyDevice, later", DEVICES);
    start();
    for (int i = 0; i < INSTANCES; i++)
        FROM_LIBRARY(vkDestroyInstance)(make_instance(), NULL);
    stop("vkCreateInstance + vkDestroyInstance, with another alive", INSTANCES);
    FROM_LIBRARY(vkDestroyInstance)(instance, NULL);
    fprintf(stderr, "%s, driver %u.%u\n", properties.deviceName, properties.driverVersion >> 22,
            properties.driverVersion >> 14 & 0xff);
    return 0;
}
