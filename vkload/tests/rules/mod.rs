//! The ids of the doctor's findings, read from the sources of its rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Words in the rules that look like an id.
const NO_IDS: &[&str] = &["apt-get", "ld-musl", "pci-stub", "vfio-pci"];

/// Returns every ID that a rule may use: words with a hyphen anywhere, and any word in the position of the ID in `Finding::new`.
pub(crate) fn ids_of_rules() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/doctor/rules")).expect("the rules")
    {
        let source = fs::read_to_string(file.expect("a file").path()).expect("text");
        let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        ids.extend(literals(source).filter(|it| it.contains('-') && is_id(it)));
        for call in source.split("Finding::new(").skip(1) {
            ids.extend(
                argument(call, 2).and_then(|it| Some(it.strip_prefix('"')?.strip_suffix('"')?.to_owned())),
            );
        }
    }
    ids.retain(|id| !NO_IDS.contains(&id.as_str()));
    ids
}

pub(crate) fn is_id(word: &str) -> bool {
    let parts = word.split('-');
    parts
        .clone()
        .all(|part| !part.is_empty() && part.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit()))
        && !word.starts_with(|it: char| it.is_ascii_digit())
}

/// Returns the string literals of a source. An escaped quotation mark does not close a literal.
pub(crate) fn literals(source: &str) -> impl Iterator<Item = String> {
    let source = source.replace("\\\"", "\u{fffd}").replace("'\"'", "");
    literals_in(&source, '"').collect::<Vec<_>>().into_iter()
}

pub(crate) fn literals_in(text: &str, mark: char) -> impl Iterator<Item = String> + '_ {
    text.split(mark).skip(1).step_by(2).map(str::to_owned)
}

/// Returns an argument of a call, of which `rest` is what follows the parenthesis.
fn argument(rest: &str, number: usize) -> Option<&str> {
    let (mut depth, mut in_literal, mut escaped, mut begin, mut count) = (0usize, false, false, 0, 0);
    for (place, character) in rest.char_indices() {
        let was_escaped = escaped;
        escaped = in_literal && character == '\\' && !was_escaped;
        match character {
            '"' if !was_escaped => in_literal = !in_literal,
            _ if in_literal => {}
            '(' | '[' | '{' => depth += 1,
            ',' | ')' | ']' | '}' if depth == 0 => {
                if count == number {
                    return rest.get(begin..place).map(str::trim);
                }
                if character != ',' {
                    return None;
                }
                (begin, count) = (place + 1, count + 1);
            }
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
