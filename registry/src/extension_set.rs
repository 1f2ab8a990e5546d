//! Sets of extensions.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler, or below a length that is compared"
)]

use core::ffi::CStr;

use super::tables::EXTENSION_FILES;
use super::{EXTENSION_COUNT, ExtensionId, ExtensionKind, VulkanPlatform, find_extension};

const WORDS: usize = EXTENSION_COUNT.div_ceil(64);

/// A set of extensions of the registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtensionSet([u64; WORDS]);

impl ExtensionSet {
    /// Creates the set of these extensions.
    pub const fn new(extensions: &[ExtensionId]) -> Self {
        let mut words = [0; WORDS];
        each!(extensions, |id| { words[id.index() >> 6] |= 1 << (id.index() & 63) });
        Self(words)
    }

    /// Returns the extensions for these platforms.
    pub const fn on(platforms: &[VulkanPlatform]) -> Self {
        let mut words = [0; WORDS];
        each!(EXTENSION_FILES, |file| {
            each!(file, |extension| {
                each!(platforms, |platform| {
                    if *platform as u8 == extension.platform as u8 {
                        words[extension.id as usize >> 6] |= 1 << (extension.id & 63);
                    }
                });
            });
        });
        Self(words)
    }

    /// The extensions that are enabled on instances.
    pub(super) const OF_INSTANCES: Self = {
        let mut words = [0; WORDS];
        each!(EXTENSION_FILES, |file| {
            each!(file, |extension| {
                if matches!(extension.kind, ExtensionKind::Instance) {
                    words[extension.id as usize >> 6] |= 1 << (extension.id & 63);
                }
            });
        });
        Self(words)
    };

    /// Returns the extensions of this set that are not in `others`.
    #[must_use]
    pub(super) const fn without(mut self, others: &Self) -> Self {
        let mut word = 0;
        while word < WORDS {
            self.0[word] &= !others.0[word];
            word += 1;
        }
        self
    }

    /// Returns the set's extensions of one kind.
    #[must_use]
    pub const fn of_kind(self, kind: ExtensionKind) -> Self {
        let of_devices = self.without(&Self::OF_INSTANCES);
        match kind {
            ExtensionKind::Device => of_devices,
            ExtensionKind::Instance => self.without(&of_devices),
        }
    }

    /// Returns the instance extensions of the first set and the device extensions of the second.
    #[must_use]
    pub const fn of_instance_and_device(of_instance: &Self, mut of_device: Self) -> Self {
        let mut word = 0;
        while word < WORDS {
            let differing = of_device.0[word] ^ of_instance.0[word];
            of_device.0[word] ^= differing & Self::OF_INSTANCES.0[word];
            word += 1;
        }
        of_device
    }

    /// Returns the number of extensions.
    pub fn count(&self) -> u32 {
        self.0.iter().fold(0, |sum, word| sum.wrapping_add(word.count_ones()))
    }

    /// Returns the set's extensions in registry order.
    pub fn iter(&self) -> impl Iterator<Item = ExtensionId> {
        let mut words = self.0.into_iter().zip((0u16..).step_by(u64::BITS as usize));
        let (mut word, mut first) = (0u64, 0);
        core::iter::from_fn(move || {
            while word == 0 {
                (word, first) = words.next()?;
            }
            let id = ExtensionId::new(first | word.trailing_zeros() as u16);
            word &= word.wrapping_sub(1);
            Some(id)
        })
    }

    /// Returns the set of the known extensions among `names`.
    pub fn of<'a>(names: impl Iterator<Item = &'a CStr>) -> Self {
        let mut set = Self::default();
        names.filter_map(|name| find_extension(name.to_bytes())).for_each(|id| set.insert(id));
        set
    }

    /// Adds every extension of `other`.
    pub fn extend(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// Adds an extension.
    pub fn insert(&mut self, id: ExtensionId) {
        if let Some(word) = self.0.get_mut(id.index() >> 6) {
            *word |= 1 << (id.index() & 63);
        }
    }

    /// Returns whether the extension is in the set.
    pub const fn contains(&self, id: ExtensionId) -> bool {
        let word = id.index() >> 6;
        word < WORDS && self.0[word] & (1 << (id.index() & 63)) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_else() {
        let names = [c"VK_KHR_swapchain", c"VK_XYZ_unheard_of"];
        let set = ExtensionSet::of(names.into_iter());
        let held: std::vec::Vec<_> = ExtensionId::all().filter(|id| set.contains(*id)).collect();
        assert_eq!(held, [find_extension(b"VK_KHR_swapchain").unwrap()]);
        assert_eq!(set, ExtensionSet::new(&held));
        let all = ExtensionSet::of(ExtensionId::all().map(ExtensionId::name));
        assert!(all.iter().eq(ExtensionId::all()));
        assert_eq!((all.count() as usize, set.count()), (EXTENSION_COUNT, 1));
        for kind in [ExtensionKind::Instance, ExtensionKind::Device] {
            assert!(all.of_kind(kind).iter().eq(ExtensionId::all().filter(|id| id.kind() == kind)));
        }
        let of_instance = all.of_kind(ExtensionKind::Instance);
        let both = ExtensionSet::of_instance_and_device(&all, set);
        assert_eq!((both.of_kind(ExtensionKind::Instance), both.without(&of_instance)), (of_instance, set));
        assert_eq!(ExtensionSet::of_instance_and_device(&set, of_instance), ExtensionSet::default());
    }
}
