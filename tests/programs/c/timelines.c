/* Computes on a device, in an order that timelines and events keep: a thousand submissions, each of which waits for the
 * one before; a wait that is submitted before its signal; events between host and queue; a secondary command buffer; a
 * shader with loops. With the argument "validate" Khronos' validation layer watches, and what it says is printed. With
 * "endless" a shader does not come to an end, and the device is to be lost. */
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"

static const uint32_t chain_words[] = {
#include "chain.comp.words"
};
static const uint32_t collatz_words[] = {
#include "collatz.comp.words"
};

enum { VALUES = 64, SUBMISSIONS = 1000, MOST_STEPS = 1000, GROUP = 16, BYTES = VALUES * sizeof(uint32_t) };

static VkPhysicalDevice physical_device;
static VkDevice device;
static VkQueue queue;
static uint32_t family;
static VkCommandPool pool;
static VkDebugUtilsMessengerEXT listener;

static VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity;
    (void)types;
    (void)user;
    printf("%s\n%s\n", data->pMessageIdName ? data->pMessageIdName : "", data->pMessage);
    return VK_FALSE;
}

static VkInstance make_instance(int validate)
{
    const char *layer = "VK_LAYER_KHRONOS_validation";
    const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = hear};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = &messenger,
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = validate ? 1 : 0,
                                 .ppEnabledLayerNames = &layer,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = &extension};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
    CHECK(create);
    OK(create(instance, &messenger, NULL, &listener));
    return instance;
}

/* What is said while the instance goes is heard by the messenger in its create info. */
static void destroy_instance(VkInstance instance)
{
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT");
    CHECK(destroy);
    destroy(instance, listener, NULL);
    vkDestroyInstance(instance, NULL);
}

static void make_device(VkInstance instance)
{
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical_device);
    CHECK(count == 1 && (result == VK_SUCCESS || result == VK_INCOMPLETE));
    VkQueueFamilyProperties families[16];
    count = COUNT(families);
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    CHECK(family < count);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = family,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan13Features features_1_3 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                     .synchronization2 = VK_TRUE};
    VkPhysicalDeviceVulkan12Features features_1_2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                     .pNext = &features_1_3,
                                                     .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features_1_2,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues};
    OK(vkCreateDevice(physical_device, &info, NULL, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    OK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
}

/* A buffer of VALUES + 1 words that the host sees. */
struct numbers {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *words;
};

static struct numbers make_numbers(void)
{
    struct numbers made;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = BYTES + sizeof(uint32_t),
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    OK(vkCreateBuffer(device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
    VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type < memory.memoryTypeCount &&
           (!(needs.memoryTypeBits & (1u << type)) || (memory.memoryTypes[type].propertyFlags & flags) != flags))
        type++;
    CHECK(type < memory.memoryTypeCount);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = type};
    OK(vkAllocateMemory(device, &allocate, NULL, &made.memory));
    OK(vkBindBufferMemory(device, made.buffer, made.memory, 0));
    OK(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, (void **)&made.words));
    return made;
}

static void destroy_numbers(struct numbers numbers)
{
    vkUnmapMemory(device, numbers.memory);
    vkDestroyBuffer(device, numbers.buffer, NULL);
    vkFreeMemory(device, numbers.memory, NULL);
}

/* A shader with a storage buffer and a word of push constants, and the set that says which buffer. */
struct program {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
};

static VkPipeline make_pipeline(VkPipelineLayout layout, const uint32_t *words, size_t size)
{
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule module;
    OK(vkCreateShaderModule(device, &module_info, NULL, &module));
    uint32_t group = GROUP;
    VkSpecializationMapEntry entry = {0, 0, sizeof(group)};
    VkSpecializationInfo constants = {1, &entry, sizeof(group), &group};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main",
                                                  .pSpecializationInfo = &constants},
                                        .layout = layout};
    VkPipeline pipeline;
    OK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vkDestroyShaderModule(device, module, NULL);
    return pipeline;
}

static struct program make_program(const uint32_t *words, size_t size, VkBuffer buffer)
{
    struct program made;
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    OK(vkCreateDescriptorSetLayout(device, &set_layout, NULL, &made.set_layout));
    VkPushConstantRange word = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &made.set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &word};
    OK(vkCreatePipelineLayout(device, &layout, NULL, &made.layout));
    made.pipeline = make_pipeline(made.layout, words, size);
    VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = 1,
                                            .pPoolSizes = &pool_size};
    OK(vkCreateDescriptorPool(device, &pool_info, NULL, &made.pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = made.pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &made.set_layout};
    OK(vkAllocateDescriptorSets(device, &allocate, &made.set));
    VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = made.set,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = &whole};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    return made;
}

