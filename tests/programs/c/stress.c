/*
 * Many threads at everything at once: `stress THREADS ROUNDS [all]`. They share an instance and a device, and make others of
 * their own; in each round every thread does everything, and no two begin with the same. Runs on any driver; extensions are
 * used as far as they are there. With `all`, instances and physical devices are given names, too, which a loader has to
 * translate and some drivers do not survive (Mesa 22.3 in vkDestroyInstance).
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

#define NAME(command) PFN_##command command = (PFN_##command)vkGetInstanceProcAddr(instance, #command); CHECK(command)

static int rounds;
static unsigned thread_count;
static pthread_barrier_t start;
static bool has_utils, has_report, has_headless, names_all;

static VkInstance instance;
static VkPhysicalDevice devices[16];
static uint32_t device_count;
static VkDevice shared;
static int heard;

struct thread {
    unsigned number;
    int round;
};

static bool listed(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            return true;
    return false;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT types,
                                           const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types, (void)user;
    CHECK(data->pMessage);
    __atomic_fetch_add(&heard, 1, __ATOMIC_RELAXED);
    return VK_FALSE;
}

static VkInstance new_instance(bool listens)
{
    const char *names[4];
    uint32_t count = 0;
    if (has_utils)
        names[count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (has_report)
        names[count++] = VK_EXT_DEBUG_REPORT_EXTENSION_NAME;
    if (has_headless) {
        names[count++] = VK_KHR_SURFACE_EXTENSION_NAME;
        names[count++] = VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME;
    }
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = 0x1111,
        .messageType = 7,
        .pfnUserCallback = hear,
    };
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = listens && has_utils ? &messenger : NULL,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = count,
                                 .ppEnabledExtensionNames = names};
    VkInstance made;
    OK(vkCreateInstance(&info, NULL, &made));
    return made;
}

static VkDevice new_device(VkPhysicalDevice physical)
{
    VkDevice device;
    OK(vkCreateDevice(physical, &device_with_one_queue, NULL, &device));
    return device;
}

/* ---- what threads do ---- */

static void ask_without_instance(const struct thread *thread)
{
    (void)thread;
    uint32_t version, count;
    OK(vkEnumerateInstanceVersion(&version));
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
    OK(vkEnumerateInstanceLayerProperties(&count, NULL));
    CHECK(vkGetInstanceProcAddr(NULL, "vkCreateInstance"));
}

static void own_instance(const struct thread *thread)
{
    VkInstance own = new_instance(thread->number % 2);
    VkPhysicalDevice list[16];
    uint32_t count = COUNT(list);
    OK(vkEnumeratePhysicalDevices(own, &count, list));
    CHECK(count == device_count);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(list[thread->number % count], &properties);
    CHECK(properties.deviceName[0]);
    VkDevice device = new_device(list[thread->number % count]);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(own, NULL);
}

static void enumerate(const struct thread *thread)
{
    (void)thread;
    VkPhysicalDevice list[16];
    uint32_t count = COUNT(list);
    OK(vkEnumeratePhysicalDevices(instance, &count, list));
    CHECK(count == device_count && memcmp(list, devices, count * sizeof *list) == 0);
    VkPhysicalDeviceGroupProperties groups[16];
    for (size_t i = 0; i < COUNT(groups); i++)
        groups[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    count = COUNT(groups);
    OK(vkEnumeratePhysicalDeviceGroups(instance, &count, groups));
    CHECK(count > 0);
}

static void query(const struct thread *thread)
{
    VkPhysicalDevice device = devices[thread->number % device_count];
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkGetPhysicalDeviceFeatures2(device, &features);
    VkQueueFamilyProperties2 families[8];
    for (size_t i = 0; i < COUNT(families); i++)
        families[i] = (VkQueueFamilyProperties2){.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2};
    uint32_t count = COUNT(families);
    vkGetPhysicalDeviceQueueFamilyProperties2(device, &count, families);
    CHECK(count > 0);
    OK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL));
}

static void name_one(VkDevice device, VkObjectType type, uint64_t object)
{
    NAME(vkSetDebugUtilsObjectNameEXT);
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = type,
                                          .objectHandle = object,
                                          .pObjectName = "one of many"};
    OK(vkSetDebugUtilsObjectNameEXT(device, &info));
}

static void own_device(const struct thread *thread)
{
    VkPhysicalDevice physical = devices[thread->number % device_count];
    VkDevice device = new_device(physical);
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandBuffer buffers[3];
    VkCommandPool pool = new_commands(device, 0, COUNT(buffers), buffers);
    if (has_utils) {
        name_one(device, VK_OBJECT_TYPE_DEVICE, (uint64_t)(uintptr_t)device);
        name_one(device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)queue);
    }
    if (has_utils && names_all) {
        name_one(device, VK_OBJECT_TYPE_PHYSICAL_DEVICE, (uint64_t)(uintptr_t)physical);
        name_one(device, VK_OBJECT_TYPE_INSTANCE, (uint64_t)(uintptr_t)instance);
    }
    OK(vkDeviceWaitIdle(device));
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
}

