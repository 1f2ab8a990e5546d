package android.content;

import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.res.AssetManager;
import java.io.File;

/** Gives an activity the details of its application. */
public final class Launcher {
    private Launcher() {}

    public static void attach(ContextWrapper activity, ApplicationInfo application) {
        activity.attachBaseContext(new Context() {
            @Override
            public ApplicationInfo getApplicationInfo() {
                return application;
            }

            @Override
            public PackageManager getPackageManager() {
                throw new UnsupportedOperationException();
            }

            @Override
            public AssetManager getAssets() {
                throw new UnsupportedOperationException();
            }

            @Override
            public File getCodeCacheDir() {
                throw new UnsupportedOperationException();
            }

            @Override
            public File getFilesDir() {
                return new File("/data/sample/files");
            }

            @Override
            public String getPackageName() {
                throw new UnsupportedOperationException();
            }
        });
    }
}
