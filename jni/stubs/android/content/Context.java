package android.content;

import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import java.io.File;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public abstract class Context {
    public abstract ApplicationInfo getApplicationInfo();

    public abstract PackageManager getPackageManager();

    public abstract AssetManager getAssets();

    public abstract File getCodeCacheDir();

    public abstract File getFilesDir();

    public abstract String getPackageName();

    public ContentResolver getContentResolver() {
        return new ContentResolver();
    }
}
