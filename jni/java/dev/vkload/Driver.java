package dev.vkload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A driver that the loader may use: {@link VulkanLoader.Builder#driver(Driver)}. */
public final class Driver {
    /** Members of the object of the options. */
    private final String members;

    private Driver(Json members) {
        this.members = members.toString();
    }

    /** Returns the device's own driver, through the system's loader. The loader uses it if no driver is chosen. */
    public static Driver system() {
        return new Driver(new Json().raw("\"system\":true"));
    }

    /**
     * A library that is a driver, with the entry points that Khronos' loader expects or as a module of Android.
     *
     * @param path its absolute path; on Android in a folder from which the application may load code, such as its library folder
     */
    public static Driver library(String path) {
        return new Driver(new Json().raw("\"library\":").text(absolute("path", path)));
    }

    /**
     * A driver package: a ZIP with {@code meta.json} and a library, as people pass them on for Adreno devices.
     *
     * @param path the absolute path of the ZIP
     * @param unpackTo an absolute path of a folder of the application into which it is unpacked, such as its code cache
     */
    public static Driver driverPackage(String path, String unpackTo) {
        Json members = new Json().raw("\"package\":").text(absolute("path", path));
        return new Driver(members.raw(",\"unpack_to\":").text(absolute("unpackTo", unpackTo)));
    }

    /** Writes the object of the options, with a name if the driver has one. */
    void write(Json json, @Nullable String name) {
        json.raw("{");
        if (name != null) {
            json.raw("\"name\":").text(name).raw(",");
        }
        json.raw(members).raw("}");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Driver && ((Driver) other).members.equals(members);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }

    /** Returns its kind and path, as in the options of {@code vkload.h}. */
    @Override
    public String toString() {
        return "{" + members + "}";
    }

    static String absolute(String what, String path) {
        Objects.requireNonNull(path, what);
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(what + " must be an absolute path, and is \"" + path + "\"");
        }
        return path;
    }
}
