// A HAL module as a driver's maker would write it, with options for what can be wrong with one. What is called is appended
// to the file TRACE, a word a line.
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
        {"VK_KHR_get_physical_device_properties2", 2},
#ifdef DEBUG_REPORT
        {"VK_EXT_debug_report", DEBUG_REPORT},
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

__attribute__((unused)) static int create_instance(const void *info, const void *allocator, void **out) {
    (void)info, (void)allocator, (void)out;
    return -3;
}

static void (*get_instance_proc_addr(void *instance, const char *name))(void) {
    (void)instance, (void)name;
    return 0;
}

__attribute__((unused)) static int close_device(struct device *device) {
    (void)device;
    trace("close");
    return 0;
}

static struct device device = {
    .tag = 0x48574454,
    .version = 0x00010000,
#ifndef NO_CLOSE
    .close = close_device,
#endif
    .enumerate_instance_extension_properties = enumerate_instance_extension_properties,
    .create_instance = CREATE_INSTANCE,
    .get_instance_proc_addr = get_instance_proc_addr,
};

// The address of a function of the test's that is called while the device is opened.
static void call_back(void) {
#ifdef CALLBACK
    ((void (*)(void))CALLBACK)();
#endif
}

static int open_device(struct module *module, const char *id, struct device **out) {
    trace(module->dso ? "open" : "open-without-dso");
    call_back();
    if (strcmp(id, "vk0") != 0) return -ENOENT;
    device.module = module;
    if (OPEN_RESULT == 0) *out = &device;
    return OPEN_RESULT;
}

static struct methods methods = {open_device};

#ifdef NO_HMI
EXPORT struct module OTHER
#else
EXPORT struct module HMI
#endif
    = {
        .tag = 0x48574D54,
        .module_api_version = 1,
        .hal_api_version = 0x0100,
        .id = MODULE_ID,
        .name = "a driver for tests",
        .author = "vkload",
        .methods = &methods,
};

__attribute__((constructor)) static void loaded(void) { trace("load"); }
__attribute__((destructor)) static void unloaded(void) { trace("unload"); }
