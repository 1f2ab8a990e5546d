#define _GNU_SOURCE
#include "driver.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HOSTILE
#include "../hostile/misbehave.h"
#endif

void trace(const char *command, const char *format, ...) {
#ifdef HOSTILE
    misbehave(command);
#endif
    if (config.trace[0] == '\0') return;
    char line[16384];
    int used = snprintf(line, sizeof line, "%s ", command);
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    if ((size_t)used > sizeof line - 2) used = sizeof line - 2;
    line[used++] = '\n';
    int file = open(config.trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, (size_t)used) != used) abort();
    close(file);
    if (test_on_call == NULL) return;
    line[used - 1] = '\0';
    test_on_call(command, line);
}

void die(const char *command, const char *format, ...) {
    fprintf(stderr, "[test driver] %s: %s: ", config.path, command);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    trace("die", "in=%s", command);
    abort();
}

static char *buffer(void) {
    static _Thread_local char buffers[4][8192];
    static _Thread_local unsigned turn;
    char *chosen = buffers[turn++ % 4];
    chosen[0] = '\0';
    return chosen;
}

const char *chain_types(const void *next) {
    char *text = buffer();
    size_t used = 0;
    for (const VkBaseInStructure *link = next; link != NULL && used < 8000; link = link->pNext)
        used += (size_t)snprintf(text + used, 8192 - used, "%s%d", used == 0 ? "" : ",", (int)link->sType);
    return text;
}

const char *name_list(uint32_t count, const char *const *names) {
    char *text = buffer();
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < 7900; ++i)
        used += (size_t)snprintf(text + used, 8192 - used, "%s%.255s", used == 0 ? "" : ",", names[i]);
    return text;
}
