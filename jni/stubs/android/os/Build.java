package android.os;

/** What of Android's class is used, to compile without an SDK; it is not packaged. */
public final class Build {
    public static final String[] SUPPORTED_32_BIT_ABIS = {"armeabi-v7a", "armeabi"};
    public static final String[] SUPPORTED_64_BIT_ABIS = {"arm64-v8a"};

    private Build() {}
}
