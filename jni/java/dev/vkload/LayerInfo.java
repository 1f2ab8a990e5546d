package dev.vkload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A layer that an instance can enable. */
public final class LayerInfo {
    private final String name;
    private final ApiVersion specVersion;
    private final int implementationVersion;
    private final String description;

    LayerInfo(String name, ApiVersion specVersion, int implementationVersion, String description) {
        this.name = name;
        this.specVersion = specVersion;
        this.implementationVersion = implementationVersion;
        this.description = description;
    }

    /** Returns its name, such as {@code VK_LAYER_KHRONOS_validation}. */
    public String getName() {
        return name;
    }

    /** Returns the version of Vulkan that it was written for. */
    public ApiVersion getSpecVersion() {
        return specVersion;
    }

    /** Returns the layer's own version. */
    public int getImplementationVersion() {
        return implementationVersion;
    }

    /** Returns the layer's own description. */
    public String getDescription() {
        return description;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof LayerInfo)) {
            return false;
        }
        LayerInfo that = (LayerInfo) other;
        return name.equals(that.name) && specVersion.equals(that.specVersion) && implementationVersion == that.implementationVersion && description.equals(that.description);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, specVersion, implementationVersion, description);
    }

    @Override
    public String toString() {
        return name + " (Vulkan " + specVersion + "): " + description;
    }
}
