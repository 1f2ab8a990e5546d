package dev.vkload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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

    /** Returns the drivers that were examined. */
    public List<Entry> getDrivers() {
        return entries("driver_candidates", "path");
    }

    /** Returns the layers in the loader's order, then those that were named and not found. */
    public List<Entry> getLayers() {
        return entries("layers", "name");
    }

    private List<Entry> entries(String list, String name) {
        List<Entry> entries = new ArrayList<>();
        for (Object each : (List<?>) Objects.requireNonNull(((Map<?, ?>) JsonReader.read(json)).get(list))) {
            Map<?, ?> member = (Map<?, ?>) each;
            entries.add(new Entry((String) member.get(name), (String) member.get("library"), (String) member.get("decision"),
                    (String) member.get("reason")));
        }
        return Collections.unmodifiableList(entries);
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

    /** A driver or a layer, and the loader's decision about it. */
    public static final class Entry {
        private final String name;
        private final @Nullable String library;
        private final String decision;
        private final @Nullable String reason;

        Entry(String name, @Nullable String library, String decision, @Nullable String reason) {
            this.name = name;
            this.library = library;
            this.decision = decision;
            this.reason = reason;
        }

        /** Returns the layer's name, or the driver's path. */
        public String getName() {
            return name;
        }

        /** Returns the path of its library, or null if nothing was found. */
        public @Nullable String getLibrary() {
            return library;
        }

        /** Returns {@code used} for a driver, {@code active} or {@code usable} for a layer, or the name of the reason against it. */
        public String getDecision() {
            return decision;
        }

        /** Returns why it is not used, or null if it is or could be. */
        public @Nullable String getReason() {
            return reason;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Entry && parts().equals(((Entry) other).parts());
        }

        @Override
        public int hashCode() {
            return parts().hashCode();
        }

        private List<@Nullable String> parts() {
            return Arrays.asList(name, library, decision, reason);
        }

        @Override
        public String toString() {
            return name + ": " + decision + (reason == null ? "" : ": " + reason);
        }
    }
}
