/* What a driver or layer of a world does at a place: the lines of LIBRARY.acts, "PLACE [CONDITION SUBJECT] ACTION [ARGUMENT]". A place is a
 * command, or one of "open" (the constructor), "negotiate", "close" (the destructor). Conditions: "if-env NAME[=VALUE]", "unless-env NAME",
 * "if-program NAME", "if-enabled EXTENSION" (of the instance or device that is being created), "unless-open FILE" (for reading and writing),
 * "unless-ioctl FILE" (DRM_IOCTL_VERSION), "if-reads FILE", "if-loaded LIBRARY". Lines "device NAME|KIND|VENDOR" are for drivers; a device has Vulkan 1.1, or the version A.B.C with "|A.B.C"
 * behind, and after that the number of its PCI bus in hexadecimal digits. */
#ifndef ACTS_H
#define ACTS_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

struct device { char name[64]; unsigned kind, vendor, version, bus; };
static struct act { char place[64], action[32], argument[128]; } acts[16];
static struct device devices[8];
static unsigned act_count, device_count, begun;
static const char *const *enabled;
static unsigned enabled_count;

/* A page that nobody may touch, far from code that others would be blamed for. */
static void crash(void) { *(volatile int *)16 = 1; }

static int is_loaded(const char *name) {
    char line[4200];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) found = strstr(line, name) != NULL;
    if (maps != NULL) fclose(maps);
    return found;
}

static int holds(const char *condition, const char *subject) {
    if (strcmp(condition, "if-env") == 0 || strcmp(condition, "unless-env") == 0) {
        char name[64];
        const char *value = strchr(subject, '=');
        snprintf(name, sizeof name, "%.*s", value == NULL ? 63 : (int)(value - subject), subject);
        const char *set = getenv(name);
        return (set != NULL && (value == NULL || strcmp(set, value + 1) == 0)) == (condition[0] == 'i');
    }
    if (strcmp(condition, "if-program") == 0) return strcmp(program_invocation_short_name, subject) == 0;
    if (strcmp(condition, "if-loaded") == 0) return is_loaded(subject);
    if (strcmp(condition, "unless-open") == 0) {
        int file = open(subject, O_RDWR | O_CLOEXEC);
        if (file >= 0) close(file);
        return file < 0;
    }
    if (strcmp(condition, "if-reads") == 0 || strcmp(condition, "unless-ioctl") == 0) {
        char version[64] = "";
        int file = open(subject, O_RDONLY | O_CLOEXEC);
        int is_refused = file >= 0 && ioctl(file, 0xc0406400, version) != 0 && errno == EACCES;
        if (file >= 0) close(file);
        return condition[0] == 'i' ? file >= 0 : is_refused;
    }
    for (unsigned i = 0; i < enabled_count; ++i)
        if (strcmp(enabled[i], subject) == 0) return 1;
    return 0;
}

/* Returns the act without its conditions, with the action "" if one of them does not hold. */
static struct act bare(struct act act) {
    while (strncmp(act.action, "if-", 3) == 0 || strncmp(act.action, "unless-", 7) == 0) {
        char subject[64] = "", action[32] = "", argument[128] = "";
        sscanf(act.argument, "%63s %31s %127[^\n]", subject, action, argument);
        strcpy(act.action, holds(act.action, subject) ? action : "");
        strcpy(act.argument, argument);
    }
    return act;
}

/* Does what is asked for at this place. Returns the result that the command shall give, VK_SUCCESS to go on. */
static VkResult at(const char *place) {
    for (unsigned i = 0; i < act_count; ++i) {
        if (strcmp(acts[i].place, place) != 0) continue;
        struct act found = bare(acts[i]), *act = &found;
        if (strcmp(act->action, "crash") == 0) crash();
        if (strcmp(act->action, "abort") == 0) abort();
        if (strcmp(act->action, "exit") == 0) _exit(atoi(act->argument));
        if (strcmp(act->action, "hang") == 0) for (;;) pause();
        if (strcmp(act->action, "crash-again") == 0 && begun++) crash();
        if (strcmp(act->action, "print") == 0) printf("%s\n", act->argument), fflush(stdout);
        /* Fails without a library of this name, as drivers do that open what they need themselves. */
        if (strcmp(act->action, "opens") == 0 && dlopen(act->argument, RTLD_NOW) == NULL) return VK_ERROR_INITIALIZATION_FAILED;
        /* Fails beside a library of this name. */
        if (strcmp(act->action, "crash-with") == 0 && is_loaded(act->argument)) crash();
        if (strcmp(act->action, "with") == 0 && is_loaded(act->argument)) return VK_ERROR_INITIALIZATION_FAILED;
        if (strcmp(act->action, "result") == 0) return (VkResult)atoi(act->argument);
    }
    return VK_SUCCESS;
}

/* The same while an instance or device is created with these extensions. */
static VkResult at_creation(const char *place, const char *const *names, unsigned count) {
    enabled = names, enabled_count = count;
    VkResult result = at(place);
    enabled_count = 0;
    return result;
}

static int does(const char *action) {
    for (unsigned i = 0; i < act_count; ++i)
        if (strcmp(bare(acts[i]).action, action) == 0) return 1;
    return 0;
}

static void read_acts(const void *address) {
    Dl_info info;
    char path[4200], line[256];
    if (dladdr(address, &info) == 0 || realpath(info.dli_fname, path) == NULL) return;
    strcat(path, ".acts");
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        struct device *device = &devices[device_count % 8];
        struct act *act = &acts[act_count % 16];
        unsigned major = 1, minor = 1, patch = 0;
        if (sscanf(line, "device %63[^|]|%u|%x|%u.%u.%u|%x", device->name, &device->kind, &device->vendor, &major, &minor, &patch, &device->bus) >= 3)
            device->version = VK_MAKE_API_VERSION(0, major, minor, patch), ++device_count;
        else if (sscanf(line, "%63s %31s %127[^\n]", act->place, act->action, act->argument) >= 2) ++act_count;
    }
    fclose(file);
}
#endif
