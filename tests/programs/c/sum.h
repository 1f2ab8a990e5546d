/* Runs a compute shader on a device, and checks what it writes. */
#ifndef SUM_H
#define SUM_H

#include "gpu.h"

enum { VALUES = 1000, GROUP = 64 };

static const uint32_t words[] = {
#include "sum.comp.words"
};

struct program {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

static inline struct program make_program(VkDevice device)
{
    struct program program;
    VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    };
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = 2,
                                           .pBindings = bindings};
    OK(vkCreateDescriptorSetLayout(device, &set, NULL, &program.set_layout));
    VkPushConstantRange factor = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &program.set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &factor};
    OK(vkCreatePipelineLayout(device, &layout, NULL, &program.layout));
    VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = sizeof(words),
                                            .pCode = words};
    VkShaderModule module;
    OK(vkCreateShaderModule(device, &module_info, NULL, &module));
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = program.layout};
    OK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &program.pipeline));
    vkDestroyShaderModule(device, module, NULL);
    return program;
}

static inline VkDescriptorSet make_set(VkDevice device, VkDescriptorPool *pool, VkDescriptorSetLayout layout, const struct buffer buffers[2])
{
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = 1,
                                            .pPoolSizes = &size};
    OK(vkCreateDescriptorPool(device, &pool_info, NULL, pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = *pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &layout};
    VkDescriptorSet set;
    OK(vkAllocateDescriptorSets(device, &allocate, &set));
    for (uint32_t i = 0; i < 2; i++) {
        VkDescriptorBufferInfo whole = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &whole};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
    return set;
}

static inline void dispatch(VkDevice device, uint32_t family, const struct program *program, VkDescriptorSet set, uint32_t factor)
{
    VkCommandBuffer commands;
    VkCommandPool pool = new_commands(device, family, 1, &commands);
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(factor), &factor);
    vkCmdDispatch(commands, (VALUES + GROUP - 1) / GROUP, 1, 1);
    VkMemoryBarrier read = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &read, 0, NULL, 0,
                         NULL);
    OK(vkEndCommandBuffer(commands));
    VkQueue queue;
    vkGetDeviceQueue(device, family, 0, &queue);
    run_on(queue, commands);
    vkDestroyCommandPool(device, pool, NULL);
}

/* Runs it as often as said, each time with another factor. */
static inline void sum(VkPhysicalDevice physical_device, VkDevice device, uint32_t family, uint32_t times)
{
    struct buffer buffers[2];
    for (int i = 0; i < 2; i++)
        buffers[i] = new_buffer(physical_device, device, VALUES * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    for (uint32_t i = 0; i < VALUES; i++)
        buffers[0].words[i] = i * i;
    struct program program = make_program(device);
    VkDescriptorPool pool;
    VkDescriptorSet set = make_set(device, &pool, program.set_layout, buffers);
    for (uint32_t factor = 3; factor < 3 + times; factor++) {
        dispatch(device, family, &program, set, factor);
        for (uint32_t i = 0; i < VALUES; i++)
            CHECK(buffers[1].words[i] == i * i * factor + i);
    }
    vkDestroyDescriptorPool(device, pool, NULL);
    vkDestroyPipeline(device, program.pipeline, NULL);
    vkDestroyPipelineLayout(device, program.layout, NULL);
    vkDestroyDescriptorSetLayout(device, program.set_layout, NULL);
    for (int i = 0; i < 2; i++)
        destroy_buffer(device, buffers[i]);
}

#endif
