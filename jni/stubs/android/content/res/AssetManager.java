package android.content.res;

import java.io.IOException;
import java.io.InputStream;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public abstract class AssetManager {
    public abstract String[] list(String path) throws IOException;

    public abstract InputStream open(String fileName) throws IOException;
}
