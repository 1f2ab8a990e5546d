/* Opens the application's libraries in its namespace, and claims that they are for another processor: the native bridge
 * (libnativebridge.c) finds their functions. It notes each library in the file `opened` of the system's folder, in addition to libdl.c.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Of libdl.c. */
void *here_dlopen(const char *path, int flags);

EXPORT void *OpenNativeLibraryInNamespace(void *namespace, const char *path, bool *bridged, char **error) {
    void *library = strcmp(namespace, "application") == 0 ? here_dlopen(path, RTLD_NOW) : NULL;
    *bridged = true;
    *error = library == NULL ? strdup("the namespace has no such library") : NULL;
    return library;
}
EXPORT bool CloseNativeLibrary(void *library, bool bridged, char **error) {
    *error = NULL;
    return bridged && dlclose(library) == 0;
}
EXPORT void NativeLoaderFreeErrorMessage(char *error) { free(error); }
