package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;

import dev.vkload.LogLevel;
import dev.vkload.LogListener;
import dev.vkload.VulkanLoader;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The garbage collector, in a heap of a few MB. */
public final class Collector {
    private Collector() {}

    private static VulkanLoader saying(LogListener listener) {
        return VulkanLoader.builder().environment("FAKE_LOG", "25").log(LogLevel.DEBUG, listener).build();
    }

    public static void whatIsClosedIsCollected() {
        List<WeakReference<?>> references = new ArrayList<>();
        for (int round = 0; round < 40; round++) {
            byte[] big = new byte[300_000];
            LogListener listener = (level, text) -> big[0]++;
            VulkanLoader loader = saying(listener);
            equal(loader.devices().size(), 1);
            loader.close();
            equal((int) big[0], 100);
            references.add(new WeakReference<>(listener));
            references.add(new WeakReference<>(loader));
        }
        for (int attempt = 0; references.stream().anyMatch(reference -> reference.get() != null); attempt++) {
            check(attempt < 200, "something is kept");
            System.gc();
        }
    }

    public static void everythingIsCalledWhileGarbageIsCollected() throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        Thread collector = new Thread(() -> {
            while (!ended.get()) {
                System.gc();
            }
        });
        collector.start();
        AtomicInteger right = new AtomicInteger();
        for (int round = 0; round < 10; round++) {
            AtomicInteger heard = new AtomicInteger();
            VulkanLoader loader = saying((level, text) -> {
                equal(text.substring(text.length() - 1000), String.format("%01000d", 0));
                heard.incrementAndGet();
            });
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                threads.add(new Thread(() -> {
                    equal(loader.doctor().getText(), "everything is heard");
                    equal(loader.devices().size(), 1);
                    equal(loader.layers().size(), 1);
                    equal(loader.extensions("VK_LAYER_TEST_of_java").size(), 1);
                    right.incrementAndGet();
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            loader.close();
            equal(heard.get(), 100);
        }
        ended.set(true);
        collector.join();
        equal(right.get(), 40);
    }
}
