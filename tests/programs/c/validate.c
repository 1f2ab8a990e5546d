/* Makes and destroys a buffer with Khronos' validation layer, and prints what the layer has to say. With the argument
 * "mistake" the buffer has no size; with "leak" a buffer is still there when its device goes. */
#include <string.h>

#include "one_queue.h"
#include "validate.h"

static void use_buffers(VkPhysicalDevice physical_device, const char *what)
{
    VkDevice device;
    OK(vkCreateDevice(physical_device, &device_with_one_queue, NULL, &device));
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = strcmp(what, "mistake") == 0 ? 0 : 256,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    vkCreateBuffer(device, &info, NULL, &buffer);
    if (strcmp(what, "leak") != 0)
        vkDestroyBuffer(device, buffer, NULL);
    vkDestroyDevice(device, NULL);
}

int main(int argc, char **argv)
{
    VkInstance instance = heard_instance(VK_API_VERSION_1_1, 1);
    use_buffers(first_device(instance), argc > 1 ? argv[1] : "nothing");
    destroy_heard(instance);
    return 0;
}
