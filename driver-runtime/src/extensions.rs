//! Supported, requested and enabled extensions.

use core::ffi::{CStr, c_char};

use ash::vk;
use vkload_core::abi::name;
use vkload_core::registry::{ExtensionKind, ExtensionSet, find_extension};

use crate::out_array::OutArray;

/// Extensions that the registry does not list, with their versions.
pub type Unlisted = &'static [(&'static CStr, u32)];

/// The maximum number of unlisted extensions of one kind, in addition to the registry's.
pub const MOST_UNLISTED: usize = u64::BITS as usize;

/// Enabled extensions. They are always supported: the only constructor checks them.
#[derive(Clone, Copy, Debug)]
pub struct EnabledExtensions {
    listed: ExtensionSet,
    unlisted: Unlisted,
    enabled: u64,
}

/// A requested extension is unknown or not supported: `VK_ERROR_EXTENSION_NOT_PRESENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPresent<'a>(pub(crate) &'a CStr);

impl EnabledExtensions {
    /// Enables the extensions that an application names. A name may occur twice. Extensions in `unlisted` are also
    /// accepted, but only the first [`MOST_UNLISTED`].
    ///
    /// # Errors
    /// [`NotPresent`] for an extension that `supported` does not have or that is of the other kind.
    ///
    /// # Safety
    /// As for [`vkload_core::abi::name::list`].
    pub(crate) unsafe fn from_request<'a>(
        supported: &ExtensionSet,
        kind: ExtensionKind,
        unlisted: Unlisted,
        names: *const *const c_char,
        count: u32,
    ) -> Result<Self, NotPresent<'a>> {
        let mut request = Self { listed: ExtensionSet::default(), unlisted, enabled: 0 };
        // SAFETY: the caller vouches for the array.
        for name in unsafe { name::list(names, count) } {
            if let Some(bit) = request.bit(name) {
                request.enabled |= bit;
                continue;
            }
            let id = find_extension(name.to_bytes()).ok_or(NotPresent(name))?;
            if !supported.contains(id) || id.kind() != kind {
                return Err(NotPresent(name));
            }
            request.listed.insert(id);
        }
        Ok(request)
    }

    /// Returns whether an unlisted extension is enabled.
    pub fn has_unlisted(&self, name: &CStr) -> bool {
        self.bit(name).is_some_and(|bit| self.enabled & bit != 0)
    }

    fn bit(&self, name: &CStr) -> Option<u64> {
        let index = self.unlisted.iter().position(|(known, _)| *known == name)?;
        1u64.checked_shl(u32::try_from(index).ok()?)
    }
}

impl core::ops::Deref for EnabledExtensions {
    type Target = ExtensionSet;
    fn deref(&self) -> &ExtensionSet {
        &self.listed
    }
}

impl From<NotPresent<'_>> for vk::Result {
    fn from(_: NotPresent<'_>) -> Self {
        Self::ERROR_EXTENSION_NOT_PRESENT
    }
}

/// Lists a set's extensions of one kind, as for `vkEnumerate...ExtensionProperties`, in registry order.
pub(crate) fn list(set: &ExtensionSet, kind: ExtensionKind, out: &mut OutArray<vk::ExtensionProperties>) {
    let listed = set.of_kind(kind);
    if out.counts(listed.count()) {
        return;
    }
    for id in listed.iter() {
        out.push_with(|out| *out = property(id.name(), id.spec_version()));
    }
}

/// Lists unlisted extensions in the same form.
pub(crate) fn list_unlisted(unlisted: Unlisted, out: &mut OutArray<vk::ExtensionProperties>) {
    unlisted.iter().for_each(|(name, version)| out.push_with(|out| *out = property(name, *version)));
}

fn property(name: &CStr, spec_version: u32) -> vk::ExtensionProperties {
    let mut property = vk::ExtensionProperties { spec_version, ..Default::default() };
    copy_name(&mut property.extension_name, name.to_bytes());
    property
}

/// Writes a name into a fixed array, truncated to fit, with its NUL.
pub(crate) fn copy_name(array: &mut [c_char], text: &[u8]) {
    array.fill(0);
    name::fill(array, text);
}
