package dev.vkload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An extension that an instance can enable. */
public final class ExtensionInfo {
    private final String name;
    private final int specVersion;

    ExtensionInfo(String name, int specVersion) {
        this.name = name;
        this.specVersion = specVersion;
    }

    /** Returns its name, such as {@code VK_EXT_debug_utils}. */
    public String getName() {
        return name;
    }

    /** Returns the version of the extension. */
    public int getSpecVersion() {
        return specVersion;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof ExtensionInfo)) {
            return false;
        }
        ExtensionInfo that = (ExtensionInfo) other;
        return name.equals(that.name) && specVersion == that.specVersion;
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, specVersion);
    }

    @Override
    public String toString() {
        return name + " " + specVersion;
    }
}
