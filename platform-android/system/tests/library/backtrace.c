/* A driver that writes where its function `open` was called from, a library a line, to the file TRACE; then it fails to open. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <unwind.h>

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *file) {
    Dl_info found;
    if (dladdr((void *)_Unwind_GetIP(context), &found) != 0) fprintf(file, "%s\n", found.dli_fname);
    return _URC_NO_REASON;
}

static int open_device(const void *module, const char *name, void **device) {
    (void)module, (void)name, (void)device;
    FILE *file = fopen(TRACE, "w");
    if (file == NULL) return -1;
    _Unwind_Backtrace(frame, file);
    fclose(file);
    return -1;
}

static const struct {
    int (*open)(const void *, const char *, void **);
} methods = {open_device};

/* The beginning of a HAL module. */
struct {
    uint32_t tag;
    uint16_t versions[2];
    const char *id, *name, *author;
    const void *methods;
    void *dso;
    uintptr_t reserved[25];
} HMI = {.tag = 0x48574D54, .versions = {1, 0x0100}, .id = "vulkan", .name = "backtrace", .author = "tests", .methods = &methods};
