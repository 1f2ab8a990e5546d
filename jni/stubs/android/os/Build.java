package android.os;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public final class Build {
    /** Not a constant, as on Android. */
    @Deprecated public static final String CPU_ABI = String.valueOf("arm64-v8a");

    private Build() {}
}
