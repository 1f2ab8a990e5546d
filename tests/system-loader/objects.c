/* Keys, what they stand for, and objects. */
#define _GNU_SOURCE
#include "loader.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_OWNERS = 256, KEY_DISTANCE = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct owner owners[MAX_OWNERS];
/* Numbers of free owners; the one that was given back last is used first. */
static unsigned vacant[MAX_OWNERS], vacancies;
/* Keys are addresses in here: nothing can be read or written where they lead. */
static char *keys;
static _Thread_local char last[1024];

void die(const char *command, const char *format, ...) {
    fprintf(stderr, "[test system loader] %s: ", command);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

void note(const char *command, const struct object *object, const char *format, ...) {
    int used = snprintf(last, sizeof last, "%s %s%u ", command, kind_names[object->kind], object->number);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last + used, sizeof last - (size_t)used, format, arguments);
    va_end(arguments);
}

__attribute__((visibility("default"))) const char *system_loader_last_call(void) { return last; }

__attribute__((constructor)) static void prepare(void) {
    keys = mmap(NULL, MAX_OWNERS * KEY_DISTANCE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (keys == MAP_FAILED) die("load", "no memory for keys");
    for (unsigned i = 0; i < MAX_OWNERS; ++i) vacant[vacancies++] = MAX_OWNERS - 1 - i;
}

struct owner *owner_new(enum kind kind) {
    static unsigned next;
    pthread_mutex_lock(&lock);
    if (vacancies == 0) die("owner", "too many devices");
    struct owner *owner = &owners[vacant[--vacancies]];
    *owner = (struct owner){.kind = kind, .number = ++next};
    pthread_mutex_unlock(&lock);
    return owner;
}

void owner_delete(struct owner *owner) {
    pthread_mutex_lock(&lock);
    owner->kind = NOTHING;
    vacant[vacancies++] = (unsigned)(owner - owners);
    pthread_mutex_unlock(&lock);
}

/* A page of its own for each object, which nobody writes any more. Pages stay when objects go, so that a look at the first
 * word of a handle that is not valid any more finds the key that was there. */
void *object_new(enum kind kind, const struct owner *owner, const void *parent) {
    static unsigned next;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    struct object *object = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (object == MAP_FAILED) die("object", "no memory");
    *object = (struct object){
        .key = owner == NULL ? NULL : keys + (owner - owners) * KEY_DISTANCE,
        .kind = kind,
        .parent = parent,
        .owner = owner == NULL ? 0 : owner->number,
        .number = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED),
    };
    if (kind == QUEUE && getenv("SYSTEM_LOADER_ODD_QUEUES") != NULL) object->key = keys;
    if (mprotect(object, size, PROT_READ) != 0) die("object", "cannot be protected");
    return object;
}

struct owner *owner_of(const char *command, const void *handle, enum kind kind) {
    const struct object *object = handle;
    if (object == NULL || object->kind != kind) die(command, "%p is no %s of mine", handle, kind_names[kind]);
    size_t distance = (size_t)((const char *)object->key - keys);
    if (distance % KEY_DISTANCE != 0 || distance / KEY_DISTANCE >= MAX_OWNERS) die(command, "%p is no key of mine", object->key);
    struct owner *owner = &owners[distance / KEY_DISTANCE];
    if (owner->kind != (kind <= PHYSICAL_DEVICE ? INSTANCE : DEVICE) || owner->number != object->owner)
        die(command, "what the %s %u belongs to is gone", kind_names[kind], object->number);
    return owner;
}

struct surface_state *surface_state(const struct object *surface) {
    static struct surface_state states[4096];
    return &states[surface->number % 4096];
}

const char *const kind_names[] = {"nothing", "instance", "physical_device", "device", "queue", "command_buffer", "surface", "swapchain"};
