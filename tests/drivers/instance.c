/* Global commands and those of VkInstance. */
#include "driver.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Asks the loader for extensions and an instance, as a driver does that is made on top of others. */
static void use_loader(const char *command) {
    if (config.loader[0] == '\0') return;
    void *library = dlopen(config.loader, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) die(command, "the loader is not there");
    PFN_vkEnumerateInstanceExtensionProperties extensions =
        (PFN_vkEnumerateInstanceExtensionProperties)dlsym(library, "vkEnumerateInstanceExtensionProperties");
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)dlsym(library, "vkCreateInstance");
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)dlsym(library, "vkDestroyInstance");
    PFN_vkEnumeratePhysicalDevices devices = (PFN_vkEnumeratePhysicalDevices)dlsym(library, "vkEnumeratePhysicalDevices");
    uint32_t count = 0, found = 0;
    if (extensions(NULL, &count, NULL) != VK_SUCCESS) die(command, "the loader lists no extensions");
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = VK_NULL_HANDLE;
    VkResult result = create(&info, NULL, &instance);
    if (result == VK_SUCCESS) {
        if (devices(instance, &found, NULL) != VK_SUCCESS) die(command, "the loader lists no devices");
        destroy(instance, NULL);
    }
    dlclose(library);
    trace("used", "in=%s result=%d devices=%u", command, result, found);
}

/* Opens a device node to see whether the device is one for this driver, as drivers do with every node. The kernel wakes the device. */
static void look_at_node(void) {
    if (config.node[0] == '\0') return;
    int node = open(config.node, O_RDWR);
    if (node < 0) return;
    close(node);
    FILE *status = fopen(config.status, "w");
    if (status == NULL) die("vkCreateInstance", "cannot write %s", config.status);
    fputs("active\n", status);
    fclose(status);
}

CALL vkEnumerateInstanceVersion_(uint32_t *version) {
    trace("vkEnumerateInstanceVersion", " ");
    FORCED_RESULT("vkEnumerateInstanceVersion");
    *version = config.api;
    return VK_SUCCESS;
}

CALL vkEnumerateInstanceExtensionProperties_(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    trace("vkEnumerateInstanceExtensionProperties", "layer=%s fill=%d", layer == NULL ? "NULL" : layer, out != NULL);
    FORCED_RESULT("vkEnumerateInstanceExtensionProperties");
    use_loader("vkEnumerateInstanceExtensionProperties");
    return answer_extensions("vkEnumerateInstanceExtensionProperties", &config.extensions, config.unterminated, count, out);
}

CALL vkEnumerateInstanceLayerProperties_(uint32_t *count, VkLayerProperties *out) {
    trace("vkEnumerateInstanceLayerProperties", "fill=%d", out != NULL);
    *count = 0;
    return VK_SUCCESS;
}

static VkResult check_extensions(const VkInstanceCreateInfo *info, struct names *enabled) {
    for (uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
        const char *name = info->ppEnabledExtensionNames[i];
        if (!names_have(&config.extensions, name)) return VK_ERROR_EXTENSION_NOT_PRESENT;
        strncpy(enabled->name[enabled->count++], name, NAME_SIZE - 1);
    }
    return VK_SUCCESS;
}

static void trace_create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator) {
    const VkApplicationInfo *application = info->pApplicationInfo;
    trace("vkCreateInstance", "api=%u application=%s engine=%s flags=%u layers=%u extensions=%s chain=%s allocator=%d",
          application == NULL ? 0 : application->apiVersion,
          application == NULL || application->pApplicationName == NULL ? "NULL" : application->pApplicationName,
          application == NULL || application->pEngineName == NULL ? "NULL" : application->pEngineName, info->flags,
          info->enabledLayerCount, name_list(info->enabledExtensionCount, info->ppEnabledExtensionNames),
          chain_types(info->pNext), allocator != NULL);
}

/* What the physical devices belong to: the instance, or something that all instances share. */
static struct object *home_of_devices(struct object *instance) {
    static struct object shared;
    if (!config.shared_devices) return instance;
    shared.extensions = instance->extensions;
    return &shared;
}

CALL vkCreateInstance_(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    trace_create(info, allocator);
    FORCED_RESULT("vkCreateInstance");
    use_loader("vkCreateInstance");
    look_at_node();
    uint32_t wanted = info->pApplicationInfo == NULL ? 0 : info->pApplicationInfo->apiVersion;
    if (config.api < VK_API_VERSION_1_1 && wanted >= VK_API_VERSION_1_1) return VK_ERROR_INCOMPATIBLE_DRIVER;
    if (config.refuses != 0 && wanted >= config.refuses) return VK_ERROR_INCOMPATIBLE_DRIVER;
    struct names enabled = {0};
    VkResult result = check_extensions(info, &enabled);
    if (result != VK_SUCCESS) return result;
    struct object *instance = object_new(INSTANCE, NULL, 0);
    instance->extensions = enabled;
    object_takes(instance, allocator);
    struct object *home = home_of_devices(instance);
    for (uint32_t i = 0; i < config.device_count; ++i)
        if (object_child(home, PHYSICAL_DEVICE, i) == NULL) object_new(PHYSICAL_DEVICE, home, i)->device = &config.device[i];
    *out = (VkInstance)instance;
    return VK_SUCCESS;
}

