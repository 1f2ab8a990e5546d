//! Text in a narrow position: wrapped, and shortened in the middle where even that is not enough. Widths are in columns of a
//! terminal, of which some characters need two.

use crate::escape;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How far lines after the first are indented.
const INDENT: usize = 2;

/// Returns how many columns the text needs.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Returns the text in lines of at most `width` columns. Lines after the first are indented by two. Control characters, which would command
/// a terminal, are escaped.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let text = escape::line(text);
    let mut rest = text.trim();
    loop {
        let indent = if lines.is_empty() { 0 } else { INDENT };
        let (line, after) = rest.split_at(end_of_line(rest, width.saturating_sub(indent)));
        lines.push(format!("{:indent$}{}", "", line.trim_end()));
        rest = after.trim_start();
        if rest.is_empty() {
            return lines;
        }
    }
}

/// Splits the text into at most `limit` lines of at most `width` columns. If the text is longer, `mark` replaces part of its middle; the
/// end, which in a path is the file name, stays whole if it fits.
pub(crate) fn fold(text: &str, width: usize, limit: usize, mark: &str) -> Vec<String> {
    let whole = wrap(text, width);
    if whole.len() <= limit {
        return whole;
    }
    let characters: Vec<char> = text.trim().chars().collect();
    let is_path = characters.contains(&'/');
    let name = characters.iter().rev().take_while(|it| **it != '/').count() + 1;
    let most = (width * limit).min(characters.len());
    let shortened = (2..most).rev().map(|keep| {
        let end = if is_path { name.clamp(keep / 2, keep - 1) } else { keep / 2 };
        let (start, end) = (&characters[..keep - end], &characters[characters.len() - end..]);
        wrap(&format!("{}{mark}{}", String::from_iter(start), String::from_iter(end)), width)
    });
    shortened.into_iter().find(|lines| lines.len() <= limit).unwrap_or_else(|| vec![mark.to_owned()])
}

/// Returns the length of the first line of `text`, in bytes: up to the last good break within `width`. The length is never zero.
fn end_of_line(text: &str, width: usize) -> usize {
    let mut used = 0;
    // After words and the parts of paths and lists; else after the parts of names; else anywhere.
    let (mut good, mut fair, mut any) = (0, 0, 0);
    for (position, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        let is_space = character == ' ';
        if used > width && !is_space {
            return [good, fair, any, position, character.len_utf8()]
                .into_iter()
                .find(|end| *end > 0)
                .unwrap_or(position);
        }
        any = position + character.len_utf8();
        match character {
            ' ' | '/' | ':' | ';' | ',' | '=' => good = any,
            '_' | '-' | '.' => fair = any,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_after_words_and_the_parts_of_paths() {
        assert_eq!(wrap("one two three", 9), ["one two", "  three"]);
        assert_eq!(
            wrap("/usr/lib/x86_64-linux-gnu/libgood.so", 18),
            ["/usr/lib/", "  x86_64-linux-", "  gnu/libgood.so"]
        );
        assert_eq!(wrap("abcdefgh", 5), ["abcde", "  fgh"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn no_line_is_wider_than_it_may_be() {
        let text = "enabled by VK_INSTANCE_LAYERS=VK_LAYER_a:VK_LAYER_b \u{5c42}\u{5c42}\u{5c42}\u{5c42}/\u{5c42}\u{5c42}";
        for width in 5..60 {
            for line in wrap(text, width).iter().chain(&fold(text, width, 2, "...")) {
                assert!(columns(line) <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(wrap("a\u{1b}[31m\nb", 20), ["a\\u{1b}[31m\\nb"]);
    }

    #[test]
    fn long_text_is_shortened_in_the_middle() {
        let path = "/a/very/long/folder/with/many/parts/inside/libvulkan_good.so";
        let lines = fold(path, 20, 2, "...");
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("/a/"), "{lines:?}");
        assert!(lines[1].ends_with("libvulkan_good.so"), "{lines:?}");
        assert!(lines.concat().contains("..."), "{lines:?}");
        assert_eq!(fold("/short", 20, 2, "..."), ["/short"]);
        let list = fold("enabled by VK_LOADER_LAYERS_ENABLE=*one*,*two*,*three*,*four*,*five*", 20, 2, "...");
        assert!(list[0].starts_with("enabled by"), "{list:?}");
    }
}
