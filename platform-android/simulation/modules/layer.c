/* A library with one to three layers, for tests: it describes them as Android's loaders ask, and they chain instances and
 * devices. Each call is a line in the file TRACE: "LAYER COMMAND", for questions about the library the first layer's name.
 *
 *   LAYER_0, LAYER_1, LAYER_2   the names, LAYER_0 is needed
 *   TRACE                       the file
 *   INSTANCE_EXTENSIONS, DEVICE_EXTENSIONS   names, "A", "B", of the first layer
 *   SPEC_VERSION                the version of Vulkan that they are for (1.0)
 *   DEVICE_LAYERS               how many of the layers are also device layers (all)
 *   GARBAGE                     the bytes behind the end of the description of device layers
 *   FAIL_CALL, FAIL_WITH        the question, counted from 1, that gets this result
 *   LAYER_COUNT, EXTENSION_COUNT   a false count
 *   GIVES                       how many layers it returns, if not all
 *   UNENDED_LAYER, UNENDED_EXTENSION   names without an end
 *   NO_LAYERS_EXPORT, NO_EXTENSIONS_EXPORT, NO_DEVICE_EXPORTS   functions that are not exported
 *   PREFIXED                    exports functions with the layers' names
 *   NO_PLAIN                    does not export vkGetInstanceProcAddr and vkGetDeviceProcAddr
 *   NOTHING                     vkGetInstanceProcAddr returns NULL for every name
 *   NEGOTIATE                   exports vkNegotiateLoaderLayerInterfaceVersion, which settles on this version
 *   REFUSE                      which fails
 *   SETTINGS                    notes the settings that the first structure of its chain has for it, and whether their extension is
 *                               enabled: "LAYER setting NAME TYPE VALUE VALUE", "LAYER settings-enabled"
 *   REENTER                     the address of the loader's vkEnumerateInstanceLayerProperties, which is called when the
 *                               library is asked for its layers: its result is noted
 */
#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default"))) VKAPI_ATTR
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static const char *const names[] = {
    TEXT(LAYER_0),
#ifdef LAYER_1
    TEXT(LAYER_1),
#endif
#ifdef LAYER_2
    TEXT(LAYER_2),
#endif
};
enum { LAYERS = sizeof names / sizeof *names };

#ifndef SPEC_VERSION
#define SPEC_VERSION VK_API_VERSION_1_0
#endif
#ifndef DEVICE_LAYERS
#define DEVICE_LAYERS LAYERS
#endif
#ifndef INSTANCE_EXTENSIONS
#define INSTANCE_EXTENSIONS NULL
#endif
#ifndef DEVICE_EXTENSIONS
#define DEVICE_EXTENSIONS NULL
#endif
#ifndef FAIL_CALL
#define FAIL_CALL 0
#define FAIL_WITH VK_SUCCESS
#endif

static void trace(const char *who, const char *what, const char *detail) {
    FILE *file = fopen(TRACE, "a");
    if (file == NULL) abort();
    fprintf(file, "%s %s%s%s\n", who, what, *detail == '\0' ? "" : " ", detail);
    fclose(file);
}

/* The library's descriptions of its layers. */

static __attribute__((unused)) VkResult ask(const char *what, const char *layer, const void *out) {
    static int calls;
    char detail[400];
    snprintf(detail, sizeof detail, "%s%s%s", out == NULL ? "count" : "fill", layer == NULL ? "" : " ", layer == NULL ? "" : layer);
    trace(names[0], what, detail);
    return ++calls == FAIL_CALL ? FAIL_WITH : VK_SUCCESS;
}

static __attribute__((unused)) VkResult list_layers(const char *what, int available, const char *garbage, uint32_t *count, VkLayerProperties *out) {
    VkResult result = ask(what, NULL, out);
    if (result != VK_SUCCESS) return result;
#ifdef REENTER
    uint32_t listed = UINT32_MAX;
    char number[16];
    ((PFN_vkEnumerateInstanceLayerProperties)REENTER)(&listed, NULL);
    snprintf(number, sizeof number, "%u", listed);
    trace(names[0], "listed", number);
#endif
    if (out == NULL) {
#ifdef LAYER_COUNT
        *count = LAYER_COUNT;
#else
        *count = (uint32_t)available;
#endif
        return VK_SUCCESS;
    }
    uint32_t room = *count;
#ifdef GIVES
    available = GIVES;
#endif
    for (uint32_t i = 0; i < room && i < (uint32_t)available; ++i) {
        VkLayerProperties properties = {.specVersion = SPEC_VERSION, .implementationVersion = 1};
        strcpy(properties.layerName, names[i]);
        strcpy(properties.description, "a layer for tests");
        strcpy(properties.description + 100, garbage);
#ifdef UNENDED_LAYER
        memset(properties.layerName, 'x', sizeof properties.layerName);
#endif
        out[i] = properties;
    }
    *count = room < (uint32_t)available ? room : (uint32_t)available;
    return VK_SUCCESS;
}

