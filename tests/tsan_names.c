/* Three functions of ThreadSanitizer that Rust's compiler calls and GCC's libtsan has only under their usual names, where it
 * watches them as well. */
#include <string.h>

void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }
