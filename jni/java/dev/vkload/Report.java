package dev.vkload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The places that the loader searched, what it uses, and why it does not use the rest. */
public final class Report {
    private final String text;
    private final String json;

    Report(String text, String json) {
        this.text = text;
        this.json = json;
    }

    /** To be read. */
    public String getText() {
        return text;
    }

    /** For programs. */
    public String getJson() {
        return json;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof Report)) {
            return false;
        }
        Report that = (Report) other;
        return text.equals(that.text) && json.equals(that.json);
    }

    @Override
    public int hashCode() {
        return Objects.hash(text, json);
    }

    /** The {@link #getText}. */
    @Override
    public String toString() {
        return text;
    }
}
