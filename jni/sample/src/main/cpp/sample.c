/* Lists the devices to the log. No command of Vulkan is linked: all come from the address that Java passes. */
#define VK_NO_PROTOTYPES
#include <android/log.h>
#include <jni.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define LOG(...) __android_log_print(ANDROID_LOG_INFO, "sample", __VA_ARGS__)
#define COMMAND(instance, name) PFN_##name name = (PFN_##name)get((instance), #name)

JNIEXPORT void JNICALL
Java_dev_vkload_sample_MainActivity_listDevices(JNIEnv *env, jclass class, jlong address) {
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)(uintptr_t)address;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance = VK_NULL_HANDLE;
    (void)env, (void)class;

    COMMAND(NULL, vkCreateInstance);
    VkResult result = vkCreateInstance(&info, NULL, &instance);
    if (result != VK_SUCCESS) {
        LOG("vkCreateInstance: %d", result);
        return;
    }

    COMMAND(instance, vkEnumeratePhysicalDevices);
    COMMAND(instance, vkGetPhysicalDeviceProperties);
    COMMAND(instance, vkDestroyInstance);
    VkPhysicalDevice devices[8];
    uint32_t count = 8;
    result = vkEnumeratePhysicalDevices(instance, &count, devices);
    for (uint32_t i = 0; result >= VK_SUCCESS && i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        LOG("%s", properties.deviceName);
    }
    vkDestroyInstance(instance, NULL);
}
