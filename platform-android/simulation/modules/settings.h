/* The structures of VK_EXT_layer_settings for layers. The extension is newer than some headers. Part of layer.c. */
#ifdef SETTINGS
#ifndef VK_EXT_layer_settings
#define VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT ((VkStructureType)1000496000)
typedef struct {
    const char *pLayerName, *pSettingName;
    int type;
    uint32_t valueCount;
    const void *pValues;
} VkLayerSettingEXT;
typedef struct {
    VkStructureType sType;
    const void *pNext;
    uint32_t settingCount;
    const VkLayerSettingEXT *pSettings;
} VkLayerSettingsCreateInfoEXT;
#endif

static void note_setting(int layer, const VkLayerSettingEXT *setting) {
    static const char *const types[] = {"bool32", "int32", "int64", "uint32", "uint64", "float32", "float64", "string"};
    char line[400];
    int used = snprintf(line, sizeof line, "%s %s", setting->pSettingName, types[setting->type]);
    for (uint32_t i = 0; i < setting->valueCount; ++i) {
        char *end = line + used;
        size_t room = sizeof line - (size_t)used;
        switch ((int)setting->type) {
        case 0: case 3: used += snprintf(end, room, " %u", ((const uint32_t *)setting->pValues)[i]); break;
        case 1: used += snprintf(end, room, " %d", ((const int32_t *)setting->pValues)[i]); break;
        case 2: used += snprintf(end, room, " %lld", (long long)((const int64_t *)setting->pValues)[i]); break;
        case 4: used += snprintf(end, room, " %llu", (unsigned long long)((const uint64_t *)setting->pValues)[i]); break;
        case 5: used += snprintf(end, room, " %g", (double)((const float *)setting->pValues)[i]); break;
        case 6: used += snprintf(end, room, " %g", ((const double *)setting->pValues)[i]); break;
        default: used += snprintf(end, room, " %s", ((const char *const *)setting->pValues)[i]); break;
        }
    }
    trace(names[layer], "setting", line);
}

static void note_settings(int layer, const VkInstanceCreateInfo *info) {
    const VkBaseInStructure *next = info->pNext;
    while (next != NULL && next->sType != VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT) next = next->pNext;
    const VkLayerSettingsCreateInfoEXT *settings = (const void *)next;
    for (uint32_t i = 0; settings != NULL && i < settings->settingCount; ++i)
        if (strcmp(settings->pSettings[i].pLayerName, names[layer]) == 0) note_setting(layer, &settings->pSettings[i]);
    for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        if (strcmp(info->ppEnabledExtensionNames[i], "VK_EXT_layer_settings") == 0) trace(names[layer], "settings-enabled", "");
}
#else
static void note_settings(int layer, const VkInstanceCreateInfo *info) { (void)layer, (void)info; }
#endif
