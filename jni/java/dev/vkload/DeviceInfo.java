package dev.vkload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A physical device. */
public final class DeviceInfo {
    /** The kind of a device, with the values of {@code VkPhysicalDeviceType}. */
    public enum Kind {
        /** None of the others, or one that this class does not know. */
        OTHER,
        /** A GPU that shares the memory of the processor, as phones have it. */
        INTEGRATED_GPU,
        /** A GPU with its own memory. */
        DISCRETE_GPU,
        /** A GPU that a virtual machine passes on. */
        VIRTUAL_GPU,
        /** The processor itself. */
        CPU
    }

    private final String name;
    private final Kind kind;
    private final ApiVersion apiVersion;
    private final int driverVersion;
    private final int vendorId;
    private final int deviceId;

    DeviceInfo(String name, Kind kind, ApiVersion apiVersion, int driverVersion, int vendorId, int deviceId) {
        this.name = name;
        this.kind = kind;
        this.apiVersion = apiVersion;
        this.driverVersion = driverVersion;
        this.vendorId = vendorId;
        this.deviceId = deviceId;
    }

    /** Returns the name that the driver gives it. */
    public String getName() {
        return name;
    }

    /** Returns the kind of the device. */
    public Kind getKind() {
        return kind;
    }

    /** Returns the version of Vulkan that the device supports. */
    public ApiVersion getApiVersion() {
        return apiVersion;
    }

    /** Returns the driver's own version; each vendor packs it in another way. */
    public int getDriverVersion() {
        return driverVersion;
    }

    /** Returns the vendor's number at PCI-SIG or Khronos. */
    public int getVendorId() {
        return vendorId;
    }

    /** Returns the vendor's number of the device. */
    public int getDeviceId() {
        return deviceId;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof DeviceInfo)) {
            return false;
        }
        DeviceInfo that = (DeviceInfo) other;
        return name.equals(that.name) && kind == that.kind && apiVersion.equals(that.apiVersion)
                && driverVersion == that.driverVersion && vendorId == that.vendorId && deviceId == that.deviceId;
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, kind, apiVersion, driverVersion, vendorId, deviceId);
    }

    @Override
    public String toString() {
        return name + " (" + kind + ", Vulkan " + apiVersion + ")";
    }
}
