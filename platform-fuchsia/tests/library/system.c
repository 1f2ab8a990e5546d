/* What Fuchsia's libvulkan.so uses of libzircon, libfdio and libc and this system's C library lacks. It has a loader service with one
 * driver. The rest of libc and the files of libfdio are this system's own: the types and numbers that the loader uses are the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define OK 0
#define BAD_HANDLE -11
#define NOT_FOUND -25

enum { GET, CONNECT_TO_MANIFEST_FS, CONNECT_TO_DEVICE_FS, GET_SUPPORTED_FEATURES, METHODS };
static const uint64_t ORDINALS[METHODS] = {0x73dbbfb62e99320a, 0x0454d855877881cc, 0x11cd633f2f5ff6d7, 0x381abfce172892bd};
static const char *const NAMES[METHODS] = {"Get", "ConnectToManifestFs", "ConnectToDeviceFs", "GetSupportedFeatures"};

struct call_arguments {
    const void *write_bytes;
    const uint32_t *write_handles;
    void *read_bytes;
    uint32_t *read_handles;
    uint32_t write_byte_count, write_handle_count, read_byte_count, read_handle_count;
};

/* The folder of manifests, and the library of the driver that they name. */
static char manifests[4096], driver[4096];
static bool is_open[64];
static uint32_t handles;
static char said[4096];

EXPORT void set_service(const char *folder, const char *library) {
    snprintf(manifests, sizeof manifests, "%s", folder);
    snprintf(driver, sizeof driver, "%s", library);
}
/* The calls in order, a line each. */
EXPORT const char *what_was_said(void) { return said; }
EXPORT unsigned open_handles(void) {
    unsigned count = 0;
    for (uint32_t i = 0; i < handles; ++i) count += is_open[i];
    return count;
}

static void say(const char *what, const char *about) {
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s%s%s\n", what, about[0] ? " " : "", about);
}
static uint32_t create(void) {
    is_open[handles] = true;
    return ++handles;
}
static bool take(uint32_t handle) {
    if (handle == 0 || handle > handles || !is_open[handle - 1]) return false;
    is_open[handle - 1] = false;
    return true;
}
static int method_of(const uint8_t *bytes) {
    uint64_t ordinal;
    memcpy(&ordinal, bytes + 8, sizeof ordinal);
    for (int method = 0; method < METHODS; ++method)
        if (ORDINALS[method] == ordinal) return method;
    return -1;
}

EXPORT int64_t zx_clock_get_monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
EXPORT int32_t zx_nanosleep(int64_t deadline) {
    const struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return OK;
}

EXPORT int32_t zx_futex_wait(const uint32_t *word, uint32_t value, uint32_t owner, int64_t deadline) {
    return owner == 0 && deadline == INT64_MAX && syscall(SYS_futex, word, FUTEX_WAIT, value, NULL) == 0 ? OK : NOT_FOUND;
}
EXPORT int32_t zx_futex_wake(const uint32_t *word, uint32_t count) {
    return count == UINT32_MAX && syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX) >= 0 ? OK : NOT_FOUND;
}

EXPORT int32_t zx_handle_close(uint32_t handle) { return take(handle) ? OK : BAD_HANDLE; }

EXPORT int32_t zx_channel_create(uint32_t options, uint32_t *one, uint32_t *other) {
    *one = create(), *other = create();
    return options == 0 ? OK : NOT_FOUND;
}

EXPORT int32_t zx_channel_write(uint32_t channel, uint32_t options, const void *bytes, uint32_t size, const uint32_t *passed, uint32_t count) {
    const int method = method_of(bytes);
    if (!take(passed[0]) || !is_open[channel - 1] || options != 0 || size != 24 || count != 1) return BAD_HANDLE;
    return say("write", method < 0 ? "unknown" : NAMES[method]), OK;
}

EXPORT int32_t zx_channel_call(uint32_t channel, uint32_t options, int64_t deadline, const struct call_arguments *call, uint32_t *bytes,
                               uint32_t *passed) {
    const int method = method_of(call->write_bytes);
    if (!is_open[channel - 1] || options != 0 || deadline != INT64_MAX || call->write_handle_count != 0 || call->read_byte_count < 24)
        return BAD_HANDLE;
    uint8_t answer[24] = {0};
    memcpy(answer, call->write_bytes, 16);
    answer[3] = 0x80;
    *passed = 0;
    if (method == GET_SUPPORTED_FEATURES) {
        answer[16] = 7;
        say("call", NAMES[method]);
    } else if (method == GET) {
        char name[65] = {0};
        memcpy(name, (const uint8_t *)call->write_bytes + 32, ((const uint8_t *)call->write_bytes)[16]);
        say("get", name);
        if (strcmp(name, "0-driver.so") == 0 && call->read_handle_count > 0) {
            memset(answer + 16, 255, 4);
            call->read_handles[(*passed)++] = create();
        }
    } else {
        return NOT_FOUND;
    }
    memcpy(call->read_bytes, answer, sizeof answer);
    return *bytes = sizeof answer, OK;
}

EXPORT int32_t fdio_service_connect(const char *path, uint32_t request) {
    say("connect", path);
    return take(request) ? OK : BAD_HANDLE;
}
EXPORT int32_t fdio_service_connect_at(uint32_t folder, const char *path, uint32_t request) {
    say("connect-at", path);
    return take(request) && is_open[folder - 1] ? OK : BAD_HANDLE;
}
EXPORT int32_t fdio_fd_create(uint32_t channel, int *file) {
    if (!take(channel)) return BAD_HANDLE;
    *file = open(manifests, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return say("descriptor", ""), *file < 0 ? NOT_FOUND : OK;
}
EXPORT int32_t fdio_open3_fd(const char *path, uint64_t flags, int *file) {
    *file = flags == 0xdb ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    return say("open", path), *file < 0 ? NOT_FOUND : OK;
}
EXPORT int32_t fdio_get_vmo_exec(int file, uint32_t *memory) {
    (void)file;
    return *memory = create(), OK;
}
EXPORT void *dlopen_vmo(uint32_t memory, int mode) {
    say("dlopen_vmo", "");
    return is_open[memory - 1] ? dlopen(driver, mode) : NULL;
}
