// A layer that inspects the chain around it, of interface version 0: its library describes it. It passes everything on and
// appends each call to the file TRACE, a line "NAME WORDS" each.
//
// Options, chosen when it is compiled:
//   NAME                its name
//   GLOBAL              it also takes part in devices
//   INSTANCE_EXTENSION  an instance extension of its own, a string; DEVICE_EXTENSION likewise
//   PLAIN               its lookup functions are exported without its name in front; NO_LOOK_UP: not at all; NO_DEVICE_LOOK_UP: only one
//   HIDE                a command, a string, that its lookup functions do not know
//   FAIL_INSTANCE       the result of vkCreateInstance after the next one succeeded; FAIL_DEVICE likewise
//   SWALLOW_INSTANCE    vkCreateInstance succeeds and creates nothing; SWALLOW_DEVICE likewise
//   INSTANCE_ONLY       it does not take part in vkCreateDevice
//   NULL_QUERY          it looks vkCreateDevice up without an instance
//   WRAP                it returns its own handles for instances
//   CALLBACK            the address of a function that vkCreateInstance, vkCreateDevice and vkDestroyInstance call
//   AFTER               the address of a function that vkDestroyDevice and vkDestroyInstance call after the next one has returned
//   OWN_DEVICE          it creates a device for itself with each device
//   ADD                 a device extension, a string, that it adds to the physical device's
//   GROW                the number of device extensions grows between two calls
//   INFO                it notes every member of create infos
#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INFO
#include "../../../tests/layers/create_info.h"
#endif

#define EXPORT __attribute__((visibility("default")))
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#ifndef HIDE
#define HIDE ""
#endif
#ifndef FAIL_INSTANCE
#define FAIL_INSTANCE 0
#endif
#ifndef FAIL_DEVICE
#define FAIL_DEVICE 0
#endif

static void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void trace(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    FILE *file = fopen(TRACE, "a");
    if (file == NULL) abort();
    fprintf(file, "%s %s\n", TEXT(NAME), line);
    fclose(file);
}

static void trace_names(const char *what, uint32_t count, const char *const *names) {
    char all[512] = "";
    for (uint32_t i = 0; i < count; ++i) snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names[i]);
    trace("%s%s", what, all);
}

static void call_back(void) {
#ifdef CALLBACK
    ((void (*)(void))CALLBACK)();
#endif
}

// The next one's function has destroyed an object, of which this layer has something left.
static void next_has_come_back(void) {
#ifdef AFTER
    ((void (*)(void))AFTER)();
#endif
}

// Which structures lie before the application's, in order: their functions.
static void trace_structures(const char *what, const VkLayerInstanceCreateInfo *first, VkStructureType type) {
    char all[64] = "";
    while (first != NULL && first->sType == type) {
        snprintf(all + strlen(all), sizeof all - strlen(all), " %d", first->function);
        first = first->pNext;
    }
    trace("%s%s then %d", what, all, first == NULL ? -1 : (int)first->sType);
}

// A structure of the loader's with this function: those of instances and devices begin alike.
static void *with_function(const void *first, VkLayerFunction function) {
    const VkLayerInstanceCreateInfo *structure = first;
    while (structure->function != function) structure = structure->pNext;
    return (void *)structure;
}

// An instance or device, known by the first word of its handle.
struct object {
    void *word;
    void *handle;
    VkDevice own;
    PFN_vkGetInstanceProcAddr find_for_instance;
    PFN_vkGetDeviceProcAddr find_for_device;
};
static struct object instances[16], devices[16];

// The layer's own instance: the loader's word, then the instance below.
struct wrapper {
    void *word;
    VkInstance below;
};

static VkInstance below(VkInstance instance) {
#ifdef WRAP
    return ((struct wrapper *)instance)->below;
#else
    return instance;
#endif
}

static struct object *find(struct object *objects, void *handle) {
    for (int i = 0; i < 16; ++i)
        if (objects[i].word == *(void **)handle) return &objects[i];
    return NULL;
}

static struct object *object_of(struct object *objects, void *handle) {
    struct object *found = find(objects, handle);
    if (found == NULL) {
        fprintf(stderr, "%s: an object with an unknown first word\n", TEXT(NAME));
        abort();
    }
    return found;
}

