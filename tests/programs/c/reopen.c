/*
 * Opens and closes the library over and over: `reopen CYCLES EVERY`. Every EVERY-th cycle an instance is made and
 * destroyed. Afterwards nothing may be left: no mapping, no open file, no thread. How much more memory is in use is printed.
 */
#define VK_NO_PROTOTYPES
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"

static void cycle(int with_instance)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    CHECK(get && get(NULL, "vkCreateInstance"));
    if (with_instance) {
        VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        VkInstance instance;
        OK(((PFN_vkCreateInstance)get(NULL, "vkCreateInstance"))(&info, NULL, &instance));
        uint32_t count = 0;
        OK(((PFN_vkEnumeratePhysicalDevices)get(instance, "vkEnumeratePhysicalDevices"))(instance, &count, NULL));
        CHECK(count > 0);
        ((PFN_vkDestroyInstance)get(instance, "vkDestroyInstance"))(instance, NULL);
    }
    CHECK(dlclose(library) == 0);
    CHECK(!dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD));
}

static int entries(const char *folder)
{
    DIR *open = opendir(folder);
    CHECK(open);
    int count = 0;
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

/* How many lines of the process' memory map name a file whose path holds `part`. */
static int mappings(const char *part)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    char line[4096];
    int count = 0;
    while (fgets(line, sizeof(line), maps))
        count += strstr(line, part) != NULL;
    fclose(maps);
    return count;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    int cycles = atoi(argv[1]), every = atoi(argv[2]);
    /* What the C library and the driver allocate once, they allocate here. */
    for (int i = 0; i < 4; i++)
        cycle(every > 0);
    int files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
    size_t used = mallinfo2().uordblks;
    for (int i = 1; i <= cycles; i++)
        cycle(every > 0 && i % every == 0);
    size_t more = mallinfo2().uordblks - used;
    printf("%d cycles: %zu bytes more in use\n", cycles, more);
    CHECK(mappings("libvulkan.so") == 0);
    CHECK(entries("/proc/self/fd") == files);
    CHECK(entries("/proc/self/task") == threads);
    return 0;
}
