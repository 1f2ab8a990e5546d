/* Android's C library for a process of this machine, as far as the loader uses it: this machine's functions, in Android's version of them.
 * Absolute paths lead into the folder that the variable ANDROID_HERE names; its file `properties` has the properties, NAME=VALUE in
 * each line.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A function with the name `here_NAME`, so that NAME stays this machine's function. */
#define GIVES(name) __asm__(".symver here_" #name "," #name "@LIBC")

/* The same for functions that are looked up by name alone. */
#define GIVES_BY_NAME(name) __asm__(".symver here_" #name "," #name "@@LIBC")

static const char *place(const char *path, char room[4096]) {
    snprintf(room, 4096, "%s%s", path[0] == '/' ? getenv("ANDROID_HERE") : "", path);
    return room;
}

int *here___errno(void) { return &errno; }
GIVES(__errno);

int here___system_property_get(const char *name, char *value) {
    char room[4096], line[4096];
    FILE *file = fopen(place("/properties", room), "r");
    const size_t length = strlen(name);
    value[0] = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0 && line[length] == '=' && sscanf(line + length + 1, "%92[^\n]", room) == 1)
            strcpy(value, strlen(room) < 92 ? room : "this function is not for values as long as that");
    if (file != NULL) fclose(file);
    return (int)strlen(value);
}
GIVES(__system_property_get);

int here___system_property_set(const char *name, const char *value) {
    char room[4096];
    FILE *file = fopen(place("/properties", room), "a");
    if (file == NULL) return -1;
    fprintf(file, "%s=%s\n", name, value);
    return fclose(file);
}
GIVES(__system_property_set);

/* A pipe is a fence here, made of two. */
int here_ioctl(int file, int request, void *data) {
    struct sync_merge_data *merge = data;
    struct sync_file_info *info = data;
    struct sync_fence_info *fences = NULL;
    switch ((unsigned)request) {
    case SYNC_IOC_MERGE:
        merge->fence = strlen(merge->name) < sizeof merge->name && merge->fd2 >= 0 ? dup(file) : -1;
        return merge->fence < 0 ? -1 : 0;
    case SYNC_IOC_FILE_INFO:
        if (fcntl(file, F_GETFD) < 0) return -1;
        fences = (struct sync_fence_info *)(size_t)info->sync_fence_info;
        for (unsigned i = 0; i < info->num_fences && i < 2; i++)
            fences[i].timestamp_ns = 100 + i;
        info->num_fences = 2;
        info->status = 1;
        return 0;
    default: errno = ENOTTY; return -1;
    }
}
GIVES(ioctl);

/* A property is its value here. */
const void *here___system_property_find(const char *name) {
    char room[4096], line[4096];
    FILE *file = fopen(place("/properties", room), "r");
    const size_t length = strlen(name);
    char *value = NULL;
    while (file != NULL && value == NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            value = strndup(line + length + 1, strcspn(line + length + 1, "\n"));
    if (file != NULL) fclose(file);
    return value;
}
GIVES_BY_NAME(__system_property_find);

void here___system_property_read_callback(const void *property, void (*take)(void *, const char *, const char *, unsigned), void *taken) {
    take(taken, "", property, 0);
    free((void *)property);
}
GIVES_BY_NAME(__system_property_read_callback);

int here_open(const char *path, int flags, ...) {
    char room[4096];
    /* New files have the permissions of unpacked drivers. */
    return open(place(path, room), flags, 0755);
}
GIVES(open);

int here_rename(const char *from, const char *to) {
    char room[4096], other[4096];
    return rename(place(from, room), place(to, other));
}
GIVES(rename);

int here_mkdir(const char *path, mode_t mode) {
    char room[4096];
    return mkdir(place(path, room), mode);
}
GIVES(mkdir);

int here_remove(const char *path) {
    char room[4096];
    return remove(place(path, room));
}
GIVES(remove);

DIR *here_opendir(const char *path) {
    char room[4096];
    return opendir(place(path, room));
}
GIVES(opendir);

int here_stat(const char *path, struct stat *state) {
    char room[4096];
    return stat(place(path, room), state);
}
GIVES(stat);

int here_fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    const int argument = va_arg(rest, int);
    va_end(rest);
    return fcntl(file, command, argument);
}
GIVES(fcntl);

int here_prctl(int option, ...) { return prctl(option); }
GIVES(prctl);

long here_syscall(long number, ...) {
    va_list rest;
    long given[6];
    va_start(rest, number);
    for (int i = 0; i < 6; i++) given[i] = va_arg(rest, long);
    va_end(rest);
    return syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
GIVES(syscall);

/* The rest is the same on both. */
#define SAME(type, name, parameters, arguments) \
    type here_##name parameters { return name arguments; } \
    GIVES(name)

SAME(char *, getenv, (const char *name), (name));
SAME(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size));
SAME(int, pthread_mutex_lock, (pthread_mutex_t *lock), (lock));
SAME(int, pthread_mutex_unlock, (pthread_mutex_t *lock), (lock));
SAME(int, pthread_mutex_destroy, (pthread_mutex_t *lock), (lock));
SAME(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *lock), (condition, lock));
SAME(int, pthread_cond_signal, (pthread_cond_t *condition), (condition));
SAME(int, pthread_cond_destroy, (pthread_cond_t *condition), (condition));
SAME(int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time));
SAME(int, close, (int file), (file));
SAME(int, closedir, (DIR *folder), (folder));
SAME(struct dirent *, readdir, (DIR *folder), (folder));
SAME(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t offset), (file, bytes, size, offset));
SAME(int, getpagesize, (void), ());
SAME(int, kill, (pid_t process, int signal), (process, signal));
SAME(pid_t, getpid, (void), ());
SAME(uid_t, getuid, (void), ());
SAME(pthread_t, pthread_self, (void), ());
SAME(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest));
SAME(int, poll, (struct pollfd *files, nfds_t count, int milliseconds), (files, count, milliseconds));
SAME(int, sched_yield, (void), ());
SAME(void *, malloc, (size_t size), (size));
SAME(void *, calloc, (size_t count, size_t size), (count, size));
SAME(void *, realloc, (void *block, size_t size), (block, size));
SAME(int, posix_memalign, (void **block, size_t alignment, size_t size), (block, alignment, size));
SAME(int, memcmp, (const void *one, const void *other, size_t size), (one, other, size));
SAME(void *, memcpy, (void *to, const void *from, size_t size), (to, from, size));
SAME(void *, memmove, (void *to, const void *from, size_t size), (to, from, size));
SAME(void *, memset, (void *to, int byte, size_t size), (to, byte, size));
SAME(size_t, strlen, (const char *text), (text));
SAME(double, strtod, (const char *text, char **end), (text, end));

void here_free(void *block) { free(block); }
GIVES(free);

void here_abort(void) { abort(); }
GIVES(abort);
