/* A driver for the service: writes down who calls it, in the order of the calls. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef int (*open_in_namespace)(const char *name, uint32_t handle);

static char said[256];
static open_in_namespace callback;

static void say(const char *what, unsigned number) {
    char *end = said + strlen(said);
    snprintf(end, sizeof said - (end - said), "%s%s %u", end == said ? "" : ", ", what, number);
}

EXPORT const char *what_was_said(void) { return said; }
EXPORT open_in_namespace given_callback(void) { return callback; }

#ifdef INITIALISER
/* Calls vkEnumerateInstanceExtensionProperties, which is at this address, before it is open. */
__attribute__((constructor)) static void initialise(void) {
    uint32_t count = 0;
    say("result", ((int (*)(const char *, uint32_t *, void *))INITIALISER)(0, &count, 0));
}
#endif

#ifndef PLAIN
EXPORT void vk_icdSetFuchsiaApiLevel(uint32_t level) { say("level", level); }

EXPORT void vk_icdInitializeOpenInNamespaceCallback(open_in_namespace given) {
    callback = given;
    say("callback", given != 0);
}
#endif

EXPORT int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    say("negotiate", *version > 3);
    return 0;
}

EXPORT void *vk_icdGetInstanceProcAddr(void *instance, const char *name) { return 0; }
EXPORT void *vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) { return 0; }
