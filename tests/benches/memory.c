/* A program's start and end on one Vulkan library: memory before the library is opened, with a device, and after everything is
 * destroyed. Prints for each of the last two what has come since the first, in bytes: resident, private dirty, and on the heap. */
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(condition)                                         \
    do {                                                         \
        if (!(condition)) {                                      \
            fprintf(stderr, "memory.c: not so: %s\n", #condition); \
            exit(1);                                             \
        }                                                        \
    } while (0)

struct memory {
    long resident, dirty, heap;
};

static struct memory now(void)
{
    struct memory memory = {0};
    struct mallinfo2 heap = mallinfo2();
    memory.heap = (long)(heap.uordblks + heap.hblkhd);
    /* Not by stdio, whose buffer would be on the heap. */
    static char text[4096];
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    CHECK(file);
    setvbuf(file, NULL, _IONBF, 0);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    const char *resident = strstr(text, "\nRss:"), *dirty = strstr(text, "\nPrivate_Dirty:");
    CHECK(resident && dirty);
    memory.resident = atol(resident + 5) * 1024;
    memory.dirty = atol(dirty + 15) * 1024;
    return memory;
}

static void print(const char *when, struct memory since, struct memory memory)
{
    printf("%s %ld %ld %ld\n", when, memory.resident - since.resident, memory.dirty - since.dirty, memory.heap - since.heap);
}

int main(int count, char **words)
{
    CHECK(count == 2);
    /* What the first calls of the C library allocate is not the Vulkan library's. */
    now();
    struct memory before = now();
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    PFN_vkGetInstanceProcAddr look_up = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    CHECK(look_up);
    PFN_vkCreateInstance create_instance = (PFN_vkCreateInstance)look_up(NULL, "vkCreateInstance");
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    CHECK(create_instance(&info, NULL, &instance) == VK_SUCCESS);
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)look_up(instance, "vkEnumeratePhysicalDevices");
    uint32_t devices = 1;
    VkPhysicalDevice physical_device;
    CHECK(enumerate(instance, &devices, &physical_device) >= 0 && devices == 1);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue};
    PFN_vkCreateDevice create_device = (PFN_vkCreateDevice)look_up(instance, "vkCreateDevice");
    VkDevice device;
    CHECK(create_device(physical_device, &device_info, NULL, &device) == VK_SUCCESS);
    print("device", before, now());
    ((PFN_vkDestroyDevice)look_up(instance, "vkDestroyDevice"))(device, NULL);
    ((PFN_vkDestroyInstance)look_up(instance, "vkDestroyInstance"))(instance, NULL);
    print("after", before, now());
    return 0;
}
