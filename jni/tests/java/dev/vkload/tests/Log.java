package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;

import dev.vkload.LogLevel;
import dev.vkload.VulkanLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What a listener hears. The loader of the tests has four threads that say FAKE_LOG records each while it is told what to do. */
public final class Log {
    private Log() {}

    private static VulkanLoader.Builder saying(int records) {
        return VulkanLoader.builder().environment("FAKE_LOG", String.valueOf(records)).waitingRecords(100_000);
    }

    public static void everyRecordIsHeardOnceAndInOrderOnAThreadOfItsOwn() {
        List<String> threads = new ArrayList<>();
        int[] next = new int[4];
        VulkanLoader loader = saying(500).log(LogLevel.DEBUG, (level, text) -> {
            if (!threads.contains(Thread.currentThread().getName())) {
                threads.add(Thread.currentThread().getName());
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
        equal(threads.toString(), "[vkload-log]");
        equal(loader.droppedRecords(), 0L);
    }

    public static void aLevelLeavesOutWhatMattersLess() {
        AtomicInteger heard = new AtomicInteger();
        saying(8).log(LogLevel.WARNING, (level, text) -> {
            check(level.compareTo(LogLevel.WARNING) <= 0, level);
            heard.incrementAndGet();
        }).build().close();
        equal(heard.get(), 16);
    }

    public static void aSlowListenerHoldsNobodyUpAndIsToldWhatItMissed() {
        CountDownLatch built = new CountDownLatch(1);
        List<String> heard = new ArrayList<>();
        AtomicInteger missed = new AtomicInteger();
        VulkanLoader loader = saying(500).waitingRecords(10).log(LogLevel.DEBUG, (level, text) -> {
            try {
                built.await();
            } catch (InterruptedException exception) {
                throw new AssertionError(exception);
            }
            if (text.contains("were dropped here")) {
                equal(level, LogLevel.WARNING);
                missed.addAndGet(Integer.parseInt(text.split(" ")[0]));
            } else {
                heard.add(text);
            }
        }).build();
        built.countDown();
        loader.close();
        check(heard.size() >= 10, heard.size());
        equal(heard.size() + missed.get(), 2000);
        equal(loader.droppedRecords(), (long) missed.get());
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
                    equal(loader.get().doctor().text(), "text");
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

    /** The agent counts what is freed. */
    public static void recordsAreFreedWhetherTheyAreHeardOrDropped() {
        for (int round = 0; round < 60; round++) {
            saying(100).waitingRecords(round + 1).log(LogLevel.DEBUG, (level, text) -> {}).build().close();
        }
    }
}
