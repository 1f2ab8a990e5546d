package dev.vkload.sample;

import android.app.Activity;
import android.content.Context;
import android.os.Bundle;
import dev.vkload.VulkanLoader;
import dev.vkload.android.AndroidLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Draws nothing: lists the devices, with the validation layer in a debug build. */
public final class MainActivity extends Activity {
    /** Making a loader reads files, for which the main thread must not wait. */
    static final ExecutorService BACKGROUND = Executors.newSingleThreadExecutor();

    /** For the whole process: another activity of this class may be created before this one is destroyed. */
    private static VulkanLoader loader;

    static {
        System.loadLibrary("sample");
    }

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        BACKGROUND.execute(() -> listDevices(loader(this).getInstanceProcAddr()));
    }

    private static synchronized VulkanLoader loader(Context context) {
        if (loader == null) {
            // These three lines are all. The layer's library lies in src/debug/jniLibs/ABI.
            VulkanLoader.Builder builder = AndroidLoader.builder(context);
            if (AndroidLoader.isDebuggable(context)) builder.layer("VK_LAYER_KHRONOS_validation");
            loader = builder.build();
        }
        return loader;
    }

    /** Gets every command through this one. */
    private static native void listDevices(long vkGetInstanceProcAddr);
}
