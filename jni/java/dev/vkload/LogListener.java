package dev.vkload;

/**
 * Receives the loader's log records.
 *
 * <p>It is called on its own thread, one record after the other, and the loader holds no lock meanwhile: it may call the loader and may
 * take its time. The loader does not wait for it. When more records wait than the builder's limit, new ones are dropped, and a
 * {@link LogLevel#WARNING} gives their number.
 */
@FunctionalInterface
public interface LogListener {
    /**
     * Receives one record.
     *
     * <p>An exception that it throws goes to the thread's handler of uncaught exceptions, which ends the application on Android; if the
     * handler returns, the next record is passed on as usual.
     *
     * @param level how much it matters
     * @param text one line
     */
    void onRecord(LogLevel level, String text);
}
