package dev.vkload;

import java.util.Objects;

/** A driver that the loader may use: {@link VulkanLoader.Builder#driver(Driver)}. */
public final class Driver {
    private final String member;
    private final Object value;
    private final String more;

    private Driver(String member, Object value, String more) {
        this.member = member;
        this.value = value;
        this.more = more;
    }

    /** The device's own driver, through the system's loader. It is what counts if no driver is chosen. */
    public static Driver system() {
        return new Driver("system", true, "");
    }

    /**
     * A library that is a driver, with the entry points that Khronos' loader expects or as a module of Android.
     *
     * @param path where it is, absolute; on Android in a folder from which the application may load code, such as its library folder
     */
    public static Driver library(String path) {
        return new Driver("library", absolute("path", path), "");
    }

    /**
     * A driver package: a ZIP with {@code meta.json} and a library, as people pass them on for Adreno devices.
     *
     * @param path where the ZIP is, absolute
     * @param unpackTo an absolute path of a folder of the application into which it is unpacked, such as its code cache
     */
    public static Driver driverPackage(String path, String unpackTo) {
        String more = new Json().text("unpack_to").raw(":").text(absolute("unpackTo", unpackTo)).toString();
        return new Driver("package", absolute("path", path), "," + more);
    }

    /** Writes the object of the options, with a name if the driver has one. */
    void write(Json json, @org.jspecify.annotations.Nullable String name) {
        json.raw("{");
        if (name != null) {
            json.text("name").raw(":").text(name).raw(",");
        }
        json.text(member).raw(":");
        if (value instanceof String) {
            json.text((String) value);
        } else {
            json.raw(value.toString());
        }
        json.raw(more).raw("}");
    }

    static String absolute(String what, String path) {
        Objects.requireNonNull(path, what);
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(what + " must be an absolute path, and is \"" + path + "\"");
        }
        return path;
    }
}
