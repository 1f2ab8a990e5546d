/* Prints the mappings of a program at each moment of its life with one Vulkan library: `mapped LIBRARY [FILES]`. Prints the number of
 * mappings, of mapped files, and of KiB that are resident and private dirty. With FILES, lists the files that are mapped when
 * everything is destroyed as well. Compile it with `cc -O2 -o mapped tests/benches/mapped.c -ldl`. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(condition)                                         \
    do {                                                         \
        if (!(condition)) {                                      \
            fprintf(stderr, "mapped.c: not so: %s\n", #condition); \
            exit(1);                                             \
        }                                                        \
    } while (0)

#define ROUNDS 20
#define MOST_DEVICES 16

static PFN_vkGetInstanceProcAddr look_up;

static void print(const char *when, int list)
{
    int mappings = 0, files = 0;
    long resident = 0, dirty = 0;
    char line[8192], last[8192] = "";
    FILE *maps = fopen("/proc/self/smaps", "r");
    CHECK(maps);
    while (fgets(line, sizeof(line), maps)) {
        unsigned long from, to, kib;
        char *path = strchr(line, '/');
        if (sscanf(line, "Rss: %lu", &kib) == 1)
            resident += (long)kib;
        else if (sscanf(line, "Private_Dirty: %lu", &kib) == 1)
            dirty += (long)kib;
        else if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            mappings++;
            /* The mappings of a file lie side by side. */
            if (path && strcmp(path, last)) {
                files++;
                strcpy(last, path);
                if (list)
                    printf("    %s", path);
            }
        }
    }
    fclose(maps);
    printf("%-28s %4d mappings, %3d files, %6ld KiB resident, %6ld KiB private dirty\n", when, mappings, files, resident, dirty);
}

/* Makes an instance and all its devices, and destroys them. */
static void live(int is_first)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    CHECK(((PFN_vkCreateInstance)look_up(NULL, "vkCreateInstance"))(&info, NULL, &instance) == VK_SUCCESS);
    uint32_t count = MOST_DEVICES;
    VkPhysicalDevice physical[MOST_DEVICES];
    VkDevice devices[MOST_DEVICES];
    CHECK(((PFN_vkEnumeratePhysicalDevices)look_up(instance, "vkEnumeratePhysicalDevices"))(instance, &count, physical) == VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++) {
        float priority = 1;
        VkDeviceQueueCreateInfo queue = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
        VkDeviceCreateInfo create = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
        CHECK(((PFN_vkCreateDevice)look_up(instance, "vkCreateDevice"))(physical[i], &create, NULL, &devices[i]) == VK_SUCCESS);
    }
    if (is_first)
        print("with devices", 0);
    for (uint32_t i = 0; i < count; i++)
        ((PFN_vkDestroyDevice)look_up(instance, "vkDestroyDevice"))(devices[i], NULL);
    ((PFN_vkDestroyInstance)look_up(instance, "vkDestroyInstance"))(instance, NULL);
}

int main(int count, char **arguments)
{
    CHECK(count >= 2);
    setvbuf(stdout, NULL, _IONBF, 0);
    print("at first", 0);
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    print("library open", 0);
    look_up = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    CHECK(look_up);
    live(1);
    print("all destroyed", count > 2);
    for (int round = 1; round < ROUNDS; round++)
        live(0);
    print("all destroyed, 20 times", 0);
    dlclose(library);
    print("library closed", 0);
    return 0;
}
