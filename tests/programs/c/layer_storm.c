/*
 * Many threads make and destroy instances and devices at once: `layer_storm THREADS ROUNDS [shared]`. In each round each makes an
 * instance and a device of it. With `shared`, each also makes a device of an instance that all share. Without it, layers see the
 * last instance go and the first one come again and again. Some layers refuse a second device of an instance, which is counted.
 */
#include <pthread.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

static int rounds;
static pthread_barrier_t start;
static VkInstance shared;
static unsigned refused;

static VkInstance new_instance(void)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    return instance;
}

static void use_device(VkInstance instance)
{
    VkPhysicalDevice list[8];
    uint32_t count = COUNT(list), extensions;
    OK(vkEnumeratePhysicalDevices(instance, &count, list));
    CHECK(count > 0);
    OK(vkEnumerateDeviceExtensionProperties(list[0], NULL, &extensions, NULL));
    VkDevice device;
    if (vkCreateDevice(list[0], &device_with_one_queue, NULL, &device) == VK_SUCCESS)
        vkDestroyDevice(device, NULL);
    else
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
}

static void *thread(void *unused)
{
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds; i++) {
        VkInstance own = new_instance();
        use_device(own);
        if (shared)
            use_device(shared);
        vkDestroyInstance(own, NULL);
    }
    return unused;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3 || argc == 4);
    int count = atoi(argv[1]);
    rounds = atoi(argv[2]);
    pthread_t threads[64];
    CHECK(count > 0 && count <= (int)COUNT(threads));
    alarm(LONGEST * (unsigned)rounds);
    pthread_barrier_init(&start, NULL, (unsigned)count);
    if (argc == 4)
        shared = new_instance();
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, NULL) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    vkDestroyInstance(shared, NULL);
    printf("%d threads, %d rounds, %u devices refused\n", count, rounds, refused);
    return 0;
}
