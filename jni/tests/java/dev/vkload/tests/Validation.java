package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;

import dev.vkload.VulkanLoader;
import java.nio.file.Files;

/** Khronos' validation layer, as the distribution has it. */
public final class Validation {
    private static final String LAYER = "VK_LAYER_KHRONOS_validation";

    private Validation() {}

    public static void itIsActiveAndItsSettingsAreTold() throws Exception {
        VulkanLoader.Builder builder = VulkanLoader.builder().layerFolder("/khronos").layer(LAYER)
                .layerSetting(LAYER, "validate_sync", true);
        try (VulkanLoader loader = builder.build()) {
            equal(loader.layers().size(), 1);
            InApplication.isTheSystems(loader.devices());
            boolean reads = loader.extensions(LAYER).stream().anyMatch(it -> it.getName().equals("VK_EXT_layer_settings"));
            String text = InApplication.json(loader, "validation") + loader.doctor().getText();
            check(text.contains(LAYER + ": validate_sync = [true]: passed on" + (reads ? "\n" : ", and perhaps not read")), text);
            check(text.contains("libVkLayer_khronos_validation.so): active"), text);
            // Its own file, which VK_LAYER_SETTINGS_PATH names, has another file for its messages.
            check(Files.exists(InApplication.place("/validation.log")), "it has not read vk_layer_settings.txt");
        }
    }
}
