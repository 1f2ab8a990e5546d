package dev.vkload.sample

import android.app.Activity
import android.content.Context
import android.os.Bundle
import android.util.Log
import dev.vkload.LogLevel
import dev.vkload.VulkanLoader
import dev.vkload.android.AndroidLoader
import kotlin.concurrent.thread

/** Draws nothing: writes the devices to the log, with the validation layer in a debug build. */
class KotlinActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        // Making a loader reads files, for which the main thread must not wait.
        thread {
            for (device in loader(this).devices()) {
                Log.i("sample", "${device.name}: ${device.kind}, Vulkan ${device.apiVersion.major}")
            }
        }
    }

    companion object {
        private var loader: VulkanLoader? = null

        /** One for the process, which keeps it. */
        @Synchronized
        fun loader(context: Context): VulkanLoader = loader ?: AndroidLoader.builder(context)
            .log(LogLevel.WARNING) { level, text -> Log.w("sample", "$level: $text") }
            .apply { if (AndroidLoader.isDebuggable(context)) layer("VK_LAYER_KHRONOS_validation") }
            .build()
            .also { loader = it }
    }
}
