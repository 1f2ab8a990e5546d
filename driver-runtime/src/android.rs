//! Which extensions a driver may have on Android, by the level of the API.
//!
//! Android's tests refuse drivers that have Khronos' or Google's extensions newer than the system; those of other vendors
//! and `EXT` ones pass. A driver calls [`allowed`] on what it would have elsewhere.

use loader_core::registry::{ExtensionId, ExtensionSet, extension};

/// The first level that allows an extension. What is `KHR`, `KHX`, `GOOGLE` or `ANDROID` and is not here is never allowed.
///
/// These are the levels that the sources of the project name; a driver passes what it knows better as `more`.
const LEVELS: &[(ExtensionId, u32)] = &[
    (extension::KHR_SURFACE, 26),
    (extension::KHR_SWAPCHAIN, 26),
    (extension::KHR_DEVICE_GROUP_CREATION, 28),
    (extension::KHR_SURFACE_PROTECTED_CAPABILITIES, 29),
    (extension::KHR_SYNCHRONIZATION2, 31),
    (extension::KHR_PORTABILITY_ENUMERATION, 33),
    (extension::KHR_DYNAMIC_RENDERING, 33),
    (extension::KHR_MAINTENANCE5, 35),
    (extension::KHR_PIPELINE_BINARY, 36),
];

/// The extensions of `set` that a driver may have at an API level. `more` are further extensions with their first levels.
#[must_use]
pub fn allowed(set: &ExtensionSet, level: u32, more: &[(ExtensionId, u32)]) -> ExtensionSet {
    let mut kept = ExtensionSet::default();
    let all = ExtensionId::all().filter(|id| set.contains(*id));
    all.filter(|id| is_allowed(*id, level, more)).for_each(|id| kept.insert(id));
    kept
}

fn is_allowed(id: ExtensionId, level: u32, more: &[(ExtensionId, u32)]) -> bool {
    let name = id.name().to_bytes();
    // VK_ANDROID_native_buffer, which the registry does not list as supported, is the loader's and the driver's own matter.
    let watched: [&[u8]; 4] = [b"VK_KHR_", b"VK_KHX_", b"VK_GOOGLE_", b"VK_ANDROID_"];
    if !watched.iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    LEVELS.iter().chain(more).any(|(known, since)| *known == id && *since <= level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b22_extensions_by_the_level_of_the_system() {
        let rows = [
            (extension::KHR_SYNCHRONIZATION2, 30, false),
            (extension::KHR_SYNCHRONIZATION2, 31, true),
            (extension::KHR_SYNCHRONIZATION2, 32, true),
            (extension::EXT_MESH_SHADER, 1, true),
            (extension::KHR_VIDEO_QUEUE, 99, false),
        ];
        for (id, level, is) in rows {
            let set = ExtensionSet::new(&[id]);
            assert_eq!(allowed(&set, level, &[]).contains(id), is, "{:?} {level}", id.name());
        }
        let set = ExtensionSet::new(&[extension::KHR_VIDEO_QUEUE]);
        assert!(allowed(&set, 40, &[(extension::KHR_VIDEO_QUEUE, 40)]).contains(extension::KHR_VIDEO_QUEUE));
    }
}