static void shared_device(const struct thread *thread)
{
    VkQueue queue;
    vkGetDeviceQueue(shared, 0, 0, &queue);
    CHECK(queue);
    CHECK(vkGetDeviceProcAddr(shared, "vkCmdDraw"));
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    OK(vkCreateCommandPool(shared, &info, NULL, &pool));
    if (has_utils)
        name_one(shared, VK_OBJECT_TYPE_COMMAND_POOL, (uint64_t)pool);
    vkDestroyCommandPool(shared, pool, NULL);
    (void)thread;
}

static void look_up(const struct thread *thread)
{
    static const char *const names[] = {"vkCmdDraw", "vkDestroyInstance", "vkGetPhysicalDeviceFeatures",
                                        "vkCreateDevice", "vkQueueSubmit", "vkCmdDispatch"};
    for (size_t i = 0; i < COUNT(names); i++)
        CHECK(vkGetInstanceProcAddr(instance, names[i]));
    /* Names that no registry has: the loader remembers them where a driver says that it has them. */
    char unknown[64];
    for (unsigned i = 0; i < 4; i++) {
        unsigned number = ((unsigned)thread->round * 4 + i) % 200;
        snprintf(unknown, sizeof unknown, "vkUnknownDevice%uTEST", number);
        vkGetInstanceProcAddr(instance, unknown);
        vkGetDeviceProcAddr(shared, unknown);
        snprintf(unknown, sizeof unknown, "vkUnknownPhysicalDevice%uTEST", number);
        vkGetInstanceProcAddr(instance, unknown);
    }
}

static void listen(const struct thread *thread)
{
    if (has_utils) {
        NAME(vkCreateDebugUtilsMessengerEXT);
        NAME(vkDestroyDebugUtilsMessengerEXT);
        NAME(vkSubmitDebugUtilsMessageEXT);
        VkDebugUtilsMessengerCreateInfoEXT info = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
            .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
            .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
            .pfnUserCallback = hear,
        };
        VkDebugUtilsMessengerEXT messengers[3];
        for (size_t i = 0; i < COUNT(messengers); i++)
            OK(vkCreateDebugUtilsMessengerEXT(instance, &info, NULL, &messengers[i]));
        VkDebugUtilsMessengerCallbackDataEXT data = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT, .pMessage = "from a thread"};
        vkSubmitDebugUtilsMessageEXT(instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                                     VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
        for (size_t i = 0; i < COUNT(messengers); i++)
            vkDestroyDebugUtilsMessengerEXT(instance, messengers[i], NULL);
    }
    (void)thread;
}

static void surfaces(const struct thread *thread)
{
    if (!has_headless)
        return;
    NAME(vkCreateHeadlessSurfaceEXT);
    VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSurfaceKHR surface;
    OK(vkCreateHeadlessSurfaceEXT(instance, &info, NULL, &surface));
    VkPhysicalDevice device = devices[thread->number % device_count];
    VkBool32 supported;
    OK(vkGetPhysicalDeviceSurfaceSupportKHR(device, 0, surface, &supported));
    if (supported) {
        uint32_t count;
        OK(vkGetPhysicalDeviceSurfaceFormatsKHR(device, surface, &count, NULL));
    }
    vkDestroySurfaceKHR(instance, surface, NULL);
}

static void (*const actions[])(const struct thread *) = {
    ask_without_instance, own_instance, enumerate, query, own_device, shared_device, look_up, listen, surfaces,
};

static void *run(void *argument)
{
    struct thread *thread = argument;
    pthread_barrier_wait(&start);
    for (thread->round = 0; thread->round < rounds; thread->round++)
        for (size_t i = 0; i < COUNT(actions); i++)
            actions[(i + thread->number) % COUNT(actions)](thread);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3 || argc == 4);
    names_all = argc == 4;
    thread_count = (unsigned)atoi(argv[1]);
    rounds = atoi(argv[2]);
    pthread_t threads[64];
    struct thread data[64];
    CHECK(thread_count > 0 && thread_count <= COUNT(threads));

    static VkExtensionProperties list[256];
    uint32_t count = COUNT(list);
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, list));
    has_utils = listed(list, count, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    has_report = listed(list, count, VK_EXT_DEBUG_REPORT_EXTENSION_NAME);
    has_headless = listed(list, count, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME);

    instance = new_instance(false);
    device_count = COUNT(devices);
    OK(vkEnumeratePhysicalDevices(instance, &device_count, devices));
    shared = new_device(devices[0]);

    CHECK(pthread_barrier_init(&start, NULL, thread_count) == 0);
    for (unsigned i = 0; i < thread_count; i++) {
        data[i].number = i;
        CHECK(pthread_create(&threads[i], NULL, run, &data[i]) == 0);
    }
    for (unsigned i = 0; i < thread_count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);

    vkDestroyDevice(shared, NULL);
    vkDestroyInstance(instance, NULL);
    CHECK(!has_utils || heard > 0);
    printf("%u threads, %d rounds of %zu actions, %u devices%s%s\n", thread_count, rounds, COUNT(actions), device_count,
           has_utils ? ", messengers" : "", has_headless ? ", surfaces" : "");
    return 0;
}
