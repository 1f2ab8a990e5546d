package android.provider;

import android.content.ContentResolver;
import java.util.HashMap;
import java.util.Map;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public final class Settings {
    private Settings() {}

    public static final class Global {
        /** What {@code adb shell settings put global} has set. */
        public static final Map<String, String> VALUES = new HashMap<>();

        private Global() {}

        public static String getString(ContentResolver resolver, String name) {
            return VALUES.get(name);
        }
    }
}
