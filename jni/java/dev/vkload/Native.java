package dev.vkload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The native methods of {@code libvkload_jni.so}. Texts are UTF-8 with a 0 at the end. Function addresses come from {@link #open}, so the
 * library keeps no state itself.
 */
final class Native {
    /** The index of each function's address in the array that {@link #open} writes. */
    static final int CONFIGURE = 0;
    static final int REPORT = 1;
    static final int SET_LOG = 2;
    static final int ENTRY = 3;
    static final int FUNCTIONS = 4;

    /** In the place of a record's level. */
    static final int END = -2;

    private Native() {}

    /** Opens a loader's library, for ever. If it is false, {@code message} has the linker's words, or the function that is missing. */
    static native boolean open(byte[] path, long[] functions, byte[] message);

    /** Returns 0, or -1 with a message. */
    static native int configure(long configure, byte[] options, byte[] message);

    /** Writes as much of a report as fits, and returns the bytes needed without the 0; -1 if the number does not fit. */
    static native int report(long report, int format, byte[] buffer);

    /** Returns the address of vkGetInstanceProcAddr, or 0. */
    static native long instanceProcAddr(long entry);

    /** Returns a VkResult. Writes as many VkLayerProperties as fit, and their number; without space for any, writes how many exist. */
    static native int layers(long instanceProcAddr, int[] count, byte[] out);

    /** Does the same for VkExtensionProperties, of a layer or of no layer. */
    static native int extensions(long instanceProcAddr, byte @Nullable [] layer, int[] count, byte[] out);

    /** Does the same for the beginnings of VkPhysicalDeviceProperties, always with the number of all; on failure the number of the step. */
    static native int devices(long instanceProcAddr, int[] count, byte[] out);

    /** Creates a queue for so many records, and lets the loader fill it. Returns 0 if memory runs out. */
    static native long logStart(long setLog, int level, int most);

    /**
     * Waits for a record. Returns its text or null; {@code about} receives its level and how many records before it were dropped. Instead
     * of a level, {@code about} receives -1 if some were dropped and none has come since, and {@link #END} at the end.
     */
    static native byte @Nullable [] logNext(long queue, long[] about);

    /** Lets the loader forget the queue, and the thread that listens come to the end. */
    static native void logStop(long setLog, long queue);

    /** Frees the queue: called by the thread that listened, at the end. */
    static native void logFree(long queue);

    /** Returns a text as the native methods take it. One with a 0 in it would end there. */
    static byte[] bytes(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("\"" + text + "\" has a NUL in it; leave it out");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** Returns the text at the beginning of these bytes, up to the 0. */
    static String text(byte[] bytes) {
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
