package dev.vkload;

/** An extension that an instance can enable. */
public final class ExtensionInfo {
    private final String name;
    private final int specVersion;

    ExtensionInfo(String name, int specVersion) {
        this.name = name;
        this.specVersion = specVersion;
    }

    /** As in {@code VK_EXT_debug_utils}. */
    public String name() {
        return name;
    }

    /** The version of the extension. */
    public int specVersion() {
        return specVersion;
    }

    @Override
    public String toString() {
        return name + " " + specVersion;
    }
}
