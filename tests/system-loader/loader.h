/* A Vulkan loader for tests that stands for the system's, beneath the loader under test.
 *
 * Every dispatchable object begins with a key of its own making, the same for a device, its queues and its command buffers,
 * and lies on a page that nobody can write: a loader that takes the first word for its own does not survive. So does not
 * one that follows it, for the keys lead to memory that nobody can read. Commands find what they need by the key, as the
 * loaders do that this one stands for. A key is used again for the very next device after its own was destroyed.
 *
 * Variables make it worse: with SYSTEM_LOADER_SHARES_KEY all devices have the key of the first one, with
 * SYSTEM_LOADER_ODD_QUEUES queues have another one than their devices, and with SYSTEM_LOADER_WINDOW_IN_USE somebody else is
 * connected to every window.
 *
 * What the calling thread called last is told by system_loader_last_call: the command, the object's kind and number, and the
 * arguments.
 */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

/* What an object is; those up to PHYSICAL_DEVICE belong to an instance. */
enum kind { NOTHING, INSTANCE, PHYSICAL_DEVICE, DEVICE, QUEUE, COMMAND_BUFFER, SURFACE };
extern const char *const kind_names[];

/* A dispatchable object, or a surface. */
struct object {
    const void *key;
    enum kind kind;
    const struct object *parent;
    unsigned owner, number;
};

/* What a key stands for: an instance or a device that is alive. */
struct owner {
    enum kind kind;
    unsigned number;
    struct object *child; /* its queue; of an instance, its physical device */
    unsigned devices;     /* more than one if they are told to share a key */
};

/* Ends the process with a message that names the command. */
void die(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
/* Notes the last call of this thread. */
void note(const char *command, const struct object *object, const char *format, ...) __attribute__((format(printf, 3, 4)));

struct owner *owner_new(enum kind kind);
void owner_delete(struct owner *owner);
void *object_new(enum kind kind, const struct owner *owner, const void *parent);
/* What the object belongs to, found by its key. Ends the process if it is of another kind, or gone. */
struct owner *owner_of(const char *command, const void *handle, enum kind kind);

/* The same for a surface, which has no key. */
const struct object *surface_of(const char *command, VkSurfaceKHR surface);

PFN_vkVoidFunction device_command(const char *name);

#define CALL static VKAPI_ATTR VkResult VKAPI_CALL
#define CALL_VOID static VKAPI_ATTR void VKAPI_CALL
#define NOTE(command, handle, kind, ...) (owner_of(command, handle, kind), note(command, (const struct object *)(handle), __VA_ARGS__))

#endif
