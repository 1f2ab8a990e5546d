/* Lists all that there is before and after an instance is made, as a text that does not depend on the loader. */
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"

static void extensions(const char *title, uint32_t count, const VkExtensionProperties *list)
{
    for (uint32_t i = 0; i < count; i++) {
        CHECK(memchr(list[i].extensionName, 0, VK_MAX_EXTENSION_NAME_SIZE));
        for (uint32_t j = 0; j < i; j++)
            CHECK(strcmp(list[i].extensionName, list[j].extensionName) != 0);
        printf("%s %s %u\n", title, list[i].extensionName, list[i].specVersion);
    }
}

static VkInstance instance(void)
{
    uint32_t version = 0, count = 0, layers = 0;
    OK(vkEnumerateInstanceVersion(&version));
    CHECK(version >= VK_API_VERSION_1_3);
    OK(vkEnumerateInstanceLayerProperties(&layers, NULL));
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
    CHECK(count > 4);
    VkExtensionProperties *list = calloc(count, sizeof(*list));
    uint32_t fewer = count - 1;
    CHECK(vkEnumerateInstanceExtensionProperties(NULL, &fewer, list) == VK_INCOMPLETE && fewer == count - 1);
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, list));
    extensions("instance", count, list);
    free(list);

    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    const char *missing = "VK_VKLOAD_no_such_extension";
    VkInstance made = VK_NULL_HANDLE;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &missing;
    CHECK(vkCreateInstance(&info, NULL, &made) == VK_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = 0;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &missing;
    CHECK(vkCreateInstance(&info, NULL, &made) == VK_ERROR_LAYER_NOT_PRESENT);
    info.enabledLayerCount = 0;
    OK(vkCreateInstance(&info, NULL, &made));
    CHECK(made);
    return made;
}

static void device(VkPhysicalDevice device)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    printf("device %s type %d api %u\n", properties.deviceName, properties.deviceType, properties.apiVersion);

    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    vkGetPhysicalDeviceProperties2(device, &properties2);
    CHECK(strcmp(properties2.properties.deviceName, properties.deviceName) == 0);

    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(device, &features);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device, &memory);
    printf("robustBufferAccess %u, heaps %u, types %u\n", features.robustBufferAccess, memory.memoryHeapCount,
           memory.memoryTypeCount);

    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, NULL);
    VkQueueFamilyProperties families[16];
    CHECK(count > 0 && count <= COUNT(families));
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    for (uint32_t i = 0; i < count; i++)
        printf("queues %u flags %u\n", families[i].queueCount, families[i].queueFlags);

    VkFormatProperties format;
    vkGetPhysicalDeviceFormatProperties(device, VK_FORMAT_R8G8B8A8_UNORM, &format);
    printf("format %u %u\n", format.optimalTilingFeatures, format.bufferFeatures);
    VkImageFormatProperties image;
    OK(vkGetPhysicalDeviceImageFormatProperties(device, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT, 0, &image));
    printf("largest image %u %u\n", image.maxExtent.width, image.maxExtent.height);

    OK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL));
    VkExtensionProperties *list = calloc(count, sizeof(*list));
    OK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, list));
    extensions("device", count, list);
    free(list);
}

int main(void)
{
    VkInstance made = instance();
    VkPhysicalDevice devices[16], again[16];
    uint32_t count = 0;
    OK(vkEnumeratePhysicalDevices(made, &count, NULL));
    CHECK(count > 0 && count <= COUNT(devices));
    OK(vkEnumeratePhysicalDevices(made, &count, devices));
    OK(vkEnumeratePhysicalDevices(made, &count, again));
    CHECK(memcmp(devices, again, count * sizeof(*devices)) == 0);
    uint32_t none = 0;
    CHECK(vkEnumeratePhysicalDevices(made, &none, again) == VK_INCOMPLETE && none == 0);

    uint32_t groups = 0;
    OK(vkEnumeratePhysicalDeviceGroups(made, &groups, NULL));
    CHECK(groups > 0 && groups <= count);
    VkPhysicalDeviceGroupProperties group[16];
    for (uint32_t i = 0; i < groups; i++)
        group[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    OK(vkEnumeratePhysicalDeviceGroups(made, &groups, group));
    for (uint32_t i = 0; i < groups; i++)
        for (uint32_t j = 0; j < group[i].physicalDeviceCount; j++) {
            uint32_t k = 0;
            while (k < count && devices[k] != group[i].physicalDevices[j])
                k++;
            CHECK(k < count);
        }
    for (uint32_t i = 0; i < count; i++)
        device(devices[i]);
    vkDestroyInstance(made, NULL);
    vkDestroyInstance(VK_NULL_HANDLE, NULL);
    return 0;
}
