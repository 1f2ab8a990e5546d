/* A driver of a world: its devices can be created and submitted to, unless its acts say otherwise. "hide" lists no device. */
#ifdef DRIVER
#include "acts.h"

#define MAGIC 0x01CDC0DE
#define UNLESS(failed) do { VkResult result = failed; if (result != VK_SUCCESS) return result; } while (0)
#define TRY(place) UNLESS(at(place))

/* Every dispatchable handle: its first word is the loader's. */
struct object { uintptr_t word; const struct device *device; };

static void *new_object(const struct device *device) {
    struct object *object = calloc(1, sizeof *object);
    object->word = MAGIC, object->device = device;
    return object;
}

#ifdef ISA
/* Needs instructions that no processor has (GNU_PROPERTY_X86_ISA_1_NEEDED). */
__asm__(".pushsection .note.gnu.property,\"a\",@note\n.p2align 3\n.long 4, 16, 5\n.asciz \"GNU\"\n.long 0xc0008002, 4, 0x400, 0\n.popsection");
#endif
#ifdef NEEDS
extern void stub(void);
#endif
__attribute__((constructor)) static void load(void) {
#ifdef NEEDS
    stub();
#endif
    read_acts(acts);
    at("open");
}
__attribute__((destructor)) static void unload(void) { at("close"); }

static VkResult EnumerateInstanceVersion(uint32_t *version) {
    TRY("vkEnumerateInstanceVersion");
    *version = VK_API_VERSION_1_1;
    return VK_SUCCESS;
}
static VkResult list(const char *const *names, uint32_t all, uint32_t *count, VkExtensionProperties *out) {
    if (out == NULL) return *count = all, VK_SUCCESS;
    if (*count > all) *count = all;
    for (uint32_t i = 0; i < *count; ++i) snprintf(out[i].extensionName, sizeof out[i].extensionName, "%s", names[i]), out[i].specVersion = 1;
    return *count < all ? VK_INCOMPLETE : VK_SUCCESS;
}
static VkResult EnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *out) {
    static const char *const names[] = {"VK_KHR_surface", "VK_KHR_xcb_surface"};
    (void)layer;
    TRY("vkEnumerateInstanceExtensionProperties");
    return list(names, 2, count, out);
}
static VkResult CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) {
    (void)allocator;
    UNLESS(at_creation("vkCreateInstance", info->ppEnabledExtensionNames, info->enabledExtensionCount));
    *out = new_object(NULL);
    return VK_SUCCESS;
}
static void DestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    at("vkDestroyInstance");
    free(instance);
}
static VkResult EnumeratePhysicalDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *out) {
    static VkPhysicalDevice handles[8];
    (void)instance;
    TRY("vkEnumeratePhysicalDevices");
    if (does("hide")) return *count = 0, VK_SUCCESS;
    if (out == NULL) return *count = device_count, VK_SUCCESS;
    if (*count > device_count) *count = device_count;
    for (uint32_t i = 0; i < *count; ++i) out[i] = handles[i] = handles[i] == NULL ? new_object(&devices[i]) : handles[i];
    return *count < device_count ? VK_INCOMPLETE : VK_SUCCESS;
}
static void GetPhysicalDeviceProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out) {
    at("vkGetPhysicalDeviceProperties");
    const struct device *device = ((struct object *)handle)->device;
    memset(out, 0, sizeof *out);
    out->apiVersion = device->version;
    out->deviceType = (VkPhysicalDeviceType)device->kind, out->vendorID = device->vendor;
    snprintf(out->deviceName, sizeof out->deviceName, "%s", device->name);
}
/* A device with a bus has an address and a UUID. */
static void GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out) {
    const struct device *device = ((struct object *)handle)->device;
    GetPhysicalDeviceProperties(handle, &out->properties);
    for (VkBaseOutStructure *next = out->pNext; next != NULL; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            memset(((VkPhysicalDeviceIDProperties *)next)->deviceUUID, (int)device->bus, VK_UUID_SIZE);
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT)
            ((VkPhysicalDevicePCIBusInfoPropertiesEXT *)next)->pciBus = device->bus;
    }
}
static void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *out) {
    (void)device;
    if (out != NULL && *count > 0) *out = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1};
    *count = 1;
}
/* Stands for commands that loaders want to find and the doctor does not call. */
static void NotCalled(void) { abort(); }
static VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    static const char *const names[] = {"VK_KHR_swapchain", "VK_KHR_maintenance1", "VK_EXT_robustness2", "VK_EXT_pci_bus_info"};
    (void)layer;
    return list(names, ((struct object *)device)->device->bus == 0 ? 3 : 4, count, out);
}
static void GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures *out) {
    (void)device;
    *out = (VkPhysicalDeviceFeatures){.robustBufferAccess = VK_TRUE, .samplerAnisotropy = VK_TRUE};
}
static VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out) {
    (void)physical, (void)allocator;
    UNLESS(at_creation("vkCreateDevice", info->ppEnabledExtensionNames, info->enabledExtensionCount));
    *out = new_object(NULL);
    return VK_SUCCESS;
}
static void DestroyDevice(VkDevice device, const VkAllocationCallbacks *allocator) {
    (void)allocator;
    at("vkDestroyDevice");
    free(device);
}
static void GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out) {
    (void)device, (void)family, (void)index;
    *out = new_object(NULL);
}
static VkResult CreateFence(VkDevice device, const VkFenceCreateInfo *info, const VkAllocationCallbacks *allocator, VkFence *out) {
    (void)device, (void)info, (void)allocator;
    *out = (VkFence)16;
    return VK_SUCCESS;
}
static void DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks *allocator) { (void)device, (void)fence, (void)allocator; }
static VkResult QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence) {
    (void)queue, (void)count, (void)submits, (void)fence;
    TRY("vkQueueSubmit");
    return VK_SUCCESS;
}
static VkResult WaitForFences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout) {
    (void)device, (void)count, (void)fences, (void)all, (void)timeout;
    TRY("vkWaitForFences");
    return VK_SUCCESS;
}

