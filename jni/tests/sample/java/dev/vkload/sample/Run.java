package dev.vkload.sample;

import android.content.Launcher;
import android.content.pm.ApplicationInfo;
import dev.vkload.VulkanLoader;

/** Runs the sample's activity as Android does, in a debug build ({@code debug}) or not, and says what the loader was told. */
public final class Run {
    private Run() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        ApplicationInfo application = new ApplicationInfo();
        application.nativeLibraryDir = "/data/app/sample/lib";
        application.flags = arguments[0].equals("debug") ? ApplicationInfo.FLAG_DEBUGGABLE : 0;
        MainActivity activity = new MainActivity();
        Launcher.attach(activity, application);
        activity.onCreate(null);
        java.lang.reflect.Field field = MainActivity.class.getDeclaredField("loader");
        field.setAccessible(true);
        System.out.println(((VulkanLoader) field.get(activity)).doctor().json());
    }
}
