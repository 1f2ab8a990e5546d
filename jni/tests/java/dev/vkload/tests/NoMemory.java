package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;

import dev.vkload.LogLevel;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Each allocation of the native half fails once. */
public final class NoMemory {
    private NoMemory() {}

    public static void eachRequestFailsOnce() {
        Set<String> said = new HashSet<>();
        int failed = 0;
        for (boolean reached = true; reached; failed++) {
            AtomicInteger heard = new AtomicInteger();
            AtomicInteger told = new AtomicInteger();
            VulkanLoader.Builder builder = VulkanLoader.builder().environment("FAKE_LOG", "5").log(LogLevel.DEBUG, (level, text) -> {
                if (text.contains("were dropped here")) {
                    told.addAndGet(Integer.parseInt(text.split(" ")[0]));
                } else {
                    heard.incrementAndGet();
                }
            });
            VulkanLoader built = null;
            Agent.failAt(failed + 1);
            try (VulkanLoader loader = builder.build()) {
                built = loader;
                loader.doctor();
                loader.layers();
                loader.extensions("VK_LAYER_TEST_of_java");
                loader.devices();
            } catch (OutOfMemoryError error) {
                said.add("error");
            } catch (VulkanLoaderException exception) {
                check(exception.getMessage().contains("memory"), exception.getMessage());
                said.add("exception");
            }
            reached = Agent.failAt(0);
            Log.nobodyListens();
            if (built != null) {
                equal(heard.get() + built.getDroppedRecords(), 20L);
                equal((long) told.get(), built.getDroppedRecords());
                said.add(told.get() > 0 ? "dropped" : "complete");
            }
        }
        check(failed > 40, failed);
        equal(said.size(), 4);
    }
}
