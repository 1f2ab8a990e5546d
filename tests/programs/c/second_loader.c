/* Is linked with one loader and opens another one, PATH: in the way HOW. Prints whose vkCreateInstance the second one gives, and uses a
 * device of the second one, unless the function is the first one's. */
#include <dlfcn.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

#define FIND(name) PFN_##name name##_ = (PFN_##name)find(instance, #name)

static const char *file_of(void *function)
{
    Dl_info info;
    CHECK(dladdr(function, &info));
    return info.dli_fname;
}

int main(int count, char **arguments)
{
    CHECK(count == 3);
    const char *how = arguments[1], *path = arguments[2];
    uint32_t version;
    OK(vkEnumerateInstanceVersion(&version));
    int flags = RTLD_NOW | (strcmp(how, "deepbind") ? RTLD_LOCAL : RTLD_LOCAL | RTLD_DEEPBIND);
    void *second = strcmp(how, "dlmopen") ? dlopen(path, flags) : dlmopen(LM_ID_NEWLM, path, flags);
    CHECK(second);
    PFN_vkGetInstanceProcAddr find = (PFN_vkGetInstanceProcAddr)dlsym(second, "vkGetInstanceProcAddr");
    CHECK(find);
    VkInstance instance = NULL;
    FIND(vkCreateInstance);
    const char *file = file_of((void *)vkCreateInstance_);
    if (strcmp(how, "name") && !strcmp(file, file_of((void *)vkCreateInstance))) {
        puts("the first one's");
        return 0;
    }
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    OK(vkCreateInstance_(&info, NULL, &instance));
    FIND(vkEnumeratePhysicalDevices);
    FIND(vkCreateDevice);
    FIND(vkGetDeviceQueue);
    FIND(vkQueueWaitIdle);
    FIND(vkDestroyDevice);
    FIND(vkDestroyInstance);
    uint32_t devices = 1;
    VkPhysicalDevice physical;
    OK(vkEnumeratePhysicalDevices_(instance, &devices, &physical));
    VkDevice device;
    OK(vkCreateDevice_(physical, &device_with_one_queue, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue_(device, 0, 0, &queue);
    OK(vkQueueWaitIdle_(queue));
    vkDestroyDevice_(device, NULL);
    vkDestroyInstance_(instance, NULL);
    puts("a device was used");
    return 0;
}
