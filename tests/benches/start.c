/* A program's start: opens the loader's library, and queries the extensions, or goes on to the list of devices or to the first device.
 * start LIBRARY extensions|devices|device */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 3) fail("start LIBRARY extensions|devices|device");
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fail(dlerror());
    PFN_vkGetInstanceProcAddr find = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    if (find == NULL) fail("no vkGetInstanceProcAddr");
    PFN_vkEnumerateInstanceExtensionProperties extensions =
        (PFN_vkEnumerateInstanceExtensionProperties)find(NULL, "vkEnumerateInstanceExtensionProperties");
    uint32_t number = 0;
    if (extensions(NULL, &number, NULL) != VK_SUCCESS || number == 0) fail("no extensions");
    if (strcmp(arguments[2], "extensions") == 0) return 0;

    PFN_vkCreateInstance create = (PFN_vkCreateInstance)find(NULL, "vkCreateInstance");
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    if (create(&info, NULL, &instance) != VK_SUCCESS) fail("no instance");
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)find(instance, "vkEnumeratePhysicalDevices");
    if (enumerate(instance, &number, NULL) != VK_SUCCESS || number == 0) fail("no device");
    VkPhysicalDevice device;
    number = 1;
    if (enumerate(instance, &number, &device) < VK_SUCCESS) fail("no device");
    if (strcmp(arguments[2], "device") == 0) {
        float priority = 1;
        VkDeviceQueueCreateInfo queue = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
        VkDeviceCreateInfo with = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
        VkDevice made;
        if (((PFN_vkCreateDevice)find(instance, "vkCreateDevice"))(device, &with, NULL, &made) != VK_SUCCESS)
            fail("the first device cannot be created");
        ((PFN_vkDestroyDevice)find(instance, "vkDestroyDevice"))(made, NULL);
    }
    ((PFN_vkDestroyInstance)find(instance, "vkDestroyInstance"))(instance, NULL);
    return 0;
}
