/* Fills and copies buffers on a device, in an order that timelines and events keep: a thousand submissions, each of
 * which waits for the one before; a wait that is submitted before its signal; events between host and queue; a
 * secondary command buffer. With the argument "validate" Khronos' validation layer watches, and what it says is
 * printed. */
#include <string.h>

#include "validate.h"

enum { VALUES = 64, SUBMISSIONS = 1000, WORD = sizeof(uint32_t), BYTES = VALUES * WORD };

static VkPhysicalDevice physical_device;
static VkDevice device;
static VkQueue queue;
static uint32_t family;
static VkCommandPool pool;

static void make_device(VkInstance instance)
{
    physical_device = first_device(instance);
    family = compute_family(physical_device);
    VkPhysicalDeviceVulkan13Features features_1_3 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                     .synchronization2 = VK_TRUE};
    VkPhysicalDeviceVulkan12Features features_1_2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                     .pNext = &features_1_3,
                                                     .timelineSemaphore = VK_TRUE};
    device = device_of(physical_device, family, &features_1_2);
    vkGetDeviceQueue(device, family, 0, &queue);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    OK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
}

static struct buffer make_numbers(void)
{
    return new_buffer(physical_device, device, BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static VkCommandBuffer begin(VkCommandBufferLevel level)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = level,
                                            .commandBufferCount = 1};
    VkCommandBuffer commands;
    OK(vkAllocateCommandBuffers(device, &allocate, &commands));
    VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                     .pInheritanceInfo = &inherited};
    OK(vkBeginCommandBuffer(commands, &info));
    return commands;
}

/* What was written is seen by what follows, on the device and on the host. */
static void barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier2 all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                            .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                            .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
                            .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
                            .dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &all};
    vkCmdPipelineBarrier2(commands, &info);
}

/* Copies all words aside, and some of them back to other indices. */
static VkCommandBuffer record_move(struct buffer numbers, struct buffer aside, const VkBufferCopy *back)
{
    VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkBufferCopy all = {0, 0, BYTES};
    vkCmdCopyBuffer(commands, numbers.buffer, aside.buffer, 1, &all);
    barrier(commands);
    vkCmdCopyBuffer(commands, aside.buffer, numbers.buffer, 2, back);
    barrier(commands);
    OK(vkEndCommandBuffer(commands));
    return commands;
}

static void move(uint32_t *words, uint32_t turn)
{
    uint32_t last = words[VALUES - 1], first = words[0];
    if (turn == 0) {
        memmove(words + 1, words, BYTES - WORD);
        words[0] = last;
    } else {
        words[0] = words[1];
        words[1] = first;
    }
}

/* Each submission waits for the value that the one before signals; the first waits for the host. In turns, the words
 * move on by one, and the first two change places: without any one of the submissions, the words end elsewhere. */
static void use_timelines(void)
{
    struct buffer numbers = make_numbers(), aside = make_numbers();
    uint32_t expected[VALUES];
    for (uint32_t i = 0; i < VALUES; i++)
        numbers.words[i] = expected[i] = i;
    const VkBufferCopy on[] = {{0, WORD, BYTES - WORD}, {BYTES - WORD, 0, WORD}};
    const VkBufferCopy swapped[] = {{0, WORD, WORD}, {WORD, 0, WORD}};
    VkCommandBuffer turns[2] = {record_move(numbers, aside, on), record_move(numbers, aside, swapped)};
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore timeline;
    OK(vkCreateSemaphore(device, &info, NULL, &timeline));
    for (uint32_t i = 0; i < SUBMISSIONS; i++) {
        VkSemaphoreSubmitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                      .semaphore = timeline,
                                      .value = i + 1,
                                      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
        VkSemaphoreSubmitInfo signal = wait;
        signal.value = i + 2;
        VkCommandBufferSubmitInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = turns[i % COUNT(turns)]};
        VkSubmitInfo2 submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                .waitSemaphoreInfoCount = 1,
                                .pWaitSemaphoreInfos = &wait,
                                .commandBufferInfoCount = 1,
                                .pCommandBufferInfos = &commands,
                                .signalSemaphoreInfoCount = 1,
                                .pSignalSemaphoreInfos = &signal};
        OK(vkQueueSubmit2(queue, 1, &submit, VK_NULL_HANDLE));
    }
    uint64_t value;
    OK(vkGetSemaphoreCounterValue(device, timeline, &value));
    CHECK(value == 0 && numbers.words[1] == 1);
    VkSemaphoreSignalInfo start = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = 1};
    OK(vkSignalSemaphore(device, &start));
    uint64_t last = SUBMISSIONS + 1;
    VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &timeline,
                                .pValues = &last};
    OK(vkWaitSemaphores(device, &wait, UINT64_MAX));
    for (uint32_t i = 0; i < SUBMISSIONS; i++)
        move(expected, i % COUNT(turns));
    CHECK(memcmp(numbers.words, expected, BYTES) == 0);
    OK(vkQueueWaitIdle(queue));
    vkDestroySemaphore(device, timeline, NULL);
    destroy_buffer(device, numbers);
    destroy_buffer(device, aside);
    printf("%u submissions in order\n", SUBMISSIONS);
}

