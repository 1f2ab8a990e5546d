/*
 * Allocates memory six times, and prints each result and what the messenger gets: `failing_memory`. With any argument it has no
 * messenger.
 */
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

static VkBool32 message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                        const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)types, (void)user;
    if (severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        printf("%s: %s\n", data->pMessageIdName, data->pMessage);
    return VK_FALSE;
}

int main(int argc, char **argv)
{
    (void)argv;
    const VkBool32 listens = argc == 1;
    const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .enabledExtensionCount = listens,
                                 .ppEnabledExtensionNames = &extension};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    VkDebugUtilsMessengerCreateInfoEXT wanted = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                 .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                                                 .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
                                                 .pfnUserCallback = message};
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT");
    VkDebugUtilsMessengerEXT messenger;
    if (listens)
        OK(create(instance, &wanted, NULL, &messenger));
    uint32_t one = 1;
    VkPhysicalDevice physical;
    CHECK(vkEnumeratePhysicalDevices(instance, &one, &physical) >= 0);
    VkDevice device;
    OK(vkCreateDevice(physical, &device_with_one_queue, NULL, &device));
    for (int i = 0; i < 6; i++) {
        VkMemoryAllocateInfo size = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096};
        VkDeviceMemory memory = VK_NULL_HANDLE;
        printf("%d\n", vkAllocateMemory(device, &size, NULL, &memory));
        vkFreeMemory(device, memory, NULL);
    }
    vkDestroyDevice(device, NULL);
    if (listens)
        destroy(instance, messenger, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
