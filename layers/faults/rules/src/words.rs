//! Words and values.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Splits text into words, which are separated by spaces or lines. Quotes keep spaces and `#` in a word; `#` elsewhere begins a comment.
///
/// # Errors
/// Names a line in which a quote has no end.
pub fn parse_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for line in text.lines() {
        let (mut word, mut is_quoted) = (None::<String>, false);
        for letter in line.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                '#' if !is_quoted => break,
                _ if letter.is_whitespace() && !is_quoted => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        if is_quoted {
            return Err(format!("`{}`: a quote has no end", line.trim()));
        }
        words.extend(word);
    }
    Ok(words)
}

/// Parses a number up to `largest`.
///
/// # Errors
/// Names the largest number.
pub fn parse_number(text: &str, largest: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number <= largest);
    number.ok_or_else(|| format!("a number up to {largest} is wanted"))
}

/// Parses a number of bytes, `K`, `M` or `G`.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.bytes().last()? {
        b'K' => (text.strip_suffix('K')?, 10),
        b'M' => (text.strip_suffix('M')?, 20),
        b'G' => (text.strip_suffix('G')?, 30),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Parses `SIZE`, `SIZE:device` or `SIZE:host`. Returns the size in bytes, and whether the heap is the device's.
///
/// # Errors
/// Shows the two forms.
pub fn parse_heap(text: &str) -> Result<(u64, bool), String> {
    const WRONG: &str = "a heap is SIZE or SIZE:host, as 512M or 16G:host";
    let (size, of) = text.split_once(':').unwrap_or((text, "device"));
    let is_device = match of {
        "device" => true,
        "host" => false,
        _ => return Err(String::from(WRONG)),
    };
    let bytes = parse_bytes(size).filter(|bytes| *bytes > 0);
    bytes.map(|bytes| (bytes, is_device)).ok_or_else(|| String::from(WRONG))
}
