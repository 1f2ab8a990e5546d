package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.Driver;
import dev.vkload.LogLevel;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A builder's choices reach the loader; mistakes cause exceptions. */
public final class Options {
    private Options() {}

    public static void everythingReachesTheLoader() {
        VulkanLoader.Builder builder = VulkanLoader.builder()
                .layer("VK_LAYER_a").layer("VK_LAYER_b")
                .applicationLibraryFolder("/own/lib")
                .layerFolder("/a/base.apk!/lib/x86_64")
                .layerManifest("{\"file\\format\"\n}")
                .driver("turnip", Driver.driverPackage("/a/t.zip", "/cache"))
                .driver("own", Driver.system())
                .useDriver("turnip")
                .environment("VK_LOADER_DEBUG", "all");
        try (VulkanLoader loader = builder.build()) {
            equal(loader.doctor().getJson(), "{\"layers\":[\"VK_LAYER_a\",\"VK_LAYER_b\"],"
                    + "\"layer_folders\":[\"/a/base.apk!/lib/x86_64\",\"/own/lib\"],"
                    + "\"manifests\":[\"{\\\"file\\\\format\\\"\\u000a}\"],"
                    + "\"drivers\":[{\"name\":\"turnip\",\"package\":\"/a/t.zip\",\"unpack_to\":\"/cache\"},{\"name\":\"own\",\"system\":true}],"
                    + "\"use\":\"turnip\",\"environment\":{\"VK_LOADER_DEBUG\":\"all\"}}");
        }
    }

    public static void settingsOfLayersHaveTheirTypes() {
        VulkanLoader.Builder builder = VulkanLoader.builder()
                .layerSetting("VK_LAYER_a", "sync", false)
                .layerSetting("VK_LAYER_a", "limits", 1, -2)
                .layerSetting("VK_LAYER_a", "limit", Long.MIN_VALUE)
                .layerSettingUnsigned("VK_LAYER_a", "mask", -1)
                .layerSettingUnsigned("VK_LAYER_a", "masks", -1L, 0)
                .layerSetting("VK_LAYER_a", "half", 0.5f)
                .layerSetting("VK_LAYER_a", "great", 1e300)
                .layerSetting("VK_LAYER_a", "names", "\"", "ü")
                .layerSetting("VK_LAYER_a", "none", new String[0])
                .layerSetting("VK_LAYER_a", "sync", true);
        try (VulkanLoader loader = builder.build()) {
            String json = loader.doctor().getJson();
            StringBuilder expected = new StringBuilder();
            for (String setting : new String[] {"limits int32 1,-2", "limit int64 -9223372036854775808", "mask uint32 4294967295",
                    "masks uint64 18446744073709551615,0", "half float32 0.5", "great float64 1.0E300",
                    "names string \"\\\"\",\"ü\"", "none string ", "sync bool32 true"}) {
                String[] parts = setting.split(" ", 3);
                expected.append(",{\"layer\":\"VK_LAYER_a\",\"name\":\"").append(parts[0]).append("\",\"type\":\"").append(parts[1])
                        .append("\",\"values\":[").append(parts[2]).append("]}");
            }
            check(json.contains("\"layer_settings\":[" + expected.substring(1) + "]"), json);
        }
        String message = thrown(IllegalArgumentException.class, () -> builder.layerSetting("VK_LAYER_a", "b", 0.0f / 0.0f));
        check(message.contains("\"b\"") && message.contains("NaN"), message);
    }

    public static void theLastOfSeveralOnlyDriversCounts() {
        VulkanLoader.Builder builder = VulkanLoader.builder().driver(Driver.system()).driver(Driver.library("/a/libvulkan_x.so"));
        try (VulkanLoader loader = builder.build()) {
            equal(loader.doctor().getJson(), "{\"layers\":[],\"layer_folders\":[],\"manifests\":[],"
                    + "\"driver\":{\"library\":\"/a/libvulkan_x.so\"}}");
        }
    }

    public static void driversThatContradictEachOtherAreRefused() {
        VulkanLoader.Builder both = VulkanLoader.builder().driver(Driver.system()).driver("a", Driver.system());
        check(thrown(IllegalStateException.class, both::build).contains("either driver(driver)"), "both");
        VulkanLoader.Builder missing = VulkanLoader.builder().driver("a", Driver.system()).useDriver("b");
        check(thrown(IllegalStateException.class, missing::build).contains("\"b\""), "missing");
        missing.driver("b", Driver.system()).build().close();
    }

    public static void everyCharacterReachesTheLoader() {
        try (VulkanLoader loader = VulkanLoader.builder().layer("ü\uD83C\uDF0B\0\uD83C.").build()) {
            equal(loader.doctor().getJson(), "{\"layers\":[\"ü\uD83C\uDF0B\\u0000\uFFFD.\"],\"layer_folders\":[],\"manifests\":[]}");
        }
    }