static __attribute__((unused)) VkResult list_extensions(const char *what, const char *const *extensions, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    VkResult result = ask(what, layer == NULL ? "NULL" : layer, out);
    if (result != VK_SUCCESS) return result;
    uint32_t available = 0, room = *count;
    bool is_first = layer != NULL && strcmp(layer, names[0]) == 0;
    for (; is_first && extensions[available] != NULL; ++available) {
        if (out == NULL || available == room) continue;
        memset(&out[available], 0, sizeof *out);
        strcpy(out[available].extensionName, extensions[available]);
        out[available].specVersion = 7;
#ifdef UNENDED_EXTENSION
        memset(out[available].extensionName, 'x', sizeof out[available].extensionName);
#endif
    }
#ifdef EXTENSION_COUNT
    available = EXTENSION_COUNT;
#endif
    *count = out != NULL && room < available ? room : available;
    return VK_SUCCESS;
}

#ifndef NO_LAYERS_EXPORT
EXPORT VkResult VKAPI_CALL vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *out) {
    return list_layers("vkEnumerateInstanceLayerProperties", LAYERS, "", count, out);
}
#endif

static const char *const instance_extensions[] __attribute__((unused)) = {INSTANCE_EXTENSIONS, NULL};
static const char *const device_extensions[] __attribute__((unused)) = {DEVICE_EXTENSIONS, NULL};

#ifndef NO_EXTENSIONS_EXPORT
EXPORT VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    return list_extensions("vkEnumerateInstanceExtensionProperties", instance_extensions, layer, count, out);
}
#endif

#ifndef NO_DEVICE_EXPORTS
EXPORT VkResult VKAPI_CALL vkEnumerateDeviceLayerProperties(VkPhysicalDevice device, uint32_t *count, VkLayerProperties *out) {
    if (device != VK_NULL_HANDLE) abort();
#ifndef GARBAGE
#define GARBAGE ""
#endif
    return list_layers("vkEnumerateDeviceLayerProperties", DEVICE_LAYERS, GARBAGE, count, out);
}

EXPORT VkResult VKAPI_CALL vkEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    if (device != VK_NULL_HANDLE) abort();
    return list_extensions("vkEnumerateDeviceExtensionProperties", device_extensions, layer, count, out);
}
#endif

/* The next level below a layer, by the first word of its objects, which the loader has made the same for all objects of an
 * instance or device. */

struct below {
    int layer;
    const void *word;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr instance;
    PFN_vkGetDeviceProcAddr device;
};

static struct below known[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const void *word_of(const void *object) { return *(const void *const *)object; }

static struct below find(int layer, const void *object) {
    const void *word = word_of(object);
    struct below found = {0};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i].word == word && known[i].layer == layer) found = known[i];
    pthread_mutex_unlock(&lock);
    if (found.word == NULL) {
        fprintf(stderr, "%s: an object that it does not know\n", names[layer]);
        abort();
    }
    return found;
}

static void keep(struct below below) {
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (known[i].word != NULL) ++i;
    known[i] = below;
    pthread_mutex_unlock(&lock);
}

static void forget(int layer, const void *word) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i].word == word && known[i].layer == layer) known[i].word = NULL;
    pthread_mutex_unlock(&lock);
}

/* Layer commands. */

static VkLayerInstanceCreateInfo *instance_chain(const VkInstanceCreateInfo *info) {
    VkLayerInstanceCreateInfo *chain = (VkLayerInstanceCreateInfo *)info->pNext;
    while (chain->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || chain->function != VK_LAYER_LINK_INFO)
        chain = (VkLayerInstanceCreateInfo *)chain->pNext;
    return chain;
}

