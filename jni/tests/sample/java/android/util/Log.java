package android.util;

/** Writes to the standard output. */
public final class Log {
    private Log() {}

    public static int i(String tag, String text) {
        System.out.println(tag + ": " + text);
        return 0;
    }

    public static int w(String tag, String text) {
        return i(tag, text);
    }
}
