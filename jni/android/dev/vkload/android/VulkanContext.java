package dev.vkload.android;

import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import android.os.Build;
import android.os.Process;
import dev.vkload.Driver;
import dev.vkload.VulkanLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What an application's {@link Context} knows and the loader needs. For Android 7.0 (API level 24) and newer. */
public final class VulkanContext {
    private VulkanContext() {}

    /** A builder that knows the application's libraries, extracted or in its APKs, and searches them for layers. */
    public static VulkanLoader.Builder builder(Context context) {
        ApplicationInfo application = context.getApplicationInfo();
        VulkanLoader.Builder builder = VulkanLoader.builder();
        if (application.nativeLibraryDir != null) {
            // The loader searches it for layers as well, after all that are named.
            builder.applicationLibraryFolder(application.nativeLibraryDir);
        }
        return insideOf(builder, application);
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
            return layersOf(builder, context.getPackageManager().getApplicationInfo(packageName, 0));
        } catch (PackageManager.NameNotFoundException exception) {
            throw new IllegalArgumentException("there is no package " + packageName + " that this application sees; install it, and name it "
                    + "in <queries> of AndroidManifest.xml", exception);
        }
    }

    /**
     * Adds the layer manifests ({@code *.json}) in a folder of the application's assets, such as {@code vulkan/explicit_layer.d}.
     *
     * @throws IOException if one cannot be read
     */
    public static VulkanLoader.Builder layerManifests(VulkanLoader.Builder builder, Context context, String assetFolder)
            throws IOException {
        AssetManager assets = context.getAssets();
        String[] names = assets.list(assetFolder);
        for (String name : names == null ? new String[0] : names) {
            if (name.endsWith(".json")) {
                builder.layerManifest(text(assets, assetFolder + "/" + name));
            }
        }
        return builder;
    }

    /** A {@linkplain Driver#driverPackage driver package} that is unpacked to the application's code cache. */
    public static Driver driverPackage(Context context, String path) {
        return Driver.driverPackage(path, context.getCodeCacheDir().getPath());
    }

    /** Whether the application may be debugged: a reason for a validation layer. */
    public static boolean isDebuggable(Context context) {
        return (context.getApplicationInfo().flags & ApplicationInfo.FLAG_DEBUGGABLE) != 0;
    }

    private static VulkanLoader.Builder layersOf(VulkanLoader.Builder builder, ApplicationInfo application) {
        if (application.nativeLibraryDir != null) {
            builder.layerFolder(application.nativeLibraryDir);
        }
        return insideOf(builder, application);
    }

    /** The libraries in the application's APKs, for the kind of processor that this process runs as. */
    private static VulkanLoader.Builder insideOf(VulkanLoader.Builder builder, ApplicationInfo application) {
        String[] abis = Process.is64Bit() ? Build.SUPPORTED_64_BIT_ABIS : Build.SUPPORTED_32_BIT_ABIS;
        List<String> packages = new ArrayList<>();
        packages.add(application.sourceDir);
        if (application.splitSourceDirs != null) {
            packages.addAll(Arrays.asList(application.splitSourceDirs));
        }
        for (String file : packages) {
            if (file != null && abis.length > 0) {
                builder.layerFolder(file + "!/lib/" + abis[0]);
            }
        }
        return builder;
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