    public static void reportsOfAnyLengthAreWhole() {
        String start = "{\"layers\":[\"";
        String end = "\"],\"layer_folders\":[],\"manifests\":[]}";
        // The first attempt has a buffer of 16 KiB with the NUL.
        for (int length : new int[] {16_383, 16_384, 16_385, 150_000}) {
            char[] name = new char[length - start.length() - end.length()];
            Arrays.fill(name, 'a');
            try (VulkanLoader loader = VulkanLoader.builder().layer(new String(name)).build()) {
                equal(loader.doctor().getJson(), start + new String(name) + end);
            }
        }
    }

    public static void whatTheLoaderRefusesIsSaidInItsWords() {
        VulkanLoader.Builder refused = VulkanLoader.builder().layer("VK_LAYER_refused");
        equal(thrown(VulkanLoaderException.class, refused::build), "no layer is called VK_LAYER_refused \uD83C\uDF0B; take it out");
        String message = thrown(VulkanLoaderException.class, VulkanLoader.builder().layer("VK_LAYER_silent")::build);
        check(message.contains("VK_LAYER_silent"), message);
        // The next one is not in the way of one that failed.
        VulkanLoader.builder().build().close();
    }

    public static void theLoadersLibraryMayBeElsewhere() {
        String path = System.getProperty("java.library.path") + "/elsewhere/libvkload.so";
        try (VulkanLoader loader = VulkanLoader.builder().layer("VK_LAYER_a").loaderLibrary(path).build()) {
            check(loader.doctor().getJson().contains("VK_LAYER_a"), "options");
        }
    }

    public static void librariesThatAreMissingOrOthersAreNamed() {
        String missing = thrown(VulkanLoaderException.class, VulkanLoader.builder().loaderLibrary("/missing/libvkload.so")::build);
        check(missing.contains("/missing/libvkload.so") && missing.contains("check the path"), missing);
        String path = System.getProperty("java.library.path") + "/libvkload_jni.so";
        String other = thrown(VulkanLoaderException.class, VulkanLoader.builder().loaderLibrary(path)::build);
        check(other.startsWith(path) && other.contains("vkload_configure"), other);
    }

    public static void wrongArgumentsAreRefusedWhereTheyAreGiven() {
        VulkanLoader.Builder builder = VulkanLoader.builder();
        check(thrown(IllegalArgumentException.class, () -> builder.layerFolder("layers")).contains("\"layers\""), "folder");
        check(thrown(IllegalArgumentException.class, () -> Driver.library("x.so")).contains("absolute"), "library");
        check(thrown(NullPointerException.class, () -> builder.layer(null)).contains("name"), "layer");
        check(thrown(NullPointerException.class, () -> builder.log(LogLevel.INFO, null)).contains("listener"), "listener");
        check(thrown(IllegalArgumentException.class, () -> builder.waitingRecords(0)).contains("not 0"), "records");
        builder.driver("a", Driver.system());
        check(thrown(IllegalArgumentException.class, () -> builder.driver("a", Driver.system())).contains("\"a\""), "name");
    }

    public static void aPathWithANulIsRefused() {
        String message = thrown(IllegalArgumentException.class, VulkanLoader.builder().loaderLibrary("/a\0b")::build);
        check(message.contains("NUL"), message);
        VulkanLoader.builder().build().close();
    }

    public static void thereIsOneAtATime() {
        VulkanLoader first = VulkanLoader.builder().build();
        check(thrown(IllegalStateException.class, VulkanLoader.builder()::build).contains("close it first"), "two");
        first.close();
        first.close();
        check(thrown(IllegalStateException.class, first::doctor).contains("closed"), "doctor");
        check(thrown(IllegalStateException.class, first::layers).contains("closed"), "layers");
        check(thrown(IllegalStateException.class, first::getInstanceProcAddr).contains("closed"), "instanceProcAddr");
        VulkanLoader second = VulkanLoader.builder().build();
        // Closing a closed loader does not permit a third.
        first.close();
        thrown(IllegalStateException.class, VulkanLoader.builder()::build);
        second.close();
    }

    public static void manyThreadsAtOnce() throws InterruptedException {
        AtomicInteger built = new AtomicInteger();
        List<Throwable> failures = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(1);
        VulkanLoader loader = VulkanLoader.builder().log(LogLevel.DEBUG, (level, text) -> {}).build();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Thread thread = new Thread(() -> {
                try {
                    all.await();
                    for (int round = 0; round < 200; round++) {
                        loader.doctor();
                        try {
                            VulkanLoader.builder().build();
                            built.incrementAndGet();
                        } catch (IllegalStateException expected) {
                            continue;
                        }
                    }
                } catch (Throwable thrown) {
                    synchronized (failures) {
                        failures.add(thrown);
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        all.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        loader.close();
        equal(failures, new ArrayList<Throwable>());
        equal(built.get(), 0);
    }

    public static void withoutVulkanThereIsNoAddress() {
        if (System.getenv("FAKE_VULKAN") == null) {
            try (VulkanLoader loader = VulkanLoader.builder().build()) {
                check(thrown(VulkanLoaderException.class, loader::getInstanceProcAddr).contains("vkGetInstanceProcAddr"), "address");
            }
        }
    }
}
