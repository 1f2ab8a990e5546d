/* Makes and destroys a buffer with Khronos' validation layer, and prints what the layer has to say. With the argument
 * "mistake" the buffer has no size; with "leak" a buffer is still there when its device goes. */
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

static VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                                const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)types;
    (void)user;
    if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        printf("%s\n%s\n", data->pMessageIdName ? data->pMessageIdName : "", data->pMessage);
    return VK_FALSE;
}

static VkInstance make_instance(const VkDebugUtilsMessengerCreateInfoEXT *messenger)
{
    const char *layer = "VK_LAYER_KHRONOS_validation";
    const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = messenger,
                                 .pApplicationInfo = &application,
                                 .enabledLayerCount = 1,
                                 .ppEnabledLayerNames = &layer,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = &extension};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    return instance;
}

static void use_buffers(VkPhysicalDevice physical_device, const char *what)
{
    VkDevice device;
    OK(vkCreateDevice(physical_device, &device_with_one_queue, NULL, &device));
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = strcmp(what, "mistake") == 0 ? 0 : 256,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    vkCreateBuffer(device, &info, NULL, &buffer);
    if (strcmp(what, "leak") != 0)
        vkDestroyBuffer(device, buffer, NULL);
    vkDestroyDevice(device, NULL);
}

int main(int argc, char **argv)
{
    VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = hear};
    VkInstance instance = make_instance(&info);
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT");
    CHECK(create && destroy);
    VkDebugUtilsMessengerEXT messenger;
    OK(create(instance, &info, NULL, &messenger));
    VkPhysicalDevice physical_device;
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical_device);
    CHECK(count == 1 && (result == VK_SUCCESS || result == VK_INCOMPLETE));
    use_buffers(physical_device, argc > 1 ? argv[1] : "nothing");
    destroy(instance, messenger, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
