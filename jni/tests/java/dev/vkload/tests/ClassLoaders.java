package dev.vkload.tests;

import static dev.vkload.tests.Main.check;

import java.io.File;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;

/** Class loaders that each have classes of vkload of their own. */
public final class ClassLoaders {
    private ClassLoaders() {}

    public static void oneAtATimeHasTheLibrary() throws Exception {
        ClassLoader first = used();
        check(refused().contains("already loaded"), "two class loaders have the library");
        // Nothing of the first one is held: neither its classes, nor its listener, nor its thread.
        WeakReference<ClassLoader> gone = new WeakReference<>(first);
        first = null;
        for (int attempt = 0; gone.get() != null; attempt++) {
            check(attempt < 200, "the class loader stays");
            System.gc();
        }
        // Java closes the library on a thread of its own.
        for (int attempt = 0; !refused().isEmpty(); attempt++) {
            check(attempt < 200, "the library stays");
            System.gc();
        }
    }

    /** Returns the error message that a new class loader gets if it loads the library as well, or an empty text if it succeeds. */
    private static String refused() throws Exception {
        try {
            used();
            return "";
        } catch (InvocationTargetException exception) {
            String message = exception.getCause().getMessage();
            check(message.contains("one class loader of a process"), message);
            return message;
        }
    }

    /** Returns a new class loader, in which a VulkanLoader was built with a log listener, and closed. */
    private static ClassLoader used() throws Exception {
        URL classes = new File(System.getProperty("java.class.path")).toURI().toURL();
        ClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getSystemClassLoader().getParent());
        Class<?> level = loader.loadClass("dev.vkload.LogLevel");
        Class<?> listener = loader.loadClass("dev.vkload.LogListener");
        Object hears = Proxy.newProxyInstance(loader, new Class<?>[] {listener}, (proxy, method, arguments) -> null);
        Object builder = loader.loadClass("dev.vkload.VulkanLoader").getMethod("builder").invoke(null);
        Class<?> type = builder.getClass();
        type.getMethod("environment", String.class, String.class).invoke(builder, "FAKE_LOG", "10");
        type.getMethod("log", level, listener).invoke(builder, level.getEnumConstants()[3], hears);
        AutoCloseable built = (AutoCloseable) type.getMethod("build").invoke(builder);
        built.close();
        return loader;
    }
}
