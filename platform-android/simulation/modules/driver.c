// A HAL module as a driver's maker would write it, with options for its faults. Each call is appended to the file
// TRACE, a word a line.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#ifndef MODULE_ID
#define MODULE_ID "vulkan"
#endif
#ifndef OPEN_RESULT
#define OPEN_RESULT 0
#endif
#ifndef CREATE_DEBUG_RESULT
#define CREATE_DEBUG_RESULT 0
#endif
#ifndef NAME
#define NAME "module"
#endif
#ifndef NO_DEVICE
#define NO_DEVICE 0
#endif
#ifndef MODULE_TAG
#define MODULE_TAG 0x48574D54
#endif
#ifndef MODULE_VERSION
#define MODULE_VERSION 1
#endif
#ifndef DEVICE_TAG
#define DEVICE_TAG 0x48574454
#endif
#ifndef DEVICE_VERSION
#define DEVICE_VERSION 0x00010000
#endif
#ifndef GET_INSTANCE_PROC_ADDR
#define GET_INSTANCE_PROC_ADDR get_instance_proc_addr
#endif
#ifndef OPEN
#define OPEN open_device
#endif
#ifndef METHODS
#define METHODS &methods
#endif
#ifndef CREATE_INSTANCE
#define CREATE_INSTANCE create_instance
#endif

static void trace(const char *word) {
#ifdef TRACE
    FILE *file = fopen(TRACE, "a");
    if (file) {
        fprintf(file, "%s\n", word);
        fclose(file);
    }
#else
    (void)word;
#endif
}

struct module;

struct device {
    uint32_t tag;
    uint32_t version;
    struct module *module;
    uintptr_t reserved[12];
    int (*close)(struct device *);
    int (*enumerate_instance_extension_properties)(const char *, uint32_t *, void *);
    int (*create_instance)(const void *, const void *, void **);
    void (*(*get_instance_proc_addr)(void *, const char *))(void);
};

struct methods {
    int (*open)(struct module *, const char *, struct device **);
};

struct module {
    uint32_t tag;
    uint16_t module_api_version;
    uint16_t hal_api_version;
    const char *id;
    const char *name;
    const char *author;
    struct methods *methods;
    void *dso;
    uintptr_t reserved[25];
};

struct extension {
    char name[256];
    uint32_t version;
};

static int enumerate_instance_extension_properties(const char *layer, uint32_t *count, void *out) {
    static const struct extension extensions[] = {
        {"VK_EXT_layer_settings", 2},
#ifdef DEBUG_REPORT
        {"VK_EXT_debug_report", DEBUG_REPORT},
#endif
#ifdef DEBUG_UTILS
        {"VK_EXT_debug_utils", DEBUG_UTILS},
#endif
    };
    const uint32_t available = sizeof extensions / sizeof *extensions;
    trace(layer ? "extensions-of-layer" : "extensions");
    if (out) {
        if (*count > available) *count = available;
        memcpy(out, extensions, *count * sizeof *extensions);
        return *count < available ? 5 : 0;
    }
    *count = available;
    return 0;
}

// An object of each kind: nothing but its first word.
static uintptr_t instance_object, physical_device_object, device_object, queue_object;
static uintptr_t object_of_debugging;

__attribute__((unused)) static int create_instance(const void *info, const void *allocator, void **out) {
    (void)info, (void)allocator;
    trace("create-instance");
    instance_object = 0x01CDC0DE;
    *out = &instance_object;
    return 0;
}

static int enumerate_physical_devices(void *instance, uint32_t *count, void **out) {
    (void)instance;
    if (out && *count > 0) {
        physical_device_object = 0x01CDC0DE;
        *out = &physical_device_object;
    }
    *count = 1;
    return 0;
}

// The beginning of VkPhysicalDeviceProperties.
struct properties {
    uint32_t api_version, driver_version, vendor, device;
    int type;
    char name[256];
};

static void get_physical_device_properties(void *device, struct properties *out) {
    (void)device;
    out->api_version = 1 << 22;
    out->type = 4; // a processor
    strcpy(out->name, NAME);
}

static int enumerate_device_extension_properties(void *device, const char *layer, uint32_t *count, void *out) {
    (void)device, (void)layer, (void)out;
    *count = 0;
    return 0;
}

static int create_device(void *physical_device, const void *info, const void *allocator, void **out) {
    (void)physical_device, (void)info, (void)allocator;
    device_object = 0x01CDC0DE;
    *out = &device_object;
    return 0;
}

static void get_device_queue(void *device, uint32_t family, uint32_t number, void **out) {
    (void)device, (void)family, (void)number;
    queue_object = 0x01CDC0DE;
    *out = &queue_object;
}

static int create_debug_object(void *instance, const void *info, const void *allocator, uint64_t *out) {
    (void)instance, (void)info, (void)allocator;
    trace("create-debug-object");
    *out = (uint64_t)(uintptr_t)&object_of_debugging;
    return CREATE_DEBUG_RESULT;
}

