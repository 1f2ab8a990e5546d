/*
 * Makes, uses and destroys instances on many threads at once: `threads COUNT ROUNDS`. All see the same devices.
 */
#include <pthread.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

static int rounds;
static pthread_barrier_t start;

static void use_instance(uint32_t *devices, uint32_t *extensions)
{
    OK(vkEnumerateInstanceExtensionProperties(NULL, extensions, NULL));
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    VkPhysicalDevice list[16];
    *devices = COUNT(list);
    OK(vkEnumeratePhysicalDevices(instance, devices, list));
    for (uint32_t i = 0; i < *devices; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(list[i], &properties);
        CHECK(properties.deviceName[0]);
        VkDevice device;
        OK(vkCreateDevice(list[i], &device_with_one_queue, NULL, &device));
        CHECK(vkGetDeviceProcAddr(device, "vkCmdDraw"));
        OK(vkDeviceWaitIdle(device));
        vkDestroyDevice(device, NULL);
    }
    vkDestroyInstance(instance, NULL);
}

static void *thread(void *seen)
{
    pthread_barrier_wait(&start);
    uint32_t first = 0, first_extensions = 0;
    use_instance(&first, &first_extensions);
    for (int i = 1; i < rounds; i++) {
        uint32_t devices = 0, extensions = 0;
        use_instance(&devices, &extensions);
        CHECK(devices == first && extensions == first_extensions);
    }
    *(uint32_t *)seen = first;
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    pthread_t threads[64];
    uint32_t seen[64];
    unsigned count = (unsigned)atoi(argv[1]);
    rounds = atoi(argv[2]);
    CHECK(count > 0 && count <= COUNT(threads));
    CHECK(pthread_barrier_init(&start, NULL, count) == 0);
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, &seen[i]) == 0);
    for (unsigned i = 0; i < count; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(seen[i] == seen[0]);
    }
    printf("%u threads saw %u devices\n", count, seen[0]);
    return 0;
}
