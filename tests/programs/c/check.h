/* What every program here needs: stop with a message when something is not as it should be. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

#define OK(call) CHECK((call) == VK_SUCCESS)

/* Exit status of a program that the driver gives nothing to do. */
#define SKIPPED 77

/* The seconds after which a program that waits for ever is stopped: long enough for a slow machine. */
#define LONGEST 600

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
