package dev.vkload.sample;

import android.app.Activity;
import android.content.Launcher;
import android.content.pm.ApplicationInfo;
import android.os.Bundle;
import dev.vkload.VulkanLoader;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;

/** Runs an activity of the sample as Android does, in a debug build ({@code debug}) or not; prints the options that the loader of the Java
 * activity got. */
public final class Run {
    private Run() {}

    public static void main(String[] arguments) throws Exception {
        ApplicationInfo application = new ApplicationInfo();
        application.nativeLibraryDir = "/data/app/sample/lib";
        application.flags = arguments[0].equals("debug") ? ApplicationInfo.FLAG_DEBUGGABLE : 0;
        if (arguments.length > 1) {
            Activity activity = (Activity) Class.forName("dev.vkload.sample." + arguments[1]).getDeclaredConstructor().newInstance();
            Launcher.attach(activity, application);
            Method onCreate = activity.getClass().getDeclaredMethod("onCreate", Bundle.class);
            onCreate.setAccessible(true);
            onCreate.invoke(activity, (Object) null);
            return;
        }
        MainActivity activity = new MainActivity();
        Launcher.attach(activity, application);
        activity.onCreate(null);
        MainActivity.BACKGROUND.shutdown();
        MainActivity.BACKGROUND.awaitTermination(1, TimeUnit.HOURS);
        java.lang.reflect.Field field = MainActivity.class.getDeclaredField("loader");
        field.setAccessible(true);
        System.out.println(((VulkanLoader) field.get(activity)).doctor().getJson());
    }
}
