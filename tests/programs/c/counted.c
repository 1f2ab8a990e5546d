/*
 * Makes a known number of calls on two threads: `counted end`, or `counted leave` to exit without destroying anything, or
 * `counted twice` to do everything with two instances at once.
 */
#include <pthread.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

/* What each of the two threads does. */
#define UPDATES 100
#define UPDATE_BYTES 64
#define PUSHES 10
#define PUSH_BYTES 16
#define MEMORY_BYTES 65536
#define MAPPED_BYTES 4096

struct gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    pthread_mutex_t turn;
};

static VkBuffer make_buffer(struct gpu *gpu, VkDeviceMemory *memory)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = MAPPED_BYTES,
                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
    VkBuffer buffer;
    OK(vkCreateBuffer(gpu->device, &info, NULL, &buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(gpu->device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties kinds;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &kinds);
    uint32_t kind = 0;
    while (!(needs.memoryTypeBits >> kind & 1) ||
           !(kinds.memoryTypes[kind].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
        CHECK(++kind < kinds.memoryTypeCount);
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = MEMORY_BYTES,
                                       .memoryTypeIndex = kind};
    OK(vkAllocateMemory(gpu->device, &allocation, NULL, memory));
    OK(vkBindBufferMemory(gpu->device, buffer, *memory, 0));
    void *mapped;
    OK(vkMapMemory(gpu->device, *memory, 0, MAPPED_BYTES, 0, &mapped));
    memset(mapped, 1, MAPPED_BYTES);
    vkUnmapMemory(gpu->device, *memory);
    return buffer;
}

static void record(VkCommandBuffer commands, VkBuffer buffer, VkPipelineLayout layout)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(commands, &begin));
    char data[UPDATE_BYTES] = {2};
    for (int i = 0; i < UPDATES; i++)
        vkCmdUpdateBuffer(commands, buffer, 0, sizeof data, data);
    for (int i = 0; i < PUSHES; i++)
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES, data);
    OK(vkEndCommandBuffer(commands));
}

static void *work(void *argument)
{
    struct gpu *gpu = argument;
    VkDeviceMemory memory;
    VkBuffer buffer = make_buffer(gpu, &memory);
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_BYTES};
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    OK(vkCreatePipelineLayout(gpu->device, &layout_info, NULL, &layout));
    VkCommandBuffer commands;
    VkCommandPool pool = new_commands(gpu->device, 0, 1, &commands);
    record(commands, buffer, layout);
    pthread_mutex_lock(&gpu->turn);
    run_on(gpu->queue, commands);
    pthread_mutex_unlock(&gpu->turn);
    vkDestroyCommandPool(gpu->device, pool, NULL);
    vkDestroyPipelineLayout(gpu->device, layout, NULL);
    vkDestroyBuffer(gpu->device, buffer, NULL);
    vkFreeMemory(gpu->device, memory, NULL);
    return NULL;
}

static void begin(struct gpu *gpu)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    OK(vkCreateInstance(&info, NULL, &gpu->instance));
    gpu->physical = first_device(gpu->instance);
    OK(vkCreateDevice(gpu->physical, &device_with_one_queue, NULL, &gpu->device));
    vkGetDeviceQueue(gpu->device, 0, 0, &gpu->queue);
    CHECK(vkGetDeviceProcAddr(gpu->device, "vkCmdDraw"));
    CHECK(!vkGetDeviceProcAddr(gpu->device, "vkCmdDrawMeshTasksEXT"));
    CHECK(!vkGetDeviceProcAddr(gpu->device, "vkCmdDoWhatNobodyKnows"));
    CHECK(!vkGetInstanceProcAddr(gpu->instance, "vkDoWhatNobodyKnows"));
    CHECK(pthread_mutex_init(&gpu->turn, NULL) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    int twice = !strcmp(argv[1], "twice");
    struct gpu gpus[2];
    for (int i = 0; i <= twice; i++)
        begin(&gpus[i]);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, work, &gpus[twice ? i : 0]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    if (!strcmp(argv[1], "leave"))
        return 0;
    for (int i = 0; i <= twice; i++) {
        vkDestroyDevice(gpus[i].device, NULL);
        vkDestroyInstance(gpus[i].instance, NULL);
    }
    return 0;
}
