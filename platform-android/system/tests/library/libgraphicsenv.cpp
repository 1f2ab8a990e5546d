// The framework's decisions for a process of this machine: layers are in the folders that the variable LAYER_PATHS names, the one that
// DEBUG_LAYERS names is enabled, and with HAS_NAMESPACE the application has a namespace. What is counted is in the file `counted` of the system's folder.
#include <cstdio>
#include <cstdlib>
#include <graphicsenv/GraphicsEnv.h>

namespace android {

static std::string variable(const char* name) {
    const char* value = getenv(name);
    return value == nullptr ? "" : value;
}

static void note(const std::string& line) {
    FILE* file = fopen((variable("ANDROID_HERE") + "/counted").c_str(), "a");
    if (file == nullptr) abort();
    fprintf(file, "%s\n", line.c_str());
    fclose(file);
}

static std::string joined(uint32_t count, const char* const* names) {
    std::string all;
    for (uint32_t i = 0; i < count; ++i) all += std::string(" ") + names[i];
    return all;
}

GraphicsEnv& GraphicsEnv::getInstance() {
    static GraphicsEnv only;
    return only;
}
android_namespace_t* GraphicsEnv::getDriverNamespace() { return nullptr; }
NativeLoaderNamespace* GraphicsEnv::getAppNamespace() {
    static char name[] = "application";
    return getenv("HAS_NAMESPACE") == nullptr ? nullptr : reinterpret_cast<NativeLoaderNamespace*>(name);
}
const std::string& GraphicsEnv::getLayerPaths() {
    static const std::string paths = variable("LAYER_PATHS");
    return paths;
}
const std::string& GraphicsEnv::getDebugLayers() {
    static const std::string layers = variable("DEBUG_LAYERS");
    return layers;
}
void GraphicsEnv::setDriverToLoad(GpuStatsInfo::Driver driver) { note(driver == GpuStatsInfo::VULKAN ? "driver to load" : "another"); }
void GraphicsEnv::setDriverLoaded(GpuStatsInfo::Api api, bool loaded, int64_t nanoseconds) {
    note(api == GpuStatsInfo::API_VK && loaded && nanoseconds > 0 ? "driver loaded" : "driver not loaded");
}
void GraphicsEnv::setTargetStats(GpuStatsInfo::Stats stats, uint64_t value) {
    if (stats == GpuStatsInfo::CREATED_VULKAN_API_VERSION) note("version " + std::to_string(value >> 12));
    if (stats == GpuStatsInfo::CREATED_VULKAN_DEVICE) note("device");
}
void GraphicsEnv::setVulkanInstanceExtensions(uint32_t count, const char* const* names) { note("instance:" + joined(count, names)); }
void GraphicsEnv::setVulkanDeviceExtensions(uint32_t count, const char* const* names) { note("device:" + joined(count, names)); }
#ifndef BEFORE_ANDROID_15
void GraphicsEnv::addVulkanEngineName(const char* name) { note(std::string("engine ") + name); }
#endif

}  // namespace android
