// What Android's framework has decided for an application, for the loader: the class GraphicsEnv as a table of C functions.
// src/os/framework.rs says what each of them is for, and that the table has to stay as it is there.
//
// Part of the build inside a system tree only (Android.bp).

#include <graphicsenv/GraphicsEnv.h>

#include <cstdint>

namespace {

using android::GpuStatsInfo;
using android::GraphicsEnv;

GraphicsEnv& env() {
    return GraphicsEnv::getInstance();
}

void* driver_namespace() {
    return env().getDriverNamespace();
}

void* application_namespace() {
    return env().getAppNamespace();
}

const char* layer_paths() {
    return env().getLayerPaths().c_str();
}

const char* debug_layers() {
    return env().getDebugLayers().c_str();
}

void driver_to_load(bool updatable) {
    env().setDriverToLoad(updatable ? GpuStatsInfo::Driver::VULKAN_UPDATED : GpuStatsInfo::Driver::VULKAN);
}

void driver_loaded(bool loaded, std::int64_t nanoseconds) {
    env().setDriverLoaded(GpuStatsInfo::Api::API_VK, loaded, nanoseconds);
}

void count(std::uint32_t what, std::uint64_t value) {
    static constexpr GpuStatsInfo::Stats kStats[] = {
        GpuStatsInfo::Stats::CREATED_VULKAN_API_VERSION,
        GpuStatsInfo::Stats::CREATED_VULKAN_DEVICE,
        GpuStatsInfo::Stats::VULKAN_DEVICE_FEATURES_ENABLED,
        GpuStatsInfo::Stats::CREATED_VULKAN_SWAPCHAIN,
        GpuStatsInfo::Stats::CPU_VULKAN_IN_USE,
        GpuStatsInfo::Stats::FALSE_PREROTATION,
    };
    if (what < sizeof(kStats) / sizeof(kStats[0])) env().setTargetStats(kStats[what], value);
}

void extensions(bool of_device, std::uint32_t count, const char* const* names) {
    if (of_device) {
        env().setVulkanDeviceExtensions(count, names);
    } else {
        env().setVulkanInstanceExtensions(count, names);
    }
}

// Android 15 and later count engines: without that function the second of these is the one that fits.
template <typename Env>
auto count_engine(Env& env, const char* name, int) -> decltype(env.addVulkanEngineName(name)) {
    return env.addVulkanEngineName(name);
}

template <typename Env>
void count_engine(Env&, const char*, long) {}

void engine(const char* name) {
    count_engine(env(), name, 0);
}

}  // namespace

struct vkload_graphics_env {
    void* (*driver_namespace)();
    void* (*application_namespace)();
    const char* (*layer_paths)();
    const char* (*debug_layers)();
    void (*driver_to_load)(bool updatable);
    void (*driver_loaded)(bool loaded, std::int64_t nanoseconds);
    void (*count)(std::uint32_t what, std::uint64_t value);
    void (*extensions)(bool of_device, std::uint32_t count, const char* const* names);
    void (*engine)(const char* name);
};

// The loader refers to it as a weak symbol, which only a definition that is linked with it satisfies.
extern "C" __attribute__((visibility("hidden"))) const struct vkload_graphics_env vkload_graphics_env = {
    driver_namespace, application_namespace, layer_paths, debug_layers,
    driver_to_load,   driver_loaded,         count,       extensions,
    engine,
};
