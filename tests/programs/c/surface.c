/*
 * Presents one colour: `surface xcb` and `surface xlib` in a window that covers the display, `surface headless` on a
 * surface without one. `surface lost` prints the results of calls on a headless surface, which a layer loses, and on another.
 * Prints a line when the picture is presented and then waits for the end of standard input.
 */
#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu.h"
#include "one_queue.h"

/* 0x336699 */
static const VkClearColorValue colour = {.float32 = {0.2f, 0.4f, 0.6f, 1.0f}};

static VkInstance instance;
static VkPhysicalDevice physical_device;

static void make_instance(const char *extension)
{
    uint32_t count = 0, i = 0;
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
    VkExtensionProperties *list = calloc(count, sizeof(*list));
    OK(vkEnumerateInstanceExtensionProperties(NULL, &count, list));
    while (i < count && strcmp(list[i].extensionName, extension) != 0)
        i++;
    free(list);
    if (i == count) {
        printf("no driver has %s\n", extension);
        exit(SKIPPED);
    }
    const char *names[] = {VK_KHR_SURFACE_EXTENSION_NAME, extension};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .enabledExtensionCount = COUNT(names),
                                 .ppEnabledExtensionNames = names};
    OK(vkCreateInstance(&info, NULL, &instance));
    count = 1;
    OK(vkEnumeratePhysicalDevices(instance, &count, &physical_device));
}

static VkSurfaceKHR another_headless_surface(void)
{
    VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT");
    CHECK(create);
    VkSurfaceKHR surface;
    OK(create(instance, &info, NULL, &surface));
    return surface;
}

static VkSurfaceKHR headless_surface(void)
{
    make_instance(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME);
    return another_headless_surface();
}

static VkSurfaceKHR xcb_surface(xcb_connection_t **connection)
{
    make_instance(VK_KHR_XCB_SURFACE_EXTENSION_NAME);
    *connection = xcb_connect(NULL, NULL);
    CHECK(!xcb_connection_has_error(*connection));
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(*connection)).data;
    CHECK(vkGetPhysicalDeviceXcbPresentationSupportKHR(physical_device, 0, *connection, screen->root_visual));
    xcb_window_t window = xcb_generate_id(*connection);
    xcb_create_window(*connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, screen->width_in_pixels,
                      screen->height_in_pixels, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(*connection, window);
    xcb_flush(*connection);
    VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
                                      .connection = *connection,
                                      .window = window};
    VkSurfaceKHR surface;
    OK(vkCreateXcbSurfaceKHR(instance, &info, NULL, &surface));
    return surface;
}

static VkSurfaceKHR xlib_surface(Display **display)
{
    make_instance(VK_KHR_XLIB_SURFACE_EXTENSION_NAME);
    *display = XOpenDisplay(NULL);
    CHECK(*display);
    int screen = DefaultScreen(*display);
    VisualID visual = XVisualIDFromVisual(DefaultVisual(*display, screen));
    CHECK(vkGetPhysicalDeviceXlibPresentationSupportKHR(physical_device, 0, *display, visual));
    Window window = XCreateSimpleWindow(*display, DefaultRootWindow(*display), 0, 0, (unsigned)DisplayWidth(*display, screen),
                                        (unsigned)DisplayHeight(*display, screen), 0, 0, 0);
    XMapWindow(*display, window);
    XSync(*display, False);
    VkXlibSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR,
                                       .dpy = *display,
                                       .window = window};
    VkSurfaceKHR surface;
    OK(vkCreateXlibSurfaceKHR(instance, &info, NULL, &surface));
    return surface;
}

static VkDevice make_device(void)
{
    const char *extension = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    VkDeviceCreateInfo info = device_with_one_queue;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    VkDevice device;
    OK(vkCreateDevice(physical_device, &info, NULL, &device));
    return device;
}

