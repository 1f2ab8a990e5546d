package android.content.pm;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public class ApplicationInfo {
    public static final int FLAG_DEBUGGABLE = 2;

    public int flags;
    public String nativeLibraryDir;
    public String sourceDir;
    public String[] splitSourceDirs;
}
