/* Preloaded, stands in for the C library's allocator and for what opens files, folders and libraries. Watches what one
 * library asks for: counts it, lets it run out, and knows what was not given back. Everybody else gets what they want. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

/* glibc's own names, so that nothing has to be looked up while memory is asked for. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static uintptr_t start, end;      /* the library's code */
static int64_t enough = -1;       /* how many more requests are granted; negative: all */
static bool once;                 /* whether only one is refused */
static uint64_t refused;          /* how many were */
static int64_t open_things;       /* files, folders and libraries */
static uint64_t live;             /* blocks */
static int64_t bytes;             /* in them */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The watched library's blocks: a table with open addresses. */
#define PLACES (1u << 16)
static void *blocks[PLACES];
static void *const gone = (void *)1;

static unsigned place_of(const void *block) { return (unsigned)(((uintptr_t)block >> 4) * 2654435761u) % PLACES; }

static void remember(void *block) {
    if (block == NULL) return;
    pthread_mutex_lock(&lock);
    unsigned place = place_of(block);
    while (blocks[place] != NULL && blocks[place] != gone) place = (place + 1) % PLACES;
    blocks[place] = block;
    bytes += (int64_t)malloc_usable_size(block);
    if (++live > PLACES / 2) abort();
    pthread_mutex_unlock(&lock);
}

static bool forget(const void *block) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (unsigned place = place_of(block); blocks[place] != NULL && !found; place = (place + 1) % PLACES)
        if (blocks[place] == block) {
            blocks[place] = gone, --live, found = true;
            bytes -= (int64_t)malloc_usable_size((void *)block);
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static bool is_watched(const void *caller) { return (uintptr_t)caller >= start && (uintptr_t)caller < end; }

static bool granted(void) {
    if (enough < 0) return true;
    if (enough > 0) return --enough, true;
    ++refused;
    if (once) enough = -1;
    errno = ENOMEM;
    return false;
}

#define CALLER __builtin_return_address(0)

EXPORT void *malloc(size_t size) {
    if (!is_watched(CALLER)) return __libc_malloc(size);
    void *block = granted() ? __libc_malloc(size) : NULL;
    return remember(block), block;
}

EXPORT void *calloc(size_t count, size_t size) {
    if (!is_watched(CALLER)) return __libc_calloc(count, size);
    void *block = granted() ? __libc_calloc(count, size) : NULL;
    return remember(block), block;
}

EXPORT int posix_memalign(void **out, size_t align, size_t size) {
    const bool watched = is_watched(CALLER);
    void *block = watched && !granted() ? NULL : __libc_memalign(align, size);
    if (block == NULL) return ENOMEM;
    if (watched) remember(block);
    return *out = block, 0;
}

EXPORT void *realloc(void *old, size_t size) {
    if (!is_watched(CALLER)) return __libc_realloc(old, size);
    if (!granted()) return NULL;
    forget(old);
    void *block = __libc_realloc(old, size);
    return remember(block), block;
}

EXPORT void free(void *block) {
    if (block != NULL && start != 0) forget(block);
    __libc_free(block);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

EXPORT DIR *opendir(const char *path) {
    if (!is_watched(CALLER)) return NEXT(opendir)(path);
    DIR *folder = granted() ? NEXT(opendir)(path) : NULL;
    return open_things += folder != NULL, folder;
}

EXPORT int closedir(DIR *folder) {
    open_things -= is_watched(CALLER);
    return NEXT(closedir)(folder);
}

EXPORT FILE *fopen(const char *path, const char *mode) {
    if (!is_watched(CALLER)) return NEXT(fopen)(path, mode);
    FILE *file = granted() ? NEXT(fopen)(path, mode) : NULL;
    return open_things += file != NULL, file;
}

EXPORT int fclose(FILE *file) {
    open_things -= is_watched(CALLER);
    return NEXT(fclose)(file);
}

EXPORT void *dlopen(const char *path, int flags) {
    void *library = NEXT(dlopen)(path, flags);
    open_things += library != NULL && is_watched(CALLER);
    return library;
}

EXPORT int dlclose(void *library) {
    open_things -= is_watched(CALLER);
    return NEXT(dlclose)(library);
}

/* ---- what the test does ---- */

static int find_code(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        if ((uintptr_t)address < first || (uintptr_t)address >= first + part->p_memsz) continue;
        start = first;
        end = first + part->p_memsz;
        return 1;
    }
    return 0;
}

/* Watches the library that holds this address. */
EXPORT void scarce_watch(void *address) { dl_iterate_phdr(find_code, address); }

/* Grants this many requests, negative: all; then refuses one, or all. */
EXPORT void scarce_grant(int64_t requests, int only_once) {
    enough = requests;
    once = only_once != 0;
}

/* How many requests have been refused, how many blocks live, how many things are open, how many bytes live. */
EXPORT void scarce_tell(int64_t told[4]) {
    told[0] = (int64_t)refused;
    told[1] = (int64_t)live;
    told[2] = open_things;
    told[3] = bytes;
}