static VkSwapchainKHR make_swapchain(VkDevice device, VkSurfaceKHR surface)
{
    VkBool32 supported = VK_FALSE;
    OK(vkGetPhysicalDeviceSurfaceSupportKHR(physical_device, 0, surface, &supported));
    CHECK(supported);
    VkSurfaceCapabilitiesKHR capabilities;
    OK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical_device, surface, &capabilities));
    uint32_t count = 0, modes = 0;
    OK(vkGetPhysicalDeviceSurfacePresentModesKHR(physical_device, surface, &modes, NULL));
    OK(vkGetPhysicalDeviceSurfaceFormatsKHR(physical_device, surface, &count, NULL));
    CHECK(modes > 0 && count > 0);
    VkSurfaceFormatKHR formats[32];
    CHECK(count <= COUNT(formats));
    OK(vkGetPhysicalDeviceSurfaceFormatsKHR(physical_device, surface, &count, formats));
    uint32_t chosen = 0;
    while (chosen < count && formats[chosen].format != VK_FORMAT_B8G8R8A8_UNORM)
        chosen++;
    CHECK(chosen < count);
    VkExtent2D extent = capabilities.currentExtent;
    if (extent.width == UINT32_MAX)
        extent = (VkExtent2D){64, 64};
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = surface,
                                     .minImageCount = capabilities.minImageCount,
                                     .imageFormat = formats[chosen].format,
                                     .imageColorSpace = formats[chosen].colorSpace,
                                     .imageExtent = extent,
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .preTransform = capabilities.currentTransform,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                     .clipped = VK_TRUE};
    VkSwapchainKHR swapchain;
    OK(vkCreateSwapchainKHR(device, &info, NULL, &swapchain));
    return swapchain;
}

static void record(VkCommandBuffer commands, VkImage image)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(commands, &begin));
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .image = image,
                                    .subresourceRange = all};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
    vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &all);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = 0;
    barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL,
                         1, &barrier);
    OK(vkEndCommandBuffer(commands));
}

static void present(VkDevice device, VkQueue queue, VkSwapchainKHR swapchain)
{
    VkImage images[16];
    uint32_t count = COUNT(images), index = 0;
    OK(vkGetSwapchainImagesKHR(device, swapchain, &count, images));
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &fence_info, NULL, &fence));
    OK(vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index));
    OK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(device, fence, NULL);

    VkCommandBuffer commands;
    VkCommandPool pool = new_commands(device, 0, 1, &commands);
    record(commands, images[index]);
    run_on(queue, commands);
    VkResult result = VK_INCOMPLETE;
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                             .swapchainCount = 1,
                             .pSwapchains = &swapchain,
                             .pImageIndices = &index,
                             .pResults = &result};
    OK(vkQueuePresentKHR(queue, &info));
    CHECK(result == VK_SUCCESS);
    OK(vkQueueWaitIdle(queue));
    vkDestroyCommandPool(device, pool, NULL);
}

static void print_results(VkDevice device, VkSurfaceKHR surface, VkSwapchainKHR swapchain)
{
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    OK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkSurfaceCapabilitiesKHR capabilities;
    uint32_t index = 0;
    printf("%d\n", vkAcquireNextImageKHR(device, swapchain, 0, VK_NULL_HANDLE, fence, &index));
    printf("%d\n", vkAcquireNextImageKHR(device, swapchain, 0, VK_NULL_HANDLE, fence, &index));
    printf("%d\n", vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical_device, surface, &capabilities));
    VkSurfaceKHR other = another_headless_surface();
    printf("%d\n", vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical_device, other, &capabilities));
    vkDestroySurfaceKHR(instance, other, NULL);
    vkDestroyFence(device, fence, NULL);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    xcb_connection_t *connection = NULL;
    Display *display = NULL;
    VkSurfaceKHR surface = strcmp(argv[1], "xcb") == 0    ? xcb_surface(&connection)
                           : strcmp(argv[1], "xlib") == 0 ? xlib_surface(&display)
                                                          : headless_surface();
    VkDevice device = make_device();
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkSwapchainKHR swapchain = make_swapchain(device, surface);
    if (strcmp(argv[1], "lost") == 0) {
        print_results(device, surface, swapchain);
    } else {
        present(device, queue, swapchain);
        puts("presented");
        fflush(stdout);
        while (getchar() != EOF)
            ;
    }
    OK(vkDeviceWaitIdle(device));
    vkDestroySwapchainKHR(device, swapchain, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroySurfaceKHR(instance, surface, NULL);
    vkDestroyInstance(instance, NULL);
    if (connection)
        xcb_disconnect(connection);
    if (display)
        XCloseDisplay(display);
    return 0;
}
