/* Vulkan with its Fuchsia extensions, on any system. */
#ifndef SURFACES_VULKAN_H
#define SURFACES_VULKAN_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>
typedef uint32_t zx_handle_t;
#include <vulkan/vulkan_fuchsia.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define CALL static VKAPI_ATTR VkResult VKAPI_CALL
#define CALL_VOID static VKAPI_ATTR void VKAPI_CALL

/* What happened, in the order in which it did: the test reads it. */
static char said[1024];
EXPORT const char *what_was_said(void) { return said; }
#define SAY(...) snprintf(said + strlen(said), sizeof said - strlen(said), "%s" __VA_ARGS__)
#define FIRST (said[0] == 0 ? "" : ", ")

#endif
