package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.DeviceInfo;
import dev.vkload.Driver;
import dev.vkload.ExtensionInfo;
import dev.vkload.LayerInfo;
import dev.vkload.LogLevel;
import dev.vkload.Report;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The loader itself, on an Android system in a folder: {@code jni/tests/application/android.rs} sets it up. */
public final class InApplication {
    static final String PACKAGE = "/data/app/game/base.apk!/lib/x86_64";
    private static final String SETTINGS = "VK_LAYER_TEST_settings";

    private InApplication() {}

    /** The place of a file of the Android system. */
    static Path place(String path) {
        return Paths.get(System.getenv("VKLOAD_TEST_ANDROID") + path);
    }

    /** Writes a report as JSON. */
    static String json(VulkanLoader loader, String name) throws IOException {
        String json = loader.doctor().getJson();
        Files.write(place("/reports/" + name + ".json"), json.getBytes(StandardCharsets.UTF_8));
        return json;
    }

    /** The device that the system's loader has. */
    static void isTheSystems(List<DeviceInfo> devices) {
        equal(devices.size(), 1);
        String expected = System.getenv("VKLOAD_TEST_DEVICE");
        check(devices.get(0).toString().startsWith(expected), devices);
    }

    public static void theDevicesAreTheSystems() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            for (int round = 0; round < 20; round++) {
                isTheSystems(loader.devices());
            }
            check(loader.doctor().getText().contains("libvulkan.so: used"), loader.doctor().getText());
        }
    }

    public static void layersOfFoldersAndPackages() throws IOException {
        VulkanLoader.Builder builder = VulkanLoader.builder().layerFolder("/libs").layerFolder(PACKAGE).layer("VK_LAYER_TEST_packed");
        try (VulkanLoader loader = builder.build()) {
            List<String> layers = new ArrayList<>();
            for (LayerInfo layer : loader.layers()) {
                layers.add(layer.toString());
                equal(layer.getImplementationVersion(), 1);
            }
            Collections.sort(layers);
            equal(layers.toString(), "[VK_LAYER_TEST_packed (Vulkan 1.0.0): a layer for tests, "
                    + "VK_LAYER_TEST_settings (Vulkan 1.0.0): a layer for tests]");
            isTheSystems(loader.devices());
            String text = loader.doctor().getText();
            check(text.contains("VK_LAYER_TEST_packed (" + PACKAGE + "/libVkLayer_packed.so): active"), text);
            check(text.contains("/libs/libVkLayer_mute.so: not used: it does not export vkEnumerateInstanceLayerProperties"), text);
            check(text.contains("libVkLayer_compressed.so: not used: it is compressed in the archive"), text);
            check(json(loader, "layers").contains("\"decision\":\"compressed\""), "JSON");
            equal(loader.doctor().getDrivers().toString(), "[libvulkan.so: used]");
            Report.Entry packed = loader.doctor().getLayers().get(1);
            equal(packed.toString(), "VK_LAYER_TEST_packed: active");
            equal(packed.getLibrary(), PACKAGE + "/libVkLayer_packed.so");
        }
        try (VulkanLoader loader = VulkanLoader.builder().layerFolder("/libs").layer("VK_LAYER_\"\\\u0001ü").build()) {
            Report.Entry missing = loader.doctor().getLayers().get(1);
            check(missing.getName().contains("\"\\") && missing.getName().endsWith("ü"), missing);
            equal(missing.getDecision(), "not-found");
            check(missing.getReason() != null && missing.getLibrary() == null, missing);
        }
    }

    public static void extensions() {
        try (VulkanLoader loader = VulkanLoader.builder().layerFolder("/libs").build()) {
            List<ExtensionInfo> all = loader.extensions();
            check(all.stream().anyMatch(it -> it.getName().equals("VK_EXT_debug_utils")), all);
            equal(loader.extensions(SETTINGS).toString(), "[VK_EXT_layer_settings 7, VK_EXT_validation_features 7]");
            String message = thrown(VulkanLoaderException.class, () -> loader.extensions("VK_LAYER_missing"));
            check(message.contains("VK_ERROR_LAYER_NOT_PRESENT") && message.contains("doctor()"), message);
        }
    }

    public static void settingsReachTheirLayer() throws IOException {
        Path trace = place("/layers.trace");
        VulkanLoader.Builder builder = VulkanLoader.builder().layerFolder("/libs").layer(SETTINGS)
                .layerSetting(SETTINGS, "sync", true)
                .layerSetting(SETTINGS, "limits", 1, -2)
                .layerSettingUnsigned(SETTINGS, "mask", -1L)
                .layerSetting(SETTINGS, "names", "ü", "b")
                .layerSetting("VK_LAYER_missing", "sync", true);
        try (VulkanLoader loader = builder.build()) {
            Files.deleteIfExists(trace);
            isTheSystems(loader.devices());
            List<String> heard = new ArrayList<>(Files.readAllLines(trace));
            heard.removeIf(line -> !line.startsWith(SETTINGS + " setting"));
            equal(heard.toString(), "[" + SETTINGS + " setting sync bool32 1, " + SETTINGS + " setting limits int32 1 -2, "
                    + SETTINGS + " setting mask uint64 18446744073709551615, " + SETTINGS + " setting names string ü b, "
                    + SETTINGS + " settings-enabled]");
            String text = loader.doctor().getText();
            check(text.contains(SETTINGS + ": sync = [true]: passed on\n"), text);
            check(text.contains("VK_LAYER_missing: sync = [true]: has no effect"), text);
            check(json(loader, "settings").contains("\"decision\":\"no-layer\""), "JSON");
        }
    }

    public static void aListenerHearsTheLoaderAndTheSearch() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        VulkanLoader.Builder builder = VulkanLoader.builder().layerFolder("/libs").layer(SETTINGS).layer("VK_LAYER_missing")
                .log(LogLevel.INFO, (level, text) -> heard.add(level + " " + text));
        try (VulkanLoader loader = builder.build()) {
            isTheSystems(loader.devices());
        }
        String all = String.join("\n", heard);
        check(all.contains("INFO layer " + SETTINGS + " is active"), all);
        check(all.contains("WARNING /libs/libVkLayer_mute.so: no layers of it are used"), all);
        check(all.contains("VK_LAYER_missing"), all);
        check(!all.contains("DEBUG"), all);
    }

    public static void driversByLibraryAndName() throws IOException {
        VulkanLoader.Builder both = VulkanLoader.builder()
                .driver("own", Driver.library("/own/libvulkan_icd.so")).driver("device", Driver.system());
        try (VulkanLoader loader = both.build()) {
            equal(loader.devices().size(), 2);
        }
        try (VulkanLoader loader = both.useDriver("own").build()) {
            equal(loader.devices().toString(), "[null (OTHER, Vulkan 1.4.0)]");
            check(loader.doctor().getText().contains("/own/libvulkan_icd.so: chosen, icd"), loader.doctor());
            check(json(loader, "drivers").contains("\"decision\":\"not-chosen\""), "JSON");
        }
        try (VulkanLoader loader = both.useDriver("device").build()) {
            isTheSystems(loader.devices());
        }
    }

    public static void aDriverOfAPackage() throws IOException {
        VulkanLoader.Builder builder = VulkanLoader.builder().driver(Driver.driverPackage("/drivers/null.zip", "/cache"));
        try (VulkanLoader loader = builder.build()) {
            equal(loader.devices().toString(), "[null (OTHER, Vulkan 1.4.0)]");
            check(json(loader, "package").contains("\"driver_version\":\"0.7\""), "JSON");
        }
    }

    public static void aBrokenPackageIsAnExceptionWithItsReason() {
        String[][] wrong = {
            {"/drivers/empty.zip", "/cache", "vulkan.null.so, which is not in the root"},
            {"/drivers/missing.zip", "/cache", "/drivers/missing.zip"},
            {"/drivers/null.zip", "/nowhere", "the folder does not exist; create it"},
        };
        for (String[] one : wrong) {
            VulkanLoader.Builder builder = VulkanLoader.builder().driver(Driver.driverPackage(one[0], one[1]));
            String message = thrown(VulkanLoaderException.class, builder::build);
            check(message.contains(one[0]) && message.contains(one[2]), message);
        }
        String message = thrown(VulkanLoaderException.class,
                VulkanLoader.builder().driver(Driver.library("/libs/libVkLayer_settings.so"))::build);
        check(message.contains("is not a Vulkan driver"), message);
        // Refused options appear in the report at the start of the next loader, and disappear when options are accepted.
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            check(!loader.doctor().getText().contains("do not count"), loader.doctor());
        }
    }

    public static void manyThreadsAtOnce() throws InterruptedException {
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(1);
        VulkanLoader.Builder builder = VulkanLoader.builder().layerFolder("/libs").layer(SETTINGS).layerSetting(SETTINGS, "sync", true)
                .log(LogLevel.DEBUG, (level, text) -> {});
        try (VulkanLoader loader = builder.build()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        all.await();
                        for (int round = 0; round < 5; round++) {
                            isTheSystems(loader.devices());
                            equal(loader.layers().size(), 1);
                            check(loader.doctor().getText().contains("active"), "doctor");
                        }
                    } catch (Throwable failure) {
                        failures.add(failure);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            all.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        equal(failures, new ArrayList<Throwable>());
    }

    public static void theAddressIsThatOfTheLoader() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            check(loader.getInstanceProcAddr() != 0, "no address");
            equal(loader.getInstanceProcAddr(), loader.getInstanceProcAddr());
        }
    }
}
