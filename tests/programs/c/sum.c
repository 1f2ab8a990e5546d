/* Runs a compute shader on a device, the first or the one with the index that is its argument, and checks the result. Every failure ends
 * the program with code 1. */
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

static const uint32_t words[] = {
#include "sum.comp.words"
};

#define VALUES 4096u
#define FACTOR 7u

static VkDevice device;

/* Returns a type of memory that the host can see. */
static uint32_t memory_type(VkPhysicalDevice physical, uint32_t bits)
{
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t type = 0; type < properties.memoryTypeCount; type++)
        if (bits & (1u << type) && (properties.memoryTypes[type].propertyFlags & wanted) == wanted)
            return type;
    CHECK(!"host-visible memory");
    return 0;
}

int main(int argc, char **argv)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    uint32_t index = argc > 1 ? (uint32_t)atoi(argv[1]) : 0, count = 16;
    VkPhysicalDevice all[16];
    CHECK(vkEnumeratePhysicalDevices(instance, &count, all) >= 0);
    CHECK(index < count);
    VkPhysicalDevice physical = all[index];
    OK(vkCreateDevice(physical, &device_with_one_queue, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);

    VkDescriptorSetLayoutBinding bindings[2];
    VkBuffer buffers[2];
    VkDeviceMemory memory[2];
    uint32_t *values[2];
    VkDescriptorBufferInfo parts[2];
    VkWriteDescriptorSet writes[2];
    VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = 1,
                                            .pPoolSizes = &pool_size};
    VkDescriptorPool pool;
    VkDescriptorSetLayout layout;
    VkDescriptorSet set;
    OK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo layout_info = {.sType =
                                                       VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                   .bindingCount = 2,
                                                   .pBindings = bindings};
    OK(vkCreateDescriptorSetLayout(device, &layout_info, NULL, &layout));
    VkDescriptorSetAllocateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &layout};
    OK(vkAllocateDescriptorSets(device, &set_info, &set));
    for (uint32_t i = 0; i < 2; i++) {
        VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                          .size = VALUES * 4,
                                          .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
        OK(vkCreateBuffer(device, &buffer_info, NULL, &buffers[i]));
        VkMemoryRequirements needs;
        vkGetBufferMemoryRequirements(device, buffers[i], &needs);
        VkMemoryAllocateInfo size = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size,
                                     .memoryTypeIndex = memory_type(physical, needs.memoryTypeBits)};
        OK(vkAllocateMemory(device, &size, NULL, &memory[i]));
        OK(vkBindBufferMemory(device, buffers[i], memory[i], 0));
        OK(vkMapMemory(device, memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&values[i]));
        parts[i] = (VkDescriptorBufferInfo){buffers[i], 0, VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .pBufferInfo = &parts[i]};
    }
    vkUpdateDescriptorSets(device, 2, writes, 0, NULL);
    for (uint32_t i = 0; i < VALUES; i++)
        values[0][i] = i * i;

    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 4};
    VkPipelineLayoutCreateInfo pipeline_layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                       .setLayoutCount = 1,
                                                       .pSetLayouts = &layout,
                                                       .pushConstantRangeCount = 1,
                                                       .pPushConstantRanges = &range};
    VkPipelineLayout pipeline_layout;
    OK(vkCreatePipelineLayout(device, &pipeline_layout_info, NULL, &pipeline_layout));
    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = sizeof words,
                                            .pCode = words};
    VkShaderModule module;
    OK(vkCreateShaderModule(device, &module_info, NULL, &module));
    VkComputePipelineCreateInfo pipeline_info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = pipeline_layout};
    VkPipeline pipeline;
    OK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline));

    VkCommandPoolCreateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool command_pool;
    OK(vkCreateCommandPool(device, &commands_info, NULL, &command_pool));
    VkCommandBufferAllocateInfo single = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = command_pool,
                                          .commandBufferCount = 1};
    VkCommandBuffer commands;
    OK(vkAllocateCommandBuffers(device, &single, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const uint32_t factor = FACTOR;
    OK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, pipeline_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &factor);
    vkCmdDispatch(commands, VALUES / 64, 1, 1);
    OK(vkEndCommandBuffer(commands));
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands};
    OK(vkQueueSubmit(queue, 1, &submit, fence));
    OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    for (uint32_t i = 0; i < VALUES; i++)
        CHECK(values[1][i] == i * i * FACTOR + i);

    vkDestroyFence(device, fence, NULL);
    vkDestroyCommandPool(device, command_pool, NULL);
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyShaderModule(device, module, NULL);
    vkDestroyPipelineLayout(device, pipeline_layout, NULL);
    vkDestroyDescriptorPool(device, pool, NULL);
    vkDestroyDescriptorSetLayout(device, layout, NULL);
    for (int i = 0; i < 2; i++) {
        vkDestroyBuffer(device, buffers[i], NULL);
        vkFreeMemory(device, memory[i], NULL);
    }
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
