#define _GNU_SOURCE
#include "misbehave.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void crash(void) { *(volatile int *)8 = 1; }
static void trap(void) { __builtin_trap(); }
static void fails(void) { abort(); }
static void exits(void) { exit(3); }
static void exits_well(void) { exit(0); }
static void exits_at_once(void) { _exit(4); }
static void exits_quickly(void) { quick_exit(5); }
static void kills_itself(void) { kill(getpid(), SIGKILL); }
static void terminates_itself(void) { kill(getpid(), SIGTERM); }
static void stops(void) { raise(SIGSTOP); }

static void spins(void) {
    for (volatile int i = 0;; i = i + 1) {}
}

static void deadlocks(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}

/* As the C++ library throws an int, without being written in C++. */
static void throws(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_NOW);
    if (library == NULL) abort();
    void *(*allocate)(size_t) = (void *(*)(size_t))(uintptr_t)dlsym(library, "__cxa_allocate_exception");
    void (*throw)(void *, void *, void (*)(void *)) = (void (*)(void *, void *, void (*)(void *)))(uintptr_t)dlsym(library, "__cxa_throw");
    throw(allocate(sizeof(int)), dlsym(library, "_ZTIi"), NULL);
}

static __attribute__((noinline)) int deeper(volatile char *above) {
    volatile char room[65536];
    room[0] = above[0];
    return room[0] == 1 ? 0 : deeper(room) + room[0];
}
static void overflows(void) {
    volatile char top = 0;
    deeper(&top);
}

static void frees_twice(void) {
    void *volatile memory = malloc(2000), *volatile beyond = malloc(2000);
    free(memory);
    free(memory);
    free(beyond);
}

/* Without touching it: the limit counts what is asked for. */
static void takes_all_memory(void) {
    while (mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {}
    abort();
}

static void *run(void *function) {
    ((void (*)(void))(uintptr_t)function)();
    return NULL;
}
static void in_thread(void (*function)(void), size_t stack) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_create(&thread, &attributes, run, (void *)(uintptr_t)function);
    pthread_join(thread, NULL);
}
static void crashes_in_thread(void) { in_thread(crash, 1 << 15); }
static void overflows_in_thread(void) { in_thread(overflows, 1 << 18); }

static void loop_handler(int signal) {
    (void)signal;
    spins();
}
static void handles_by_looping(void) {
    signal(SIGSEGV, loop_handler);
    crash();
}
static void exit_handler(int signal) { _exit(signal); }
static void handles_by_exiting(void) {
    signal(SIGSEGV, exit_handler);
    crash();
}
static void blocks_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    spins();
}

static void prints_without_end(void) {
    for (;;) printf("{\"works\": \"every line of this is a lie\"}\n");
}

/* Connects to the socket `tell` beside the library, so that a test knows, and hangs. */
static void tells(void) {
    Dl_info info;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (dladdr((void *)(uintptr_t)crash, &info) == 0) abort();
    int directory = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", directory, info.dli_fname);
    /* The name of a socket is short, so it is given from its folder. */
    if (chdir(folder) != 0) abort();
    strcpy(address.sun_path, "tell");
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(end, (struct sockaddr *)&address, sizeof address) != 0) abort();
    for (;;) pause();
}

/* What follows does not end anything. */

static void prints(void) {
    printf("{\"printed\": true}\n\033[31mred\n");
    fflush(stdout);
    fprintf(stderr, "a driver's complaint\n");
}

static void prints_to_terminal(void) {
    int terminal = open("/dev/tty", O_WRONLY);
    if (terminal >= 0) write(terminal, "to the terminal\n", 16) < 0 ? abort() : close(terminal);
}

static void closes_everything(void) {
    for (int descriptor = 0; descriptor < 4096; ++descriptor) close(descriptor);
}

/* A child that lives on with all descriptors open. */
static void forks(void) {
    if (fork() == 0)
        for (;;) pause();
}

static void forks_and_returns(void) { fork(); }

static void daemonizes(void) {
    if (fork() != 0) _exit(0);
    setsid();
}

/* What atexit is given is called when the library goes, which is why it has to stay. */
static void crashes_at_exit(void) {
    Dl_info info;
    if (dladdr((void *)(uintptr_t)crash, &info) == 0 || dlopen(info.dli_fname, RTLD_NOW | RTLD_NODELETE) == NULL) abort();
    atexit(crash);
}

/* The library beside this one is that of another layer, without which this one cannot do anything. */
static void needs_the_first_layer(void) {
    Dl_info info;
    char path[4200];
    if (dladdr((void *)(uintptr_t)crash, &info) == 0) abort();
    snprintf(path, sizeof path, "%.*s/libVK_LAYER_first.so", (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
    if (dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL) abort();
}

static const struct {
    const char *name;
    void (*function)(void);
} behaviours[] = {
    {"crash", crash}, {"trap", trap}, {"abort", fails}, {"exit", exits}, {"exit-0", exits_well}, {"_exit", exits_at_once},
    {"quick_exit", exits_quickly}, {"kill", kills_itself}, {"terminate", terminates_itself}, {"stop", stops}, {"spin", spins},
    {"deadlock", deadlocks}, {"throw", throws}, {"overflow", overflows}, {"free-twice", frees_twice},
    {"take-memory", takes_all_memory}, {"crash-in-thread", crashes_in_thread}, {"overflow-in-thread", overflows_in_thread},
    {"handle-by-looping", handles_by_looping}, {"handle-by-exiting", handles_by_exiting}, {"block-signals", blocks_signals},
    {"print-without-end", prints_without_end}, {"tell", tells}, {"print", prints}, {"print-to-terminal", prints_to_terminal},
    {"close-everything", closes_everything}, {"fork", forks}, {"fork-and-return", forks_and_returns}, {"daemonize", daemonizes},
    {"crash-at-exit", crashes_at_exit}, {"need-the-first-layer", needs_the_first_layer},
};

static void behave(const char *name) {
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; ++i)
        if (strcmp(behaviours[i].name, name) == 0) {
            behaviours[i].function();
            return;
        }
    fprintf(stderr, "there is no behaviour %s\n", name);
    abort();
}

void misbehave(const char *command) {
    Dl_info info;
    char path[4200], of[64], name[64];
    if (dladdr(behaviours, &info) == 0 || info.dli_fname == NULL) abort();
    snprintf(path, sizeof path, "%s.hostile", info.dli_fname);
    FILE *file = fopen(path, "re");
    if (file == NULL) return;
    while (fscanf(file, "%63s %63s", of, name) == 2)
        if (strcmp(of, command) == 0) behave(name);
    fclose(file);
}
