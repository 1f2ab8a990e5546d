/* A program that uses Vulkan as far as a list of devices, and runs until its standard input ends. */
#include <dlfcn.h>
#include <stdio.h>
#include <vulkan/vulkan.h>

int main(void) {
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    PFN_vkGetInstanceProcAddr find = loader == NULL ? NULL : (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
    if (find == NULL) return 1;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    uint32_t count = 0;
    if (((PFN_vkCreateInstance)find(NULL, "vkCreateInstance"))(&info, NULL, &instance) == VK_SUCCESS)
        ((PFN_vkEnumeratePhysicalDevices)find(instance, "vkEnumeratePhysicalDevices"))(instance, &count, NULL);
    printf("%u devices\n", count), fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
