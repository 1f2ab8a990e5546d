// What aosp/graphics_env.cpp uses of the framework's class, for a process of this machine.
#pragma once

#include <cstdint>
#include <string>

struct android_namespace_t;

namespace android {

struct NativeLoaderNamespace;

struct GpuStatsInfo {
    enum Api { API_GL, API_VK };
    enum Driver { NONE, GL, GL_UPDATED, VULKAN, VULKAN_UPDATED };
    enum Stats {
        CPU_VULKAN_IN_USE,
        FALSE_PREROTATION,
        CREATED_VULKAN_SWAPCHAIN,
        CREATED_VULKAN_DEVICE,
        CREATED_VULKAN_API_VERSION,
        VULKAN_DEVICE_FEATURES_ENABLED,
    };
};

class GraphicsEnv {
public:
    static GraphicsEnv& getInstance();
    android_namespace_t* getDriverNamespace();
    NativeLoaderNamespace* getAppNamespace();
    const std::string& getLayerPaths();
    const std::string& getDebugLayers();
    void setDriverToLoad(GpuStatsInfo::Driver driver);
    void setDriverLoaded(GpuStatsInfo::Api api, bool loaded, int64_t nanoseconds);
    void setTargetStats(GpuStatsInfo::Stats stats, uint64_t value = 0);
    void setVulkanInstanceExtensions(uint32_t count, const char* const* names);
    void setVulkanDeviceExtensions(uint32_t count, const char* const* names);
#ifndef BEFORE_ANDROID_15
    void addVulkanEngineName(const char* name);
#endif
};

}  // namespace android
