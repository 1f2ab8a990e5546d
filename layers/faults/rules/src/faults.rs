//! The words of the faults layer.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use vkload_registry::{ExtensionId, find_extension};

use crate::rules::Rules;
use crate::words::{parse_heap, parse_number, parse_words};

/// The longest delay of a submission, in milliseconds.
const DELAY: u32 = 60_000;

/// The changes that `VK_LAYER_VKLOAD_faults` makes.
#[derive(Default)]
pub struct Faults {
    /// The calls that fail or wait, and the missing commands.
    pub rules: Rules,
    /// Extensions that no device has.
    pub without: Vec<ExtensionId>,
    /// The largest sizes of heaps.
    pub heaps: Heaps,
    /// How many milliseconds later a submission ends.
    pub delay: u32,
    /// A file that gets a line for each call.
    pub log: Option<String>,
}

/// The largest sizes of heaps, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heaps {
    /// Of each heap with `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`.
    pub device: Option<u64>,
    /// Of each other heap.
    pub host: Option<u64>,
}

impl Faults {
    /// Parses words.
    ///
    /// # Errors
    /// Names the word that cannot be understood, and the mistake in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut faults = Self::default();
        for word in parse_words(text)? {
            let set = match word.split_once('=') {
                Some((key, value)) => faults.set(key, value),
                None => Err("a word is KEY=VALUE".to_owned()),
            };
            set.map_err(|why| format!("`{word}`: {why}"))?;
        }
        Ok(faults)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "without" => {
                let extension = find_extension(value.as_bytes());
                self.without.push(extension.ok_or_else(|| format!("{value} is not an extension"))?);
            }
            "heap" => match parse_heap(value)? {
                (size, true) => self.heaps.device = Some(size),
                (size, false) => self.heaps.host = Some(size),
            },
            "delay" => self.delay = parse_number(value, DELAY)?,
            "log" => self.log = Some(value.to_owned()),
            _ if self.rules.set(key, value)? => {}
            _ => {
                return Err(format!(
                    "`{key}` is unknown; the keys are {}, without, heap, delay, log",
                    Rules::KEYS
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let faults = Faults::parse(
            "heap=1G heap=64M:host delay=20 \"log=/tmp/a b\" # none\n without=VK_KHR_swapchain",
        )
        .unwrap();
        assert_eq!(faults.heaps, Heaps { device: Some(1 << 30), host: Some(64 << 20) });
        assert_eq!((faults.delay, faults.log.as_deref()), (20, Some("/tmp/a b")));
        assert_eq!(faults.without.len(), 1);
    }

    #[test]
    fn mistakes_are_named_with_their_word() {
        let rows = [
            ("heap", "`heap`: a word is KEY=VALUE"),
            ("heap=0", "`heap=0`: a heap is SIZE"),
            ("faults=1", "`faults` is unknown; the keys are fails, holds, lacks, seed, without"),
            ("without=VK_XYZ_no", "VK_XYZ_no is not an extension"),
            ("delay=60001", "a number up to 60000"),
            ("log=\"x", "a quote has no end"),
        ];
        for (text, expected) in rows {
            let problem = Faults::parse(text).err().unwrap_or_default();
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }
}