static void destroy_debug_object(void *instance, uint64_t object, const void *allocator) {
    (void)instance, (void)allocator;
    trace(object == (uint64_t)(uintptr_t)&object_of_debugging ? "destroy-debug-object" : "destroy-something-else");
}

struct name_info {
    int type;
    const void *next;
    int object_type;
    uint64_t object;
    const char *name;
};

static int set_name(void *device, const struct name_info *info) {
    (void)device;
    trace(info->name);
    return 0;
}

struct label {
    int type;
    const void *next;
    const char *name;
};

static void begin_label(void *object, const struct label *label) {
    (void)object;
    trace(label->name);
}

static void end_label(void *object) {
    (void)object;
    trace("end-label");
}

// Commands that must exist and are not called.
static int nothing(void) { return 0; }

typedef void (*function)(void);

static function get_device_proc_addr(void *device, const char *name);

static const struct {
    const char *name;
    function function;
} commands[] = {
    {"vkCreateInstance", (function)create_instance},
    {"vkDestroyInstance", (function)nothing},
    {"vkEnumeratePhysicalDevices", (function)enumerate_physical_devices},
    {"vkGetPhysicalDeviceProperties", (function)get_physical_device_properties},
    {"vkEnumerateDeviceExtensionProperties", (function)enumerate_device_extension_properties},
    {"vkCreateDevice", (function)create_device},
    {"vkGetDeviceProcAddr", (function)get_device_proc_addr},
    {"vkDestroyDevice", (function)nothing},
    {"vkGetDeviceQueue", (function)get_device_queue},
    {"vkQueueSubmit", (function)nothing},
    {"vkCreateImage", (function)nothing},
    {"vkDestroyImage", (function)nothing},
    {"vkAllocateCommandBuffers", (function)nothing},
    {"vkCreateDebugReportCallbackEXT", (function)create_debug_object},
    {"vkDestroyDebugReportCallbackEXT", (function)destroy_debug_object},
    {"vkCreateDebugUtilsMessengerEXT", (function)create_debug_object},
    {"vkDestroyDebugUtilsMessengerEXT", (function)destroy_debug_object},
    {"vkSetDebugUtilsObjectNameEXT", (function)set_name},
    {"vkQueueBeginDebugUtilsLabelEXT", (function)begin_label},
    {"vkQueueEndDebugUtilsLabelEXT", (function)end_label},
};

static function find(const char *name) {
#ifdef LACKS
    if (strcmp(name, LACKS) == 0) return 0;
#endif
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0) return commands[i].function;
    // Every core command exists, except those that a 1.0 driver must not have. Extension command names end in capitals.
    if (strcmp(name, "vkEnumerateInstanceVersion") == 0) return 0;
    const char last = name[strlen(name) - 1];
    return last >= 'A' && last <= 'Z' ? 0 : (function)nothing;
}

static function get_device_proc_addr(void *device, const char *name) {
    (void)device;
    return find(name);
}

__attribute__((unused)) static function get_instance_proc_addr(void *instance, const char *name) {
    (void)instance;
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (function)get_instance_proc_addr;
    return find(name);
}

__attribute__((unused)) static int close_device(struct device *device) {
    (void)device;
    trace("close");
    return 0;
}

static struct device device = {
    .tag = DEVICE_TAG,
    .version = DEVICE_VERSION,
#ifndef NO_CLOSE
    .close = close_device,
#endif
    .enumerate_instance_extension_properties = enumerate_instance_extension_properties,
    .create_instance = CREATE_INSTANCE,
    .get_instance_proc_addr = GET_INSTANCE_PROC_ADDR,
};

// The address of the test's function that is called while the device is opened.
static void call_back(void) {
#ifdef CALLBACK
    ((void (*)(void))CALLBACK)();
#endif
}

__attribute__((unused)) static int open_device(struct module *module, const char *id, struct device **out) {
    trace(module->dso ? "open" : "open-without-dso");
    call_back();
    if (strcmp(id, "vk0") != 0) return -ENOENT;
    device.module = module;
    if (OPEN_RESULT == 0 && !NO_DEVICE) *out = &device;
    return OPEN_RESULT;
}

__attribute__((unused)) static struct methods methods = {OPEN};

#ifdef NO_HMI
EXPORT struct module OTHER
#else
EXPORT struct module HMI
#endif
    = {
        .tag = MODULE_TAG,
        .module_api_version = MODULE_VERSION,
        .hal_api_version = 0x0100,
        .id = MODULE_ID,
        .name = "a driver for tests",
        .author = "vkload",
        .methods = METHODS,
};

__attribute__((constructor)) static void loaded(void) { trace("load"); }
__attribute__((destructor)) static void unloaded(void) { trace("unload"); }
