package dev.vkload;

import org.jspecify.annotations.Nullable;

/** A version of Vulkan. */
public final class ApiVersion implements Comparable<ApiVersion> {
    private final int value;

    ApiVersion(int value) {
        this.value = value;
    }

    /**
     * A version of Vulkan, to compare others with.
     *
     * @throws IllegalArgumentException if a number does not fit: {@code major} goes to 127, {@code minor} to 1023, {@code patch} to 4095
     */
    public static ApiVersion of(int major, int minor, int patch) {
        if (major < 0 || major > 0x7F || minor < 0 || minor > 0x3FF || patch < 0 || patch > 0xFFF) {
            throw new IllegalArgumentException(major + "." + minor + "." + patch + " is no version of Vulkan: 127.1023.4095 is the last one");
        }
        return new ApiVersion(major << 22 | minor << 12 | patch);
    }

    /** Returns the number as Vulkan has it ({@code VK_MAKE_API_VERSION}), with the variant in its top 3 bits. */
    public int getValue() {
        return value;
    }

    /** Returns the 1 of 1.3.275. */
    public int getMajor() {
        return value >>> 22 & 0x7F;
    }

    /** Returns the 3 of 1.3.275. */
    public int getMinor() {
        return value >>> 12 & 0x3FF;
    }

    /** Returns the 275 of 1.3.275. */
    public int getPatch() {
        return value & 0xFFF;
    }

    /** Compares by variant, then by version. */
    @Override
    public int compareTo(ApiVersion other) {
        return Integer.compareUnsigned(value, other.value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ApiVersion && ((ApiVersion) other).value == value;
    }

    @Override
    public int hashCode() {
        return value;
    }

    /** Returns text like {@code 1.3.275}. */
    @Override
    public String toString() {
        return getMajor() + "." + getMinor() + "." + getPatch();
    }
}