static PFN_vkVoidFunction look_up(VkInstance instance, const char *name);
static PFN_vkVoidFunction GetDeviceProcAddr(VkDevice device, const char *name) { return (void)device, look_up(VK_NULL_HANDLE, name); }

#define ROW(command) {"vk" #command, (PFN_vkVoidFunction)command}
static PFN_vkVoidFunction look_up(VkInstance instance, const char *name) {
    static const struct { const char *name; PFN_vkVoidFunction function; } rows[] = {
        ROW(EnumerateInstanceVersion), ROW(EnumerateInstanceExtensionProperties), ROW(CreateInstance), ROW(DestroyInstance),
        ROW(EnumeratePhysicalDevices), ROW(GetPhysicalDeviceProperties), ROW(GetPhysicalDeviceProperties2), ROW(GetPhysicalDeviceQueueFamilyProperties),
        ROW(EnumerateDeviceExtensionProperties), ROW(GetPhysicalDeviceFeatures), ROW(CreateDevice), ROW(DestroyDevice), ROW(GetDeviceProcAddr), ROW(GetDeviceQueue),
        ROW(CreateFence), ROW(DestroyFence), ROW(QueueSubmit), ROW(WaitForFences),
    };
    static const char *const not_called[] = {
        "vkGetPhysicalDeviceFormatProperties", "vkGetPhysicalDeviceImageFormatProperties",
        "vkGetPhysicalDeviceMemoryProperties", "vkGetPhysicalDeviceSparseImageFormatProperties",
    };
    (void)instance;
    for (size_t i = 0; i < sizeof not_called / sizeof *not_called; ++i)
        if (strcmp(not_called[i], name) == 0) return NotCalled;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (strcmp(rows[i].name, name) == 0) return rows[i].function;
    return NULL;
}

/* A failure at "get-proc-addr" leaves the driver without any function, as of one that lacks its companions. */
EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name) {
    return at("get-proc-addr") == VK_SUCCESS ? look_up(instance, name) : NULL;
}
EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    TRY("negotiate");
    if (*version > 5) *version = 5;
    return VK_SUCCESS;
}
#endif
