/*
 * A Vulkan driver that does next to nothing, so that what is left when it is subtracted is the loader. It calls no
 * function of any library: what its callers pay in libc is the loader's own. Interface version 5, Vulkan 1.3, DEVICES
 * physical devices (1 unless defined), no surface extensions.
 */
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#ifndef TYPE
#define TYPE VK_PHYSICAL_DEVICE_TYPE_CPU
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#define INSTANCES 2048
#define COMMAND_BUFFERS 4
#define EXPORT __attribute__((visibility("default")))
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct object {
    VK_LOADER_DATA word;
};

struct device {
    VK_LOADER_DATA word;
    struct object queue, command_buffers[COMMAND_BUFFERS];
    unsigned used;
};

struct instance {
    VK_LOADER_DATA word;
    struct object physical_devices[DEVICES];
    unsigned used;
};

static struct instance instances[INSTANCES];
static struct device devices[INSTANCES];

static const VkExtensionProperties extensions[] = {
    {VK_KHR_DEVICE_GROUP_CREATION_EXTENSION_NAME, 1},
    {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME, 2},
};

/* A place of a pool that is not in use: looked for from where the last search ended. */
#define TAKE(pool, taken)                                                              \
    static unsigned next;                                                              \
    for (unsigned turn = 0; turn < INSTANCES && !taken; turn++) {                      \
        unsigned place = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % INSTANCES;   \
        if (!__atomic_exchange_n(&pool[place].used, 1, __ATOMIC_ACQUIRE))              \
            taken = &pool[place];                                                      \
    }
#define GIVE_BACK(object) __atomic_store_n(&(object)->used, 0, __ATOMIC_RELEASE)

static void VKAPI_CALL no_op(void)
{
}

static VkResult VKAPI_CALL succeed(void)
{
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL enumerate_instance_version(uint32_t *version)
{
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL enumerate_instance_extensions(const char *layer, uint32_t *count, VkExtensionProperties *list)
{
    (void)layer;
    if (!list) {
        *count = LENGTH(extensions);
        return VK_SUCCESS;
    }
    uint32_t i = 0;
    for (; i < *count && i < LENGTH(extensions); i++) {
        for (unsigned j = 0; j < VK_MAX_EXTENSION_NAME_SIZE; j++)
            ((volatile char *)list[i].extensionName)[j] = extensions[i].extensionName[j];
        list[i].specVersion = extensions[i].specVersion;
    }
    *count = i;
    return i < LENGTH(extensions) ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                           VkInstance *created)
{
    (void)info, (void)allocator;
    struct instance *instance = 0;
    TAKE(instances, instance)
    if (!instance)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    set_loader_magic_value(instance);
    for (int i = 0; i < DEVICES; i++)
        set_loader_magic_value(&instance->physical_devices[i]);
    *created = (VkInstance)instance;
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    if (instance)
        GIVE_BACK((struct instance *)instance);
}

static VkResult VKAPI_CALL enumerate_physical_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *list)
{
    if (!list) {
        *count = DEVICES;
        return VK_SUCCESS;
    }
    uint32_t i = 0;
    for (; i < *count && i < DEVICES; i++)
        list[i] = (VkPhysicalDevice)&((struct instance *)instance)->physical_devices[i];
    *count = i;
    return i < DEVICES ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult VKAPI_CALL enumerate_groups(VkInstance instance, uint32_t *count, VkPhysicalDeviceGroupProperties *list)
{
    if (!list) {
        *count = DEVICES;
        return VK_SUCCESS;
    }
    uint32_t i = 0;
    for (; i < *count && i < DEVICES; i++) {
        list[i].physicalDeviceCount = 1;
        list[i].physicalDevices[0] = (VkPhysicalDevice)&((struct instance *)instance)->physical_devices[i];
        list[i].subsetAllocation = VK_FALSE;
    }
    *count = i;
    return i < DEVICES ? VK_INCOMPLETE : VK_SUCCESS;
}

static void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
    (void)device;
    properties->apiVersion = VK_API_VERSION_1_3;
    properties->driverVersion = 1;
    properties->vendorID = 0x10000;
    properties->deviceID = 0;
    properties->deviceType = TYPE;
    static const char name[] = "null driver";
    for (unsigned i = 0; i < sizeof(name); i++)
        ((volatile char *)properties->deviceName)[i] = name[i];
}

static void VKAPI_CALL get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
    get_properties(device, &properties->properties);
}

