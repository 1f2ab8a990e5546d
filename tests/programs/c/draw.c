/* Draws a green triangle on red into an image, copies it to memory and looks at each half's pixels. */
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

#define SIZE 64

static const uint32_t vertex_words[] = {
#include "triangle.vert.words"
};
static const uint32_t fragment_words[] = {
#include "triangle.frag.words"
};

static VkPhysicalDevice physical_device;
static VkDevice device;
static VkQueue queue;

static VkShaderModule module(const uint32_t *words, size_t size)
{
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    VkShaderModule result;
    OK(vkCreateShaderModule(device, &info, NULL, &result));
    return result;
}

static VkRenderPass render_pass(void)
{
    VkAttachmentDescription colour = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                      .samples = VK_SAMPLE_COUNT_1_BIT,
                                      .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                      .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                      .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentReference reference = {.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    VkSubpassDependency copied = {.srcSubpass = 0,
                                  .dstSubpass = VK_SUBPASS_EXTERNAL,
                                  .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                  .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &colour,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass,
                                   .dependencyCount = 1,
                                   .pDependencies = &copied};
    VkRenderPass result;
    OK(vkCreateRenderPass(device, &info, NULL, &result));
    return result;
}

static VkPipeline pipeline(VkRenderPass pass, VkPipelineLayout layout)
{
    VkPipelineShaderStageCreateInfo stages[] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                                 .module = module(vertex_words, sizeof(vertex_words)),
                                                 .pName = "main"},
                                                {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                                 .module = module(fragment_words, sizeof(fragment_words)),
                                                 .pName = "main"}};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport area = {.width = SIZE, .height = SIZE, .maxDepth = 1.0f};
    VkRect2D scissor = {.extent = {SIZE, SIZE}};
    VkPipelineViewportStateCreateInfo viewport = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                  .viewportCount = 1,
                                                  .pViewports = &area,
                                                  .scissorCount = 1,
                                                  .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                     .lineWidth = 1.0f};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState write_all = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &write_all};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = COUNT(stages),
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewport,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blend,
                                         .layout = layout,
                                         .renderPass = pass};
    VkPipeline result;
    OK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &result));
    for (size_t i = 0; i < COUNT(stages); i++)
        vkDestroyShaderModule(device, stages[i].module, NULL);
    return result;
}

static void record(VkCommandBuffer buffer, VkRenderPass pass, VkFramebuffer framebuffer, VkPipeline drawn, VkImage image,
                   VkBuffer copy)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(buffer, &begin));
    VkClearValue red = {.color = {.float32 = {1.0f, 0.0f, 0.0f, 1.0f}}};
    VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = pass,
                                  .framebuffer = framebuffer,
                                  .renderArea = {.extent = {SIZE, SIZE}},
                                  .clearValueCount = 1,
                                  .pClearValues = &red};
    vkCmdBeginRenderPass(buffer, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, drawn);
    vkCmdDraw(buffer, 3, 1, 0, 0);
    vkCmdEndRenderPass(buffer);
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}};
    vkCmdCopyImageToBuffer(buffer, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, copy, 1, &region);
    VkMemoryBarrier read = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &read, 0, NULL, 0, NULL);
    OK(vkEndCommandBuffer(buffer));
}

static void look(const uint8_t (*pixels)[SIZE][4])
{
    unsigned green = 0, red = 0;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const uint8_t *p = pixels[y][x];
            CHECK(p[2] == 0 && p[3] == 255);
            CHECK((p[0] == 255) != (p[1] == 255));
            if (x + 1 < y)
                CHECK(p[1] == 255);
            if (x > y + 1)
                CHECK(p[0] == 255);
            green += p[1] == 255;
            red += p[0] == 255;
        }
    CHECK(green > SIZE * SIZE * 2 / 5 && red > SIZE * SIZE * 2 / 5);
    puts("a green triangle on red");
}

int main(void)
{
    VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    OK(vkCreateInstance(&instance_info, NULL, &instance));
    physical_device = first_device(instance);
    OK(vkCreateDevice(physical_device, &device_with_one_queue, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);

    VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {SIZE, SIZE, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkImage image;
    OK(vkCreateImage(device, &image_info, NULL, &image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, image, &needs);
    VkDeviceMemory image_memory = new_memory(physical_device, device, needs, 0);
    OK(vkBindImageMemory(device, image, image_memory, 0));
    VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = VK_FORMAT_R8G8B8A8_UNORM,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view;
    OK(vkCreateImageView(device, &view_info, NULL, &view));
    struct buffer copy = new_buffer(physical_device, device, SIZE * SIZE * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);

    VkRenderPass pass = render_pass();
    VkFramebufferCreateInfo framebuffer_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                .renderPass = pass,
                                                .attachmentCount = 1,
                                                .pAttachments = &view,
                                                .width = SIZE,
                                                .height = SIZE,
                                                .layers = 1};
    VkFramebuffer framebuffer;
    OK(vkCreateFramebuffer(device, &framebuffer_info, NULL, &framebuffer));
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout;
    OK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    VkPipeline drawn = pipeline(pass, layout);

    VkCommandBuffer commands;
    VkCommandPool pool = new_commands(device, 0, 1, &commands);
    record(commands, pass, framebuffer, drawn, image, copy.buffer);
    run_on(queue, commands);
    look((const uint8_t(*)[SIZE][4])copy.words);

    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyPipeline(device, drawn, NULL);
    vkDestroyPipelineLayout(device, layout, NULL);
    vkDestroyFramebuffer(device, framebuffer, NULL);
    vkDestroyRenderPass(device, pass, NULL);
    destroy_buffer(device, copy);
    vkDestroyImageView(device, view, NULL);
    vkDestroyImage(device, image, NULL);
    vkFreeMemory(device, image_memory, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
