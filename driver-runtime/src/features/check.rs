//! Checks the features requested in `vkCreateDevice` against the features that the physical device reports.

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, TryGrow, Vec};
use vkload_core::registry::ExtensionSet;

use super::rows::{Row, unlisted};
use super::{Features, UnlistedFeatures, members, row};

/// Features that a device was created with, all of which it supports.
#[derive(Clone, Copy)]
pub struct Enabled {
    features: Features,
    /// The driver's own structures of features, and a bit for each of their members.
    unlisted: &'static [UnlistedFeatures],
    more: u64,
}

impl core::fmt::Debug for Enabled {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} and {:#x}", self.features, self.more)
    }
}

impl Enabled {
    /// Returns whether an unlisted feature is enabled: the member with this number, from 0, of the structure of this
    /// type.
    pub fn has_unlisted(&self, structure: vk::StructureType, member: usize) -> bool {
        let row = unlisted(self.unlisted, structure).filter(|row| member < row.len());
        row.and_then(|row| bit(row, member)).is_some_and(|bit| self.more & bit != 0)
    }

    fn insert(&mut self, row: Row, index: usize) {
        match row {
            Row::Listed(row) => {
                if let Some((feature, _)) = row.members.get(index) {
                    self.features.insert(*feature);
                }
            }
            Row::Unlisted(..) => self.more |= bit(row, index).unwrap_or(0),
        }
    }
}

/// Returns the bit of a member of one of the driver's structures.
fn bit(row: Row, index: usize) -> Option<u64> {
    let Row::Unlisted(_, before) = row else { return None };
    u32::try_from(before.saturating_add(index)).ok().and_then(|number| 1u64.checked_shl(number))
}

/// Checks that the members of these structures are few enough.
///
/// # Panics
/// If they are not: in a constant, an error of the build.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(crate) const fn check_unlisted(list: &[UnlistedFeatures]) {
    let (mut at, mut members) = (0, 0);
    while at < list.len() {
        members += list[at].len();
        at += 1;
    }
    assert!(members <= u64::BITS as usize, "too many features that the registry does not list");
}

impl core::ops::Deref for Enabled {
    type Target = Features;
    fn deref(&self) -> &Features {
        &self.features
    }
}

/// Why features cannot be enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckError {
    /// A requested feature is not reported by the physical device.
    NotPresent { structure: &'static str, member: &'static str },
    /// The pNext chain leads back into itself, or is longer than a sane one.
    CyclicChain,
    /// No memory for the question to the driver.
    OutOfMemory,
}

impl From<CheckError> for vk::Result {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::NotPresent { .. } => Self::ERROR_FEATURE_NOT_PRESENT,
            CheckError::CyclicChain => Self::ERROR_INITIALIZATION_FAILED,
            CheckError::OutOfMemory => Self::ERROR_OUT_OF_HOST_MEMORY,
        }
    }
}

impl From<OutOfMemory> for CheckError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

