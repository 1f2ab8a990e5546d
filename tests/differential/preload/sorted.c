/* Gives the names in a folder out in an order of its own instead of the file system's: by name, digits as numbers, or the other
 * way round if VKLOAD_TEST_FOLDERS is "reversed". One thread at a time, few folders at a time: it is for tests. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPEN = 16, MAX_ENTRIES = 1024 };

static struct folder {
    DIR *stream;
    size_t count, next;
    struct dirent entry[MAX_ENTRIES];
} *folders[MAX_OPEN];

static int digits_as_numbers(const char *a, const char *b) {
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            unsigned long left = strtoul(a, (char **)&a, 10), right = strtoul(b, (char **)&b, 10);
            if (left != right) return left < right ? -1 : 1;
            continue;
        }
        if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        ++a, ++b;
    }
    return (*a != '\0') - (*b != '\0');
}

static int ascending(const void *a, const void *b) {
    return digits_as_numbers(((const struct dirent *)a)->d_name, ((const struct dirent *)b)->d_name);
}

static int descending(const void *a, const void *b) { return ascending(b, a); }

static struct folder *fill(DIR *stream, struct dirent *(*next)(DIR *)) {
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL) abort();
    folder->stream = stream;
    for (struct dirent *entry; folder->count < MAX_ENTRIES && (entry = next(stream)) != NULL;)
        memcpy(&folder->entry[folder->count++], entry, entry->d_reclen);
    const char *order = getenv("VKLOAD_TEST_FOLDERS");
    int reversed = order != NULL && strcmp(order, "reversed") == 0;
    qsort(folder->entry, folder->count, sizeof *folder->entry, reversed ? descending : ascending);
    return folder;
}

__attribute__((visibility("default"))) struct dirent *readdir(DIR *stream) {
    int empty = -1;
    for (int i = 0; i < MAX_OPEN; ++i) {
        if (folders[i] == NULL) {
            empty = i;
        } else if (folders[i]->stream == stream) {
            return folders[i]->next < folders[i]->count ? &folders[i]->entry[folders[i]->next++] : NULL;
        }
    }
    if (empty < 0) abort();
    folders[empty] = fill(stream, (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir"));
    return readdir(stream);
}

/* The other name of the same function, by which programs call it that are compiled for large files. */
__attribute__((visibility("default"))) struct dirent64 *readdir64(DIR *stream) {
    _Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one structure");
    return (struct dirent64 *)readdir(stream);
}

__attribute__((visibility("default"))) int closedir(DIR *stream) {
    for (int i = 0; i < MAX_OPEN; ++i) {
        if (folders[i] == NULL || folders[i]->stream != stream) continue;
        free(folders[i]);
        folders[i] = NULL;
    }
    return ((int (*)(DIR *))dlsym(RTLD_NEXT, "closedir"))(stream);
}
