/* Two loaders in one program: ours, linked statically under names that begin with vkload_, and the system's shared
 * library. C++ exceptions work, those that callbacks throw through our loader included. */
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#include <vulkan/vulkan.h>
#include "check.h"

#define VKLOAD(name) extern "C" decltype(name) vkload_##name;
VKLOAD(vkGetInstanceProcAddr)
VKLOAD(vkCreateInstance)
VKLOAD(vkDestroyInstance)
VKLOAD(vkEnumerateInstanceVersion)
VKLOAD(vkEnumeratePhysicalDevices)
VKLOAD(vkCreateDevice)
VKLOAD(vkDestroyDevice)
VKLOAD(vkGetDeviceQueue)
VKLOAD(vkQueueWaitIdle)

template <typename Function> static Function find(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char *name)
{
    auto function = reinterpret_cast<Function>(get(instance, name));
    if (!function)
        throw std::runtime_error(std::string("no ") + name);
    return function;
}

static VkInstance instance_of(PFN_vkCreateInstance create, const void *next = nullptr,
                              const VkAllocationCallbacks *callbacks = nullptr)
{
    const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, next};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    VkInstance instance = nullptr;
    OK(create(&info, callbacks, &instance));
    return instance;
}

/* The names of the devices that a loader has. */
static std::vector<std::string> names(PFN_vkGetInstanceProcAddr get, VkInstance instance)
{
    uint32_t count = 0;
    auto enumerate = find<PFN_vkEnumeratePhysicalDevices>(get, instance, "vkEnumeratePhysicalDevices");
    auto properties = find<PFN_vkGetPhysicalDeviceProperties>(get, instance, "vkGetPhysicalDeviceProperties");
    OK(enumerate(instance, &count, nullptr));
    std::vector<VkPhysicalDevice> devices(count);
    OK(enumerate(instance, &count, devices.data()));
    std::vector<std::string> names;
    for (auto device : devices) {
        VkPhysicalDeviceProperties its;
        properties(device, &its);
        names.push_back(its.deviceName);
    }
    return names;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL complain(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT *data, void *)
{
    throw std::runtime_error(data->pMessage);
}

static VKAPI_ATTR void *VKAPI_CALL refuse(void *, size_t, size_t, VkSystemAllocationScope) { throw std::bad_alloc(); }
static VKAPI_ATTR void *VKAPI_CALL refuse_more(void *, void *, size_t, size_t, VkSystemAllocationScope)
{
    throw std::bad_alloc();
}
static VKAPI_ATTR void VKAPI_CALL give_back(void *, void *) {}

static void throw_through_the_loader()
{
    VkDebugUtilsMessengerCreateInfoEXT listener = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    listener.messageSeverity = 0x1111;
    listener.messageType = 7;
    listener.pfnUserCallback = complain;
    bool caught = false;
    try {
        instance_of(vkload_vkCreateInstance, &listener);
    } catch (const std::runtime_error &error) {
        caught = std::strlen(error.what()) > 0;
    }
    CHECK(caught);

    VkAllocationCallbacks callbacks = {nullptr, refuse, refuse_more, give_back, nullptr, nullptr};
    caught = false;
    try {
        instance_of(vkload_vkCreateInstance, nullptr, &callbacks);
    } catch (const std::bad_alloc &) {
        caught = true;
    }
    CHECK(caught);
}

/* Our commands by their own names, down to a queue. */
static void use_a_device(VkInstance instance)
{
    uint32_t count = 1;
    VkPhysicalDevice physical = nullptr;
    VkResult result = vkload_vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(result == VK_SUCCESS || result == VK_INCOMPLETE);
    float priority = 1;
    VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queues;
    VkDevice device = nullptr;
    VkQueue queue = nullptr;
    OK(vkload_vkCreateDevice(physical, &info, nullptr, &device));
    vkload_vkGetDeviceQueue(device, 0, 0, &queue);
    OK(vkload_vkQueueWaitIdle(queue));
    vkload_vkDestroyDevice(device, nullptr);
}

int main()
{
    CHECK(reinterpret_cast<void *>(vkload_vkCreateInstance) != reinterpret_cast<void *>(vkCreateInstance));
    throw_through_the_loader();
    VkInstance ours = instance_of(vkload_vkCreateInstance), theirs = instance_of(vkCreateInstance);
    try {
        find<PFN_vkCreateDevice>(vkload_vkGetInstanceProcAddr, ours, "vkNoSuchCommandAnywhere");
        CHECK(!"it is found");
    } catch (const std::runtime_error &) {
    }
    auto devices = names(vkload_vkGetInstanceProcAddr, ours);
    CHECK(!devices.empty());
    CHECK(devices == names(vkGetInstanceProcAddr, theirs));
    use_a_device(ours);
    vkload_vkDestroyInstance(ours, nullptr);
    vkDestroyInstance(theirs, nullptr);
    uint32_t version = 0, other = 0;
    OK(vkload_vkEnumerateInstanceVersion(&version));
    OK(vkEnumerateInstanceVersion(&other));
    std::printf("%s: ours 1.%u.%u, theirs 1.%u.%u\n", devices[0].c_str(), VK_VERSION_MINOR(version),
                VK_VERSION_PATCH(version), VK_VERSION_MINOR(other), VK_VERSION_PATCH(other));
}
