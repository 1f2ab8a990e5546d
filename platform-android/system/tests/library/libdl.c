/* Android's dynamic linker for a process of this machine: it finds libraries in the system's folder, and those that are stored in an archive,
 * as libc.c finds files. It notes each requested library in the folder's file `opened`, a line each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GIVES(name) __asm__(".symver here_" #name "," #name "@LIBC")

static const char *root(void) { return getenv("ANDROID_HERE"); }

static void note(const char *path) {
    char room[4096];
    snprintf(room, sizeof room, "%s/opened", root());
    FILE *file = fopen(room, "a");
    if (file == NULL) abort();
    fprintf(file, "%s\n", path);
    fclose(file);
}

/* The file of an archive, if it is stored and begins with a page, opened as a file of its own. */
static void *open_stored(const char *archive, const char *name, int flags) {
    char room[4096];
    snprintf(room, sizeof room, "%s%s", root(), archive);
    const int file = open(room, O_RDONLY | O_CLOEXEC);
    struct stat state;
    if (file < 0 || fstat(file, &state) != 0) return NULL;
    const uint8_t *bytes = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return NULL;
    void *library = NULL;
    for (size_t at = 0; library == NULL && at + 30 < (size_t)state.st_size; ++at) {
        uint32_t signature, size;
        uint16_t method, lengths[2];
        memcpy(&signature, bytes + at, 4);
        memcpy(&method, bytes + at + 8, 2);
        memcpy(&size, bytes + at + 18, 4);
        memcpy(lengths, bytes + at + 26, 4);
        if (signature != 0x04034b50 || lengths[0] != strlen(name) || memcmp(bytes + at + 30, name, lengths[0]) != 0) continue;
        const size_t start = at + 30 + lengths[0] + lengths[1];
        if (method != 0 || start % 4096 != 0) break;
        /* It stays open: the linker knows libraries by their paths. */
        const int copy = memfd_create(name, MFD_CLOEXEC);
        if (write(copy, bytes + start, size) != (ssize_t)size) break;
        snprintf(room, sizeof room, "/proc/self/fd/%d", copy);
        library = dlopen(room, flags);
    }
    munmap((void *)bytes, (size_t)state.st_size);
    return library;
}

void *here_dlopen(const char *path, int flags) {
    char room[4096];
    note(path);
    const char *inside = strstr(path, "!/");
    if (inside != NULL) {
        snprintf(room, sizeof room, "%.*s", (int)(inside - path), path);
        return open_stored(room, inside + 2, flags);
    }
    snprintf(room, sizeof room, "%s%s%s", root(), path[0] == '/' ? "" : "/system/lib64/", path);
    return dlopen(room, flags);
}
GIVES(dlopen);

void *here_android_dlopen_ext(const char *path, int flags, const void *extended) {
    /* In a namespace, which is a folder here. */
    char room[4096];
    void *namespace;
    memcpy(&namespace, (const char *)extended + 40, sizeof namespace);
    snprintf(room, sizeof room, "%s/%s", (const char *)namespace, path);
    return here_dlopen(room, flags);
}
GIVES(android_dlopen_ext);

int here_dlclose(void *library) { return dlclose(library); }
GIVES(dlclose);
void *here_dlsym(void *library, const char *name) { return dlsym(library, name); }
GIVES(dlsym);
char *here_dlerror(void) { return dlerror(); }
GIVES(dlerror);
int here_dladdr(const void *address, Dl_info *info) {
    const int found = dladdr(address, info);
    if (found != 0 && strncmp(info->dli_fname, root(), strlen(root())) == 0) info->dli_fname += strlen(root());
    return found;
}
GIVES(dladdr);
