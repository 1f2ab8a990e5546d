/* The one function of a window that C alone can define: its arguments follow in whatever number and types an operation has. They are put
   into an array of 64-bit words, which the Rust code reads. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

int fake_window_performed(void *window, int operation, const uint64_t *arguments);

/* For each operation the types of its arguments: i for int, l for a 64-bit integer, z for size_t, p for a pointer. */
static const char *types_of(int operation)
{
    switch (operation) {
    case 4: return "z";
    case 7: return "l";
    case 8: return "ii";
    case 20: return "pz";
    case 23: case 24: case 31: case 32: case 33: return "p";
    case 27: return "lppppppppp";
    case 30: case 37: return "l";
    case 54: return "p";
    case 55: case 56: return "pp";
    case 57: return "iiii";
    default: return "i";
    }
}

int fake_window_perform(void *window, int operation, ...)
{
    uint64_t arguments[10] = {0};
    const char *types = types_of(operation);
    va_list list;
    va_start(list, operation);
    for (size_t i = 0; types[i] != 0; i++) {
        switch (types[i]) {
        case 'i': arguments[i] = (uint64_t)(int64_t)va_arg(list, int); break;
        case 'l': arguments[i] = va_arg(list, uint64_t); break;
        case 'z': arguments[i] = va_arg(list, size_t); break;
        default: arguments[i] = (uintptr_t)va_arg(list, void *); break;
        }
    }
    va_end(list);
    return fake_window_performed(window, operation, arguments);
}
