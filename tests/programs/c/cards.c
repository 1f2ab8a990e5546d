/* What one loader shows of several cards of one model.
 *
 *   cards list          a line for each device, and for each device group its devices
 *   cards threads       16 threads create and destroy devices of every card
 *   cards files         the open device files of each card, after each step
 *   cards time RUNS     microseconds to the list of devices and to the first device, the least of RUNS processes
 */
#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

#define CARDS 16
#define THREADS 16
#define ROUNDS 4

static VkInstance instance;
static VkPhysicalDevice cards[CARDS];
static uint32_t count = CARDS;

static void list_devices(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    OK(vkCreateInstance(&info, NULL, &instance));
    OK(vkEnumeratePhysicalDevices(instance, &count, cards));
    CHECK(count > 0);
}

static void list(void)
{
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDevicePCIBusInfoPropertiesEXT bus = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
        VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &bus};
        VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
        vkGetPhysicalDeviceProperties2(cards[i], &all);
        printf("%u %04x:%02x:%02x.%x ", i, bus.pciDomain, bus.pciBus, bus.pciDevice, bus.pciFunction);
        for (unsigned byte = 0; byte < VK_UUID_SIZE; byte++)
            printf(byte == 4 || byte == 6 || byte == 8 || byte == 10 ? "-%02x" : "%02x", id.deviceUUID[byte]);
        printf(" %x:%x %s\n", all.properties.vendorID, all.properties.deviceID, all.properties.deviceName);
    }
    VkPhysicalDeviceGroupProperties groups[CARDS];
    uint32_t group_count = CARDS;
    for (int i = 0; i < CARDS; i++)
        groups[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    OK(vkEnumeratePhysicalDeviceGroups(instance, &group_count, groups));
    for (uint32_t i = 0; i < group_count; i++) {
        printf("group %u:", i);
        for (uint32_t member = 0; member < groups[i].physicalDeviceCount; member++) {
            uint32_t index = 0;
            while (index < count && cards[index] != groups[i].physicalDevices[member])
                index++;
            printf(" %u", index);
        }
        printf("\n");
    }
}

static void *create_devices(void *first)
{
    for (uint32_t i = 0; i < ROUNDS * count; i++) {
        VkDevice device;
        OK(vkCreateDevice(cards[((uintptr_t)first + i) % count], &device_with_one_queue, NULL, &device));
        OK(vkDeviceWaitIdle(device));
        vkDestroyDevice(device, NULL);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t ids[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&ids[i], NULL, create_devices, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("%u devices on %u cards\n", THREADS * ROUNDS * count, count);
}

/* Prints the number of open files below /dev, by file. */
static void open_files(const char *step)
{
    char names[64][64], path[300];
    int counts[64] = {0}, known = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(folder));) {
        char file[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, file, sizeof file - 1) < 0 || strncmp(file, "/dev/", 5) || !strncmp(file, "/dev/pts", 8))
            continue;
        int at = 0;
        while (at < known && strcmp(names[at], file))
            at++;
        if (at == known && known < 64)
            strcpy(names[known++], file);
        counts[at]++;
    }
    closedir(folder);
    printf("%-22s", step);
    for (int i = 0; i < known; i++)
        printf(" %s %d", names[i], counts[i]);
    printf("\n");
}

static void files(void)
{
    VkDevice devices[CARDS];
    open_files("with an instance");
    for (uint32_t i = 0; i < count; i++) {
        char step[64];
        OK(vkCreateDevice(cards[i], &device_with_one_queue, NULL, &devices[i]));
        snprintf(step, sizeof step, "and device %u", i);
        open_files(step);
    }
    for (uint32_t i = 0; i < count; i++)
        vkDestroyDevice(devices[i], NULL);
    open_files("devices destroyed");
    vkDestroyInstance(instance, NULL);
    open_files("instance destroyed");
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static void measure(int runs)
{
    double least[2] = {1e12, 1e12}, one[2];
    for (int run = 0; run < runs; run++) {
        int ends[2], status;
        CHECK(pipe(ends) == 0);
        pid_t child = fork();
        if (child == 0) {
            VkDevice device;
            double began = microseconds();
            list_devices();
            one[0] = microseconds() - began;
            OK(vkCreateDevice(cards[0], &device_with_one_queue, NULL, &device));
            one[1] = microseconds() - began;
            CHECK(write(ends[1], one, sizeof one) == sizeof one);
            _exit(0);
        }
        close(ends[1]);
        CHECK(read(ends[0], one, sizeof one) == sizeof one);
        close(ends[0]);
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        for (int i = 0; i < 2; i++)
            least[i] = one[i] < least[i] ? one[i] : least[i];
    }
    printf("list %.0f device %.0f\n", least[0], least[1]);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "list";
    if (strcmp(mode, "time") == 0) {
        measure(argc > 2 ? atoi(argv[2]) : 10);
        return 0;
    }
    list_devices();
    if (strcmp(mode, "threads") == 0)
        threads();
    else if (strcmp(mode, "files") == 0)
        files();
    else
        list();
    return 0;
}
