package android.content.pm;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public abstract class PackageManager {
    public abstract ApplicationInfo getApplicationInfo(String packageName, int flags) throws NameNotFoundException;

    public abstract PackageInfo getPackageInfo(String packageName, int flags) throws NameNotFoundException;

    /** As Android's. */
    public static class NameNotFoundException extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
