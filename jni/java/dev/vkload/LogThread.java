package dev.vkload;

import java.util.concurrent.atomic.AtomicLong;

/** The thread of a listener. */
final class LogThread extends Thread {
    private final long queue;
    private final LogListener listener;
    private final AtomicLong dropped;

    LogThread(long queue, LogListener listener, AtomicLong dropped) {
        super("vkload-log");
        this.queue = queue;
        this.listener = listener;
        this.dropped = dropped;
        setDaemon(true);
    }

    @Override
    public void run() {
        long[] about = new long[2];
        while (hear(about)) {
            // Until the loader has forgotten the queue, it must not be freed, whatever happens here.
        }
        Native.logFree(queue);
    }

    /** Waits for a record and passes it on; false at the end. */
    private boolean hear(long[] about) {
        String record = null;
        try {
            byte[] text = Native.logNext(queue, about);
            if (text != null) {
                record = Native.text(text);
            }
        } catch (OutOfMemoryError error) {
            // The record is lost.
            about[1]++;
        }
        if (about[1] > 0) {
            dropped.addAndGet(about[1]);
            warn(about[1]);
        }
        if (record != null) {
            tell(LogLevel.of(about[0]), record);
        }
        return about[0] != Native.END;
    }

    private void warn(long count) {
        try {
            tell(LogLevel.WARNING, count + " records of the log were dropped here: the listener is slower than the loader, or memory is "
                    + "short; do less in it, ask for a higher level, or let more records wait");
        } catch (OutOfMemoryError error) {
            // Memory for the text ran out, but the count is kept.
        }
    }

    private void tell(LogLevel level, String text) {
        try {
            listener.onRecord(level, text);
        } catch (Throwable thrown) {
            handle(thrown);
        }
    }

    /** As for any thread, but the thread continues. */
    private void handle(Throwable thrown) {
        try {
            getUncaughtExceptionHandler().uncaughtException(this, thrown);
        } catch (Throwable ignored) {
            // The handler has failed itself: as for any thread, that is ignored.
        }
    }
}
