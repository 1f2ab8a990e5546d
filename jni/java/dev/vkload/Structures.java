package dev.vkload;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads structures of Vulkan out of bytes. Sizes and offsets follow the specification and are the same on every processor. */
final class Structures {
    static final int LAYER_BYTES = 520;
    static final int EXTENSION_BYTES = 260;
    /** Of VkPhysicalDeviceProperties before the limits. */
    static final int DEVICE_BYTES = 292;

    private static final int NAME = 256;

    private Structures() {}

    interface Reader<T> {
        T read(ByteBuffer structure);
    }

    static <T> List<T> all(byte[] bytes, int size, int count, Reader<T> reader) {
        List<T> all = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            ByteBuffer structure = ByteBuffer.wrap(bytes, index * size, size).order(ByteOrder.nativeOrder());
            all.add(reader.read(structure));
        }
        return Collections.unmodifiableList(all);
    }

    static LayerInfo layer(ByteBuffer structure) {
        String name = text(structure, NAME);
        ApiVersion version = new ApiVersion(structure.getInt());
        int own = structure.getInt();
        return new LayerInfo(name, version, own, text(structure, NAME));
    }

    static ExtensionInfo extension(ByteBuffer structure) {
        return new ExtensionInfo(text(structure, NAME), structure.getInt());
    }

    static DeviceInfo device(ByteBuffer structure) {
        ApiVersion version = new ApiVersion(structure.getInt());
        int driver = structure.getInt();
        int vendor = structure.getInt();
        int device = structure.getInt();
        DeviceInfo.Kind[] kinds = DeviceInfo.Kind.values();
        int kind = structure.getInt();
        String name = text(structure, NAME);
        return new DeviceInfo(name, kinds[kind > 0 && kind < kinds.length ? kind : 0], version, driver, vendor, device);
    }

    /** Reads a text in a field of this size. Layers and drivers may have written no end. */
    private static String text(ByteBuffer structure, int size) {
        byte[] field = new byte[size];
        structure.get(field);
        return Native.text(field);
    }
}
