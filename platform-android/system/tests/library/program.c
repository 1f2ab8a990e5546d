/* An application: fills a buffer with the first device that libvulkan.so finds, and prints its findings, a line each. Its arguments are the
 * layers that it enables. With the variable OPTIONS it passes those options to libvkload.so, and finally prints its report.
 */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static PFN_vkVoidFunction find(const char *name) {
    PFN_vkVoidFunction found = (PFN_vkVoidFunction)dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "%s is not exported\n", name);
        exit(1);
    }
    return found;
}
/* The exported function. */
#define CALL(name) ((PFN_##name)find(#name))

static void check(VkResult result, const char *what) {
    if (result == VK_SUCCESS) return;
    printf("%s: %d\n", what, result);
    exit(0);
}

static VkDevice create_device(VkPhysicalDevice physical) {
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    VkDevice device;
    const VkResult result = CALL(vkCreateDevice)(physical, &info, NULL, &device);
    check(result, "device");
    return device;
}

static void fill_a_buffer(VkDevice device) {
    const VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = 8,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkBuffer buffer;
    check(CALL(vkCreateBuffer)(device, &buffer_info, NULL, &buffer), "buffer");
    const VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 64};
    VkDeviceMemory memory;
    check(CALL(vkAllocateMemory)(device, &memory_info, NULL, &memory), "memory");
    check(CALL(vkBindBufferMemory)(device, buffer, memory, 0), "binding");

    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    check(CALL(vkCreateCommandPool)(device, &pool_info, NULL, &pool), "pool");
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    VkCommandBuffer commands;
    check(CALL(vkAllocateCommandBuffers)(device, &commands_info, &commands), "command buffer");
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(CALL(vkBeginCommandBuffer)(commands, &begin), "begin");
    CALL(vkCmdFillBuffer)(commands, buffer, 0, VK_WHOLE_SIZE, 0x1234abcd);
    check(CALL(vkEndCommandBuffer)(commands), "end");

    VkQueue queue;
    CALL(vkGetDeviceQueue)(device, 0, 0, &queue);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    check(CALL(vkQueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), "submission");
    check(CALL(vkQueueWaitIdle)(queue), "waiting");
    void *mapped;
    check(CALL(vkMapMemory)(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "mapping");
    const unsigned *words = mapped;
    printf("words: %08x %08x\n", words[0], words[1]);

    CALL(vkDestroyCommandPool)(device, pool, NULL);
    CALL(vkDestroyBuffer)(device, buffer, NULL);
    CALL(vkFreeMemory)(device, memory, NULL);
}

typedef int (*Configure)(const char *options, char *message, size_t size);
typedef size_t (*Report)(int format, char *buffer, size_t size);

int main(int count, char **arguments) {
    const char *options = getenv("OPTIONS");
    library = dlopen(options == NULL ? "libvulkan.so" : "libvkload.so", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    static char room[65536];
    if (options != NULL && ((Configure)find("vkload_configure"))(options, room, sizeof room) != 0) printf("refused: %s\n", room);
    uint32_t version;
    check(CALL(vkEnumerateInstanceVersion)(&version), "version");
    printf("version: %u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    VkLayerProperties layers[8];
    uint32_t listed = 8;
    check(CALL(vkEnumerateInstanceLayerProperties)(&listed, layers), "layers");
    for (uint32_t i = 0; i < listed; ++i) printf("layer: %s\n", layers[i].layerName);

    if (getenv("EXTENSIONS") != NULL) {
        static VkExtensionProperties extensions[64];
        listed = 64;
        check(CALL(vkEnumerateInstanceExtensionProperties)(NULL, &listed, extensions), "extensions");
        for (uint32_t i = 0; i < listed; ++i) printf("extension: %s\n", extensions[i].extensionName);
    }

    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pEngineName = "of the program",
        .apiVersion = VK_API_VERSION_1_0,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .enabledLayerCount = (uint32_t)count - 1,
        .ppEnabledLayerNames = (const char *const *)arguments + 1,
    };
    VkInstance instance;
    check(CALL(vkCreateInstance)(&info, NULL, &instance), "instance");
    VkPhysicalDevice physical;
    uint32_t devices = 1;
    const VkResult found = CALL(vkEnumeratePhysicalDevices)(instance, &devices, &physical);
    printf("devices: %u\n", devices);
    if (found == VK_SUCCESS && devices > 0) {
        VkDevice device = create_device(physical);
        fill_a_buffer(device);
        CALL(vkDestroyDevice)(device, NULL);
    }
    CALL(vkDestroyInstance)(instance, NULL);
    puts("done");
    if (options != NULL) {
        ((Report)find("vkload_report"))(0, room, sizeof room);
        fputs(room, stdout);
    }
    return 0;
}
