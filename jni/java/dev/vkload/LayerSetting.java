package dev.vkload;

import java.util.Objects;

/** A setting of a layer, as an object of the options. */
final class LayerSetting {
    private final String layer;
    private final String name;
    private final String type;
    private final Json values = new Json().raw("[");
    private String before = "";

    private LayerSetting(String layer, String name, String type) {
        this.layer = Objects.requireNonNull(layer, "layer");
        this.name = Objects.requireNonNull(name, "name");
        this.type = type;
    }

    LayerSetting(String layer, String name, boolean[] values) {
        this(layer, name, "bool32");
        for (boolean value : values) {
            next().raw(String.valueOf(value));
        }
    }

    LayerSetting(String layer, String name, int[] values, boolean signed) {
        this(layer, name, signed ? "int32" : "uint32");
        for (int value : values) {
            next().raw(String.valueOf(signed ? value : value & 0xFFFF_FFFFL));
        }
    }

    LayerSetting(String layer, String name, long[] values, boolean signed) {
        this(layer, name, signed ? "int64" : "uint64");
        for (long value : values) {
            next().raw(signed ? String.valueOf(value) : Long.toUnsignedString(value));
        }
    }

    LayerSetting(String layer, String name, float[] values) {
        this(layer, name, "float32");
        for (float value : values) {
            next().raw(finite(value, String.valueOf(value)));
        }
    }

    LayerSetting(String layer, String name, double[] values) {
        this(layer, name, "float64");
        for (double value : values) {
            next().raw(finite(value, String.valueOf(value)));
        }
    }

    LayerSetting(String layer, String name, String[] values) {
        this(layer, name, "string");
        for (String value : values) {
            next().text(Objects.requireNonNull(value, "value"));
        }
    }

    private Json next() {
        values.raw(before);
        before = ",";
        return values;
    }

    /** Returns a number as it is written, and refuses infinities and NaN, which JSON does not have. */
    private String finite(double value, String written) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("a value of \"" + name + "\" must be a number, and is " + written);
        }
        return written;
    }

    boolean isNamedAs(LayerSetting other) {
        return layer.equals(other.layer) && name.equals(other.name);
    }

    /** Writes the object of the options. */
    void write(Json json) {
        json.raw("{\"layer\":").text(layer).raw(",\"name\":").text(name).raw(",\"type\":").text(type);
        json.raw(",\"values\":").raw(values.toString()).raw("]}");
    }
}
