/* Opens libraries by the names that it is given, one after the other, and prints the file that each name led to, links resolved. */
#include <dlfcn.h>

#include "check.h"

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        CHECK(library);
        Dl_info info;
        CHECK(dladdr(dlsym(library, "vkGetInstanceProcAddr"), &info));
        char *file = realpath(info.dli_fname, NULL);
        CHECK(file);
        puts(file);
        free(file);
    }
    return 0;
}
