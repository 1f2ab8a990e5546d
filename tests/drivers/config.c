/* Reads LIBRARY.cfg: lines of KEY=VALUE, a '#' begins a comment line. Keys after a "device=" belong to that device.
 * The keys are those of the two tables below and the few that are spelled out in read_line. */
#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct config config;

bool names_have(const struct names *names, const char *name) { return names_value(names, name, INT64_MIN) != INT64_MIN; }

int64_t names_value(const struct names *names, const char *name, int64_t otherwise) {
    for (uint32_t i = 0; i < names->count; ++i)
        if (strcmp(names->name[i], name) == 0) return names->value[i];
    return otherwise;
}

bool config_hidden(uint32_t device) {
    char path[4200];
    snprintf(path, sizeof path, "%s.hidden", config.path);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    bool hidden = false;
    unsigned listed;
    while (!hidden && fscanf(file, "%u", &listed) == 1) hidden = listed == device;
    fclose(file);
    return hidden;
}

static void add_name(struct names *names, const char *text) {
    if (names->count == MAX_NAMES) die("configuration", "too many names at %s", text);
    const char *colon = strchr(text, ':');
    size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    if (length >= NAME_SIZE) length = NAME_SIZE - 1;
    memcpy(names->name[names->count], text, length);
    names->value[names->count++] = colon == NULL ? 1 : strtoll(colon + 1, NULL, 0);
}

static void add_device(const char *name) {
    if (config.device_count == MAX_DEVICES) die("configuration", "too many devices");
    struct device_config *device = &config.device[config.device_count++];
    snprintf(device->name, sizeof device->name, "%s", name);
    device->type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    device->api = config.api;
    device->queue_families = 1;
    device->memory = 1 << 20;
}

static void add_group(const char *members) {
    if (config.group_count == MAX_GROUPS) die("configuration", "too many groups");
    for (char *end; *members != '\0'; members = *end == ',' ? end + 1 : end) {
        uint32_t member = (uint32_t)strtoul(members, &end, 10);
        config.group[config.group_count].member[config.group[config.group_count].count++] = member;
    }
    config.group_count++;
}

static bool read_device_line(struct device_config *device, const char *key, const char *value) {
    struct { const char *key; uint32_t *number; } numbers[] = {
        {"device_type", (uint32_t *)&device->type}, {"device_vendor", &device->vendor}, {"device_id", &device->id},
        {"device_api", &device->api}, {"device_queue_families", &device->queue_families},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (strcmp(key, numbers[i].key) == 0) return *numbers[i].number = (uint32_t)strtoul(value, NULL, 0), true;
    if (strcmp(key, "device_memory") == 0) return device->memory = strtoull(value, NULL, 0), true;
    if (strcmp(key, "device_extension") == 0) return add_name(&device->extensions, value), true;
    if (strcmp(key, "device_pci") != 0) return false;
    uint32_t *pci = device->pci;
    device->has_pci = sscanf(value, "%u:%u:%u:%u", pci, pci + 1, pci + 2, pci + 3) == 4;
    return true;
}

static bool read_line(const char *key, const char *value) {
    struct { const char *key; bool *flag; } flags[] = {
        {"magic", &config.magic}, {"own_surfaces", &config.own_surfaces},
        {"trace_lookups", &config.trace_lookups}, {"unterminated", &config.unterminated},
        {"speaks", &config.speaks}, {"knows_all", &config.knows_all},
        {"shared_devices", &config.shared_devices}, {"uses_callbacks", &config.uses_callbacks},
    };
    struct { const char *key; uint32_t *number; } numbers[] = {
        {"interface", &config.interface}, {"api", &config.api}, {"descriptors", &config.descriptors},
        {"refuses", &config.refuses}, {"unknown_devices", &config.unknown_devices},
        {"unknown_physical_devices", &config.unknown_physical_devices},
    };
    struct { const char *key; struct names *names; } lists[] = {
        {"extension", &config.extensions}, {"result", &config.results},
        {"lie", &config.lies}, {"without", &config.without}, {"also", &config.also},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
        if (strcmp(key, flags[i].key) == 0) return *flags[i].flag = atoi(value) != 0, true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (strcmp(key, numbers[i].key) == 0) return *numbers[i].number = (uint32_t)strtoul(value, NULL, 0), true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        if (strcmp(key, lists[i].key) == 0) return add_name(lists[i].names, value), true;
    if (strcmp(key, "trace") == 0) return snprintf(config.trace, sizeof config.trace, "%s", value), true;
    if (strcmp(key, "loader") == 0) return snprintf(config.loader, sizeof config.loader, "%s", value), true;
    if (strcmp(key, "node") == 0) return snprintf(config.node, sizeof config.node, "%s", value), true;
    if (strcmp(key, "status") == 0) return snprintf(config.status, sizeof config.status, "%s", value), true;
    if (strcmp(key, "replaced_by") == 0)
        return snprintf(config.replaced_by, sizeof config.replaced_by, "%s", value), true;
    if (strcmp(key, "device") == 0) return add_device(value), true;
    if (strcmp(key, "group") == 0) return add_group(value), true;
    return config.device_count > 0 && read_device_line(&config.device[config.device_count - 1], key, value);
}

static void find_path(void) {
    Dl_info info;
    if (dladdr(&config, &info) == 0 || info.dli_fname == NULL) die("configuration", "no path of this library");
    snprintf(config.path, sizeof config.path, "%s.cfg", info.dli_fname);
}

/* Puts another library in this one's place, as an update does, and waits until a further change of it would show. */
static void be_replaced(void) {
    char library[4096], configuration[4200];
    snprintf(library, sizeof library, "%.*s", (int)(strlen(config.path) - strlen(".cfg")), config.path);
    snprintf(configuration, sizeof configuration, "%s.cfg", config.replaced_by);
    if (rename(config.replaced_by, library) != 0 || rename(configuration, config.path) != 0)
        die("configuration", "%s does not take the place of %s", config.replaced_by, library);
    struct stat state;
    struct timespec now;
    do {
        stat(library, &state);
        clock_gettime(CLOCK_REALTIME, &now);
    } while ((now.tv_sec - state.st_ctim.tv_sec) * 1000 + (now.tv_nsec - state.st_ctim.tv_nsec) / 1000000 < 100);
}

__attribute__((constructor)) static void load(void) {
    config.magic = true;
    config.interface = 5;
    config.api = VK_API_VERSION_1_0;
    find_path();
    FILE *file = fopen(config.path, "r");
    if (file == NULL) die("configuration", "cannot read %s", config.path);
    char line[4200];
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *equals = strchr(line, '=');
        if (line[0] == '#' || line[0] == '\0') continue;
        if (equals == NULL) die("configuration", "no '=' in '%s'", line);
        *equals = '\0';
        if (!read_line(line, equals + 1)) die("configuration", "unknown key '%s'", line);
    }
    fclose(file);
    if (config.replaced_by[0] != '\0') be_replaced();
    trace("load", " ");
}

__attribute__((destructor)) static void unload(void) {
    trace("unload", "instances=%u devices=%u surfaces=%u messengers=%u swapchains=%u", object_count(INSTANCE),
          object_count(DEVICE), object_count(SURFACE), object_count(MESSENGER) + object_count(REPORT),
          object_count(SWAPCHAIN));
}
