/*
 * The vkload Vulkan loader of an application: the functions that libvkload.so exports in addition to the Vulkan commands.
 *
 * Every function may be called by any thread, but not by a callback for the log. All texts are UTF-8; one that is cut off may end within
 * a character.
 */
#ifndef VKLOAD_H
#define VKLOAD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much a record of the log matters. */
#define VKLOAD_LOG_ERROR 0
#define VKLOAD_LOG_WARNING 1
#define VKLOAD_LOG_INFO 2
#define VKLOAD_LOG_DEBUG 3

/* Forms of the report. */
#define VKLOAD_REPORT_TEXT 0
#define VKLOAD_REPORT_JSON 1

/*
 * Says which layers and drivers the loader of this process uses, as a JSON object. All members are optional; one that is not known is
 * an error.
 *
 *   "layers": ["VK_LAYER_..."]          active in every instance, the first nearest to the application, before those that it enables
 *   "layer_folders": ["/path", "/path/base.apk!/lib/arm64-v8a"]    searched in this order
 *   "manifests": ["{...}"]              layer manifests; a relative library_path is looked for in the folders
 *   "driver": {"system": true}          the device's own driver, through the system's loader: what counts if nothing is said
 *           | {"library": "/path/libvulkan_x.so"}
 *           | {"package": "/path/driver.zip", "unpack_to": "/path/cache"}
 *   "drivers": [...], "use": "name"     several of the same, each with a "name", and which one is used
 *   "layer_settings": [{"layer": "VK_LAYER_...", "name": "validate_sync", "type": "bool32", "values": [true]}]
 *                                       given to layers in every instance (VK_EXT_layer_settings); "type" is bool32, int32, int64, uint32,
 *                                       uint64, float32, float64 or string. What vkCreateInstance is given for the same setting counts more
 *   "environment": {"VK_LOADER_DEBUG": "all"}    read by the loader as variables of the process; not by layers and drivers
 *   "application_library_folder": "/path"
 *
 * To be called before the first command of Vulkan. Later calls count for instances that are created afterwards.
 *
 * `options_json` may be NULL for {}. Returns 0; or -1, and nothing changes. Writes to `message` the error and its remedy, or an empty text
 * on success, as much as `size` bytes can hold with a NUL at the end. `message` may be NULL, and `size` 0.
 */
int vkload_configure(const char *options_json, char *message, size_t size);

/*
 * Writes the report of what was searched and why something is not used, in the form VKLOAD_REPORT_...: as much of it as `size` bytes can
 * hold with a NUL at the end. `buffer` may be NULL, and `size` 0.
 *
 * Returns the bytes of the whole report without the NUL, as snprintf does; 0 if memory runs out. It may be longer the next time.
 */
size_t vkload_report(int format, char *buffer, size_t size);

/*
 * Called with each record: the level VKLOAD_LOG_..., a line of text that is valid for the call, and `data` of vkload_set_log. It must call
 * neither Vulkan nor the functions of this header, and in C++ throw nothing.
 */
typedef void (*vkload_log_callback)(int level, const char *text, void *data);

/*
 * Calls `callback` with every record from `level` on (VKLOAD_LOG_ERROR: errors alone, VKLOAD_LOG_DEBUG: all), in addition to the system's
 * log. It is called on any thread that logs, possibly on several at once. Only one callback is set at a time: a new one replaces it, and
 * NULL removes it. The call returns when the previous callback no longer runs, so do not hold a lock that it takes.
 */
void vkload_set_log(int level, vkload_log_callback callback, void *data);

/* A function without a type, as Vulkan has it (PFN_vkVoidFunction). */
typedef void (*vkload_function)(void);

/* vkGetInstanceProcAddr of this library, to be cast to PFN_vkGetInstanceProcAddr. It is never NULL. */
vkload_function vkload_get_instance_proc_addr(void);

#ifdef __cplusplus
}
#endif

#endif
