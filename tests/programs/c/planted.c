/*
 * Fills a buffer on the device and reads it, with every failure handled, except for one mistake: `planted MISTAKE`, where
 * MISTAKE is
 *   nothing    none
 *   unchecked  the memory is used without a look at the result of vkAllocateMemory
 *   wait       waits until the fence is signalled, whatever vkWaitForFences returns
 *   leak       keeps the memory if binding it fails
 *   name       none, and the buffer has the name "staging"
 * Prints the first failure, and exits with 2 then.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "check.h"
#include "one_queue.h"

#define SIZE 65536

static const char *mistake;
static int failed;

/* Returns whether a call succeeded, and prints the first that did not. */
static int ok(VkResult result, const char *what)
{
    if (result < 0 && !failed)
        printf("%s: %d\n", what, result);
    failed |= result < 0;
    return result >= 0;
}

#define TRY(call) ok(call, #call)

static int is(const char *name)
{
    return !strcmp(mistake, name);
}

static void name_buffer(VkDevice device, VkBuffer buffer)
{
    PFN_vkSetDebugUtilsObjectNameEXT set =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(device, "vkSetDebugUtilsObjectNameEXT");
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = VK_OBJECT_TYPE_BUFFER,
                                          .objectHandle = (uint64_t)buffer,
                                          .pObjectName = "staging"};
    if (set)
        set(device, &info);
}

static void fill(VkDevice device, VkQueue queue, VkBuffer buffer, VkCommandPool pool, VkFence fence)
{
    VkCommandBufferAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandPool = pool,
                                       .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands = (VkCommandBuffer)(uintptr_t)0x17;
    if (!TRY(vkAllocateCommandBuffers(device, &one, &commands))) {
        CHECK(commands == NULL);
        return;
    }
    if (!TRY(vkBeginCommandBuffer(commands, &begin)))
        return;
    vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, 0x01020304);
    if (!TRY(vkEndCommandBuffer(commands)))
        return;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands};
    VkResult submitted = vkQueueSubmit(queue, 1, &submit, fence);
    if (is("wait")) {
        while (vkWaitForFences(device, 1, &fence, VK_TRUE, 100000000) != VK_SUCCESS)
            ;
        ok(submitted, "vkQueueSubmit");
    } else if (ok(submitted, "vkQueueSubmit")) {
        VkResult waited = vkWaitForFences(device, 1, &fence, VK_TRUE, 1000000000);
        while (waited == VK_TIMEOUT || vkGetFenceStatus(device, fence) == VK_NOT_READY) {
            printf("not yet\n");
            waited = vkWaitForFences(device, 1, &fence, VK_TRUE, 1000000000);
        }
        ok(waited, "vkWaitForFences");
    }
}

static void use(VkDevice device, const VkPhysicalDeviceMemoryProperties *memory_properties)
{
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = SIZE,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkMemoryAllocateInfo size = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    VkMemoryRequirements needs;
    uint32_t *content = NULL;
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

    if (!TRY(vkCreateBuffer(device, &buffer_info, NULL, &buffer)))
        return;
    if (is("name"))
        name_buffer(device, buffer);
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    size.allocationSize = needs.size;
    while (!(needs.memoryTypeBits & (1u << size.memoryTypeIndex)) ||
           (memory_properties->memoryTypes[size.memoryTypeIndex].propertyFlags & wanted) != wanted)
        size.memoryTypeIndex++;
    if (is("unchecked")) {
        VkResult ignored = vkAllocateMemory(device, &size, NULL, &memory);
        ignored |= vkBindBufferMemory(device, buffer, memory, 0);
        ignored |= vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&content);
        content[0] = ignored;
        vkUnmapMemory(device, memory);
    } else if (!TRY(vkAllocateMemory(device, &size, NULL, &memory))) {
        goto end;
    }
    if (!is("unchecked") && !TRY(vkBindBufferMemory(device, buffer, memory, 0))) {
        if (is("leak"))
            memory = VK_NULL_HANDLE;
        goto end;
    }
    if (TRY(vkCreateCommandPool(device, &pool_info, NULL, &pool)) &&
        TRY(vkCreateFence(device, &fence_info, NULL, &fence)))
        fill(device, queue, buffer, pool, fence);
    TRY(vkDeviceWaitIdle(device));
    if (!failed && TRY(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&content))) {
        CHECK(content[0] == 0x01020304 && content[SIZE / 4 - 1] == 0x01020304);
        vkUnmapMemory(device, memory);
    }
end:
    vkDestroyFence(device, fence, NULL);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyBuffer(device, buffer, NULL);
    vkFreeMemory(device, memory, NULL);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    mistake = argv[1];
    const char *names[] = {"VK_EXT_debug_utils"};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .enabledExtensionCount = is("name"),
                                 .ppEnabledExtensionNames = names};
    VkInstance instance;
    if (!TRY(vkCreateInstance(&info, NULL, &instance)))
        return 2;
    uint32_t one = 1;
    VkPhysicalDevice physical;
    VkDevice device;
    VkPhysicalDeviceMemoryProperties memory_properties;
    if (TRY(vkEnumeratePhysicalDevices(instance, &one, &physical))) {
        vkGetPhysicalDeviceMemoryProperties(physical, &memory_properties);
        for (uint32_t heap = 0; heap < memory_properties.memoryHeapCount; heap++)
            printf("heap %llu\n", (unsigned long long)memory_properties.memoryHeaps[heap].size);
        if (TRY(vkCreateDevice(physical, &device_with_one_queue, NULL, &device))) {
            use(device, &memory_properties);
            vkDestroyDevice(device, NULL);
        }
    }
    vkDestroyInstance(instance, NULL);
    printf(failed ? "failed\n" : "done\n");
    return failed ? 2 : 0;
}
