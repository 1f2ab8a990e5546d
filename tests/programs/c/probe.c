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

/* Uses the commands that are declared above. */
#include "sum.h"

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

static void compute(VkInstance instance, VkPhysicalDevice physical_device)
{
    uint32_t family = compute_family(physical_device);
    VkDevice device = device_of(physical_device, family, NULL);
#define GET_FROM_DEVICE(name) CHECK((name = (PFN_##name)get(instance, #name)));
    DEVICE_COMMANDS(GET_FROM_DEVICE)
    sum(physical_device, device, family, 3);
    printf("  compute: %u values right\n", VALUES);
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
