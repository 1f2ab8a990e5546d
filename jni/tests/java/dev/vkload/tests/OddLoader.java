package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.DeviceInfo;
import dev.vkload.LayerInfo;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.util.List;

/** Tests bad answers of a loader (fake/odd.c). */
public final class OddLoader {
    private OddLoader() {}

    private static VulkanLoader odd(String how) {
        return VulkanLoader.builder().environment("ODD", how).build();
    }

    public static void listsThatChangeMeanwhileAreAskedForAgain() {
        try (VulkanLoader loader = odd("grows-once")) {
            equal(loader.layers().size(), 4);
        }
        try (VulkanLoader loader = odd("shrinks")) {
            equal(loader.layers().size(), 3);
        }
        try (VulkanLoader loader = odd("grows-always")) {
            String message = thrown(VulkanLoaderException.class, loader::layers);
            check(message.contains("VK_INCOMPLETE") && message.contains("try again"), message);
        }
    }

    public static void whatFailsIsNamed() {
        try (VulkanLoader loader = odd("layers-fail")) {
            String message = thrown(VulkanLoaderException.class, loader::layers);
            check(message.startsWith("vkEnumerateInstanceLayerProperties failed with VkResult -13: "), message);
        }
        try (VulkanLoader loader = odd("endless")) {
            String message = thrown(VulkanLoaderException.class, loader::layers);
            check(message.contains("4294967295"), message);
        }
        try (VulkanLoader loader = odd("devices-fail")) {
            String message = thrown(VulkanLoaderException.class, loader::devices);
            check(message.startsWith("vkEnumeratePhysicalDevices failed with VK_ERROR_OUT_OF_HOST_MEMORY: "), message);
        }
        // The instance before this one was destroyed.
        try (VulkanLoader loader = odd("no-devices")) {
            String message = thrown(VulkanLoaderException.class, loader::devices);
            check(message.startsWith("vkEnumeratePhysicalDevices failed with VK_ERROR_INITIALIZATION_FAILED: "), message);
        }
        try (VulkanLoader loader = odd("empty")) {
            String start = " failed with VK_ERROR_INITIALIZATION_FAILED: ";
            check(thrown(VulkanLoaderException.class, loader::layers).startsWith("vkEnumerateInstanceLayerProperties" + start), "layers");
            check(thrown(VulkanLoaderException.class, loader::extensions).startsWith("vkEnumerateInstanceExtensionProperties" + start), "extensions");
            check(thrown(VulkanLoaderException.class, loader::devices).startsWith("vkCreateInstance" + start), "devices");
        }
    }

    public static void textsWithoutAnEndEndWithTheirField() {
        try (VulkanLoader loader = odd("nothing")) {
            List<LayerInfo> layers = loader.layers();
            equal(layers.size(), 4);
            for (int index = 0; index < 4; index++) {
                equal(layers.get(index).getName().replace("a", "").length(), 0);
                equal(layers.get(index).getName().length(), 256);
                equal(layers.get(index).getImplementationVersion(), index);
                equal(layers.get(index).getDescription().replace("\uFFFD", "").length(), 0);
                equal(layers.get(index).getDescription().length(), 256);
            }
        }
    }

    public static void everyKindOfDevice() {
        for (String how : new String[] {"nothing", "old"}) {
            try (VulkanLoader loader = odd(how)) {
                List<DeviceInfo> devices = loader.devices();
                equal(devices.size(), 7);
                for (int index = 0; index < 7; index++) {
                    DeviceInfo device = devices.get(index);
                    DeviceInfo.Kind[] kinds = DeviceInfo.Kind.values();
                    DeviceInfo.Kind kind = index < kinds.length ? kinds[index] : DeviceInfo.Kind.OTHER;
                    equal(device.toString(), "device " + index + " (" + kind + ", Vulkan 1.1." + index + ")");
                    equal(device.getKind(), kind);
                    equal(device.getDriverVersion(), 0x80000000 + index);
                    equal(device.getVendorId(), 0x10000 + index);
                    equal(device.getDeviceId(), 0x20000 + index);
                }
            }
        }
    }

    public static void sixtyFourDevicesAreLookedAt() {
        try (VulkanLoader loader = odd("many-devices")) {
            List<DeviceInfo> devices = loader.devices();
            equal(devices.size(), 64);
            equal(devices.get(63).getName(), "device 63");
        }
    }

    public static void aReportThatIsNotThereOrGrowsIsSaid() {
        try (VulkanLoader loader = odd("no-report")) {
            check(thrown(VulkanLoaderException.class, loader::doctor).contains("memory"), "no report");
        }
        try (VulkanLoader loader = odd("report-grows")) {
            check(thrown(VulkanLoaderException.class, loader::doctor).contains("grows each time"), "grows");
        }
    }
}
