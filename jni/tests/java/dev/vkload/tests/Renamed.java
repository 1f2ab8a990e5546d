package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;

/** An application whose classes have got other names. */
public final class Renamed {
    private Renamed() {}

    public static void theNameToKeepIsSaid() {
        String message = thrown(VulkanLoaderException.class, VulkanLoader.builder()::build);
        check(message.contains("(dev/vkload/Native)") && message.contains("keep the name of the class"), message);
    }
}