static VkLayerDeviceCreateInfo *device_chain(const VkDeviceCreateInfo *info) {
    VkLayerDeviceCreateInfo *chain = (VkLayerDeviceCreateInfo *)info->pNext;
    while (chain->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || chain->function != VK_LAYER_LINK_INFO)
        chain = (VkLayerDeviceCreateInfo *)chain->pNext;
    return chain;
}

#include "settings.h"

static VkResult create_instance(int layer, const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance) {
    trace(names[layer], "vkCreateInstance", "");
    note_settings(layer, info);
    VkLayerInstanceCreateInfo *chain = instance_chain(info);
    PFN_vkGetInstanceProcAddr next = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    if (result == VK_SUCCESS) keep((struct below){.layer = layer, .word = word_of(*instance), .handle = *instance, .instance = next});
    return result;
}

static void destroy_instance(int layer, VkInstance instance, const VkAllocationCallbacks *allocator) {
    trace(names[layer], "vkDestroyInstance", "");
    const void *word = word_of(instance);
    PFN_vkGetInstanceProcAddr next = find(layer, instance).instance;
    ((PFN_vkDestroyInstance)next(instance, "vkDestroyInstance"))(instance, allocator);
    forget(layer, word);
}

static VkResult create_device(int layer, VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *device) {
    trace(names[layer], "vkCreateDevice", "");
    VkLayerDeviceCreateInfo *chain = device_chain(info);
    PFN_vkGetInstanceProcAddr next = chain->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr next_device = chain->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    chain->u.pLayerInfo = chain->u.pLayerInfo->pNext;
    /* As layers of interface version 0 do: there may be no instance at hand. */
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(VK_NULL_HANDLE, "vkCreateDevice");
    VkResult result = create(physical, info, allocator, device);
    if (result == VK_SUCCESS) keep((struct below){.layer = layer, .word = word_of(*device), .device = next_device});
    return result;
}

static void destroy_device(int layer, VkDevice device, const VkAllocationCallbacks *allocator) {
    trace(names[layer], "vkDestroyDevice", "");
    const void *word = word_of(device);
    PFN_vkGetDeviceProcAddr next = find(layer, device).device;
    ((PFN_vkDestroyDevice)next(device, "vkDestroyDevice"))(device, allocator);
    forget(layer, word);
}

static void get_properties(int layer, VkPhysicalDevice physical, VkPhysicalDeviceProperties *properties) {
    trace(names[layer], "vkGetPhysicalDeviceProperties", "");
    struct below below = find(layer, physical);
    ((PFN_vkGetPhysicalDeviceProperties)below.instance(below.handle, "vkGetPhysicalDeviceProperties"))(physical, properties);
}

static void get_queue(int layer, VkDevice device, uint32_t family, uint32_t index, VkQueue *queue) {
    trace(names[layer], "vkGetDeviceQueue", "");
    PFN_vkGetDeviceProcAddr next = find(layer, device).device;
    ((PFN_vkGetDeviceQueue)next(device, "vkGetDeviceQueue"))(device, family, index, queue);
}

