/*
 * Ends in some way after some calls on two threads: `last_calls HOW`, where HOW is wait, abort, null, lose, request,
 * handle or inform.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "check.h"

static VkDevice device;
static VkQueue queue;

static void *thread(void *unused)
{
    for (int i = 0; i < 3; i++)
        OK(vkQueueWaitIdle(queue));
    return unused;
}

static void handle(int number)
{
    (void)number;
    static const char text[] = "handled\n";
    if (write(1, text, sizeof text - 1) > 0)
        _exit(3);
}

static void inform(int number, siginfo_t *info, void *context)
{
    if (info->si_signo == number && context)
        handle(number);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    const char *how = argv[1];
    if (!strcmp(how, "handle"))
        signal(SIGSEGV, handle);
    struct sigaction action = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO};
    if (!strcmp(how, "inform"))
        sigaction(SIGSEGV, &action, NULL);
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    uint32_t one = 1;
    VkPhysicalDevice physical;
    CHECK(vkEnumeratePhysicalDevices(instance, &one, &physical) >= 0);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queues};
    OK(vkCreateDevice(physical, &device_info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    pthread_t other;
    CHECK(pthread_create(&other, NULL, thread, NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    VkMemoryAllocateInfo size = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096};
    VkDeviceMemory memory;
    OK(vkAllocateMemory(device, &size, NULL, &memory));
    printf("ready\n");
    fflush(stdout);
    if (!strcmp(how, "wait"))
        pause();
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "null"))
        *(volatile int *)NULL = 1;
    if (!strcmp(how, "lose"))
        printf("%d\n", vkDeviceWaitIdle(device));
    if (!strcmp(how, "request"))
        raise(SIGUSR1);
    if (!strcmp(how, "handle") || !strcmp(how, "inform"))
        raise(SIGSEGV);
    vkFreeMemory(device, memory, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
