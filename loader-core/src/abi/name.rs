//! Names as C strings: command names, requested extensions, and fixed arrays reported by drivers.

use core::ffi::{CStr, c_char};

use ash::vk;

use crate::registry::CommandId;

/// Returns the name of a command, to ask a driver or a layer for. Unlike [`CommandId::name`], it is not
/// searched for its end, which is most of the work for the hundreds of commands of a table.
#[inline]
pub fn of(command: CommandId) -> &'static CStr {
    // SAFETY: the bytes end in their only NUL, see `const_name`.
    unsafe { CStr::from_bytes_with_nul_unchecked(command.const_name()) }
}

/// Returns the name in a fixed array, if it ends within the array. A driver may have forgotten the terminator.
pub fn in_array(array: &[c_char]) -> Option<&CStr> {
    CStr::from_bytes_until_nul(bytes(array)).ok()
}

/// Returns whether `extension` is called `name`. The terminator is compared with the rest, so nothing is
/// searched for it.
pub fn is(extension: &vk::ExtensionProperties, name: &CStr) -> bool {
    bytes(&extension.extension_name).starts_with(name.to_bytes_with_nul())
}

fn bytes(array: &[c_char]) -> &[u8] {
    // SAFETY: c_char and u8 have the same size and alignment, and every bit pattern is valid for both.
    unsafe { core::slice::from_raw_parts(array.as_ptr().cast::<u8>(), array.len()) }
}

/// Returns the names in an array of C strings, NULL entries left out.
///
/// # Safety
/// `names` and `count` are a counted array, or `names` is NULL; every entry is NULL or a valid C string for
/// as long as `'a`.
pub unsafe fn list<'a>(names: *const *const c_char, count: u32) -> impl Iterator<Item = &'a CStr> + Clone {
    let count = if names.is_null() { 0 } else { count as usize };
    (0..count).filter_map(move |index| {
        // SAFETY: by this function's `# Safety` `names` holds `count` entries, each NULL or a valid C string.
        unsafe {
            let name = names.add(index).read();
            (!name.is_null()).then(|| CStr::from_ptr(name))
        }
    })
}

/// Writes `text` into a fixed array of zeros, truncated so that a terminator remains, and never within a
/// UTF-8 character.
pub fn fill(array: &mut [c_char], text: &[u8]) {
    let mut end = text.len().min(array.len().saturating_sub(1));
    while end < text.len() && end > 0 && text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end = end.saturating_sub(1);
    }
    for (to, from) in array.iter_mut().zip(text.iter().take(end)) {
        *to = from.cast_signed() as _;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &[u8]) -> vk::ExtensionProperties {
        let mut properties = vk::ExtensionProperties::default();
        fill(&mut properties.extension_name, name);
        properties
    }

    #[test]
    fn a_name_is_itself_and_neither_its_beginning_nor_longer() {
        let surface = called(b"VK_KHR_surface");
        assert!(is(&surface, c"VK_KHR_surface"));
        assert!(!is(&surface, c"VK_KHR_surface_protected_capabilities"));
        assert!(!is(&surface, c"VK_KHR_sur"));
        let unended = vk::ExtensionProperties { extension_name: [b'A' as _; 256], spec_version: 1 };
        assert!(!is(&unended, c"A") && in_array(&unended.extension_name).is_none());
    }

    #[test]
    fn every_command_has_the_name_that_it_is_asked_for_by() {
        assert!(CommandId::all().all(|command| of(command) == command.name()));
        assert_eq!(of(CommandId::new(u16::MAX)), c"");
    }
}
