/* A library for LD_PRELOAD that keeps programs from opening libraries. */
#ifdef PRELOAD
#include <stddef.h>
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags) { return (void)name, (void)flags, NULL; }
#endif
typedef int not_empty;
