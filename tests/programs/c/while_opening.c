/*
 * A thread is in a call, in which a driver's library is just being opened: `while_opening call|end|fork FIRST BOTH`, with two lists
 * of driver manifests. The dynamic linker's functions here stand before the C library's.
 *
 * `call`: opening goes on only after another thread's call has returned. So it is where a library's constructor waits for a
 * thread that calls Vulkan, or where a thread that holds the dynamic linker's lock calls it.
 * `end`: the process ends meanwhile; no driver is closed under the call.
 * `fork`: a child that is forked meanwhile calls Vulkan.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "check.h"

static sem_t opening, go_on;
static __thread int held;
static int ending;

void *dlopen(const char *path, int flags)
{
    if (held) {
        held = 0;
        sem_post(&opening);
        sem_wait(&go_on);
    }
    void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return real(path, flags);
}

int dlclose(void *library)
{
    if (ending) {
        fputs("a library is closed at the end, while a call is in progress\n", stderr);
        _exit(1);
    }
    int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    return real(library);
}

static uint32_t extensions(void)
{
    uint32_t count;
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
    CHECK(count > 0);
    return count;
}

static void *open_second(void *unused)
{
    held = 1;
    extensions();
    CHECK(!held);
    return unused;
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    alarm(LONGEST);
    CHECK(sem_init(&opening, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
    setenv("VK_DRIVER_FILES", argv[2], 1);
    extensions();
    setenv("VK_DRIVER_FILES", argv[3], 1);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, open_second, NULL) == 0);
    sem_wait(&opening);
    if (strcmp(argv[1], "end") == 0) {
        ending = 1;
        return 0;
    }
    if (strcmp(argv[1], "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            alarm(LONGEST);
            extensions();
            _exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    } else {
        extensions();
    }
    sem_post(&go_on);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
