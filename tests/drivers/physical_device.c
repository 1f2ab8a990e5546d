/* Commands of VkPhysicalDevice but for window systems. */
#include "driver.h"
#include <string.h>

#define PD(command) const struct device_config *device = PHYSICAL_DEVICE_OF(command, handle)->device; trace(command, "device=%s", device->name)

static void fill_properties(const struct device_config *device, VkPhysicalDeviceProperties *out) {
    memset(out, 0, sizeof *out);
    out->apiVersion = device->api;
    /* As of NVIDIA 580.159.04: above INT32_MAX. */
    out->driverVersion = 2435301632u;
    out->vendorID = device->vendor;
    out->deviceID = device->id;
    out->deviceType = (VkPhysicalDeviceType)device->type;
    memcpy(out->deviceName, device->name, sizeof out->deviceName);
    memset(out->pipelineCacheUUID, (int)(device - config.device) + 1, VK_UUID_SIZE);
}

CALL_VOID vkGetPhysicalDeviceProperties_(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out) {
    PD("vkGetPhysicalDeviceProperties");
    fill_properties(device, out);
}

static void fill_property_link(const struct device_config *device, VkBaseOutStructure *link) {
    switch ((int)link->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT: {
            VkPhysicalDevicePCIBusInfoPropertiesEXT *pci = (void *)link;
            pci->pciDomain = device->pci[0], pci->pciBus = device->pci[1];
            pci->pciDevice = device->pci[2], pci->pciFunction = device->pci[3];
            return;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES: {
            VkPhysicalDeviceIDProperties *id = (void *)link;
            memset(id->deviceUUID, (int)(device - config.device) + 1, VK_UUID_SIZE);
            memset(id->driverUUID, (int)device->vendor, VK_UUID_SIZE);
            return;
        }
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES: {
            VkPhysicalDeviceDriverProperties *driver = (void *)link;
            /* Some drivers assign the structure as a whole, and the rest of the chain is lost. */
            if (names_have(&config.lies, "VkPhysicalDeviceDriverProperties"))
                *driver = (VkPhysicalDeviceDriverProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
            driver->driverID = (VkDriverId)device->id;
            strcpy(driver->driverName, "test driver");
            return;
        }
        default: return;
    }
}

static void properties2(const char *command, VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out) {
    const struct device_config *device = PHYSICAL_DEVICE_OF(command, handle)->device;
    trace(command, "device=%s chain=%s", device->name, chain_types(out->pNext));
    fill_properties(device, &out->properties);
    for (VkBaseOutStructure *link = out->pNext; link != NULL; link = link->pNext) fill_property_link(device, link);
}

CALL_VOID vkGetPhysicalDeviceProperties2_(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out) {
    properties2("vkGetPhysicalDeviceProperties2", handle, out);
}
CALL_VOID vkGetPhysicalDeviceProperties2KHR_(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out) {
    properties2("vkGetPhysicalDeviceProperties2KHR", handle, out);
}

static void fill_features(VkPhysicalDeviceFeatures *out) {
    memset(out, 0, sizeof *out);
    out->robustBufferAccess = VK_TRUE;
    out->inheritedQueries = VK_TRUE;
}
CALL_VOID vkGetPhysicalDeviceFeatures_(VkPhysicalDevice handle, VkPhysicalDeviceFeatures *out) {
    PD("vkGetPhysicalDeviceFeatures");
    fill_features(out);
}
CALL_VOID vkGetPhysicalDeviceFeatures2_(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out) {
    PD("vkGetPhysicalDeviceFeatures2");
    fill_features(&out->features);
}
CALL_VOID vkGetPhysicalDeviceFeatures2KHR_(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out) {
    PD("vkGetPhysicalDeviceFeatures2KHR");
    fill_features(&out->features);
}

static void fill_format(VkFormat format, VkFormatProperties *out) {
    *out = (VkFormatProperties){.linearTilingFeatures = (VkFormatFeatureFlags)format, .optimalTilingFeatures = 1, .bufferFeatures = 2};
}
CALL_VOID vkGetPhysicalDeviceFormatProperties_(VkPhysicalDevice handle, VkFormat format, VkFormatProperties *out) {
    PD("vkGetPhysicalDeviceFormatProperties");
    fill_format(format, out);
}
CALL_VOID vkGetPhysicalDeviceFormatProperties2_(VkPhysicalDevice handle, VkFormat format, VkFormatProperties2 *out) {
    PD("vkGetPhysicalDeviceFormatProperties2");
    fill_format(format, &out->formatProperties);
}
CALL_VOID vkGetPhysicalDeviceFormatProperties2KHR_(VkPhysicalDevice handle, VkFormat format, VkFormatProperties2 *out) {
    PD("vkGetPhysicalDeviceFormatProperties2KHR");
    fill_format(format, &out->formatProperties);
}

static VkResult fill_image_format(const char *command, VkPhysicalDevice handle, VkFormat format, VkImageUsageFlags usage, VkImageFormatProperties *out) {
    PD(command);
    FORCED_RESULT(command);
    *out = (VkImageFormatProperties){.maxExtent = {(uint32_t)format, usage, 1}, .maxMipLevels = 3, .maxArrayLayers = 4, .sampleCounts = 1, .maxResourceSize = 5};
    return VK_SUCCESS;
}
CALL vkGetPhysicalDeviceImageFormatProperties_(VkPhysicalDevice handle, VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *out) {
    (void)type, (void)tiling, (void)flags;
    return fill_image_format("vkGetPhysicalDeviceImageFormatProperties", handle, format, usage, out);
}
CALL vkGetPhysicalDeviceImageFormatProperties2_(VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *out) {
    return fill_image_format("vkGetPhysicalDeviceImageFormatProperties2", handle, info->format, info->usage, &out->imageFormatProperties);
}
CALL vkGetPhysicalDeviceImageFormatProperties2KHR_(VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *out) {
    return fill_image_format("vkGetPhysicalDeviceImageFormatProperties2KHR", handle, info->format, info->usage, &out->imageFormatProperties);
}

static void fill_sparse(const char *command, VkFormat format, uint32_t *count, VkSparseImageFormatProperties *out) {
    VkSparseImageFormatProperties all[2] = {{.aspectMask = 1, .imageGranularity = {(uint32_t)format, 1, 1}}, {.aspectMask = 2, .imageGranularity = {2, 2, 2}}};
    answer_array(command, all, 2, sizeof *all, count, out);
}
static void fill_sparse2(const char *command, VkFormat format, uint32_t *count, VkSparseImageFormatProperties2 *out) {
    VkSparseImageFormatProperties2 all[2] = {0};
    uint32_t two = 2;
    VkSparseImageFormatProperties plain[2];
    fill_sparse(command, format, &two, plain);
    for (int i = 0; i < 2; ++i) all[i].properties = plain[i];
    answer_chained(command, all, 2, sizeof *all, count, out);
}
CALL_VOID vkGetPhysicalDeviceSparseImageFormatProperties_(VkPhysicalDevice handle, VkFormat format, VkImageType type, VkSampleCountFlagBits samples, VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count, VkSparseImageFormatProperties *out) {
    PD("vkGetPhysicalDeviceSparseImageFormatProperties");
    (void)type, (void)samples, (void)usage, (void)tiling;
    fill_sparse("vkGetPhysicalDeviceSparseImageFormatProperties", format, count, out);
}
CALL_VOID vkGetPhysicalDeviceSparseImageFormatProperties2_(VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count, VkSparseImageFormatProperties2 *out) {
    PD("vkGetPhysicalDeviceSparseImageFormatProperties2");
    fill_sparse2("vkGetPhysicalDeviceSparseImageFormatProperties2", info->format, count, out);
}
CALL_VOID vkGetPhysicalDeviceSparseImageFormatProperties2KHR_(VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count, VkSparseImageFormatProperties2 *out) {
    PD("vkGetPhysicalDeviceSparseImageFormatProperties2KHR");
    fill_sparse2("vkGetPhysicalDeviceSparseImageFormatProperties2KHR", info->format, count, out);
}

static VkQueueFamilyProperties family(void) {
    return (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, .queueCount = 2, .timestampValidBits = 64, .minImageTransferGranularity = {1, 1, 1}};
}
CALL_VOID vkGetPhysicalDeviceQueueFamilyProperties_(VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties *out) {
    PD("vkGetPhysicalDeviceQueueFamilyProperties");
    VkQueueFamilyProperties all[8];
    for (int i = 0; i < 8; ++i) all[i] = family();
    answer_array("vkGetPhysicalDeviceQueueFamilyProperties", all, device->queue_families, sizeof *all, count, out);
}
static void families2(const char *command, VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties2 *out) {
    PD(command);
    VkQueueFamilyProperties2 all[8];
    for (int i = 0; i < 8; ++i) all[i].queueFamilyProperties = family();
    answer_chained(command, all, device->queue_families, sizeof *all, count, out);
}
CALL_VOID vkGetPhysicalDeviceQueueFamilyProperties2_(VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties2 *out) {
    families2("vkGetPhysicalDeviceQueueFamilyProperties2", handle, count, out);
}
CALL_VOID vkGetPhysicalDeviceQueueFamilyProperties2KHR_(VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties2 *out) {
    families2("vkGetPhysicalDeviceQueueFamilyProperties2KHR", handle, count, out);
}

static void fill_memory(const struct device_config *device, VkPhysicalDeviceMemoryProperties *out) {
    memset(out, 0, sizeof *out);
    out->memoryTypeCount = out->memoryHeapCount = 1;
    out->memoryHeaps[0].size = device->memory;
}
CALL_VOID vkGetPhysicalDeviceMemoryProperties_(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties *out) {
    PD("vkGetPhysicalDeviceMemoryProperties");
    fill_memory(device, out);
}
CALL_VOID vkGetPhysicalDeviceMemoryProperties2_(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2 *out) {
    PD("vkGetPhysicalDeviceMemoryProperties2");
    fill_memory(device, &out->memoryProperties);
}
CALL_VOID vkGetPhysicalDeviceMemoryProperties2KHR_(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2 *out) {
    PD("vkGetPhysicalDeviceMemoryProperties2KHR");
    fill_memory(device, &out->memoryProperties);
}

#define EXTERNAL(NAME, INFO, OUT, FIELD, SUFFIX)                                                                    \
    CALL_VOID vkGetPhysicalDeviceExternal##NAME##Properties##SUFFIX##_(VkPhysicalDevice handle, const INFO *info, OUT *out) { \
        PD("vkGetPhysicalDeviceExternal" #NAME "Properties" #SUFFIX);                                               \
        (void)info;                                                                                                 \
        out->FIELD = 3;                                                                                             \
    }
EXTERNAL(Buffer, VkPhysicalDeviceExternalBufferInfo, VkExternalBufferProperties, externalMemoryProperties.externalMemoryFeatures, )
EXTERNAL(Buffer, VkPhysicalDeviceExternalBufferInfo, VkExternalBufferProperties, externalMemoryProperties.externalMemoryFeatures, KHR)
EXTERNAL(Fence, VkPhysicalDeviceExternalFenceInfo, VkExternalFenceProperties, externalFenceFeatures, )
EXTERNAL(Fence, VkPhysicalDeviceExternalFenceInfo, VkExternalFenceProperties, externalFenceFeatures, KHR)
EXTERNAL(Semaphore, VkPhysicalDeviceExternalSemaphoreInfo, VkExternalSemaphoreProperties, externalSemaphoreFeatures, )
EXTERNAL(Semaphore, VkPhysicalDeviceExternalSemaphoreInfo, VkExternalSemaphoreProperties, externalSemaphoreFeatures, KHR)

static VkResult tools(const char *command, VkPhysicalDevice handle, uint32_t *count, VkPhysicalDeviceToolProperties *out) {
    PD(command);
    VkPhysicalDeviceToolProperties tool = {.name = "test tool"};
    return answer_chained(command, &tool, 1, sizeof tool, count, out);
}
/* Under its older name alone, as drivers have it that are older than the KHR extension. */
CALL vkGetPhysicalDeviceCalibrateableTimeDomainsEXT_(VkPhysicalDevice handle, uint32_t *count, VkTimeDomainEXT *out) {
    PD("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
    (void)device;
    VkTimeDomainEXT domains[] = {VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT};
    return answer_array("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", domains, 2, sizeof *domains, count, out);
}
CALL vkGetPhysicalDeviceToolProperties_(VkPhysicalDevice handle, uint32_t *count, VkPhysicalDeviceToolProperties *out) {
    return tools("vkGetPhysicalDeviceToolProperties", handle, count, out);
}
CALL vkGetPhysicalDeviceToolPropertiesEXT_(VkPhysicalDevice handle, uint32_t *count, VkPhysicalDeviceToolProperties *out) {
    return tools("vkGetPhysicalDeviceToolPropertiesEXT", handle, count, out);
}

CALL vkEnumerateDeviceExtensionProperties_(VkPhysicalDevice handle, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    const struct device_config *device = PHYSICAL_DEVICE_OF("vkEnumerateDeviceExtensionProperties", handle)->device;
    trace("vkEnumerateDeviceExtensionProperties", "device=%s layer=%s fill=%d", device->name, layer == NULL ? "NULL" : layer, out != NULL);
    FORCED_RESULT("vkEnumerateDeviceExtensionProperties");
    return answer_extensions("vkEnumerateDeviceExtensionProperties", &device->extensions, config.unterminated, count, out);
}
CALL vkEnumerateDeviceLayerProperties_(VkPhysicalDevice handle, uint32_t *count, VkLayerProperties *out) {
    PHYSICAL_DEVICE_OF("vkEnumerateDeviceLayerProperties", handle);
    trace("vkEnumerateDeviceLayerProperties", "fill=%d", out != NULL);
    *count = 0;
    return VK_SUCCESS;
}

#define P(name, core, extension) COMMAND(name, LEVEL_PHYSICAL_DEVICE, core, extension)
#define BOTH(name, extension) P(name, VK_API_VERSION_1_1, NULL), P(name##KHR, 0, extension)
#define PROPERTIES2 "VK_KHR_get_physical_device_properties2"
const struct command physical_device_commands[] = {
    P(vkGetPhysicalDeviceFeatures, VK_API_VERSION_1_0, NULL),
    P(vkGetPhysicalDeviceProperties, VK_API_VERSION_1_0, NULL),
    P(vkGetPhysicalDeviceFormatProperties, VK_API_VERSION_1_0, NULL),
    P(vkGetPhysicalDeviceImageFormatProperties, VK_API_VERSION_1_0, NULL),
    P(vkGetPhysicalDeviceSparseImageFormatProperties, VK_API_VERSION_1_0, NULL),
    P(vkGetPhysicalDeviceQueueFamilyProperties, VK_API_VERSION_1_0, NULL),
    P(vkGetPhysicalDeviceMemoryProperties, VK_API_VERSION_1_0, NULL),
    P(vkEnumerateDeviceExtensionProperties, VK_API_VERSION_1_0, NULL),
    P(vkEnumerateDeviceLayerProperties, VK_API_VERSION_1_0, NULL),
    BOTH(vkGetPhysicalDeviceFeatures2, PROPERTIES2), BOTH(vkGetPhysicalDeviceProperties2, PROPERTIES2),
    BOTH(vkGetPhysicalDeviceFormatProperties2, PROPERTIES2), BOTH(vkGetPhysicalDeviceImageFormatProperties2, PROPERTIES2),
    BOTH(vkGetPhysicalDeviceSparseImageFormatProperties2, PROPERTIES2),
    BOTH(vkGetPhysicalDeviceQueueFamilyProperties2, PROPERTIES2), BOTH(vkGetPhysicalDeviceMemoryProperties2, PROPERTIES2),
    BOTH(vkGetPhysicalDeviceExternalBufferProperties, "VK_KHR_external_memory_capabilities"),
    BOTH(vkGetPhysicalDeviceExternalFenceProperties, "VK_KHR_external_fence_capabilities"),
    BOTH(vkGetPhysicalDeviceExternalSemaphoreProperties, "VK_KHR_external_semaphore_capabilities"),
    P(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT, 0, "VK_EXT_calibrated_timestamps"),
    P(vkGetPhysicalDeviceToolProperties, VK_API_VERSION_1_3, NULL),
    P(vkGetPhysicalDeviceToolPropertiesEXT, 0, "VK_EXT_tooling_info"),
    {0},
};
