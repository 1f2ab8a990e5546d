package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.Driver;
import dev.vkload.LogLevel;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A HAL module that lacks a function, which the level beneath the loader notices. A process can have one module, so this has its own. */
public final class PoorDriver {
    private PoorDriver() {}

    public static void aListenerHearsTheDriverLevel() {
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        VulkanLoader.Builder builder = VulkanLoader.builder().driver(Driver.library("/own/libvulkan_poor.so"))
                .log(LogLevel.ERROR, (level, text) -> heard.add(level + " " + text));
        try (VulkanLoader loader = builder.build()) {
            String message = thrown(VulkanLoaderException.class, loader::devices);
            check(message.contains("VK_ERROR_INCOMPATIBLE_DRIVER"), message);
        }
        check(heard.contains("ERROR the driver's instance lacks vkDestroyInstance: the driver has to be corrected"), heard);
    }
}
