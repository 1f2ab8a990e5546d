/*
 * Runs a compute shader on every physical device, finding every command through vkGetInstanceProcAddr of a library
 * that is opened by name: `probe [LIBRARY]`, by default libvulkan.so.1. Prints a summary of each device and the
 * library's file on standard error. Needs nothing but libc, so that it also runs on machines without compilers.
 */
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"

#define VALUES 1000
#define GROUP 64

static const uint32_t words[] = {
#include "sum.comp.words"
};

#define INSTANCE_COMMANDS(X)                                                                                           \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties) X(vkCreateDevice)             \
    X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkGetPhysicalDeviceMemoryProperties) X(vkGetDeviceProcAddr)         \
    X(vkEnumerateDeviceExtensionProperties) X(vkGetPhysicalDeviceProperties2) X(vkGetPhysicalDeviceFeatures)
#define DEVICE_COMMANDS(X)                                                                                             \
    X(vkDestroyDevice) X(vkGetDeviceQueue) X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements)      \
    X(vkAllocateMemory) X(vkFreeMemory) X(vkBindBufferMemory) X(vkMapMemory) X(vkUnmapMemory)                         \
    X(vkCreateShaderModule) X(vkDestroyShaderModule) X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout)   \
    X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) X(vkCreateComputePipelines) X(vkDestroyPipeline)             \
    X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) X(vkAllocateDescriptorSets) X(vkUpdateDescriptorSets)        \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer)                \
    X(vkEndCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) X(vkCmdDispatch)      \
    X(vkCmdPipelineBarrier) X(vkQueueSubmit) X(vkQueueWaitIdle)
#define DECLARE(name) static PFN_##name name;
INSTANCE_COMMANDS(DECLARE)
DEVICE_COMMANDS(DECLARE)

static PFN_vkGetInstanceProcAddr get;

static VkInstance make_instance(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(handle);
    struct link_map *map;
    CHECK(dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0);
    fprintf(stderr, "library %s\n", map->l_name);
    get = (PFN_vkGetInstanceProcAddr)dlsym(handle, "vkGetInstanceProcAddr");
    CHECK(get);
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    PFN_vkEnumerateInstanceVersion version_of = (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion");
    CHECK(create && version_of);
    uint32_t version;
    OK(version_of(&version));
    fprintf(stderr, "instance version %u.%u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
            VK_API_VERSION_PATCH(version));

    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "probe",
                                     .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    VkResult result = create(&info, NULL, &instance);
    if (result != VK_SUCCESS)
        fprintf(stderr, "vkCreateInstance: %d\n", result);
    CHECK(result == VK_SUCCESS);
#define GET_FROM_INSTANCE(name) CHECK((name = (PFN_##name)get(instance, #name)));
    INSTANCE_COMMANDS(GET_FROM_INSTANCE)
    return instance;
}

static void summary(VkPhysicalDevice physical_device)
{
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    vkGetPhysicalDeviceProperties2(physical_device, &properties);
    const VkPhysicalDeviceProperties *p = &properties.properties;
    printf("device %s\n  api %u.%u.%u driver %u vendor %#x device %#x type %d\n  driver %s %s\n", p->deviceName,
           VK_API_VERSION_MAJOR(p->apiVersion), VK_API_VERSION_MINOR(p->apiVersion), VK_API_VERSION_PATCH(p->apiVersion),
           p->driverVersion, p->vendorID, p->deviceID, p->deviceType, driver.driverName, driver.driverInfo);
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(physical_device, &features);
    uint32_t on = 0;
    for (size_t i = 0; i < sizeof(features) / sizeof(VkBool32); i++)
        on += ((VkBool32 *)&features)[i];
    uint32_t extensions = 0, families = 0;
    OK(vkEnumerateDeviceExtensionProperties(physical_device, NULL, &extensions, NULL));
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &families, NULL);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
    printf("  features %u extensions %u queue families %u memory heaps %u types %u\n", on, extensions, families,
           memory.memoryHeapCount, memory.memoryTypeCount);
}

