package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.LogLevel;
import dev.vkload.VulkanLoader;
import dev.vkload.VulkanLoaderException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Tests the records that a listener receives. The tests' loader has four threads that log FAKE_LOG records each while it is being
 * configured. */
public final class Log {
    private Log() {}

    private static VulkanLoader.Builder saying(int records) {
        return VulkanLoader.builder().environment("FAKE_LOG", String.valueOf(records)).waitingRecords(100_000);
    }

    public static void everyRecordIsHeardOnceAndInOrderOnAThreadOfItsOwn() {
        List<String> threads = new ArrayList<>();
        int[] next = new int[4];
        VulkanLoader loader = saying(500).log(LogLevel.DEBUG, (level, text) -> {
            Thread thread = Thread.currentThread();
            // One that is forgotten does not keep the process.
            String about = thread.getName() + (thread.isDaemon() ? ", a daemon" : "");
            if (!threads.contains(about)) {
                threads.add(about);
            }
            String[] parts = text.split(" ");
            int record = Integer.parseInt(parts[1]);
            equal(record, next[Integer.parseInt(parts[0])]++);
            equal(level, LogLevel.values()[record % 4]);
            equal(parts[2], "ü\uD83C\uDF0B");
            equal(parts[3].length(), 1000);
        }).build();
        loader.close();
        for (int count : next) {
            equal(count, 500);
        }
        equal(threads.toString(), "[vkload-log, a daemon]");
        equal(loader.getDroppedRecords(), 0L);
    }

    public static void aLevelLeavesOutWhatMattersLess() {
        AtomicInteger heard = new AtomicInteger();
        saying(8).log(LogLevel.WARNING, (level, text) -> {
            check(level.compareTo(LogLevel.WARNING) <= 0, level);
            heard.incrementAndGet();
        }).build().close();
        equal(heard.get(), 16);
    }

    public static void theLoaderIsToldWhenNobodyListensAnyMore() {
        try (VulkanLoader loader = VulkanLoader.builder().log(LogLevel.INFO, (level, text) -> {}).build()) {
            equal(loader.doctor().getText(), "information is heard");
        }
        nobodyListens();
        VulkanLoader.Builder refused = VulkanLoader.builder().layer("VK_LAYER_refused").log(LogLevel.INFO, (level, text) -> {});
        thrown(VulkanLoaderException.class, refused::build);
        nobodyListens();
    }

    public static void closingWaitsForTheListenerAlsoIfTheThreadIsInterrupted() throws InterruptedException {
        Thread closing = Thread.currentThread();
        CountDownLatch waiting = new CountDownLatch(1);
        AtomicBoolean closed = new AtomicBoolean();
        AtomicInteger heard = new AtomicInteger();
        VulkanLoader loader = saying(5).log(LogLevel.DEBUG, (level, text) -> {
            await(waiting);
            heard.incrementAndGet();
        }).build();
        Thread watching = new Thread(() -> {
            while (closing.getState() != Thread.State.TIMED_WAITING && !closed.get()) {
                Thread.yield();
            }
            waiting.countDown();
        });
        closing.interrupt();
        watching.start();
        loader.close();
        int heardBefore = heard.get();
        closed.set(true);
        check(Thread.interrupted(), "it is still interrupted");
        watching.join();
        equal(heardBefore, 20);
    }

    public static void closingDoesNotWaitForAListenerThatHangs() {
        CountDownLatch never = new CountDownLatch(1);
        VulkanLoader loader = saying(1).log(LogLevel.DEBUG, (level, text) -> await(never)).build();
        loader.close();
        VulkanLoader.builder().build().close();
        never.countDown();
    }

    static void nobodyListens() {
        try (VulkanLoader loader = VulkanLoader.builder().build()) {
            equal(loader.doctor().getText(), "nobody listens");
        }
    }

    public static void aSlowListenerHoldsNobodyUpAndIsToldWhatItMissed() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch said = new CountDownLatch(1);
        List<String> heard = new ArrayList<>();
        AtomicInteger missed = new AtomicInteger();
        VulkanLoader loader = saying(1).environment("FAKE_LOG_OF_REPORTS", "250").waitingRecords(10).log(LogLevel.DEBUG, (level, text) -> {
            begun.countDown();
            await(said);
            if (text.contains("were dropped here")) {
                equal(level, LogLevel.WARNING);
                missed.addAndGet(Integer.parseInt(text.split(" ")[0]));
            } else {
                heard.add(text);
            }
        }).build();
        // The listener holds one of the first four, three wait, and the queue takes seven more.
        begun.await();
        loader.doctor();
        said.countDown();
        loader.close();
        equal(heard.size(), 11);
        equal(missed.get(), 4 + 2000 - 11);
        equal(loader.getDroppedRecords(), (long) missed.get());
    }

    public static void recordsAreHeardAfterAllWereHeard() {
        CountDownLatch first = new CountDownLatch(4);
        AtomicInteger heard = new AtomicInteger();
        VulkanLoader loader = saying(1).environment("FAKE_LOG_OF_REPORTS", "5").log(LogLevel.DEBUG, (level, text) -> {
            heard.incrementAndGet();
            first.countDown();
        }).build();
        await(first);
        loader.doctor();
        loader.close();
        equal(heard.get(), 4 + 40);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException exception) {
            throw new AssertionError(exception);
        }
    }

    public static void aListenerThatThrowsGoesOnHearing() {
        AtomicInteger heard = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            equal(thread.getName(), "vkload-log");
            equal(thrown.getMessage(), "on purpose");
            handled.incrementAndGet();
            throw new IllegalStateException("the handler fails, too");
        });
        try {
            saying(10).log(LogLevel.DEBUG, (level, text) -> {
                heard.incrementAndGet();
                throw new IllegalArgumentException("on purpose");
            }).build().close();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        equal(heard.get(), 40);
        equal(handled.get(), 40);
    }

    public static void aListenerMayCallAndCloseTheLoader() throws InterruptedException {
        AtomicReference<VulkanLoader> loader = new AtomicReference<>();
        CountDownLatch built = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(40);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        loader.set(saying(10).log(LogLevel.DEBUG, (level, text) -> {
            try {
                built.await();
                if (last.getCount() == 40) {
                    equal(loader.get().doctor().getText(), "everything is heard");
                    loader.get().close();
                }
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
            last.countDown();
        }).build());
        built.countDown();
        last.await();
        check(failure.get() == null, failure);
        VulkanLoader.builder().build().close();
    }

    /** The agent counts freed records. */
    public static void recordsAreFreedWhetherTheyAreHeardOrDropped() {
        for (int round = 0; round < 60; round++) {
            saying(100).waitingRecords(round + 1).log(LogLevel.DEBUG, (level, text) -> {}).build().close();
        }
    }
}
