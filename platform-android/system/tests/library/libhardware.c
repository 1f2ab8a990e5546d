/* Finds modules in the vendor's folder, by the module's name alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) int hw_get_module(const char *id, void **module) {
    char room[4096];
    snprintf(room, sizeof room, "%s/vendor/lib64/hw/%s.default.so", getenv("ANDROID_HERE"), id);
    void *library = dlopen(room, RTLD_NOW);
    if (library == NULL) return -ENOENT;
    *module = dlsym(library, "HMI");
    /* hw_module_t::dso */
    memcpy((char *)*module + 40, &library, sizeof library);
    return 0;
}
