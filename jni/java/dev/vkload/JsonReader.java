package dev.vkload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the loader's own JSON: objects, lists, strings and null, without blanks. */
final class JsonReader {
    private final String in;
    private int at;

    private JsonReader(String in) {
        this.in = in;
    }

    /** Returns a map, a list, a string or null. */
    static @Nullable Object read(String text) {
        return new JsonReader(text).value();
    }

    private @Nullable Object value() {
        switch (in.charAt(at++)) {
            case '{':
                Map<String, @Nullable Object> object = new HashMap<>();
                while (hasMore()) {
                    at++;
                    String key = string();
                    at++;
                    object.put(key, value());
                }
                return object;
            case '[':
                List<@Nullable Object> list = new ArrayList<>();
                while (hasMore()) {
                    list.add(value());
                }
                return list;
            case '"':
                return string();
            default:
                at += "ull".length();
                return null;
        }
    }

    /** Skips a comma, or the bracket at the end. */
    private boolean hasMore() {
        char next = in.charAt(at);
        at += next == ',' || next == ']' || next == '}' ? 1 : 0;
        return next != ']' && next != '}';
    }

    /** Reads the rest of a string, which has the escapes of {@link Json#text}. */
    private String string() {
        StringBuilder out = new StringBuilder();
        for (char next = in.charAt(at++); next != '"'; next = in.charAt(at++)) {
            if (next == '\\') {
                next = in.charAt(at++);
                if (next == 'u') {
                    next = (char) Integer.parseInt(in.substring(at, at + 4), 16);
                    at += 4;
                }
            }
            out.append(next);
        }
        return out.toString();
    }
}
