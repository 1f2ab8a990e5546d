/* Android's log for a process of this machine: a line on the standard output for each record. */
#include <stdarg.h>
#include <stdio.h>

#include "android/log.h"

int __android_log_print(int priority, const char *tag, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    printf("log %d %s: ", priority, tag);
    vprintf(format, rest);
    va_end(rest);
    putchar('\n');
    return fflush(stdout);
}
