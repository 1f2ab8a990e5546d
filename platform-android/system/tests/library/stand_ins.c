/* A program that opens the stand-ins for libraries that drivers need, then a driver; with DRIVER the driver, which calls them. */
#include <stdio.h>

#ifdef DRIVER
#include <errno.h>
#include <linux/sync_file.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

int property_get(const char *key, char *value, const char *otherwise);
int property_set(const char *key, const char *value);
int8_t property_get_bool(const char *key, int8_t otherwise);
int32_t property_get_int32(const char *key, int32_t otherwise);
int64_t property_get_int64(const char *key, int64_t otherwise);
uint64_t atrace_get_enabled_tags(void);
void atrace_begin_body(const char *name);
void atrace_end_body(void);
int hw_get_module(const char *id, const void **module);
int sync_wait(int fence, int milliseconds);
int sync_merge(const char *name, int one, int other);
struct sync_file_info *sync_file_info(int32_t fence);
void sync_file_info_free(struct sync_file_info *info);

static void properties(void) {
    char value[92], longer[200];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    printf("get: %d", property_get("set", value, "other"));
    printf(" %s", value);
    printf(", %d", property_get("unset", value, "other"));
    printf(" %s", value);
    printf(", %d", property_get("unset", value, NULL));
    printf(", %d\n", property_get("unset", value, longer));
    printf("set: %d", property_set("new", "0x1f"));
    printf(" %d\n", property_get_int32("new", 0));
    printf("bool: %d %d %d\n", property_get_bool("yes", 0), property_get_bool("off", 1), property_get_bool("set", 7));
    printf("int: %lld", (long long)property_get_int64("least", 0));
    printf(" %lld %d", (long long)property_get_int64("octal", 0), property_get_int32("least", -7));
    printf(" %lld %lld\n", (long long)property_get_int64("set", 5), (long long)property_get_int64("larger", 6));
}

static void fences(void) {
    int ends[2];
    if (pipe(ends) != 0) return;
    int result = sync_wait(ends[0], 0);
    printf("wait: %d %s", result, errno == ETIME ? "ETIME" : "?");
    result = write(ends[1], "", 1) == 1 ? sync_wait(ends[0], -1) : 1;
    printf(", %d", result);
    result = sync_wait(1000, 0);
    printf(", %d %s\n", result, errno == EINVAL ? "EINVAL" : "?");
    const int merged = sync_merge("a name that is longer than the kernel's names are", ends[0], ends[0]);
    printf("merge: %d", sync_wait(merged, 0));
    printf(" %d\n", sync_merge("name", ends[0], -1));
    struct sync_file_info *info = sync_file_info(merged);
    const struct sync_fence_info *all = (const struct sync_fence_info *)(size_t)info->sync_fence_info;
    printf("info: %d %u %d", info->status, info->num_fences, (int)all[1].timestamp_ns);
    sync_file_info_free(info);
    printf(" %d\n", sync_file_info(1000) == NULL);
}

__attribute__((visibility("default"))) void work(void) {
    const void *module = "";
    properties();
    atrace_begin_body("slice");
    atrace_end_body();
    printf("trace: %d\n", (int)atrace_get_enabled_tags());
    const int result = hw_get_module("gralloc", &module);
    printf("module: %s %s\n", result == -ENOENT ? "ENOENT" : "?", module == NULL ? "NULL" : "?");
    fences();
}
#else
#include <dlfcn.h>

int main(int count, char **libraries) {
    void *library = NULL;
    for (int i = 1; i < count; i++) {
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) return puts(dlerror()), 1;
    }
    void (*work)(void) = (void (*)(void))dlsym(library, "work");
    work();
    return 0;
}
#endif
