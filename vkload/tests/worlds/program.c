/* A program that uses Vulkan, and runs until its standard input ends. Its arguments are its needs: "version MINOR", "layer NAME",
 * "instance-extension NAME", "device-extension NAME", "luck" (which it never has). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr find;
static VkInstance instance;
#define CALL(name) ((PFN_##name)find(instance, #name))

static const char *argument(int count, char **words, const char *name) {
    for (int i = 1; i + 1 < count; ++i)
        if (strcmp(words[i], name) == 0) return words[i + 1];
    return NULL;
}

static int fails(const char *why) {
    printf("game: %s\n", why);
    return 3;
}

int main(int count, char **words) {
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    find = loader == NULL ? NULL : (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
    if (find == NULL) return 1;
    const char *version = argument(count, words, "version"), *layer = argument(count, words, "layer");
    const char *of_instance = argument(count, words, "instance-extension"), *of_device = argument(count, words, "device-extension");
    uint32_t needed = VK_MAKE_API_VERSION(0, 1, version == NULL ? 1 : atoi(version), 0), devices = 1;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = needed};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (layer != NULL) info.enabledLayerCount = 1, info.ppEnabledLayerNames = &layer;
    if (of_instance != NULL) info.enabledExtensionCount = 1, info.ppEnabledExtensionNames = &of_instance;
    if (CALL(vkCreateInstance)(&info, NULL, &instance) == VK_SUCCESS) {
        VkPhysicalDevice physical = NULL;
        CALL(vkEnumeratePhysicalDevices)(instance, &devices, &physical);
        VkPhysicalDeviceProperties properties = {0};
        if (physical != NULL) CALL(vkGetPhysicalDeviceProperties)(physical, &properties);
        if (version != NULL && properties.apiVersion < needed) return fails("the GPU is too old");
        if (of_device != NULL) {
            float priority = 1;
            VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
            VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
                .enabledExtensionCount = 1, .ppEnabledExtensionNames = &of_device};
            VkDevice device;
            if (CALL(vkCreateDevice)(physical, &create, NULL, &device) != VK_SUCCESS) return fails("no device");
        }
    } else if (count > 1) {
        return fails("no instance");
    }
    if (argument(count, words, "luck") != NULL) return fails("out of luck");
    puts("started"), fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
