/* The linker's namespaces for a process of this machine: an APEX's namespace is its folder of libraries. An application can create
 * namespaces if the variable NAMESPACES is set; each is a line of the file `opened`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) void *android_get_exported_namespace(const char *name) {
    static char folder[] = "/apex/com.vendor.vulkan/lib64";
    return strcmp(name, "com_vendor_vulkan") == 0 ? folder : NULL;
}

__attribute__((visibility("default"))) void *android_create_namespace(const char *name, const char *first, const char *paths, uint64_t type,
                                                                      const char *permitted, void *parent) {
    /* Libraries in it are opened by whole paths. */
    static char anywhere[] = "";
    char room[4096];
    snprintf(room, sizeof room, "%s/opened", getenv("ANDROID_HERE"));
    FILE *file = fopen(room, "a");
    if (file == NULL) abort();
    fprintf(file, "namespace %s %s %s %llu %s %s\n", name, first, paths, (unsigned long long)type, permitted,
            parent == NULL ? "of the caller" : "of another");
    fclose(file);
    return getenv("NAMESPACES") == NULL ? NULL : anywhere;
}
