/*
 * Ends in some way after some calls on two threads: `last_calls HOW`, where HOW is wait, abort, null, lose, work, own,
 * request, handle or inform. For work, a command buffer is submitted twice; for own, the program enables checkpoints itself.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

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

/* Submits a command buffer with a fill, an update and a fill, which the program may mark itself. Returns the last result. */
static VkResult work(int is_marked)
{
    VkCommandBuffer commands;
    VkCommandPool pool = new_commands(device, 0, 1, &commands);
    VkBufferCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer;
    OK(vkCreateBuffer(device, &size, NULL, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    VkMemoryAllocateInfo memory_size = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    VkDeviceMemory memory;
    OK(vkAllocateMemory(device, &memory_size, NULL, &memory));
    OK(vkBindBufferMemory(device, buffer, memory, 0));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(commands, &begin));
    if (is_marked) {
        PFN_vkCmdSetCheckpointNV mark =
            (PFN_vkCmdSetCheckpointNV)vkGetDeviceProcAddr(device, "vkCmdSetCheckpointNV");
        CHECK(mark);
        mark(commands, (void *)0x123);
    }
    vkCmdFillBuffer(commands, buffer, 0, 64, 1);
    vkCmdUpdateBuffer(commands, buffer, 0, 4, "abc");
    vkCmdFillBuffer(commands, buffer, 0, 64, 2);
    OK(vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkResult result = vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
    if (result == VK_SUCCESS)
        result = vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
    vkDestroyBuffer(device, buffer, NULL);
    vkFreeMemory(device, memory, NULL);
    vkDestroyCommandPool(device, pool, NULL);
    return result;
}

static pthread_barrier_t together;

static void *fail(void *unused)
{
    OK(vkDeviceWaitIdle(device));
    pthread_barrier_wait(&together);
    *(volatile int *)8 = 1;
    return unused;
}

static void fail_together(void)
{
    pthread_t threads[8];
    pthread_barrier_init(&together, NULL, COUNT(threads));
    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(pthread_create(&threads[i], NULL, fail, NULL) == 0);
    pthread_join(threads[0], NULL);
}

/* The compiler refuses a recursion that is visibly endless. */
static volatile int deepest = -1;

static int overflow(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth == deepest ? 0 : overflow(depth + 1) + frame[0];
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
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    uint32_t one = 1;
    VkPhysicalDevice physical;
    CHECK(vkEnumeratePhysicalDevices(instance, &one, &physical) >= 0);
    const char *extension = VK_NV_DEVICE_DIAGNOSTIC_CHECKPOINTS_EXTENSION_NAME;
    VkDeviceCreateInfo device_info = device_with_one_queue;
    device_info.enabledExtensionCount = !strcmp(how, "own");
    device_info.ppEnabledExtensionNames = &extension;
    OK(vkCreateDevice(physical, &device_info, NULL, &device));
    VkDeviceQueueInfo2 first = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2};
    if (!strcmp(how, "own"))
        vkGetDeviceQueue2(device, &first, &queue);
    else
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
    if (!strcmp(how, "overflow"))
        overflow(0);
    if (!strcmp(how, "many"))
        fail_together();
    if (!strcmp(how, "lose"))
        printf("%d\n", vkDeviceWaitIdle(device));
    if (!strcmp(how, "work") || !strcmp(how, "own"))
        printf("%d\n", work(!strcmp(how, "own")));
    if (!strcmp(how, "request"))
        raise(SIGUSR1);
    if (!strcmp(how, "handle") || !strcmp(how, "inform"))
        raise(SIGSEGV);
    vkFreeMemory(device, memory, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
