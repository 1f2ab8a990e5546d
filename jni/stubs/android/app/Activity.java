package android.app;

import android.content.ContextWrapper;
import android.os.Bundle;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public class Activity extends ContextWrapper {
    public Activity() {
        super(null);
    }

    protected void onCreate(Bundle state) {}

    protected void onDestroy() {}
}
