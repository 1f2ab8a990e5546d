package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;

/** A loader that finds no driver. */
public final class NoDriver {
    private NoDriver() {}

    public static void devicesSayWhatToDo() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            try {
                loader.devices();
            } catch (VulkanLoaderException exception) {
                check(exception.getResult() == -9, exception.getResult());
            }
            String message = thrown(VulkanLoaderException.class, loader::devices);
            check(message.startsWith("vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER: "), message);
            check(message.contains("doctor()"), message);
        }
    }
}
