//! Pattern lists: for file names in `VK_LOADER_DRIVERS_SELECT` and `VK_LOADER_DRIVERS_DISABLE`, for layer
//! names in `VK_LOADER_LAYERS_ENABLE`, `VK_LOADER_LAYERS_DISABLE` and `VK_LOADER_LAYERS_ALLOW`.
#![forbid(unsafe_code)]

use crate::memory::ascii::{is_same_in_any_case, trimmed};

/// A comma-separated list of patterns, the value of a variable. It may have any number of them.
///
/// In a pattern, each `*` matches any number of any characters, and case is ignored. Surrounding blanks and
/// empty patterns are ignored. The word `~all~` matches every name.
#[derive(Clone, Copy)]
pub(super) struct NameFilter<'a>(&'a [u8]);

impl<'a> NameFilter<'a> {
    pub(super) fn new(value: &'a [u8]) -> Option<Self> {
        let filter = Self(value);
        filter.patterns().next().map(|_| filter)
    }

    pub(super) fn matches(self, name: &[u8]) -> bool {
        self.patterns().any(|pattern| matches(pattern, name))
    }

    pub(super) fn patterns(self) -> impl Iterator<Item = &'a [u8]> {
        self.0.split(|byte| *byte == b',').map(trimmed).filter(|pattern| !pattern.is_empty())
    }
}

pub(crate) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if is_same_in_any_case(pattern, b"~all~") {
        return true;
    }
    let mut parts = pattern.split(|byte| *byte == b'*');
    let start = parts.next().unwrap_or_default();
    let Some(mut rest) = strip_start(name, start) else { return false };
    let Some(end) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match after_first(rest, part) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.len()
        .checked_sub(end.len())
        .and_then(|at| rest.get(at..))
        .is_some_and(|tail| is_same_in_any_case(tail, end))
}

/// Returns the rest of `name` after `start`, if it begins with that.
fn strip_start<'a>(name: &'a [u8], start: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = name.split_at_checked(start.len())?;
    is_same_in_any_case(head, start).then_some(rest)
}

/// Returns the rest of `name` after the first `part`.
fn after_first<'a>(name: &'a [u8], part: &[u8]) -> Option<&'a [u8]> {
    (0..=name.len()).find_map(|at| strip_start(name.get(at..)?, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(patterns: &str, name: &str) -> bool {
        NameFilter::new(patterns.as_bytes()).is_some_and(|filter| filter.matches(name.as_bytes()))
    }

    #[test]
    fn patterns_match_whole_names_in_any_case() {
        assert!(hit("Lvp_ICD.json", "lvp_icd.json"));
        assert!(!hit("lvp_icd", "lvp_icd.json"));
        assert!(!hit("vp_icd.json", "lvp_icd.json"));
    }

    #[test]
    fn stars_match_anything() {
        for pattern in ["lvp*", "*.json", "*vp_*", "*", "**", "*lvp_icd.json*", "l*.json", "l**n", "*_*.*"] {
            assert!(hit(pattern, "lvp_icd.json"), "{pattern}");
        }
        for pattern in ["vp*", "*.jso", "*nvidia*", "*lvp_icd.json*n", "l*x*n", "*_icd.json_icd.json"] {
            assert!(!hit(pattern, "lvp_icd.json"), "{pattern}");
        }
    }

    #[test]
    fn a_word_matches_everything() {
        for list in ["~all~", "~ALL~", "x, ~all~ "] {
            assert!(hit(list, "lvp_icd.json"), "{list}");
        }
        assert!(!hit("~all", "lvp_icd.json"));
    }

    #[test]
    fn the_same_bytes_do_not_serve_two_parts() {
        assert!(!hit("ab*ba", "aba"));
        assert!(hit("ab*ba", "abba"));
        assert!(!hit("*aa*aa", "aaa"));
    }

    #[test]
    fn lists_have_any_length() {
        let list = "x,".repeat(40) + " intel* , *end";
        assert!(hit(&list, "intel_icd.json"));
        assert!(hit(&list, "the_end"));
        assert!(!hit(&list, "lvp_icd.json"));
    }

    #[test]
    fn an_empty_filter_is_not_a_filter() {
        assert!(NameFilter::new(b"").is_none());
        assert!(NameFilter::new(b" , ,").is_none());
    }
}
