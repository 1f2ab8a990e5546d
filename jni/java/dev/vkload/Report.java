package dev.vkload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The places that the loader searched, the drivers and layers that it uses, and why it does not use the rest. */
public final class Report {
    private final String text;
    private final String json;

    Report(String text, String json) {
        this.text = text;
        this.json = json;
    }

    /** Returns the report for people. */
    public String getText() {
        return text;
    }

    /** Returns the report for programs. */
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

    /** Returns {@link #getText}. */
    @Override
    public String toString() {
        return text;
    }
}
