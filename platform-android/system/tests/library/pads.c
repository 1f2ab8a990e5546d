/* Calls every function that a library exports, on a processor that enforces landing pads. Its arguments are the library, and a file with the
 * names of the functions, one a line. Each call is made by its own process, which may end in any way except by an illegal instruction, which
 * shows that the call did not land on a pad. Prints the calls that missed, and how many got through the library's tables.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 4096

typedef void (*Function)(void *, void *, void *, void *, void *, void *, void *, void *);

/* The function in every slot of a table. */
static void arrive(void) { _exit(7); }

static void *table[SLOTS];
/* The target of every parameter: the first word of objects leads to their table. */
static void *object[64] = {table};

/* Returns how the call ends, as `waitpid` reports it. */
static int call(Function function) {
    int end = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(600);
        function(object, object, object, object, object, object, object, object);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &end, 0) != child) exit(3);
    return end;
}

static int is_refused(int end) { return WIFSIGNALED(end) && WTERMSIG(end) == SIGILL; }

int main(int count, char **arguments) {
    void *library = count == 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    FILE *names = library != NULL ? fopen(arguments[2], "r") : NULL;
    if (names == NULL) {
        fprintf(stderr, "%s\n", library == NULL ? dlerror() : arguments[2]);
        return 2;
    }
    for (int slot = 0; slot < SLOTS; slot++) table[slot] = (void *)arrive;
    char name[256];
    int calls = 0, arrived = 0, refused = 0;
    while (fscanf(names, "%255s", name) == 1) {
        const Function function = (Function)dlsym(library, name);
        if (function == NULL) continue;
        const int end = call(function);
        calls++;
        arrived += WIFEXITED(end) && WEXITSTATUS(end) == 7;
        refused += is_refused(end);
        if (is_refused(end)) printf("refused: %s\n", name);
    }
    /* The instruction behind its pad is not a pad. */
    char *draw = dlsym(library, "vkCmdDraw");
    printf("enforced: %s\n", draw != NULL && is_refused(call((Function)(draw + 4))) ? "yes" : "no");
    printf("calls: %d, arrived: %d, refused: %d\n", calls, arrived, refused);
    return 0;
}