/* The queue waits for an event that the host sets, and sets another one. */
static void use_events(void)
{
    struct buffer numbers = make_numbers();
    memset(numbers.words, 0, BYTES);
    VkEventCreateInfo event_info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent go, done;
    OK(vkCreateEvent(device, &event_info, NULL, &go));
    OK(vkCreateEvent(device, &event_info, NULL, &done));
    VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdWaitEvents(commands, 1, &go, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, NULL, 0, NULL, 0, NULL);
    vkCmdFillBuffer(commands, numbers.buffer, 0, BYTES, 7);
    barrier(commands);
    vkCmdSetEvent(commands, done, VK_PIPELINE_STAGE_TRANSFER_BIT);
    OK(vkEndCommandBuffer(commands));
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    OK(vkQueueSubmit(queue, 1, &submit, fence));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, 1000000) == VK_TIMEOUT);
    CHECK(numbers.words[0] == 0 && vkGetEventStatus(device, done) == VK_EVENT_RESET);
    OK(vkSetEvent(device, go));
    OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    CHECK(numbers.words[0] == 7 && numbers.words[VALUES - 1] == 7 && vkGetEventStatus(device, done) == VK_EVENT_SET);
    vkDestroyFence(device, fence, NULL);
    vkDestroyEvent(device, go, NULL);
    vkDestroyEvent(device, done, NULL);
    destroy_buffer(device, numbers);
    printf("events both ways\n");
}

/* A secondary command buffer copies words, and changes one of the copies; the primary one fills the last. */
static void use_secondary(void)
{
    struct buffer from = make_numbers(), to = make_numbers();
    for (uint32_t i = 0; i < VALUES; i++)
        from.words[i] = i;
    VkCommandBuffer copy = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkBufferCopy region = {0, 0, BYTES};
    vkCmdCopyBuffer(copy, from.buffer, to.buffer, 1, &region);
    barrier(copy);
    uint32_t changed = 27;
    vkCmdUpdateBuffer(copy, to.buffer, WORD, sizeof(changed), &changed);
    barrier(copy);
    OK(vkEndCommandBuffer(copy));
    changed = 0;
    VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdExecuteCommands(commands, 1, &copy);
    vkCmdFillBuffer(commands, to.buffer, BYTES - WORD, WORD, 5);
    barrier(commands);
    OK(vkEndCommandBuffer(commands));
    run_on(queue, commands);
    for (uint32_t i = 0; i < VALUES; i++)
        CHECK(to.words[i] == (i == 1 ? 27 : i == VALUES - 1 ? 5 : i));
    destroy_buffer(device, from);
    destroy_buffer(device, to);
    printf("a secondary command buffer\n");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    VkInstance instance = heard_instance(VK_API_VERSION_1_3, strcmp(what, "validate") == 0);
    make_device(instance);
    use_timelines();
    use_events();
    use_secondary();
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    destroy_heard(instance);
    return 0;
}