CALL_VOID vkDestroyInstance_(VkInstance handle, const VkAllocationCallbacks *allocator) {
    struct object *instance = INSTANCE_OF("vkDestroyInstance", handle);
    trace("vkDestroyInstance", "allocator=%d", allocator != NULL);
    object_gives("vkDestroyInstance", instance, allocator);
    object_delete_children(instance);
    object_delete("vkDestroyInstance", INSTANCE, instance);
}

/* Real drivers look at what each messenger wants; calling all of them shows best what should not have been told. */
static void tell_messengers(struct object *instance, VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data) {
    for (struct object *one = NULL; (one = object_next_child(instance, MESSENGER, one)) != NULL;)
        ((PFN_vkDebugUtilsMessengerCallbackEXT)one->callback)(severity, types, data, (void *)one->tag);
}

static void speak(struct object *instance) {
    VkDebugUtilsObjectNameInfoEXT object = {VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, NULL, VK_OBJECT_TYPE_INSTANCE, (uint64_t)(uintptr_t)instance, NULL};
    VkDebugUtilsMessengerCallbackDataEXT data = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
    data.pMessageIdName = "driver";
    data.pMessage = "from the driver";
    data.objectCount = 1;
    data.pObjects = &object;
    tell_messengers(instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &data);
}

/* Whether this process can open as many files as the driver needs, for reading and writing. Drivers that cannot see no device. */
static bool has_descriptors(void) {
    int files[64];
    uint32_t opened = 0;
    while (opened < config.descriptors && opened < 64 && (files[opened] = open("/dev/null", O_RDWR)) >= 0) ++opened;
    for (uint32_t i = 0; i < opened; ++i) close(files[i]);
    return opened == config.descriptors;
}

CALL vkEnumeratePhysicalDevices_(VkInstance handle, uint32_t *count, VkPhysicalDevice *out) {
    struct object *instance = INSTANCE_OF("vkEnumeratePhysicalDevices", handle);
    trace("vkEnumeratePhysicalDevices", "fill=%d", out != NULL);
    FORCED_RESULT("vkEnumeratePhysicalDevices");
    if (config.speaks && out == NULL) speak(instance);
    struct object *devices[MAX_DEVICES];
    uint32_t available = 0;
    for (uint32_t i = 0; i < config.device_count && has_descriptors(); ++i)
        if (!config_hidden(i)) devices[available++] = object_child(home_of_devices(instance), PHYSICAL_DEVICE, i);
    return answer_array("vkEnumeratePhysicalDevices", devices, available, sizeof *devices, count, out);
}

/* The members of a group that are there now; 0 drops the group. */
static uint32_t group_members(struct object *instance, uint32_t group, VkPhysicalDevice *members) {
    uint32_t count = 0, listed = config.group_count > 0 ? config.group[group].count : 1;
    for (uint32_t i = 0; i < listed; ++i) {
        uint32_t device = config.group_count > 0 ? config.group[group].member[i] : group;
        if (!config_hidden(device)) members[count++] = (VkPhysicalDevice)object_child(home_of_devices(instance), PHYSICAL_DEVICE, device);
    }
    return count;
}

static VkResult groups(const char *command, VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    struct object *instance = INSTANCE_OF(command, handle);
    trace(command, "fill=%d chain=%s", out != NULL, out == NULL || *count == 0 ? "" : chain_types(out->pNext));
    FORCED_RESULT(command);
    VkPhysicalDeviceGroupProperties all[MAX_DEVICES];
    memset(all, 0, sizeof all);
    uint32_t available = 0, listed = config.group_count > 0 ? config.group_count : config.device_count;
    for (uint32_t group = 0; group < listed; ++group) {
        all[available].physicalDeviceCount = group_members(instance, group, all[available].physicalDevices);
        all[available].subsetAllocation = all[available].physicalDeviceCount > 1;
        available += all[available].physicalDeviceCount > 0;
    }
    return answer_chained(command, all, available, sizeof *all, count, out);
}

CALL vkEnumeratePhysicalDeviceGroups_(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    return groups("vkEnumeratePhysicalDeviceGroups", handle, count, out);
}

CALL vkEnumeratePhysicalDeviceGroupsKHR_(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out) {
    return groups("vkEnumeratePhysicalDeviceGroupsKHR", handle, count, out);
}