/// Checks the features of `info`, of the registry's structures and of `own`, against what `report`, the driver's own `vkGetPhysicalDeviceFeatures2`, writes into a
/// chain of the same structures; `core_minor` and `extensions` are the physical device's. `memory` is used until the
/// function returns.
///
/// Unknown structures and structures that the device does not have are ignored. A second structure of one type is
/// ignored with a warning through `warn`.
///
/// # Safety
/// `info` is valid but for loops in its chain, and `report` writes nothing but the structures' members.
pub(crate) unsafe fn check(
    info: &vk::DeviceCreateInfo<'_>,
    core_minor: u32,
    extensions: &ExtensionSet,
    own: &'static [UnlistedFeatures],
    memory: CopiedCallbacks,
    report: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
    mut warn: impl FnMut(&'static str),
) -> Result<Enabled, CheckError> {
    let mut requests = Requests(Vec::new_in(memory));
    if let Some(first) = row(vk::StructureType::PHYSICAL_DEVICE_FEATURES_2)
        && !info.p_enabled_features.is_null()
    {
        requests.add(Row::Listed(first), info.p_enabled_features.cast())?;
    }
    // SAFETY: the caller vouches for the chain.
    let structures = || unsafe { chain::pointers(info.p_next.cast_mut()) };
    // SAFETY: every structure of the chain is valid. The walk is bounded: it only stops before the end if there is none.
    if structures().last().is_some_and(|last| unsafe { !(*last).p_next.is_null() }) {
        return Err(CheckError::CyclicChain);
    }
    for structure in structures() {
        // SAFETY: every structure of the chain is valid.
        let s_type = unsafe { (*structure).s_type };
        let listed = row(s_type).filter(|row| row.is_of(core_minor, extensions)).map(Row::Listed);
        if let Some(row) = listed.or_else(|| unlisted(own, s_type)) {
            let is_new = requests.add(row, members(structure.cast()))?;
            if !is_new {
                warn(row.name());
            }
        }
    }
    // SAFETY: the requests were made of valid structures.
    unsafe { requests.answer(own, report) }
}

/// The requested structures, with the addresses of their members.
struct Requests(Vec<(Row, *const vk::Bool32), CopiedCallbacks>);

impl Requests {
    /// Returns whether the structure is the first of its type; others do not count.
    fn add(&mut self, row: Row, wanted: *const vk::Bool32) -> Result<bool, OutOfMemory> {
        let is_new = self.0.iter().all(|(known, _)| known.s_type() != row.s_type());
        if is_new {
            self.0.try_push((row, wanted))?;
        }
        Ok(is_new)
    }

    /// Queries the driver with a blank structure of each requested type, and compares.
    ///
    /// # Safety
    /// The pointers point to as many members as their structures have.
    unsafe fn answer(
        &self,
        own: &'static [UnlistedFeatures],
        report: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
    ) -> Result<Enabled, CheckError> {
        let mut first = vk::PhysicalDeviceFeatures2::default();
        let mut memory: Vec<u64, CopiedCallbacks> = Vec::new_in(*self.0.allocator());
        let words = self.0.iter().map(|(row, _)| words(*row)).fold(0usize, usize::saturating_add);
        memory.try_resize(words, 0)?;
        let mut rest = memory.as_mut_ptr();
        for (row, _) in self.0.iter().copied().filter(|(row, _)| is_chained(*row)) {
            let blank = rest.cast::<vk::BaseOutStructure<'_>>();
            // SAFETY: the memory has space for every structure, each in whole words.
            unsafe {
                (*blank).s_type = vk::StructureType::from_raw(row.s_type());
                (*blank).p_next = first.p_next.cast();
                first.p_next = blank.cast();
                rest = rest.add(row.words());
            }
        }
        report(&mut first);
        let mut enabled = Enabled { features: Features::NONE, unlisted: own, more: 0 };
        let mut rest = memory.as_mut_ptr();
        for (row, wanted) in self.0.iter().copied() {
            let supported = if is_chained(row) {
                let blank = rest;
                rest = rest.wrapping_add(row.words());
                members(blank.cast())
            } else {
                (&raw mut first.features).cast::<vk::Bool32>()
            };
            for index in 0..row.len() {
                // SAFETY: both structures have this many members.
                let (wanted, supported) = unsafe { (*wanted.add(index), *supported.add(index)) };
                if wanted == vk::FALSE {
                    continue;
                }
                if supported == vk::FALSE {
                    return Err(CheckError::NotPresent { structure: row.name(), member: row.member(index) });
                }
                enabled.insert(row, index);
            }
        }
        Ok(enabled)
    }
}

/// Returns whether the structure is chained to `VkPhysicalDeviceFeatures2`, and not in it.
fn is_chained(row: Row) -> bool {
    row.s_type() != vk::StructureType::PHYSICAL_DEVICE_FEATURES_2.as_raw()
}

fn words(row: Row) -> usize {
    if is_chained(row) { row.words() } else { 0 }
}
