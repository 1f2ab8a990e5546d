package dev.vkload;

/** Text in the making, with strings as JSON writes them. */
final class Json {
    private final StringBuilder out = new StringBuilder();

    Json raw(String text) {
        out.append(text);
        return this;
    }

    /** Writes a string. An unpaired surrogate becomes U+FFFD. */
    Json text(String text) {
        out.append('"');
        for (int at = 0; at < text.length(); ) {
            int character = text.codePointAt(at);
            at += Character.charCount(character);
            if (character == '"' || character == '\\') {
                out.append('\\').append((char) character);
            } else if (character < ' ') {
                out.append(String.format("\\u%04x", character));
            } else if (character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE) {
                out.append('\uFFFD');
            } else {
                out.appendCodePoint(character);
            }
        }
        out.append('"');
        return this;
    }

    Json strings(Iterable<String> texts) {
        String before = "[";
        for (String text : texts) {
            raw(before).text(text);
            before = ",";
        }
        return raw(before.equals("[") ? "[]" : "]");
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
