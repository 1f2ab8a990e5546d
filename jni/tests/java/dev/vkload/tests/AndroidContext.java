package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import android.app.Activity;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import android.provider.Settings;
import dev.vkload.VulkanLoader;
import dev.vkload.android.AndroidLoader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Tests the folders that the builder takes from an application's context. */
public final class AndroidContext {
    private AndroidContext() {}

    private static final class Own extends Activity {
        private final ApplicationInfo application = application("own", "/data/own/lib");
        private File files = new File("/data/own/files");

        @Override
        public ApplicationInfo getApplicationInfo() {
            return application;
        }

        @Override
        public PackageManager getPackageManager() {
            return new PackageManager() {
                @Override
                public ApplicationInfo getApplicationInfo(String name, int flags) throws NameNotFoundException {
                    if (name.equals("org.layers")) {
                        ApplicationInfo layers = application("layers", null);
                        layers.splitSourceDirs = null;
                        return layers;
                    }
                    throw new NameNotFoundException();
                }

                @Override
                public PackageInfo getPackageInfo(String name, int flags) throws NameNotFoundException {
                    equal(name, "org.own");
                    PackageInfo own = new PackageInfo();
                    own.versionCode = 7;
                    return own;
                }
            };
        }

        @Override
        public AssetManager getAssets() {
            return new AssetManager() {
                @Override
                public String[] list(String path) {
                    return path.equals("missing") ? null : new String[] {"b.json", "readme.txt"};
                }

                @Override
                public InputStream open(String name) {
                    return new ByteArrayInputStream(("{\"" + name + "\": \"ü\"}").getBytes(StandardCharsets.UTF_8)) {
                        @Override
                        public int read(byte[] bytes, int start, int room) {
                            return super.read(bytes, start, Math.min(room, 3));
                        }

                        @Override
                        public int read(byte[] bytes) {
                            return read(bytes, 0, bytes.length);
                        }
                    };
                }
            };
        }

        @Override
        public File getCodeCacheDir() {
            return new File("/data/own/code_cache");
        }

        @Override
        public File getFilesDir() {
            return files;
        }

        @Override
        public String getPackageName() {
            return "org.own";
        }
    }

    private static ApplicationInfo application(String name, String folder) {
        ApplicationInfo application = new ApplicationInfo();
        application.nativeLibraryDir = folder;
        application.sourceDir = "/data/" + name + "/base.apk";
        application.splitSourceDirs = new String[] {"/data/" + name + "/split.apk"};
        return application;
    }

    public static void everythingReachesTheLoader() throws IOException {
        Context context = new Own();
        VulkanLoader.Builder builder = AndroidLoader.builder(context)
                .layerFolders(AndroidLoader.layerFolders(context, "org.layers"))
                .layerFolder("/named")
                .layerManifests(AndroidLoader.layerManifests(context, "vulkan"))
                .layerManifests(AndroidLoader.layerManifests(context, ""))
                .layerManifests(AndroidLoader.layerManifests(context, "missing"))
                .driver(AndroidLoader.driverPackage(context, "/sdcard/turnip.zip"));
        try (VulkanLoader loader = builder.build()) {
            equal(loader.doctor().getJson(), "{\"layers\":[],\"layer_folders\":["
                    // Named folders come before the application's own, and unpacked libraries before packed ones.
                    + "\"/data/layers/base.apk!/lib/arm64-v8a\",\"/named\","
                    + "\"/data/own/lib\",\"/data/own/base.apk!/lib/arm64-v8a\",\"/data/own/split.apk!/lib/arm64-v8a\"],"
                    + "\"manifests\":[\"{\\\"vulkan/b.json\\\": \\\"ü\\\"}\",\"{\\\"b.json\\\": \\\"ü\\\"}\"],"
                    + "\"driver\":{\"package\":\"/sdcard/turnip.zip\",\"unpack_to\":\"/data/own/code_cache\"}}");
        }
    }

    public static void anApplicationMayHaveNoLibraries() {
        Own context = new Own();
        context.application.nativeLibraryDir = null;
        context.application.sourceDir = null;
        context.application.splitSourceDirs = null;
        try (VulkanLoader loader = AndroidLoader.builder(context).build()) {
            equal(loader.doctor().getJson(), "{\"layers\":[],\"layer_folders\":[],\"manifests\":[]}");
        }
    }

    /** As SplitCompat places them if Android does not install modules without ending the application. */
    public static void modulesThatSplitCompatEmulatesAreSearched() throws IOException {
        Path files = Files.createTempDirectory("files");
        String version = files + "/splitcompat/7";
        for (String folder : new String[] {"/native-libraries/layers", "/native-libraries/driver", "/verified-splits"}) {
            Files.createDirectories(Paths.get(version + folder));
        }
        Files.createDirectories(Paths.get(files + "/splitcompat/6/native-libraries/old"));
        for (String name : new String[] {"layers.apk", "driver.config.arm64_v8a.apk", "layers.tmp"}) {
            Files.createFile(Paths.get(version + "/verified-splits/" + name));
        }
        Own context = new Own();
        context.files = files.toFile();
        try (VulkanLoader loader = AndroidLoader.builder(context).build()) {
            String inside = "!/lib/arm64-v8a\"";
            equal(loader.doctor().getJson(), "{\"layers\":[],\"layer_folders\":["
                    + "\"/data/own/lib\",\"/data/own/base.apk" + inside + ",\"/data/own/split.apk" + inside + ","
                    + "\"" + version + "/native-libraries/driver\",\"" + version + "/native-libraries/layers\","
                    + "\"" + version + "/verified-splits/driver.config.arm64_v8a.apk" + inside + ","
                    + "\"" + version + "/verified-splits/layers.apk" + inside + "],\"manifests\":[]}");
        }
    }

    public static void anApplicationIsDebuggableIfItsFlagsSaySo() {
        Own context = new Own();
        context.application.flags = ~ApplicationInfo.FLAG_DEBUGGABLE;
        check(!AndroidLoader.isDebuggable(context), "not debuggable");
        context.application.flags = ApplicationInfo.FLAG_DEBUGGABLE;
        check(AndroidLoader.isDebuggable(context), "debuggable");
    }

    public static void theDeveloperSettingsAreForOneDebuggableApplication() {
        Own context = new Own();
        Settings.Global.VALUES.put("enable_gpu_debug_layers", "1");
        Settings.Global.VALUES.put("gpu_debug_app", "org.own");
        Settings.Global.VALUES.put("gpu_debug_layers", "VK_LAYER_a:VK_LAYER_b");
        equal(AndroidLoader.developerLayers(context).toString(), "[]");
        context.application.flags = ApplicationInfo.FLAG_DEBUGGABLE;
        equal(AndroidLoader.developerLayers(context).toString(), "[VK_LAYER_a, VK_LAYER_b]");
        for (String[] other : new String[][] {{"gpu_debug_layers", ""}, {"gpu_debug_app", "org.other"}, {"enable_gpu_debug_layers", "0"}}) {
            String before = Settings.Global.VALUES.put(other[0], other[1]);
            equal(AndroidLoader.developerLayers(context).toString(), "[]");
            Settings.Global.VALUES.put(other[0], before);
        }
        Settings.Global.VALUES.clear();
    }

    public static void aPackageThatIsNotSeenIsNamed() {
        String message = thrown(IllegalArgumentException.class,
                () -> AndroidLoader.layerFolders(new Own(), "org.missing"));
        check(message.contains("org.missing") && message.contains("<queries>"), message);
    }
}
