package dev.vkload;

/** What the loader looked at, what it uses, and why it does not use the rest. */
public final class Report {
    private final String text;
    private final String json;

    Report(String text, String json) {
        this.text = text;
        this.json = json;
    }

    /** To be read. */
    public String text() {
        return text;
    }

    /** For programs. */
    public String json() {
        return json;
    }

    /** The {@link #text}. */
    @Override
    public String toString() {
        return text;
    }
}
