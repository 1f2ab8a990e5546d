/*
 * Lists the tools of the first device by every command that does, with each amount of room from none to too much, and prints them;
 * `tools LAYER` also prints the extensions of that layer, and makes a device with VK_EXT_tooling_info.
 */
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

#define MOST 8

static void print_extensions(VkPhysicalDevice device, const char *layer)
{
    VkExtensionProperties extensions[MOST];
    uint32_t count = MOST;
    OK(vkEnumerateInstanceExtensionProperties(layer, &count, extensions));
    for (uint32_t i = 0; i < count; i++)
        printf("instance extension %s\n", extensions[i].extensionName);
    count = 0;
    OK(vkEnumerateDeviceExtensionProperties(device, layer, &count, NULL));
    CHECK(count <= MOST);
    OK(vkEnumerateDeviceExtensionProperties(device, layer, &count, extensions));
    for (uint32_t i = 0; i < count; i++)
        printf("device extension %s\n", extensions[i].extensionName);
}

static void print_tools(VkInstance instance, VkPhysicalDevice device, const char *name)
{
    PFN_vkGetPhysicalDeviceToolProperties get =
        (PFN_vkGetPhysicalDeviceToolProperties)vkGetInstanceProcAddr(instance, name);
    CHECK(get);
    uint32_t all = 0;
    OK(get(device, &all, NULL));
    CHECK(all < MOST);
    VkPhysicalDeviceToolProperties tools[MOST];
    for (uint32_t room = 0; room <= all + 1; room++) {
        for (int i = 0; i < MOST; i++)
            tools[i] = (VkPhysicalDeviceToolProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
        uint32_t count = room;
        CHECK(get(device, &count, tools) == (room < all ? VK_INCOMPLETE : VK_SUCCESS));
        CHECK(count == (room < all ? room : all));
        for (uint32_t i = 0; i < MOST; i++) {
            CHECK(!tools[i].name[0] == (i >= count));
            CHECK(tools[i].sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES && !tools[i].pNext);
        }
    }
    for (uint32_t i = 0; i < all; i++)
        printf("%s: %s, purposes %u, of layer %s, version %s\n", name, tools[i].name, tools[i].purposes, tools[i].layer,
               tools[i].version);
}

static void make_device(VkPhysicalDevice physical)
{
    const char *extension = "VK_EXT_tooling_info";
    VkDeviceCreateInfo info = device_with_one_queue;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    VkDevice device;
    OK(vkCreateDevice(physical, &info, NULL, &device));
    vkDestroyDevice(device, NULL);
}

int main(int argc, char **argv)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice physical = first_device(instance);
    print_tools(instance, physical, "vkGetPhysicalDeviceToolProperties");
    print_tools(instance, physical, "vkGetPhysicalDeviceToolPropertiesEXT");
    if (argc > 1) {
        print_extensions(physical, argv[1]);
        make_device(physical);
    }
    vkDestroyInstance(instance, NULL);
    return 0;
}
