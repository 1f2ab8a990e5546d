/* The linker's namespaces for a process of this machine: the one of an APEX is its folder of libraries. */
#include <stdio.h>
#include <string.h>

__attribute__((visibility("default"))) void *android_get_exported_namespace(const char *name) {
    static char folder[] = "/apex/com.vendor.vulkan/lib64";
    return strcmp(name, "com_vendor_vulkan") == 0 ? folder : NULL;
}
