package android.os;

/** What of Android's class is used, to compile without an SDK; it is not packaged. */
public final class Process {
    private Process() {}

    public static boolean is64Bit() {
        return true;
    }
}
