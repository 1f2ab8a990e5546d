//! The Android release that the loader is part of, as far as programs see a difference: its API
//! level. See also [`crate::switches`].
#![forbid(unsafe_code)]

/// A release of Android, by its API level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ApiLevel(pub u32);

impl ApiLevel {
    /// Android 9: Vulkan 1.1.
    pub const OLDEST: Self = Self(28);
    /// Android 13: Vulkan 1.3.
    pub const ANDROID_13: Self = Self(33);
    pub const ANDROID_14: Self = Self(34);
    /// Android 15: more colour spaces, front buffers.
    pub const ANDROID_15: Self = Self(35);
    /// Android 16: Vulkan 1.4.
    pub const ANDROID_16: Self = Self(36);
    /// Android 17: waiting for frames, their timing.
    pub const ANDROID_17: Self = Self(37);
    /// The newest level that the loader knows.
    pub const NEWEST: Self = Self::ANDROID_17;
    /// The level of a library that is built without a choice.
    pub const DEFAULT: Self = Self::ANDROID_16;
    /// The level that this library is built for: the newest one of the features `api-LEVEL`, or
    /// [`Self::DEFAULT`].
    pub const BUILT: Self = built();
}

/// The levels at which Android's library got the core commands of Vulkan 1.0, 1.1 and so on
/// (`libvulkan.map.txt`).
const CORE: [ApiLevel; 5] = [ApiLevel::OLDEST, ApiLevel::OLDEST, ApiLevel(31), ApiLevel(33), ApiLevel(36)];

impl ApiLevel {
    /// Returns whether the library exports the core commands of this minor version of Vulkan 1.
    pub fn exports_core(self, minor: u8) -> bool {
        CORE.get(usize::from(minor)).is_some_and(|since| self >= *since)
    }
}

/// The levels with the feature that chooses each, the oldest first.
const CHOICES: [(ApiLevel, bool); 10] = [
    (ApiLevel(28), cfg!(feature = "api-28")),
    (ApiLevel(29), cfg!(feature = "api-29")),
    (ApiLevel(30), cfg!(feature = "api-30")),
    (ApiLevel(31), cfg!(feature = "api-31")),
    (ApiLevel(32), cfg!(feature = "api-32")),
    (ApiLevel(33), cfg!(feature = "api-33")),
    (ApiLevel(34), cfg!(feature = "api-34")),
    (ApiLevel(35), cfg!(feature = "api-35")),
    (ApiLevel(36), cfg!(feature = "api-36")),
    (ApiLevel(37), cfg!(feature = "api-37")),
];

const fn built() -> ApiLevel {
    let (mut rest, mut built): (&[_], _) = (&CHOICES, ApiLevel::DEFAULT);
    while let [(level, chosen), others @ ..] = rest {
        if *chosen {
            built = *level;
        }
        rest = others;
    }
    built
}
