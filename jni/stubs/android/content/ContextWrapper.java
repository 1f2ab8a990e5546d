package android.content;

import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import java.io.File;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public class ContextWrapper extends Context {
    private Context base;

    public ContextWrapper(Context base) {
        this.base = base;
    }

    /** Attaches the context, as the system does for a new activity. */
    protected void attachBaseContext(Context base) {
        this.base = base;
    }

    @Override
    public ApplicationInfo getApplicationInfo() {
        return base.getApplicationInfo();
    }

    @Override
    public PackageManager getPackageManager() {
        return base.getPackageManager();
    }

    @Override
    public AssetManager getAssets() {
        return base.getAssets();
    }

    @Override
    public File getCodeCacheDir() {
        return base.getCodeCacheDir();
    }

    @Override
    public File getFilesDir() {
        return base.getFilesDir();
    }

    @Override
    public String getPackageName() {
        return base.getPackageName();
    }
}
