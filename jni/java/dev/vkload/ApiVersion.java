package dev.vkload;

/** A version of Vulkan. */
public final class ApiVersion implements Comparable<ApiVersion> {
    private final int value;

    ApiVersion(int value) {
        this.value = value;
    }

    /** The number as Vulkan has it, with the variant in its top 3 bits. */
    public int value() {
        return value;
    }

    public int major() {
        return value >>> 22 & 0x7F;
    }

    public int minor() {
        return value >>> 12 & 0x3FF;
    }

    public int patch() {
        return value & 0xFFF;
    }

    @Override
    public int compareTo(ApiVersion other) {
        return Integer.compareUnsigned(value, other.value);
    }

    @Override
    public boolean equals(@org.jspecify.annotations.Nullable Object other) {
        return other instanceof ApiVersion && ((ApiVersion) other).value == value;
    }

    @Override
    public int hashCode() {
        return value;
    }

    /** As in {@code 1.3.275}. */
    @Override
    public String toString() {
        return major() + "." + minor() + "." + patch();
    }
}
