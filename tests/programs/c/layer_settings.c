/*
 * Makes an instance for each argument, all at once, and tells the statistics layer of each to write JSON and a trace of 3 calls to
 * files that begin with the argument.
 */
#include <vulkan/vulkan.h>

#include "check.h"

#define LAYER "VK_LAYER_VKLOAD_statistics"
#define MOST 4
#define QUERIES 10

/* Newer than the headers of some distributions. */
#ifndef VK_EXT_layer_settings
#define VK_EXT_LAYER_SETTINGS_EXTENSION_NAME "VK_EXT_layer_settings"
#define VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT ((VkStructureType)1000496000)
enum { VK_LAYER_SETTING_TYPE_UINT32_EXT = 3, VK_LAYER_SETTING_TYPE_STRING_EXT = 7 };
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

static VkInstance make_instance(const char *file)
{
    const char *table = "table", *reports[] = {"json", "trace"};
    uint32_t events = 3;
    VkLayerSettingEXT settings[] = {
        {"VK_LAYER_VKLOAD_other", "VKLOAD_STATISTICS", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &table},
        {LAYER, "VKLOAD_STATISTICS", VK_LAYER_SETTING_TYPE_STRING_EXT, COUNT(reports), reports},
        {LAYER, "VKLOAD_STATISTICS_FILE", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &file},
        {LAYER, "VKLOAD_STATISTICS_EVENTS", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &events},
    };
    VkLayerSettingsCreateInfoEXT given = {.sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                          .settingCount = COUNT(settings),
                                          .pSettings = settings};
    const char *layer = LAYER, *extension = VK_EXT_LAYER_SETTINGS_EXTENSION_NAME;
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = &given,
                                 .enabledLayerCount = 1,
                                 .ppEnabledLayerNames = &layer,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = &extension};
    VkInstance instance;
    OK(vkCreateInstance(&info, NULL, &instance));
    return instance;
}

int main(int argc, char **argv)
{
    VkInstance instances[MOST];
    CHECK(argc > 1 && argc - 1 <= MOST);
    for (int i = 0; i < argc - 1; i++)
        instances[i] = make_instance(argv[i + 1]);
    for (int i = 0; i < QUERIES; i++) {
        uint32_t count = 0;
        OK(vkEnumeratePhysicalDevices(instances[0], &count, NULL));
    }
    for (int i = 0; i < argc - 1; i++)
        vkDestroyInstance(instances[i], NULL);
    return 0;
}
