package dev.vkload.android;

import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import android.os.Build;
import dev.vkload.Driver;
import dev.vkload.VulkanLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What an application's {@link Context} knows and the loader needs. For Android 7.0 (API level 24) and newer. */
public final class VulkanContext {
    private VulkanContext() {}

    /** A builder that knows the application's libraries, unpacked or in its APKs, and searches them for layers after all that is named. */
    public static VulkanLoader.Builder builder(Context context) {
        VulkanLoader.Builder builder = VulkanLoader.builder();
        for (String folder : librariesOf(context.getApplicationInfo())) {
            builder.applicationLibraryFolder(folder);
        }
        return builder;
    }

    /**
     * Searches another application's libraries for layers, after what was named before.
     *
     * <p>The application's manifest must name the package in {@code <queries>} to see it, from Android 11 on.
     *
     * @throws IllegalArgumentException if there is no such package that this application sees
     */
    public static VulkanLoader.Builder layersOfPackage(VulkanLoader.Builder builder, Context context, String packageName) {
        try {
            for (String folder : librariesOf(context.getPackageManager().getApplicationInfo(packageName, 0))) {
                builder.layerFolder(folder);
            }
            return builder;
        } catch (PackageManager.NameNotFoundException exception) {
            throw new IllegalArgumentException("there is no package " + packageName + " that this application sees; install it, and name it "
                    + "in <queries> of AndroidManifest.xml", exception);
        }
    }

    /**
     * Adds the layer manifests ({@code *.json}) in a folder of the application's assets, such as {@code vulkan/explicit_layer.d}; none
     * if there is no such folder.
     *
     * @param assetFolder as {@link AssetManager#list} takes it; empty for the assets themselves
     * @throws IOException if one cannot be read
     */
    public static VulkanLoader.Builder layerManifests(VulkanLoader.Builder builder, Context context, String assetFolder)
            throws IOException {
        AssetManager assets = context.getAssets();
        String[] names = assets.list(assetFolder);
        for (String name : names == null ? new String[0] : names) {
            if (name.endsWith(".json")) {
                builder.layerManifest(text(assets, assetFolder.isEmpty() ? name : assetFolder + "/" + name));
            }
        }
        return builder;
    }

    /**
     * A {@linkplain Driver#driverPackage driver package} that is unpacked to the code cache of the context: each user's own. Before the user has
     * unlocked the device it has to be a device-protected context; an isolated process has no code cache.
     */
    public static Driver driverPackage(Context context, String path) {
        return Driver.driverPackage(path, context.getCodeCacheDir().getPath());
    }

    /** Whether the application may be debugged: a reason for a validation layer. */
    public static boolean isDebuggable(Context context) {
        return (context.getApplicationInfo().flags & ApplicationInfo.FLAG_DEBUGGABLE) != 0;
    }

    /** Where an application's libraries are: the folder with the unpacked ones, and those in its APKs for the ABI of this process. */
    @SuppressWarnings("deprecation") // What took its place is not what a process is that a native bridge runs.
    private static List<String> librariesOf(ApplicationInfo application) {
        List<String> folders = new ArrayList<>();
        if (application.nativeLibraryDir != null) {
            folders.add(application.nativeLibraryDir);
        }
        String inside = "!/lib/" + Build.CPU_ABI;
        if (application.sourceDir != null) {
            folders.add(application.sourceDir + inside);
        }
        if (application.splitSourceDirs != null) {
            for (String split : application.splitSourceDirs) {
                folders.add(split + inside);
            }
        }
        return folders;
    }

    private static String text(AssetManager assets, String name) throws IOException {
        try (InputStream in = assets.open(name)) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[4096];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                out.write(part, 0, count);
            }
            return new String(out.toByteArray(), StandardCharsets.UTF_8);
        }
    }
}
