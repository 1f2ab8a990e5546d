/* Puts a folder where the kernel has none, for LD_PRELOAD: what is asked for under /appearing is in the folder that
 * VKLOAD_TEST_APPEARING names, as soon as that variable is set. Only opendir and fopen know of it, as in test harnesses. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const char *moved(const char *path, char *room, size_t size) {
    const char *folder = getenv("VKLOAD_TEST_APPEARING");
    if (folder == NULL || strncmp(path, "/appearing", 10) != 0) return path;
    snprintf(room, size, "%s%s", folder, path + 10);
    return room;
}

EXPORT DIR *opendir(const char *path) {
    char room[4096];
    DIR *(*next)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    return next(moved(path, room, sizeof room));
}

EXPORT FILE *fopen(const char *path, const char *mode) {
    char room[4096];
    FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return next(moved(path, room, sizeof room), mode);
}