/* Defines the commands that make and destroy what calls back, of one extension. */
#define CALLS_BACK(type, kind, function) \
    CALL vkCreate##type##EXT_(VkInstance handle, const Vk##type##CreateInfoEXT *info, const VkAllocationCallbacks *allocator, Vk##type##EXT *out) { \
        struct object *instance = INSTANCE_OF("vkCreate" #type "EXT", handle); \
        trace("vkCreate" #type "EXT", "allocator=%d", allocator != NULL); \
        FORCED_RESULT("vkCreate" #type "EXT"); \
        struct object *made = object_new(kind, instance, 0); \
        made->tag = info->pUserData; \
        object_takes(made, allocator); \
        made->callback = (PFN_vkVoidFunction)info->function; \
        *out = (Vk##type##EXT)made; \
        return VK_SUCCESS; \
    } \
    CALL_VOID vkDestroy##type##EXT_(VkInstance handle, Vk##type##EXT made, const VkAllocationCallbacks *allocator) { \
        INSTANCE_OF("vkDestroy" #type "EXT", handle); \
        trace("vkDestroy" #type "EXT", "allocator=%d", allocator != NULL); \
        object_gives("vkDestroy" #type "EXT", object_find(kind, (void *)made), allocator); \
        object_delete("vkDestroy" #type "EXT", kind, (void *)made); \
    }

CALLS_BACK(DebugUtilsMessenger, MESSENGER, pfnUserCallback)
CALLS_BACK(DebugReportCallback, REPORT, pfnCallback)

CALL_VOID vkSubmitDebugUtilsMessageEXT_(VkInstance handle, VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data) {
    struct object *instance = INSTANCE_OF("vkSubmitDebugUtilsMessageEXT", handle);
    trace("vkSubmitDebugUtilsMessageEXT", "severity=%d types=%u message=%s", (int)severity, types, data->pMessage);
    tell_messengers(instance, severity, types, data);
}

CALL_VOID vkDebugReportMessageEXT_(VkInstance handle, VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object, size_t location, int32_t code, const char *prefix, const char *message) {
    struct object *instance = INSTANCE_OF("vkDebugReportMessageEXT", handle);
    trace("vkDebugReportMessageEXT", "flags=%u type=%d object=%llx code=%d prefix=%s message=%s", flags, (int)type, (unsigned long long)object, code, prefix, message);
    for (struct object *one = NULL; (one = object_next_child(instance, REPORT, one)) != NULL;)
        ((PFN_vkDebugReportCallbackEXT)one->callback)(flags, type, object, location, code, prefix, message, (void *)one->tag);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr_(VkInstance instance, const char *name) {
    return driver_instance_proc(instance, name);
}

#define V1_0 VK_API_VERSION_1_0
#define V1_1 VK_API_VERSION_1_1
const struct command instance_commands[] = {
    COMMAND(vkCreateInstance, LEVEL_GLOBAL, V1_0, NULL),
    COMMAND(vkEnumerateInstanceVersion, LEVEL_GLOBAL, V1_0, NULL),
    COMMAND(vkEnumerateInstanceExtensionProperties, LEVEL_GLOBAL, V1_0, NULL),
    COMMAND(vkEnumerateInstanceLayerProperties, LEVEL_GLOBAL, V1_0, NULL),
    COMMAND(vkGetInstanceProcAddr, LEVEL_GLOBAL, V1_0, NULL),
    COMMAND(vkDestroyInstance, LEVEL_INSTANCE, V1_0, NULL),
    COMMAND(vkEnumeratePhysicalDevices, LEVEL_INSTANCE, V1_0, NULL),
    COMMAND(vkEnumeratePhysicalDeviceGroups, LEVEL_INSTANCE, V1_1, NULL),
    COMMAND(vkEnumeratePhysicalDeviceGroupsKHR, LEVEL_INSTANCE, 0, "VK_KHR_device_group_creation"),
    COMMAND(vkCreateDebugUtilsMessengerEXT, LEVEL_INSTANCE, 0, "VK_EXT_debug_utils"),
    COMMAND(vkDestroyDebugUtilsMessengerEXT, LEVEL_INSTANCE, 0, "VK_EXT_debug_utils"),
    COMMAND(vkSubmitDebugUtilsMessageEXT, LEVEL_INSTANCE, 0, "VK_EXT_debug_utils"),
    COMMAND(vkCreateDebugReportCallbackEXT, LEVEL_INSTANCE, 0, "VK_EXT_debug_report"),
    COMMAND(vkDestroyDebugReportCallbackEXT, LEVEL_INSTANCE, 0, "VK_EXT_debug_report"),
    COMMAND(vkDebugReportMessageEXT, LEVEL_INSTANCE, 0, "VK_EXT_debug_report"),
    {0},
};
