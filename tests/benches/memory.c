/* A program's start and end on one Vulkan library: memory before the library is opened, with devices, and after everything is
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

#define MOST_INSTANCES 256
#define MOST_DEVICES 1000

static PFN_vkGetInstanceProcAddr look_up;

static VkInstance make_instance(void)
{
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)look_up(NULL, "vkCreateInstance");
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    CHECK(create(&info, NULL, &instance) == VK_SUCCESS);
    return instance;
}

static VkDevice make_device(VkInstance instance)
{
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)look_up(instance, "vkEnumeratePhysicalDevices");
    uint32_t count = 1;
    VkPhysicalDevice physical_device;
    CHECK(enumerate(instance, &count, &physical_device) >= 0 && count == 1);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)look_up(instance, "vkCreateDevice");
    VkDevice device;
    CHECK(create(physical_device, &info, NULL, &device) == VK_SUCCESS);
    return device;
}

/* The library, and how many instances and devices of the last instance there are at once. */
int main(int count, char **words)
{
    static VkInstance instances[MOST_INSTANCES];
    static VkDevice devices[MOST_DEVICES];
    CHECK(count == 4);
    int instance_count = atoi(words[2]), device_count = atoi(words[3]);
    CHECK(instance_count >= 1 && instance_count <= MOST_INSTANCES);
    CHECK(device_count >= 1 && device_count <= MOST_DEVICES);
    /* Of this program, not of the library. */
    memset(instances, 1, sizeof(instances));
    memset(devices, 1, sizeof(devices));
    /* What the first calls of the C library allocate is not the Vulkan library's, nor is the buffer of standard output. */
    static char output[BUFSIZ];
    setvbuf(stdout, output, _IOFBF, sizeof(output));
    now();
    struct memory before = now();
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    look_up = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    CHECK(look_up);
    for (int i = 0; i < instance_count; i++)
        instances[i] = make_instance();
    VkInstance last = instances[instance_count - 1];
    for (int i = 0; i < device_count; i++)
        devices[i] = make_device(last);
    print("device", before, now());
    for (int i = 0; i < device_count; i++)
        ((PFN_vkDestroyDevice)look_up(last, "vkDestroyDevice"))(devices[i], NULL);
    for (int i = 0; i < instance_count; i++)
        ((PFN_vkDestroyInstance)look_up(instances[i], "vkDestroyInstance"))(instances[i], NULL);
    print("after", before, now());
    return 0;
}
