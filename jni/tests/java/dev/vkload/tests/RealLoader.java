package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.DeviceInfo;
import dev.vkload.ExtensionInfo;
import dev.vkload.LayerInfo;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.util.List;

/** Tests the layers and devices of a real loader, with the null driver and a layer's manifest. */
public final class RealLoader {
    private RealLoader() {}

    public static void devices() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            for (int round = 0; round < 20; round++) {
                List<DeviceInfo> devices = loader.devices();
                equal(devices.size(), 1);
                equal(devices.get(0).toString(), "null (OTHER, Vulkan 1.4.0)");
                equal(devices, loader.devices());
                thrown(UnsupportedOperationException.class, devices::clear);
            }
        }
    }

    public static void extensions() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            List<ExtensionInfo> all = loader.extensions();
            check(all.stream().anyMatch(it -> it.getName().equals("VK_EXT_debug_utils") && it.getSpecVersion() == 2), all);
            List<ExtensionInfo> own = loader.extensions("VK_LAYER_TEST_of_java");
            equal(own.toString(), "[VK_EXT_validation_features 5]");
            String message = thrown(VulkanLoaderException.class, () -> loader.extensions("VK_LAYER_missing"));
            check(message.contains("VK_ERROR_LAYER_NOT_PRESENT") && message.contains("doctor()"), message);
            String nul = thrown(IllegalArgumentException.class, () -> loader.extensions("VK_LAYER_TEST_of_java\0x"));
            check(nul.contains("NUL"), nul);
        }
    }

    public static void layers() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            List<LayerInfo> layers = loader.layers();
            equal(layers.size(), 1);
            equal(layers.get(0).toString(), "VK_LAYER_TEST_of_java (Vulkan 1.3.250): it says ü");
            equal(layers.get(0).getImplementationVersion(), 7);
        }
    }

    public static void theAddressIsThatOfTheLoader() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            check(loader.getInstanceProcAddr() != 0, "no address");
            equal(loader.getInstanceProcAddr(), loader.getInstanceProcAddr());
        }
    }
}