static void VKAPI_CALL get_queue_families(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *list)
{
    (void)device;
    if (list && *count > 0) {
        list[0].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
        list[0].queueCount = 1;
        list[0].timestampValidBits = 0;
    }
    *count = 1;
}

static VkResult VKAPI_CALL enumerate_none(VkPhysicalDevice device, const char *layer, uint32_t *count, void *list)
{
    (void)device, (void)layer, (void)list;
    *count = 0;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
                                         const VkAllocationCallbacks *allocator, VkDevice *created)
{
    (void)physical_device, (void)info, (void)allocator;
    struct device *device = 0;
    TAKE(devices, device)
    if (!device)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    set_loader_magic_value(device);
    *created = (VkDevice)device;
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    if (device)
        GIVE_BACK((struct device *)device);
}

static void VKAPI_CALL get_device_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
    (void)family, (void)index;
    struct object *object = &((struct device *)device)->queue;
    set_loader_magic_value(object);
    *queue = (VkQueue)object;
}

static VkResult VKAPI_CALL allocate_command_buffers(VkDevice device, const VkCommandBufferAllocateInfo *info,
                                                    VkCommandBuffer *list)
{
    for (uint32_t i = 0; i < info->commandBufferCount; i++) {
        if (i == COMMAND_BUFFERS)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        struct object *object = &((struct device *)device)->command_buffers[i];
        set_loader_magic_value(object);
        list[i] = (VkCommandBuffer)object;
    }
    return VK_SUCCESS;
}

static PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name);
EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);

static const struct command {
    const char *name;
    void *function;
} commands[] = {
    {"vkEnumerateInstanceVersion", enumerate_instance_version},
    {"vkEnumerateInstanceExtensionProperties", enumerate_instance_extensions},
    {"vkCreateInstance", create_instance},
    {"vkDestroyInstance", destroy_instance},
    {"vkEnumeratePhysicalDevices", enumerate_physical_devices},
    {"vkEnumeratePhysicalDeviceGroups", enumerate_groups},
    {"vkEnumeratePhysicalDeviceGroupsKHR", enumerate_groups},
    {"vkGetPhysicalDeviceProperties", get_properties},
    {"vkGetPhysicalDeviceProperties2", get_properties2},
    {"vkGetPhysicalDeviceProperties2KHR", get_properties2},
    {"vkGetPhysicalDeviceQueueFamilyProperties", get_queue_families},
    {"vkGetPhysicalDeviceFeatures", no_op},
    {"vkGetPhysicalDeviceMemoryProperties", no_op},
    {"vkGetPhysicalDeviceFormatProperties", no_op},
    {"vkGetPhysicalDeviceImageFormatProperties", succeed},
    {"vkGetPhysicalDeviceSparseImageFormatProperties", no_op},
    {"vkEnumerateDeviceExtensionProperties", enumerate_none},
    {"vkCreateDevice", create_device},
    {"vkGetInstanceProcAddr", vk_icdGetInstanceProcAddr},
};

static const struct command device_commands[] = {
    {"vkGetDeviceProcAddr", get_device_proc_addr},
    {"vkDestroyDevice", destroy_device},
    {"vkGetDeviceQueue", get_device_queue},
    {"vkAllocateCommandBuffers", allocate_command_buffers},
};

static int starts_with(const char *name, const char *start)
{
    while (*start && *start == *name)
        start++, name++;
    return !*start;
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static PFN_vkVoidFunction find(const struct command *list, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (same(list[i].name, name))
            return (PFN_vkVoidFunction)list[i].function;
    return 0;
}

/* Every device command of the core succeeds; the name of an extension's ends in a capital letter. */
static PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name)
{
    (void)device;
    PFN_vkVoidFunction function = find(device_commands, LENGTH(device_commands), name);
    if (function || find(commands, LENGTH(commands), name) || !starts_with(name, "vk"))
        return function;
    const char *last = name;
    while (last[1])
        last++;
    if (*last >= 'A' && *last <= 'Z')
        return 0;
    if (starts_with(name, "vkGetPhysicalDevice") || starts_with(name, "vkEnumerate") || starts_with(name, "vkNo"))
        return 0;
    return (PFN_vkVoidFunction)succeed;
}

EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction function = find(commands, LENGTH(commands), name);
    return function || !instance ? function : get_device_proc_addr(0, name);
}

EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
    (void)instance;
    return starts_with(name, "vkGetPhysicalDevice") ? find(commands, LENGTH(commands), name) : 0;
}

EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    if (*version > 5)
        *version = 5;
    return VK_SUCCESS;
}
