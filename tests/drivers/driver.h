/* A Vulkan driver for tests: does nothing well, notices everything.
 *
 * What it is (devices, extensions, versions, errors, lies) is read from the text file beside the library
 * (LIBRARY.cfg, see config.c); what it was called with is appended to the trace file which that file names.
 * Every handle is checked against the objects that this very library made, and a foreign one ends the process.
 * Which symbols are exported is chosen when it is compiled (exports.c).
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

/* The window systems' headers need not be installed: their types are opaque here. vulkan.h comes first, so that
 * the switches below only reach the files that follow it. */
#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#define VK_USE_PLATFORM_XLIB_XRANDR_EXT
#define VK_USE_PLATFORM_WAYLAND_KHR
typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
typedef struct _XDisplay Display;
typedef unsigned long Window;
typedef unsigned long VisualID;
typedef unsigned long RROutput;
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
#include <vulkan/vulkan_xlib_xrandr.h>
#include <vulkan/vk_icd.h>

enum { MAX_NAMES = 64, MAX_DEVICES = 64, MAX_GROUPS = 16, NAME_SIZE = 256 };

/* ---- configuration (config.c) ---- */

struct names {
    uint32_t count;
    char name[MAX_NAMES][NAME_SIZE];
    int64_t value[MAX_NAMES]; /* the number after the name's colon, if any */
};

struct device_config {
    char name[NAME_SIZE];
    int32_t type;
    uint32_t vendor, id, api, queue_families;
    bool has_pci;
    uint32_t pci[4];
    uint64_t memory;
    struct names extensions;
};

struct config {
    char path[4096]; /* of the configuration file */
    char trace[4096];
    char loader[4096];        /* the loader, for a driver that reaches others through it */
    char node[256];           /* a device node that is opened for each instance, which wakes the device */
    char status[256];         /* where it then says "active" */
    char replaced_by[4096];   /* a library that takes this one's place, with its configuration, while this one is being opened */
    uint32_t descriptors;     /* how many files it must be able to open to find its devices */
    uint32_t refuses;         /* the lowest version of instances that it refuses, though it claims more */
    uint32_t interface;
    uint32_t api;             /* what vkEnumerateInstanceVersion answers */
    bool magic;               /* dispatchable objects start with ICD_LOADER_MAGIC */
    bool own_surfaces;        /* creates VkSurfaceKHR itself */
    bool trace_lookups;       /* records GetProcAddr calls too */
    bool speaks;              /* sends a message of its own when devices are enumerated */
    bool knows_all;           /* vkGetDeviceProcAddr answers every name */
    bool shared_devices;      /* all instances have the same VkPhysicalDevices */
    bool uses_callbacks;      /* takes memory for its objects from the callbacks, if it is given some */
    bool unterminated;        /* one extension name fills its array to the last byte */
    uint32_t unknown_devices; /* how many vkUnknownDevice<N>TEST there are */
    uint32_t unknown_physical_devices;
    struct names extensions; /* of the instance */
    struct names results;    /* command -> the VkResult it returns at once */
    struct names lies;       /* command -> one of enum lie */
    struct names without;    /* commands that no GetProcAddr answers */
    struct names also;       /* names that it answers besides its commands, with a function that does nothing */
    uint32_t device_count;
    struct device_config device[MAX_DEVICES];
    uint32_t group_count;
    struct { uint32_t count, member[VK_MAX_DEVICE_GROUP_SIZE]; } group[MAX_GROUPS];
};

/* ---- what a program listens to (exports.c) ---- */

/* Called at the beginning of every call that is traced, with the command and its line in the trace: a program may do there what
 * another thread could. */
extern void (*test_on_call)(const char *command, const char *line);

/* How the two-call idiom is broken. */
enum lie {
    LIE_NONE,
    LIE_GROWS,    /* the first call misses an element that the second one has */
    LIE_SHRINKS,  /* the first call counts three elements too many */
    LIE_OVERFLOW, /* the second call claims seven elements more than it was given room for */
    LIE_HUGE,     /* the first call answers 4294967295 */
    LIE_ENDLESS,  /* the second call always answers VK_INCOMPLETE */
};

extern struct config config;
bool names_have(const struct names *names, const char *name);
int64_t names_value(const struct names *names, const char *name, int64_t otherwise);
bool config_hidden(uint32_t device); /* whether LIBRARY.cfg.hidden lists this device right now */