static void destroy_program(struct program program)
{
    vkDestroyDescriptorPool(device, program.pool, NULL);
    vkDestroyPipeline(device, program.pipeline, NULL);
    vkDestroyPipelineLayout(device, program.layout, NULL);
    vkDestroyDescriptorSetLayout(device, program.set_layout, NULL);
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

static void dispatch(VkCommandBuffer commands, const struct program *program, uint32_t word)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &program->set, 0, NULL);
    vkCmdPushConstants(commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(word), &word);
    vkCmdDispatch(commands, VALUES / GROUP, 1, 1);
    barrier(commands);
}

static void submit_and_wait(VkCommandBuffer commands)
{
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &info, NULL, &fence));
    OK(vkQueueSubmit(queue, 1, &submit, fence));
    OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(device, fence, NULL);
}

/* Each submission waits for the value that the one before signals; the first waits for the host. */
static void use_timelines(void)
{
    struct numbers numbers = make_numbers();
    for (uint32_t i = 0; i <= VALUES; i++)
        numbers.words[i] = i;
    struct program program = make_program(chain_words, sizeof(chain_words), numbers.buffer);
    VkCommandBuffer turns[2];
    for (uint32_t i = 0; i < COUNT(turns); i++) {
        turns[i] = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        dispatch(turns[i], &program, i);
        OK(vkEndCommandBuffer(turns[i]));
    }
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
    for (uint32_t i = 0; i < VALUES; i++) {
        uint32_t expected = i;
        for (uint32_t turn = 0; turn < SUBMISSIONS; turn++)
            expected = expected * 3 + turn % COUNT(turns);
        CHECK(numbers.words[i] == expected);
    }
    OK(vkQueueWaitIdle(queue));
    vkDestroySemaphore(device, timeline, NULL);
    destroy_program(program);
    destroy_numbers(numbers);
    printf("%u submissions in order\n", SUBMISSIONS);
}

/* The queue waits for an event that the host sets, and sets another one. */
static void use_events(void)
{
    struct numbers numbers = make_numbers();
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
    destroy_numbers(numbers);
    printf("events both ways\n");
}

/* Numbers are copied into the buffer by a secondary command buffer, and a shader with loops counts their steps. */
static void use_loops(void)
{
    struct numbers from = make_numbers(), to = make_numbers();
    from.words[0] = 0;
    for (uint32_t i = 0; i < VALUES; i++)
        from.words[i + 1] = i + 1;
    struct program program = make_program(collatz_words, sizeof(collatz_words), to.buffer);
    VkCommandBuffer copy = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkBufferCopy region = {0, 0, BYTES + sizeof(uint32_t)};
    vkCmdCopyBuffer(copy, from.buffer, to.buffer, 1, &region);
    barrier(copy);
    uint32_t twenty_seven = 27;
    vkCmdUpdateBuffer(copy, to.buffer, sizeof(uint32_t), sizeof(twenty_seven), &twenty_seven);
    barrier(copy);
    OK(vkEndCommandBuffer(copy));
    VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdExecuteCommands(commands, 1, &copy);
    dispatch(commands, &program, MOST_STEPS);
    OK(vkEndCommandBuffer(commands));
    submit_and_wait(commands);
    uint32_t total = 0;
    for (uint32_t i = 0; i < VALUES; i++) {
        uint32_t steps = 0;
        for (uint32_t number = i ? i + 1 : 27; number != 1; number = number % 2 ? 3 * number + 1 : number / 2)
            steps++;
        CHECK(to.words[i + 1] == steps);
        total += steps;
    }
    CHECK(to.words[0] == total);
    destroy_program(program);
    destroy_numbers(from);
    destroy_numbers(to);
    printf("%u steps in all\n", total);
}

/* 0 never gets to 1. */
static void lose_device(void)
{
    struct numbers numbers = make_numbers();
    memset(numbers.words, 0, BYTES + sizeof(uint32_t));
    struct program program = make_program(collatz_words, sizeof(collatz_words), numbers.buffer);
    VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    dispatch(commands, &program, UINT32_MAX);
    OK(vkEndCommandBuffer(commands));
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &info, NULL, &fence));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    OK(vkQueueSubmit(queue, 1, &submit, fence));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_ERROR_DEVICE_LOST);
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE) == VK_ERROR_DEVICE_LOST);
    vkDestroyFence(device, fence, NULL);
    destroy_program(program);
    destroy_numbers(numbers);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    VkInstance instance = make_instance(strcmp(what, "validate") == 0);
    make_device(instance);
    if (strcmp(what, "endless") == 0) {
        lose_device();
    } else {
        use_timelines();
        use_events();
        use_loops();
    }
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    destroy_instance(instance);
    return 0;
}
