/* Opens libraries of the vendor, which an application's own linker does not find. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *android_load_sphal_library(const char *name, int flags) {
    char room[4096];
    snprintf(room, sizeof room, "%s/vendor/lib64/hw/%s", getenv("ANDROID_HERE"), name);
    return dlopen(room, flags);
}
EXPORT int android_unload_sphal_library(void *library) { return dlclose(library); }
