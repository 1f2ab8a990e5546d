/* What a driver does to an ANativeWindow when it makes a surface of it (system/window.h). */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdint.h>

struct window_base {
    int magic, version;
    void *reserved[4];
    void (*inc_ref)(struct window_base *);
    void (*dec_ref)(struct window_base *);
};

struct window {
    struct window_base base;
    uint32_t flags;
    int min_swap_interval, max_swap_interval;
    float xdpi, ydpi;
    intptr_t oem[4];
    int (*set_swap_interval)(struct window *, int);
    void *deprecated[3];
    int (*query)(const struct window *, int, int *);
    int (*perform)(struct window *, int, ...);
};

enum { API_CONNECT = 13, API_DISCONNECT = 14, API_EGL = 1 };

/* Takes a reference and becomes the one who draws to the window; whether that is possible. */
static inline int window_connect(void *pointer) {
    struct window *window = pointer;
    window->base.inc_ref(&window->base);
    if (window->perform(window, API_CONNECT, API_EGL) == 0) return 1;
    window->base.dec_ref(&window->base);
    return 0;
}

static inline void window_disconnect(void *pointer) {
    struct window *window = pointer;
    window->perform(window, API_DISCONNECT, API_EGL);
    window->base.dec_ref(&window->base);
}

#endif