static uint32_t compute_family(VkPhysicalDevice physical_device)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = COUNT(families), family = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    CHECK(family < count);
    return family;
}

static VkDevice make_device(VkPhysicalDevice physical_device, uint32_t family)
{
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = family,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues};
    VkDevice device;
    OK(vkCreateDevice(physical_device, &info, NULL, &device));
    return device;
}

static VkDeviceMemory buffer(VkPhysicalDevice physical_device, VkDevice device, VkBuffer *made, uint32_t **mapped)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = VALUES * sizeof(uint32_t),
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    OK(vkCreateBuffer(device, &info, NULL, made));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, *made, &needs);
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
    VkDeviceMemory result;
    OK(vkAllocateMemory(device, &allocate, NULL, &result));
    OK(vkBindBufferMemory(device, *made, result, 0));
    OK(vkMapMemory(device, result, 0, VK_WHOLE_SIZE, 0, (void **)mapped));
    return result;
}

struct program {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

static struct program make_program(VkDevice device)
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

static VkDescriptorSet make_set(VkDevice device, VkDescriptorPool *pool, VkDescriptorSetLayout layout, const VkBuffer buffers[2])
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
        VkDescriptorBufferInfo whole = {buffers[i], 0, VK_WHOLE_SIZE};
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

static void dispatch(VkDevice device, uint32_t family, const struct program *program, VkDescriptorSet set, uint32_t factor)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    VkCommandPool pool;
    OK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .commandBufferCount = 1};
    VkCommandBuffer commands;
    OK(vkAllocateCommandBuffers(device, &allocate, &commands));
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
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    OK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    OK(vkQueueWaitIdle(queue));
    vkDestroyCommandPool(device, pool, NULL);
}

static void compute(VkInstance instance, VkPhysicalDevice physical_device)
{
    uint32_t family = compute_family(physical_device);
    VkDevice device = make_device(physical_device, family);
#define GET_FROM_DEVICE(name) CHECK((name = (PFN_##name)get(instance, #name)));
    DEVICE_COMMANDS(GET_FROM_DEVICE)
    VkBuffer buffers[2];
    uint32_t *values[2];
    VkDeviceMemory memory[2];
    for (int i = 0; i < 2; i++)
        memory[i] = buffer(physical_device, device, &buffers[i], &values[i]);
    for (uint32_t i = 0; i < VALUES; i++)
        values[0][i] = i * i;
    struct program program = make_program(device);
    VkDescriptorPool pool;
    VkDescriptorSet set = make_set(device, &pool, program.set_layout, buffers);
    for (uint32_t factor = 3; factor < 6; factor++) {
        dispatch(device, family, &program, set, factor);
        for (uint32_t i = 0; i < VALUES; i++)
            CHECK(values[1][i] == i * i * factor + i);
    }
    printf("  compute: %u values right, last %u\n", VALUES, values[1][VALUES - 1]);
    vkDestroyDescriptorPool(device, pool, NULL);
    vkDestroyPipeline(device, program.pipeline, NULL);
    vkDestroyPipelineLayout(device, program.layout, NULL);
    vkDestroyDescriptorSetLayout(device, program.set_layout, NULL);
    for (int i = 0; i < 2; i++) {
        vkUnmapMemory(device, memory[i]);
        vkDestroyBuffer(device, buffers[i], NULL);
        vkFreeMemory(device, memory[i], NULL);
    }
    vkDestroyDevice(device, NULL);
}

int main(int argc, char **argv)
{
    VkInstance instance = make_instance(argc > 1 ? argv[1] : "libvulkan.so.1");
    VkPhysicalDevice devices[64];
    uint32_t count = COUNT(devices);
    OK(vkEnumeratePhysicalDevices(instance, &count, devices));
    for (uint32_t i = 0; i < count; i++) {
        summary(devices[i]);
        compute(instance, devices[i]);
    }
    printf("devices %u\n", count);
    vkDestroyInstance(instance, NULL);
    return count == 0;
}
