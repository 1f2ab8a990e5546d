package dev.vkload.sample;

import android.app.Activity;
import android.os.Bundle;
import dev.vkload.VulkanLoader;
import dev.vkload.android.VulkanContext;

/** Draws nothing: lists the devices, with the validation layer in a debug build. */
public final class MainActivity extends Activity {
    /** For the whole process: another activity of this class may be created before this one is destroyed. */
    private static VulkanLoader loader;

    static {
        System.loadLibrary("sample");
    }

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        if (loader == null) {
            // These three lines are all. The layer's library lies in src/debug/jniLibs/ABI.
            VulkanLoader.Builder builder = VulkanContext.builder(this);
            if (VulkanContext.isDebuggable(this)) builder.layer("VK_LAYER_KHRONOS_validation");
            loader = builder.build();
        }
        listDevices(loader.getInstanceProcAddr());
    }

    /** Gets every command through this one. */
    private static native void listDevices(long vkGetInstanceProcAddr);
}
