package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.io.IOException;

/** An Android system without Vulkan. */
public final class NoVulkan {
    private NoVulkan() {}

    public static void devicesAndTheReportSayWhatIsWrong() throws IOException {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            String message = thrown(VulkanLoaderException.class, loader::devices);
            check(message.startsWith("vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER: "), message);
            check(message.contains("doctor()"), message);
            String text = loader.doctor().getText();
            check(text.contains("libvulkan.so: not used: the library does not open"), text);
            check(!text.contains("libvulkan.so: used"), text);
            check(InApplication.json(loader, "none").contains("\"does-not-open\""), "JSON");
        }
    }
}
