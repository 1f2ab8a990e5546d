//! Extensions that are supported, asked for, enabled.

use core::ffi::{CStr, c_char};

use ash::vk;
use loader_core::abi::name;
use loader_core::registry::{ExtensionId, ExtensionKind, ExtensionSet, find_extension};

use crate::out_array::OutArray;

/// Extensions that were enabled. They are supported: there is no other way to make this.
#[derive(Clone, Copy, Debug)]
pub struct EnabledExtensions(ExtensionSet);

/// An extension was asked for that is unknown or not supported: `VK_ERROR_EXTENSION_NOT_PRESENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPresent<'a>(
    /// Its name.
    pub &'a CStr,
);

impl EnabledExtensions {
    /// Enables the extensions that an application names. A name may occur twice. Those of `more`, which the registry does not
    /// list, are accepted and not in the set.
    ///
    /// # Errors
    /// [`NotPresent`] for an extension that `supported` does not have or that is of the other kind.
    ///
    /// # Safety
    /// As for [`loader_core::abi::name::list`].
    pub unsafe fn from_request<'a>(
        supported: &ExtensionSet,
        kind: ExtensionKind,
        more: &[(&CStr, u32)],
        names: *const *const c_char,
        count: u32,
    ) -> Result<Self, NotPresent<'a>> {
        let mut enabled = ExtensionSet::default();
        // SAFETY: the caller vouches for the array.
        for name in unsafe { name::list(names, count) } {
            if more.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let id = find_extension(name.to_bytes()).ok_or(NotPresent(name))?;
            if !supported.contains(id) || id.kind() != kind {
                return Err(NotPresent(name));
            }
            enabled.insert(id);
        }
        Ok(Self(enabled))
    }
}

impl core::ops::Deref for EnabledExtensions {
    type Target = ExtensionSet;
    fn deref(&self) -> &ExtensionSet {
        &self.0
    }
}

impl From<NotPresent<'_>> for vk::Result {
    fn from(_: NotPresent<'_>) -> Self {
        Self::ERROR_EXTENSION_NOT_PRESENT
    }
}

/// The extensions of one kind in a set as `vkEnumerate...ExtensionProperties` has them, in the order of the registry.
pub(crate) fn list(set: &ExtensionSet, kind: ExtensionKind, out: &mut OutArray<vk::ExtensionProperties>) {
    for id in ExtensionId::all().filter(|id| set.contains(*id) && id.kind() == kind) {
        out.push(property(id.name(), id.spec_version()));
    }
}

pub(crate) fn property(name: &CStr, spec_version: u32) -> vk::ExtensionProperties {
    let mut property = vk::ExtensionProperties { spec_version, ..Default::default() };
    copy_name(&mut property.extension_name, name.to_bytes());
    property
}

/// Writes a name into a fixed array, cut to what fits, with its NUL.
pub(crate) fn copy_name(array: &mut [c_char], text: &[u8]) {
    array.fill(0);
    name::fill(array, text);
}
