/* A Vulkan layer for tests: strict about what it is given, and able to do what layers do, good and bad.
 *
 * The whole layer is one translation unit (layer.c), so that a library can hold two of them (second.c). What it does is
 * read from LIBRARY.layer.cfg (state.h); which symbols are exported is chosen when it is compiled (layer.c). What it
 * is called with is appended to the trace file that the configuration names, and "LABEL COMMAND" to a file that all
 * layers of a scenario share, which shows the order of calls.
 */
#ifndef LAYER_H
#define LAYER_H

#define _GNU_SOURCE
#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#ifdef HOSTILE
#include "../hostile/misbehave.h"
#endif

#define CALL static VKAPI_ATTR VkResult VKAPI_CALL
#define CALL_VOID static VKAPI_ATTR void VKAPI_CALL

/* The layer's own function with this name; NULL if it has none (lookup.h). */
static PFN_vkVoidFunction own_function(const char *name);
/* Calls every global command of the loader, if the configuration says so (reenter.h). */
static void reenter(const char *command);

#endif
