/* Look-ups by name, negotiation, and the two-call idiom. */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

static const struct command *const tables[] = {
    instance_commands, physical_device_commands, surface_commands, display_commands, device_commands,
};

static const struct command *find(const char *name) {
    for (size_t table = 0; table < sizeof tables / sizeof *tables; ++table)
        for (const struct command *command = tables[table]; command->name != NULL; ++command)
            if (strcmp(command->name, name) == 0) return command;
    return NULL;
}

static bool some_device_has(const char *extension) {
    for (uint32_t i = 0; i < config.device_count; ++i)
        if (names_have(&config.device[i].extensions, extension)) return true;
    return false;
}

/* Whether a driver of this version with these extensions has the command at all. */
static bool available(const struct command *command) {
    if (names_have(&config.without, command->name)) return false;
    if (command->makes_surfaces && !config.own_surfaces) return false;
    if (command->core != 0 && command->core <= config.api) return true;
    if (command->extension == NULL) return false;
    return names_have(&config.extensions, command->extension) || some_device_has(command->extension);
}

static VKAPI_ATTR void VKAPI_CALL do_nothing(void) {}

static PFN_vkVoidFunction also(const char *name) { return names_have(&config.also, name) ? do_nothing : NULL; }

PFN_vkVoidFunction driver_instance_proc(VkInstance instance, const char *name) {
    if (config.trace_lookups) trace("vk_icdGetInstanceProcAddr", "instance=%d name=%s", instance != NULL, name);
    if (instance != VK_NULL_HANDLE) INSTANCE_OF("vk_icdGetInstanceProcAddr", instance);
    if (config.interface >= 7 && strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion") == 0)
        return names_have(&config.without, name) ? NULL : (PFN_vkVoidFunction)driver_negotiate;
    if (config.interface >= 7 && strcmp(name, "vk_icdGetPhysicalDeviceProcAddr") == 0)
        return names_have(&config.without, name) ? NULL : (PFN_vkVoidFunction)driver_physical_device_proc;
    const struct command *command = find(name);
    if (command != NULL) return available(command) && (instance != NULL || command->level == LEVEL_GLOBAL) ? command->function : NULL;
    if (instance == VK_NULL_HANDLE) return NULL;
    if (also(name) != NULL) return also(name);
    PFN_vkVoidFunction function = unknown_device(name);
    return function != NULL ? function : unknown_physical_device(name);
}

PFN_vkVoidFunction driver_physical_device_proc(VkInstance instance, const char *name) {
    if (config.trace_lookups) trace("vk_icdGetPhysicalDeviceProcAddr", "instance=%d name=%s", instance != NULL, name);
    if (instance != VK_NULL_HANDLE) INSTANCE_OF("vk_icdGetPhysicalDeviceProcAddr", instance);
    const struct command *command = find(name);
    if (command == NULL) return unknown_physical_device(name);
    return command->level == LEVEL_PHYSICAL_DEVICE && available(command) ? command->function : NULL;
}

static VKAPI_ATTR void VKAPI_CALL only_there(void) { die("vkGetDeviceProcAddr", "called what is only there to be found"); }

PFN_vkVoidFunction driver_device_proc(VkDevice handle, const char *name) {
    if (config.trace_lookups) trace("vkGetDeviceProcAddr", "name=%s", name);
    if (config.knows_all && find(name) == NULL) return (PFN_vkVoidFunction)only_there;
    struct object *device = DEVICE_OF("vkGetDeviceProcAddr", handle);
    const struct command *command = find(name);
    if (command == NULL) return also(name) != NULL ? also(name) : unknown_device(name);
    if (command->level != LEVEL_DEVICE || !available(command)) return NULL;
    bool core = command->core != 0 && command->core <= config.api;
    bool enabled = command->extension != NULL && (names_have(&device->extensions, command->extension) ||
                                                  names_have(&device->parent->parent->extensions, command->extension));
    return core || enabled ? command->function : NULL;
}

VkResult driver_negotiate(uint32_t *version) {
    trace("vk_icdNegotiateLoaderICDInterfaceVersion", "offered=%u", *version);
    FORCED_RESULT("vk_icdNegotiateLoaderICDInterfaceVersion");
    switch (names_value(&config.lies, "vk_icdNegotiateLoaderICDInterfaceVersion", LIE_NONE)) {
        case LIE_NONE: break;
        case LIE_GROWS: return *version += 1, VK_SUCCESS;
        default: return *version = UINT32_MAX, VK_SUCCESS;
    }
    if (*version > config.interface) *version = config.interface;
    return VK_SUCCESS;
}

/* What a call of the two-call idiom is to do after the lies are applied. */
static uint32_t lie_about_count(enum lie lie, uint32_t available) {
    switch (lie) {
        case LIE_GROWS: return available - 1;
        case LIE_SHRINKS: return available + 3;
        case LIE_HUGE: return UINT32_MAX;
        default: return available;
    }
}

static VkResult answer(const char *command, const void *elements, uint32_t available, size_t size, size_t header, uint32_t *count, void *out) {
    enum lie lie = (enum lie)names_value(&config.lies, command, LIE_NONE);
    if (out == NULL) {
        *count = lie_about_count(lie, available);
        return VK_SUCCESS;
    }
    uint32_t asked = *count, given = asked < available ? asked : available;
    for (uint32_t i = 0; i < given; ++i)
        memcpy((char *)out + i * size + header, (const char *)elements + i * size + header, size - header);
    *count = lie == LIE_OVERFLOW ? asked + 7 : given;
    if (lie == LIE_OVERFLOW) return VK_SUCCESS;
    return given < available || lie == LIE_ENDLESS ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult answer_array(const char *command, const void *elements, uint32_t available, size_t size, uint32_t *count, void *out) {
    return answer(command, elements, available, size, 0, count, out);
}

VkResult answer_chained(const char *command, const void *elements, uint32_t available, size_t size, uint32_t *count, void *out) {
    return answer(command, elements, available, size, sizeof(VkBaseOutStructure), count, out);
}

VkResult answer_extensions(const char *command, const struct names *names, bool unterminated, uint32_t *count, VkExtensionProperties *out) {
    VkExtensionProperties all[MAX_NAMES + 1];
    memset(all, 0, sizeof all);
    uint32_t available = 0;
    for (; available < names->count; ++available) {
        memcpy(all[available].extensionName, names->name[available], VK_MAX_EXTENSION_NAME_SIZE - 1);
        all[available].specVersion = (uint32_t)names->value[available];
    }
    if (unterminated) {
        memset(all[available].extensionName, 'x', VK_MAX_EXTENSION_NAME_SIZE);
        all[available++].specVersion = 1;
    }
    return answer_array(command, all, available, sizeof *all, count, out);
}