#define FUNCTIONS(i)                                                                                                      \
    static PFN_vkVoidFunction VKAPI_CALL get_##i(VkInstance instance, const char *name);                                  \
    static PFN_vkVoidFunction VKAPI_CALL get_device_##i(VkDevice device, const char *name);                               \
    static VkResult VKAPI_CALL create_instance_##i(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *a, VkInstance *out) { return create_instance(i, info, a, out); } \
    static void VKAPI_CALL destroy_instance_##i(VkInstance instance, const VkAllocationCallbacks *a) { destroy_instance(i, instance, a); } \
    static VkResult VKAPI_CALL create_device_##i(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *a, VkDevice *out) { return create_device(i, physical, info, a, out); } \
    static void VKAPI_CALL destroy_device_##i(VkDevice device, const VkAllocationCallbacks *a) { destroy_device(i, device, a); } \
    static void VKAPI_CALL get_properties_##i(VkPhysicalDevice physical, VkPhysicalDeviceProperties *out) { get_properties(i, physical, out); } \
    static void VKAPI_CALL get_queue_##i(VkDevice device, uint32_t family, uint32_t index, VkQueue *out) { get_queue(i, device, family, index, out); } \
    static PFN_vkVoidFunction own_device_##i(const char *name) {                                                          \
        if (i >= DEVICE_LAYERS) return NULL;                                                                              \
        if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)get_device_##i;                          \
        if (strcmp(name, "vkDestroyDevice") == 0) return (PFN_vkVoidFunction)destroy_device_##i;                          \
        if (strcmp(name, "vkGetDeviceQueue") == 0) return (PFN_vkVoidFunction)get_queue_##i;                              \
        return NULL;                                                                                                      \
    }                                                                                                                     \
    static PFN_vkVoidFunction own_##i(const char *name) {                                                                 \
        if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (PFN_vkVoidFunction)get_##i;                               \
        if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create_instance_##i;                        \
        if (strcmp(name, "vkDestroyInstance") == 0) return (PFN_vkVoidFunction)destroy_instance_##i;                      \
        if (i < DEVICE_LAYERS && strcmp(name, "vkCreateDevice") == 0) return (PFN_vkVoidFunction)create_device_##i;                            \
        if (strcmp(name, "vkGetPhysicalDeviceProperties") == 0) return (PFN_vkVoidFunction)get_properties_##i;            \
        return own_device_##i(name);                                                                                      \
    }                                                                                                                     \
    static PFN_vkVoidFunction VKAPI_CALL get_##i(VkInstance instance, const char *name) {                                 \
        if (NOTHING_AT_ALL) return NULL;                                                                                  \
        PFN_vkVoidFunction own = own_##i(name);                                                                           \
        if (own != NULL || instance == VK_NULL_HANDLE) return own;                                                        \
        return find(i, instance).instance(instance, name);                                                                \
    }                                                                                                                     \
    static PFN_vkVoidFunction VKAPI_CALL get_device_##i(VkDevice device, const char *name) {                              \
        PFN_vkVoidFunction own = own_device_##i(name);                                                                    \
        return own != NULL ? own : find(i, device).device(device, name);                                                  \
    }

#ifdef NOTHING
#define NOTHING_AT_ALL true
#else
#define NOTHING_AT_ALL false
#endif

FUNCTIONS(0)
#ifdef LAYER_1
FUNCTIONS(1)
#endif
#ifdef LAYER_2
FUNCTIONS(2)
#endif

/* The names looked up in the library. Of the hundreds of names one shows which function they came through. */

static __attribute__((unused)) void trace_look_up(const char *who, const char *by, const char *name) {
    if (strcmp(name, "vkCreateInstance") == 0) trace(who, by, name);
}

#ifndef NO_PLAIN
EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name) {
    trace_look_up(names[0], "plain", name);
    return get_0(instance, name);
}

EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char *name) {
    return get_device_0(device, name);
}
#endif

#ifdef PREFIXED
#define NAMED(i)                                                                                                          \
    EXPORT PFN_vkVoidFunction VKAPI_CALL JOIN(LAYER_##i, GetInstanceProcAddr)(VkInstance instance, const char *name) {    \
        trace_look_up(names[i], "named", name);                                                                                   \
        return get_##i(instance, name);                                                                                   \
    }                                                                                                                     \
    EXPORT PFN_vkVoidFunction VKAPI_CALL JOIN(LAYER_##i, GetDeviceProcAddr)(VkDevice device, const char *name) {          \
        return get_device_##i(device, name);                                                                              \
    }
NAMED(0)
#ifdef LAYER_1
NAMED(1)
#endif
#ifdef LAYER_2
NAMED(2)
#endif
#elif !defined(NO_PLAIN)
static __attribute__((unused)) void *const all_used[] = {
    (void *)get_0,
#ifdef LAYER_1
    (void *)get_1,
#endif
#ifdef LAYER_2
    (void *)get_2,
#endif
};
#endif

#ifdef NEGOTIATE
static PFN_vkVoidFunction VKAPI_CALL negotiated(VkInstance instance, const char *name) {
    trace_look_up(names[0], "negotiated", name);
    return get_0(instance, name);
}

static PFN_vkVoidFunction VKAPI_CALL of_physical_devices(VkInstance instance, const char *name) {
    (void)instance, (void)name;
    return NULL;
}

EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    trace(names[0], "vkNegotiateLoaderLayerInterfaceVersion", "");
#ifdef REFUSE
    (void)interface, (void)negotiated, (void)of_physical_devices;
    return VK_ERROR_INITIALIZATION_FAILED;
#else
    interface->loaderLayerInterfaceVersion = NEGOTIATE;
    interface->pfnGetInstanceProcAddr = negotiated;
    interface->pfnGetDeviceProcAddr = get_device_0;
    interface->pfnGetPhysicalDeviceProcAddr = of_physical_devices;
    return VK_SUCCESS;
#endif
}
#endif