/* Returns early with the result that the configuration wants for this command. */
#define FORCED_RESULT(command)                                            \
    do {                                                                  \
        VkResult forced = (VkResult)names_value(&config.results, command, 0); \
        if (forced != VK_SUCCESS) return forced;                          \
    } while (0)

/* ---- trace (trace.c) ---- */

/* Appends "command key=value ...\n" to the trace file. */
void trace(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the process with a message that names the command. */
void die(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
/* The sTypes of a pNext chain as a comma list, in a static buffer of the calling thread. */
const char *chain_types(const void *next);
/* Names as a comma list, likewise. */
const char *name_list(uint32_t count, const char *const *names);

/* ---- objects (objects.c) ---- */

enum kind { INSTANCE, PHYSICAL_DEVICE, DEVICE, QUEUE, COMMAND_BUFFER, SURFACE, MESSENGER, REPORT, SWAPCHAIN, POOL, KINDS };

struct object {
    VK_LOADER_DATA loader; /* first word of dispatchable objects: the loader writes it */
    enum kind kind;
    struct object *parent;
    uint32_t index;
    const struct device_config *device;
    struct names extensions; /* enabled ones, of instances and devices */
    const void *tag;
    void *block; /* from the callbacks that it was created with */
    PFN_vkVoidFunction callback; /* of messengers and report callbacks; the tag is their user data */
    struct object *next;
};

struct object *object_new(enum kind kind, struct object *parent, uint32_t index);
/* Memory of an object from the callbacks that it is created with, and back to those that it is destroyed with: both or none. */
void object_takes(struct object *object, const VkAllocationCallbacks *callbacks);
void object_gives(const char *command, struct object *object, const VkAllocationCallbacks *callbacks);
/* The live object of this kind that the handle is; ends the process if it is none. */
struct object *object_check(const char *command, enum kind kind, const void *handle);
/* The same, or NULL. */
struct object *object_find(enum kind kind, const void *handle);
void object_delete(const char *command, enum kind kind, const void *handle);
void object_delete_children(struct object *parent);
struct object *object_child(struct object *parent, enum kind kind, uint32_t index);
/* The child of this kind after `previous`, or the first one. */
struct object *object_next_child(struct object *parent, enum kind kind, const struct object *previous);
uint32_t object_count(enum kind kind);

#define INSTANCE_OF(command, handle) object_check(command, INSTANCE, handle)
#define PHYSICAL_DEVICE_OF(command, handle) object_check(command, PHYSICAL_DEVICE, handle)
#define DEVICE_OF(command, handle) object_check(command, DEVICE, handle)

/* ---- commands (commands.c) ---- */

enum level { LEVEL_GLOBAL, LEVEL_INSTANCE, LEVEL_PHYSICAL_DEVICE, LEVEL_DEVICE };

struct command {
    const char *name;
    PFN_vkVoidFunction function;
    enum level level;
    uint32_t core;         /* core version that has it; 0 if none */
    const char *extension; /* extension that has it; NULL if none */
    bool makes_surfaces;   /* only there with own_surfaces=1 */
};

/* Tables that end with a NULL name, one for each file. */
extern const struct command instance_commands[], physical_device_commands[], surface_commands[], display_commands[],
    device_commands[];

#define COMMAND(name, level, core, extension) {#name, (PFN_vkVoidFunction)name##_, level, core, extension, false}
#define CALL static VKAPI_ATTR VkResult VKAPI_CALL
#define CALL_VOID static VKAPI_ATTR void VKAPI_CALL
#define CALL_BOOL static VKAPI_ATTR VkBool32 VKAPI_CALL

PFN_vkVoidFunction driver_instance_proc(VkInstance instance, const char *name);
PFN_vkVoidFunction driver_physical_device_proc(VkInstance instance, const char *name);
PFN_vkVoidFunction driver_device_proc(VkDevice device, const char *name);
VkResult driver_negotiate(uint32_t *version);
/* Functions that no registry knows (unknown.c): NULL if the name is none of them. */
PFN_vkVoidFunction unknown_physical_device(const char *name);
PFN_vkVoidFunction unknown_device(const char *name);

/* The two-call idiom over an array of elements, with the lie that the configuration wants. */
VkResult answer_array(const char *command, const void *elements, uint32_t available, size_t size, uint32_t *count, void *out);
/* The same for structures whose sType and pNext belong to the caller: only the bytes after them are copied. */
VkResult answer_chained(const char *command, const void *elements, uint32_t available, size_t size, uint32_t *count, void *out);
VkResult answer_extensions(const char *command, const struct names *names, bool unterminated, uint32_t *count, VkExtensionProperties *out);

#endif
