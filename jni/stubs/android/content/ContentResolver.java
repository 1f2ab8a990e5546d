package android.content;

/** The part of Android's class that is used, to compile without an SDK; it is not packaged. */
public class ContentResolver {}
