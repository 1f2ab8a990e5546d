package dev.vkload.sample

import android.app.Activity
import android.os.Bundle
import dev.vkload.LogLevel
import dev.vkload.android.VulkanContext

/** Draws nothing: writes the devices to the log, and closes the loader, so that another one can be built. */
class KotlinActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        val builder = VulkanContext.builder(this)
            .log(LogLevel.WARNING) { level, text -> println("$level: $text") }
        if (VulkanContext.isDebuggable(this)) builder.layer("VK_LAYER_KHRONOS_validation")
        builder.build().use { loader ->
            for (device in loader.devices()) println("${device.name}: ${device.kind}, Vulkan ${device.apiVersion.major}")
        }
    }
}
