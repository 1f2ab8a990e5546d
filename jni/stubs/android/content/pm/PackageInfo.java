package android.content.pm;

/** What of Android's class is used, to compile without an SDK; it is not packaged. */
public class PackageInfo {
    public int versionCode;
}
