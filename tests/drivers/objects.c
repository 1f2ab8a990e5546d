/* Every object that this library made and that is still alive. */
#include "driver.h"
#include <pthread.h>
#include <stdlib.h>

static const char *const kind_names[KINDS] = {
    "VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkCommandBuffer", "VkSurfaceKHR",
    "VkDebugUtilsMessengerEXT", "VkDebugReportCallbackEXT", "VkSwapchainKHR", "VkCommandPool",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *live;

struct object *object_new(enum kind kind, struct object *parent, uint32_t index) {
    struct object *object = calloc(1, sizeof *object);
    if (object == NULL) abort();
    if (config.magic) set_loader_magic_value(object);
    object->kind = kind;
    object->parent = parent;
    object->index = index;
    pthread_mutex_lock(&lock);
    object->next = live;
    live = object;
    pthread_mutex_unlock(&lock);
    return object;
}

void object_takes(struct object *object, const VkAllocationCallbacks *callbacks) {
    if (!config.uses_callbacks || callbacks == NULL) return;
    object->block = callbacks->pfnAllocation(callbacks->pUserData, 40, 8, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (object->block == NULL) die("allocation", "no memory");
}

void object_gives(const char *command, struct object *object, const VkAllocationCallbacks *callbacks) {
    if (!config.uses_callbacks || object == NULL) return;
    if ((object->block != NULL) != (callbacks != NULL))
        die(command, "created with %s callbacks, destroyed with %s", object->block == NULL ? "no" : "some", callbacks == NULL ? "none" : "some");
    if (callbacks != NULL) callbacks->pfnFree(callbacks->pUserData, object->block);
}

struct object *object_find(enum kind kind, const void *handle) {
    pthread_mutex_lock(&lock);
    struct object *found = live;
    while (found != NULL && ((const void *)found != handle || found->kind != kind)) found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

struct object *object_check(const char *command, enum kind kind, const void *handle) {
    struct object *found = object_find(kind, handle);
    if (found == NULL) die(command, "%p is no %s of this driver", handle, kind_names[kind]);
    return found;
}

struct object *object_child(struct object *parent, enum kind kind, uint32_t index) {
    pthread_mutex_lock(&lock);
    struct object *found = live;
    while (found != NULL && (found->parent != parent || found->kind != kind || found->index != index)) found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

struct object *object_next_child(struct object *parent, enum kind kind, const struct object *previous) {
    pthread_mutex_lock(&lock);
    struct object *found = previous == NULL ? live : previous->next;
    while (found != NULL && (found->parent != parent || found->kind != kind)) found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void unlink_object(struct object *object) {
    struct object **link = &live;
    while (*link != object) link = &(*link)->next;
    *link = object->next;
    free(object);
}

void object_delete(const char *command, enum kind kind, const void *handle) {
    struct object *object = object_check(command, kind, handle);
    pthread_mutex_lock(&lock);
    unlink_object(object);
    pthread_mutex_unlock(&lock);
}

/* Only what has no destroy command of its own goes with its parent: what else is left over is a leak to be seen. */
static bool goes_with_parent(enum kind kind) {
    return kind == PHYSICAL_DEVICE || kind == QUEUE || kind == COMMAND_BUFFER || kind == POOL;
}

void object_delete_children(struct object *parent) {
    pthread_mutex_lock(&lock);
    struct object *object = live;
    while (object != NULL) {
        struct object *next = object->next;
        if (object->parent == parent && goes_with_parent(object->kind)) unlink_object(object);
        object = next;
    }
    pthread_mutex_unlock(&lock);
}

uint32_t object_count(enum kind kind) {
    uint32_t count = 0;
    pthread_mutex_lock(&lock);
    for (struct object *object = live; object != NULL; object = object->next) count += object->kind == kind;
    pthread_mutex_unlock(&lock);
    return count;
}
