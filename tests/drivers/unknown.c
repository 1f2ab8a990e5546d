/* Commands that are in no registry: 300 on physical devices, 300 on devices, all with a long and mixed argument list.
 * Each returns a number made of its own number and all arguments, so that a caller sees whether they came through. */
#include "driver.h"
#include <stdio.h>
#include <string.h>

struct three { uint64_t x, y, z; };
typedef uint64_t(VKAPI_PTR *unknown_function)(void *, uint32_t, float, uint64_t, double, struct three, int32_t, const void *, uint64_t,
                                              uint64_t, uint64_t, float, double, float, double, float, double, float, uint8_t);

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x100000001b3u; }
static uint64_t bits(double value) {
    uint64_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

#define PARAMETERS(HANDLE)                                                                                              \
    HANDLE handle, uint32_t a, float b, uint64_t c, double d, struct three e, int32_t f, const void *g, uint64_t h,     \
        uint64_t i, uint64_t j, float k, double l, float m, double n, float o, double p, float q, uint8_t r
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r

static uint64_t digest(uint64_t number, uint32_t a, float b, uint64_t c, double d, struct three e, int32_t f, const void *g, uint64_t h,
                       uint64_t i, uint64_t j, float k, double l, float m, double n, float o, double p, float q, uint8_t r) {
    uint64_t all[] = {a, bits(b), c, bits(d), e.x, e.y, e.z, (uint64_t)(int64_t)f, (uintptr_t)g, h, i, j,
                      bits(k), bits(l), bits(m), bits(n), bits(o), bits(p), bits(q), r};
    uint64_t hash = mix(0xcbf29ce484222325u, number);
    for (size_t index = 0; index < sizeof all / sizeof *all; ++index) hash = mix(hash, all[index]);
    return hash;
}

#define TEN(M, prefix) \
    M(prefix##0) M(prefix##1) M(prefix##2) M(prefix##3) M(prefix##4) M(prefix##5) M(prefix##6) M(prefix##7) M(prefix##8) M(prefix##9)
#define HUNDRED(M, prefix)                                                                                          \
    TEN(M, prefix##0) TEN(M, prefix##1) TEN(M, prefix##2) TEN(M, prefix##3) TEN(M, prefix##4) TEN(M, prefix##5)     \
        TEN(M, prefix##6) TEN(M, prefix##7) TEN(M, prefix##8) TEN(M, prefix##9)
/* Numbers are written with a leading 1, so that none of them is read as octal: 1000 stands for 0. */
#define ALL(M) HUNDRED(M, 10) HUNDRED(M, 11) HUNDRED(M, 12)

#define DEFINE_PHYSICAL(number)                                                                      \
    static VKAPI_ATTR uint64_t VKAPI_CALL physical_##number(PARAMETERS(VkPhysicalDevice)) {          \
        PHYSICAL_DEVICE_OF("vkUnknownPhysicalDevice" #number, handle);                               \
        return digest(number - 1000, ARGUMENTS);                                                     \
    }
#define DEFINE_DEVICE(number)                                                        \
    static VKAPI_ATTR uint64_t VKAPI_CALL device_##number(PARAMETERS(VkDevice)) {    \
        DEVICE_OF("vkUnknownDevice" #number, handle);                                \
        return digest(number - 1000, ARGUMENTS);                                     \
    }
ALL(DEFINE_PHYSICAL)
ALL(DEFINE_DEVICE)

#define ENTRY_PHYSICAL(number) (PFN_vkVoidFunction)physical_##number,
#define ENTRY_DEVICE(number) (PFN_vkVoidFunction)device_##number,
static const PFN_vkVoidFunction physical_functions[] = {ALL(ENTRY_PHYSICAL)};
static const PFN_vkVoidFunction device_functions[] = {ALL(ENTRY_DEVICE)};

/* The function called PREFIX<number>TEST, if number is below the limit. */
static PFN_vkVoidFunction find(const char *name, const char *prefix, const PFN_vkVoidFunction *functions, uint32_t limit) {
    size_t length = strlen(prefix);
    unsigned number;
    char rest[8];
    if (strncmp(name, prefix, length) != 0 || sscanf(name + length, "%3u%7s", &number, rest) != 2) return NULL;
    if (strcmp(rest, "TEST") != 0 || number >= limit || names_have(&config.without, name)) return NULL;
    return functions[number];
}

/* Both kinds are there without the usual beginning, too. */
static const char *without_vk(const char *name) { return strncmp(name, "vk", 2) == 0 ? name + 2 : name; }

PFN_vkVoidFunction unknown_physical_device(const char *name) {
    return find(without_vk(name), "UnknownPhysicalDevice", physical_functions, config.unknown_physical_devices);
}

PFN_vkVoidFunction unknown_device(const char *name) {
    return find(without_vk(name), "UnknownDevice", device_functions, config.unknown_devices);
}