static struct object *add(struct object *objects, void *handle) {
    if (find(objects, handle) != NULL) trace("two objects with one word");
    for (int i = 0; i < 16; ++i)
        if (objects[i].word == NULL) return objects[i].word = *(void **)handle, &objects[i];
    abort();
}

#define NEXT(object, name) ((PFN_##name)(object)->find_for_instance((object)->handle, #name))
#define NEXT_OF_DEVICE(object, device, name) ((PFN_##name)(object)->find_for_device(device, #name))

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkInstance *out) {
    trace("vkCreateInstance callbacks=%d", callbacks != NULL);
    call_back();
#ifdef SWALLOW_INSTANCE
    return VK_SUCCESS;
#endif
#ifdef INFO
    trace("instance %s", members_of_instance(info).text);
#endif
    trace_structures("structures", info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    trace_names("layers", info->enabledLayerCount, info->ppEnabledLayerNames);
    trace_names("extensions", info->enabledExtensionCount, info->ppEnabledExtensionNames);
    VkLayerInstanceCreateInfo *link = with_function(info->pNext, VK_LAYER_LINK_INFO);
    VkLayerInstanceLink *own = link->u.pLayerInfo;
    trace("third word %p", (void *)own->pfnNextGetPhysicalDeviceProcAddr);
    PFN_vkGetInstanceProcAddr next = own->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = own->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create(info, callbacks, out);
    if (result != VK_SUCCESS) return result;
    struct object *object = add(instances, *out);
    object->handle = *out;
    object->find_for_instance = next;
    if (FAIL_INSTANCE != 0) {
        NEXT(object, vkDestroyInstance)(*out, callbacks);
        object->word = NULL;
        return FAIL_INSTANCE;
    }
#ifdef WRAP
    struct wrapper *wrapper = malloc(sizeof *wrapper);
    wrapper->word = (void *)(uintptr_t)0x01CDC0DE;
    wrapper->below = *out;
    VkLayerInstanceCreateInfo *data = with_function(info->pNext, VK_LOADER_DATA_CALLBACK);
    VkResult set = data->u.pfnSetInstanceLoaderData(*out, wrapper);
    trace("set data %d %d", set, wrapper->word == object->word);
    struct wrapper other = {(void *)(uintptr_t)0x1234, *out};
    trace("set data of something else %d", data->u.pfnSetInstanceLoaderData(*out, &other));
    *out = (VkInstance)wrapper;
#endif
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks *callbacks) {
    trace("vkDestroyInstance callbacks=%d", callbacks != NULL);
    call_back();
    if (instance == VK_NULL_HANDLE) return;
    struct object *object = object_of(instances, instance);
    NEXT(object, vkDestroyInstance)(below(instance), callbacks);
    next_has_come_back();
    object->word = NULL;
#ifdef WRAP
    free(instance);
#endif
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_physical_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out) {
    trace("vkEnumeratePhysicalDevices");
    return NEXT(object_of(instances, instance), vkEnumeratePhysicalDevices)(below(instance), count, out);
}

static VKAPI_ATTR void VKAPI_CALL get_physical_device_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out) {
    trace("vkGetPhysicalDeviceProperties");
    NEXT(object_of(instances, device), vkGetPhysicalDeviceProperties)(device, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_device_extension_properties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    trace("vkEnumerateDeviceExtensionProperties layer=%s fill=%d", layer == NULL ? "NULL" : layer, out != NULL);
    PFN_vkEnumerateDeviceExtensionProperties next = NEXT(object_of(instances, device), vkEnumerateDeviceExtensionProperties);
#ifdef GROW
    static unsigned calls;
    VkExtensionProperties all[256];
    uint32_t available = 256;
    VkResult result = next(device, layer, &available, all);
    if (result != VK_SUCCESS) return result;
    uint32_t visible = out == NULL && ++calls == 1 ? available - 1 : available;
    if (out == NULL) return *count = visible, VK_SUCCESS;
    uint32_t given = *count < visible ? *count : visible;
    memcpy(out, all, given * sizeof *all);
    *count = given;
    return given < visible ? VK_INCOMPLETE : VK_SUCCESS;
#elif defined ADD
    uint32_t room = *count;
    VkResult result = next(device, layer, count, out);
    if (result < 0) return result;
    if (out == NULL) return ++*count, VK_SUCCESS;
    if (*count == room) return VK_INCOMPLETE;
    memset(&out[*count], 0, sizeof *out);
    strcpy(out[(*count)++].extensionName, ADD);
    return result;
#else
    return next(device, layer, count, out);
#endif
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks, VkDevice *out) {
    trace("vkCreateDevice callbacks=%d", callbacks != NULL);
    call_back();
#ifdef SWALLOW_DEVICE
    return VK_SUCCESS;
#endif
#ifdef INFO
    trace("device %s", members_of_device(info).text);
#endif
    trace_structures("structures of device", info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    trace_names("layers of device", info->enabledLayerCount, info->ppEnabledLayerNames);
    VkLayerDeviceCreateInfo *data = with_function(info->pNext, VK_LOADER_DATA_CALLBACK);
    VkLayerDeviceCreateInfo *link = with_function(info->pNext, VK_LAYER_LINK_INFO);
    VkLayerDeviceLink *own = link->u.pLayerInfo;
    PFN_vkGetInstanceProcAddr next = own->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr next_of_device = own->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = own->pNext;
#ifdef NULL_QUERY
    VkInstance instance = VK_NULL_HANDLE;
#else
    VkInstance instance = object_of(instances, physical_device)->handle;
#endif
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)next(instance, "vkCreateDevice");
    if (create == NULL) return trace("nothing below has vkCreateDevice"), VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = create(physical_device, info, callbacks, out);
    if (result != VK_SUCCESS) return result;
    struct object *object = add(devices, *out);
    object->handle = *out;
    object->find_for_device = next_of_device;
    object->own = VK_NULL_HANDLE;
#ifdef OWN_DEVICE
    link->u.pLayerInfo = own->pNext;
    if (create(physical_device, info, callbacks, &object->own) != VK_SUCCESS) abort();
#endif
    if (FAIL_DEVICE != 0) {
        NEXT_OF_DEVICE(object, *out, vkDestroyDevice)(*out, callbacks);
        object->word = NULL;
        return FAIL_DEVICE;
    }
    struct wrapper queue = {(void *)(uintptr_t)0x01CDC0DE, NULL};
    VkResult set = data->u.pfnSetDeviceLoaderData(*out, &queue);
    trace("set data of device %d %d", set, queue.word == object->word);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks *callbacks) {
    trace("vkDestroyDevice callbacks=%d", callbacks != NULL);
    if (device == VK_NULL_HANDLE) return;
    struct object *object = object_of(devices, device);
    if (object->own != VK_NULL_HANDLE) NEXT_OF_DEVICE(object, object->own, vkDestroyDevice)(object->own, callbacks);
    NEXT_OF_DEVICE(object, device, vkDestroyDevice)(device, callbacks);
    next_has_come_back();
    object->word = NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device) {
    trace("vkDeviceWaitIdle");
    return NEXT_OF_DEVICE(object_of(devices, device), device, vkDeviceWaitIdle)(device);
}

// As if the layer had the extension: its result is not one of the loader's or of a driver's.
static VKAPI_ATTR VkResult VKAPI_CALL get_hardware_buffer(VkDevice device) {
    (void)device;
    trace("vkGetMemoryAndroidHardwareBufferANDROID");
    return VK_EVENT_SET;
}

static PFN_vkVoidFunction look_up(VkInstance instance, const char *name);
static PFN_vkVoidFunction look_up_for_device(VkDevice device, const char *name);

static const struct {
    const char *name;
    bool of_device;
    PFN_vkVoidFunction function;
} functions[] = {
    {"vkGetInstanceProcAddr", false, (PFN_vkVoidFunction)look_up},
    {"vkCreateInstance", false, (PFN_vkVoidFunction)create_instance},
    {"vkDestroyInstance", false, (PFN_vkVoidFunction)destroy_instance},
    {"vkEnumeratePhysicalDevices", false, (PFN_vkVoidFunction)enumerate_physical_devices},
    {"vkGetPhysicalDeviceProperties", false, (PFN_vkVoidFunction)get_physical_device_properties},
    {"vkEnumerateDeviceExtensionProperties", false, (PFN_vkVoidFunction)enumerate_device_extension_properties},
    // The rest concerns devices.
    {"vkCreateDevice", false, (PFN_vkVoidFunction)create_device},
    {"vkGetDeviceProcAddr", true, (PFN_vkVoidFunction)look_up_for_device},
    {"vkDestroyDevice", true, (PFN_vkVoidFunction)destroy_device},
    {"vkDeviceWaitIdle", true, (PFN_vkVoidFunction)device_wait_idle},
    {"vkGetMemoryAndroidHardwareBufferANDROID", true, (PFN_vkVoidFunction)get_hardware_buffer},
};

#ifdef INSTANCE_ONLY
enum { FUNCTIONS = sizeof functions / sizeof *functions - 5 };
#else
enum { FUNCTIONS = sizeof functions / sizeof *functions };
#endif

static PFN_vkVoidFunction look_up(VkInstance instance, const char *name) {
    if (strcmp(name, HIDE) == 0) return NULL;
    for (int i = 0; i < FUNCTIONS; ++i)
        if (strcmp(name, functions[i].name) == 0) return functions[i].function;
    if (instance == VK_NULL_HANDLE) return NULL;
    return object_of(instances, instance)->find_for_instance(below(instance), name);
}

static PFN_vkVoidFunction look_up_for_device(VkDevice device, const char *name) {
    if (strcmp(name, HIDE) == 0) return NULL;
    for (int i = 0; i < FUNCTIONS; ++i)
        if (functions[i].of_device && strcmp(name, functions[i].name) == 0) return functions[i].function;
    return object_of(devices, device)->find_for_device(device, name);
}

#ifndef NO_LOOK_UP
#ifdef PLAIN
#define LOOK_UP vkGetInstanceProcAddr
#define DEVICE_LOOK_UP vkGetDeviceProcAddr
#else
#define LOOK_UP JOIN(NAME, GetInstanceProcAddr)
#define DEVICE_LOOK_UP JOIN(NAME, GetDeviceProcAddr)
#endif
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL LOOK_UP(VkInstance instance, const char *name) { return look_up(instance, name); }
#ifndef NO_DEVICE_LOOK_UP
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL DEVICE_LOOK_UP(VkDevice device, const char *name) { return look_up_for_device(device, name); }
#endif
#endif

static VkResult give_layer(uint32_t *count, VkLayerProperties *out) {
    if (out == NULL) return *count = 1, VK_SUCCESS;
    if (*count == 0) return VK_INCOMPLETE;
    memset(out, 0, sizeof *out);
    strcpy(out->layerName, TEXT(NAME));
    strcpy(out->description, "a layer for tests");
    out->specVersion = VK_API_VERSION_1_0;
    out->implementationVersion = 1;
    *count = 1;
    return VK_SUCCESS;
}

static VkResult give_extension(const char *layer, const char *extension, uint32_t *count, VkExtensionProperties *out) {
    if (layer == NULL || strcmp(layer, TEXT(NAME)) != 0) return VK_ERROR_LAYER_NOT_PRESENT;
    uint32_t available = extension == NULL ? 0 : 1;
    if (out == NULL) return *count = available, VK_SUCCESS;
    if (*count < available) return *count = 0, VK_INCOMPLETE;
    *count = available;
    if (available == 1) {
        memset(out, 0, sizeof *out);
        strcpy(out->extensionName, extension);
        out->specVersion = 7;
    }
    return VK_SUCCESS;
}

#ifndef INSTANCE_EXTENSION
#define INSTANCE_EXTENSION NULL
#endif
#ifndef DEVICE_EXTENSION
#define DEVICE_EXTENSION NULL
#endif

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *out) {
    return give_layer(count, out);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    return give_extension(layer, INSTANCE_EXTENSION, count, out);
}

#ifdef GLOBAL
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceLayerProperties(VkPhysicalDevice device, uint32_t *count, VkLayerProperties *out) {
    (void)device;
    return give_layer(count, out);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    (void)device;
    return give_extension(layer, DEVICE_EXTENSION, count, out);
}
#endif
