/*
 * Threads that do everything and are never waited for: `storm LIBRARY THREADS SEED`. Each opens the library, makes instances and
 * devices, looks up names that nobody knows, gives names to objects, and closes the library, by chance. At a moment by chance a
 * thread ends the process, or the main one does, while the others go on; or all threads stop, and nothing of the library may be
 * left. Runs on any driver.
 */
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

enum end { BY_A_THREAD, BY_MAIN, BY_NOBODY, ENDS };

static const char *path;
static enum end end;
static unsigned last;
static atomic_uint actions;
static atomic_bool over;
static sem_t reached;

struct thread {
    uint64_t chance;
    void *library;
    PFN_vkGetInstanceProcAddr get;
};

/* A number below `bound`. */
static unsigned by_chance(struct thread *thread, unsigned bound)
{
    thread->chance ^= thread->chance << 13;
    thread->chance ^= thread->chance >> 7;
    thread->chance ^= thread->chance << 17;
    return (unsigned)(thread->chance >> 33) % bound;
}

/* Called before each action. */
static void count_action(void)
{
    if (atomic_fetch_add(&actions, 1) != last)
        return;
    if (end == BY_A_THREAD)
        exit(0);
    if (end == BY_NOBODY)
        atomic_store(&over, true);
    sem_post(&reached);
}

#define GET(instance, command) PFN_##command command = (PFN_##command)thread->get(instance, #command); CHECK(command)

static bool listed(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            return true;
    return false;
}

static bool ask_without_instance(struct thread *thread)
{
    GET(NULL, vkEnumerateInstanceVersion);
    GET(NULL, vkEnumerateInstanceExtensionProperties);
    uint32_t version, count = 256;
    OK(vkEnumerateInstanceVersion(&version));
    static _Thread_local VkExtensionProperties list[256];
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, list));
    return listed(list, count, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
}

static void look_up_unknown(struct thread *thread, VkInstance instance)
{
    for (unsigned i = 0; i < 3; i++) {
        char name[64];
        const char *kind = by_chance(thread, 2) ? "PhysicalDevice" : "Device";
        snprintf(name, sizeof name, "vkUnknown%s%uTEST", kind, by_chance(thread, 100));
        thread->get(instance, name);
    }
}

static void name_object(struct thread *thread, VkInstance instance, VkDevice device, VkObjectType type, void *object)
{
    GET(instance, vkSetDebugUtilsObjectNameEXT);
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = type,
                                          .objectHandle = (uint64_t)(uintptr_t)object,
                                          .pObjectName = "one of many"};
    OK(vkSetDebugUtilsObjectNameEXT(device, &info));
}

static void use_device(struct thread *thread, VkInstance instance, VkPhysicalDevice physical, bool names)
{
    GET(instance, vkCreateDevice);
    GET(instance, vkDestroyDevice);
    GET(instance, vkGetDeviceQueue);
    VkDevice device;
    count_action();
    OK(vkCreateDevice(physical, &device_with_one_queue, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    CHECK(queue);
    count_action();
    look_up_unknown(thread, instance);
    if (names) {
        count_action();
        name_object(thread, instance, device, VK_OBJECT_TYPE_QUEUE, queue);
        name_object(thread, instance, device, VK_OBJECT_TYPE_PHYSICAL_DEVICE, physical);
        name_object(thread, instance, device, VK_OBJECT_TYPE_INSTANCE, instance);
    }
    count_action();
    vkDestroyDevice(device, NULL);
}

static void use_instance(struct thread *thread, bool has_utils)
{
    GET(NULL, vkCreateInstance);
    const char *name = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = has_utils,
                                 .ppEnabledExtensionNames = &name};
    VkInstance instance;
    count_action();
    OK(vkCreateInstance(&info, NULL, &instance));
    GET(instance, vkEnumeratePhysicalDevices);
    GET(instance, vkDestroyInstance);
    VkPhysicalDevice devices[16];
    uint32_t count = COUNT(devices);
    count_action();
    OK(vkEnumeratePhysicalDevices(instance, &count, devices));
    CHECK(count > 0);
    for (unsigned rounds = by_chance(thread, 3); rounds > 0; rounds--)
        use_device(thread, instance, devices[by_chance(thread, count)], has_utils);
    count_action();
    look_up_unknown(thread, instance);
    vkDestroyInstance(instance, NULL);
}

static void *run(void *argument)
{
    struct thread *thread = argument;
    while (!atomic_load(&over)) {
        count_action();
        thread->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        CHECK(thread->library);
        thread->get = (PFN_vkGetInstanceProcAddr)dlsym(thread->library, "vkGetInstanceProcAddr");
        CHECK(thread->get);
        for (unsigned rounds = 1 + by_chance(thread, 3); rounds > 0; rounds--) {
            bool has_utils = ask_without_instance(thread);
            if (by_chance(thread, 3) > 0)
                use_instance(thread, has_utils);
        }
        count_action();
        CHECK(dlclose(thread->library) == 0);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    path = argv[1];
    unsigned thread_count = (unsigned)atoi(argv[2]), seed = (unsigned)atoi(argv[3]);
    struct thread first = {.chance = seed * 0x9e3779b97f4a7c15 | 1};
    for (int i = 0; i < 8; i++)
        by_chance(&first, 1);
    end = by_chance(&first, ENDS);
    last = by_chance(&first, thread_count * 20);
    CHECK(sem_init(&reached, 0, 0) == 0);
    static pthread_t threads[64];
    static struct thread data[64];
    CHECK(thread_count > 0 && thread_count <= COUNT(threads));
    for (unsigned i = 0; i < thread_count; i++) {
        data[i].chance = first.chance + i * 0x9e3779b97f4a7c15;
        by_chance(&first, 1);
        CHECK(pthread_create(&threads[i], NULL, run, &data[i]) == 0);
    }
    while (sem_wait(&reached) != 0)
        ;
    if (end == BY_MAIN)
        return 0;
    for (unsigned i = 0; i < thread_count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    return 0;
}
