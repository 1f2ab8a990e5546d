package dev.vkload.android;

import android.content.ContentResolver;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import android.os.Build;
import android.provider.Settings;
import dev.vkload.Driver;
import dev.vkload.VulkanLoader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The parts of an application's {@link Context} that the loader needs. For Android 7.0 (API level 24) and newer. */
public final class AndroidLoader {
    private AndroidLoader() {}

    /**
     * Returns a builder that knows the application's libraries and searches them for layers after every named folder: unpacked libraries,
     * libraries in its APKs, and libraries of feature modules that Google Play's SplitCompat has delivered since the application was
     * installed. For modules that come later, make another builder.
     */
    public static VulkanLoader.Builder builder(Context context) {
        VulkanLoader.Builder builder = VulkanLoader.builder();
        for (String folder : librariesOf(context.getApplicationInfo())) {
            builder.applicationLibraryFolder(folder);
        }
        for (String folder : librariesOfModules(context)) {
            builder.applicationLibraryFolder(folder);
        }
        return builder;
    }

    /**
     * Returns the folders of another application's libraries, for {@link VulkanLoader.Builder#layerFolders}.
     *
     * <p>The application's manifest must name the package in {@code <queries>} to see it, from Android 11 on.
     *
     * @throws IllegalArgumentException if no such package is visible to this application
     */
    public static List<String> layerFolders(Context context, String packageName) {
        try {
            return librariesOf(context.getPackageManager().getApplicationInfo(packageName, 0));
        } catch (PackageManager.NameNotFoundException exception) {
            throw new IllegalArgumentException("there is no package " + packageName + " that this application sees; install it, and name it "
                    + "in <queries> of AndroidManifest.xml", exception);
        }
    }

    /**
     * Returns the layer manifests ({@code *.json}) in a folder of the application's assets, such as {@code vulkan/explicit_layer.d}, for
     * {@link VulkanLoader.Builder#layerManifests}: none if the folder does not exist.
     *
     * @param assetFolder as {@link AssetManager#list} takes it; empty for the assets themselves
     * @throws IOException if one cannot be read
     */
    public static List<String> layerManifests(Context context, String assetFolder) throws IOException {
        AssetManager assets = context.getAssets();
        String[] names = assets.list(assetFolder);
        List<String> manifests = new ArrayList<>();
        for (String name : names == null ? new String[0] : names) {
            if (name.endsWith(".json")) {
                manifests.add(text(assets, assetFolder.isEmpty() ? name : assetFolder + "/" + name));
            }
        }
        return manifests;
    }

    /**
     * A {@linkplain Driver#driverPackage driver package} that is unpacked to the code cache of the context: each user's own. Before the user has
     * unlocked the device it has to be a device-protected context; an isolated process has no code cache.
     */
    public static Driver driverPackage(Context context, String path) {
        return Driver.driverPackage(path, context.getCodeCacheDir().getPath());
    }

    /**
     * Returns the layers that the device's developer settings name for this application, if it may be debugged. Above the system's driver
     * they are active without vkload; an application with a driver of its own gives each to {@link VulkanLoader.Builder#layer}.
     */
    public static List<String> developerLayers(Context context) {
        ContentResolver settings = context.getContentResolver();
        if (!isDebuggable(context) || !"1".equals(Settings.Global.getString(settings, "enable_gpu_debug_layers"))
                || !context.getPackageName().equals(Settings.Global.getString(settings, "gpu_debug_app"))) {
            return new ArrayList<>();
        }
        String layers = Settings.Global.getString(settings, "gpu_debug_layers");
        return layers == null || layers.isEmpty() ? new ArrayList<>() : Arrays.asList(layers.split(":"));
    }

    /** Returns whether the application may be debugged: a reason for a validation layer. */
    public static boolean isDebuggable(Context context) {
        return (context.getApplicationInfo().flags & ApplicationInfo.FLAG_DEBUGGABLE) != 0;
    }

    /** Returns the folders of an application's libraries: unpacked ones, and those in its APKs for the ABI of this process. */
    private static List<String> librariesOf(ApplicationInfo application) {
        List<String> folders = new ArrayList<>();
        if (application.nativeLibraryDir != null) {
            folders.add(application.nativeLibraryDir);
        }
        String inside = insideApk();
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

    /** Returns the path in an APK of the libraries for the ABI of this process. */
    @SuppressWarnings("deprecation") // Its replacement does not show the ABI of a process that a native bridge runs.
    private static String insideApk() {
        return "!/lib/" + Build.CPU_ABI;
    }

    /**
     * Returns the library folders of modules that SplitCompat only emulates: it keeps their APKs in the files of this version of the
     * application, and their unpacked libraries in a folder for each module.
     */
    @SuppressWarnings("deprecation") // Its replacement is for levels from 28 on, and SplitCompat uses this one.
    private static List<String> librariesOfModules(Context context) {
        List<String> folders = new ArrayList<>();
        File modules = new File(context.getFilesDir(), "splitcompat");
        if (!modules.isDirectory()) {
            return folders;
        }
        File version;
        try {
            int code = context.getPackageManager().getPackageInfo(context.getPackageName(), 0).versionCode;
            version = new File(modules, Integer.toString(code));
        } catch (PackageManager.NameNotFoundException exception) {
            return folders;
        }
        for (File unpacked : sorted(new File(version, "native-libraries"))) {
            folders.add(unpacked.getPath());
        }
        for (File split : sorted(new File(version, "verified-splits"))) {
            if (split.getName().endsWith(".apk")) {
                folders.add(split.getPath() + insideApk());
            }
        }
        return folders;
    }

    /** Returns the files in a folder, sorted by name; an empty array if the folder does not exist. */
    private static File[] sorted(File folder) {
        File[] files = folder.listFiles();
        if (files == null) {
            return new File[0];
        }
        Arrays.sort(files);
        return files;
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
