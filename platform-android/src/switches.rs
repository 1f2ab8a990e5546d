//! Features that a build can turn on or off regardless of its API level: most of them are also
//! behind a flag in Android (`libvulkan_flags.aconfig`), and on from the release that Android
//! turned it on in.
//!
//! The features `with-NAME` and `without-NAME` of this crate turn a switch on and off; the latter
//! wins. docs/android-image.md has a row for each.
#![forbid(unsafe_code)]

use ash::vk;

use crate::level::ApiLevel;

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub switch: Switch,
    /// Its name in cargo's features; empty if no build can choose it.
    pub name: &'static str,
    /// Android's flag, empty if it has none.
    pub flag: &'static str,
    /// The first Android in which it is on; `None` if it is off in all.
    pub since: Option<ApiLevel>,
    /// Whether this build turns it on or off.
    chosen: Option<bool>,
}

macro_rules! switches {
    ($($(#[$doc:meta])* $switch:ident $name:literal [$($with:tt $without:tt)?] $flag:literal $since:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Switch {
            $($(#[$doc])* $switch,)*
        }

        pub const SWITCHES: &[Row] = &[$(Row {
            switch: Switch::$switch,
            name: $name,
            flag: $flag,
            since: $since,
            chosen: chosen(false $(|| cfg!(feature = $with))?, false $(|| cfg!(feature = $without))?),
        },)*];
    };
}

const ANDROID_16: Option<ApiLevel> = Some(ApiLevel::ANDROID_16);
const ANDROID_17: Option<ApiLevel> = Some(ApiLevel::ANDROID_17);

switches! {
    /// The loader has Vulkan 1.4.
    Vulkan14 "vulkan_1_4" ["with-vulkan_1_4" "without-vulkan_1_4"] "vulkan_1_4_instance_api" ANDROID_16;
    /// `VK_KHR_swapchain_mutable_format`
    MutableFormat "swapchain_mutable_format"
        ["with-swapchain_mutable_format" "without-swapchain_mutable_format"]
        "swapchain_mutable_format_ext" ANDROID_16;
    /// `VK_KHR_present_id`. Android 16 lists it since its second release.
    PresentId "present_id" ["with-present_id" "without-present_id"] "" ANDROID_17;
    /// `VK_KHR_present_id2`
    PresentId2 "present_id2" ["with-present_id2" "without-present_id2"] "present_id2_khr" ANDROID_17;
    /// `VK_KHR_present_wait2`
    PresentWait2 "present_wait2" ["with-present_wait2" "without-present_wait2"]
        "vk_khr_present_wait2_gpu" ANDROID_17;
    /// `VK_EXT_present_mode_fifo_latest_ready`, and the present mode.
    LatestReady "present_mode_fifo_latest_ready"
        ["with-present_mode_fifo_latest_ready" "without-present_mode_fifo_latest_ready"]
        "present_mode_fifo_latest_ready_ext2" ANDROID_17;
    /// The same extension by its KHR name: only in applications.
    LatestReadyKhr "" [] "" None;
    /// `VK_EXT_present_timing`
    PresentTiming "present_timing" ["with-present_timing" "without-present_timing"]
        "present_timing_ext" ANDROID_17;
    /// `VK_KHR_swapchain_maintenance1` and `VK_KHR_surface_maintenance1`: the KHR names.
    Maintenance1Khr "swapchain_maintenance1_khr"
        ["with-swapchain_maintenance1_khr" "without-swapchain_maintenance1_khr"]
        "khr_swapchain_maintenance1" ANDROID_17;
    /// Surfaces have formats of 24 bits.
    Rgb888 "rgb888" ["with-rgb888" "without-rgb888"] "swapchain_r8g8b8_format" ANDROID_17;
    /// The system image and the product have layers that are always active.
    DeviceLayers "device_layers" ["with-device_layers" "without-device_layers"]
        "oem_and_platform_layers" ANDROID_17;
    /// Presenting to a window that has another size than when the swapchain was made is suboptimal:
    /// only in applications.
    SuboptimalBySize "" [] "" None;
}

const fn chosen(with: bool, without: bool) -> Option<bool> {
    match (with, without) {
        (_, true) => Some(false),
        (true, false) => Some(true),
        (false, false) => None,
    }
}

/// A set of switches that are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches(u32);

impl Switches {
    pub const fn of(level: ApiLevel) -> Self {
        Self::chosen(level, false)
    }

    pub const fn built(level: ApiLevel) -> Self {
        Self::chosen(level, true)
    }

    const fn chosen(level: ApiLevel, by_features: bool) -> Self {
        let (mut rest, mut on) = (SWITCHES, Self(0));
        while let [row, others @ ..] = rest {
            let by_level = matches!(row.since, Some(since) if level.0 >= since.0);
            let is_on = match row.chosen {
                Some(chosen) if by_features => chosen,
                _ => by_level,
            };
            if is_on {
                on = on.with(row.switch);
            }
            rest = others;
        }
        on
    }

    #[must_use]
    pub const fn with(self, switch: Switch) -> Self {
        Self(self.0 | Self::bit(switch))
    }

    #[must_use]
    pub const fn without(self, switch: Switch) -> Self {
        Self(self.0 & !Self::bit(switch))
    }

    pub const fn has(self, switch: Switch) -> bool {
        self.0 & Self::bit(switch) != 0
    }

    const fn bit(switch: Switch) -> u32 {
        1u32.rotate_left(switch as u32)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    Level(ApiLevel),
    Switch(Switch),
}

/// Returns the newest version of Vulkan whose commands the loader has: the answer of
/// vkEnumerateInstanceVersion, whatever the driver.
pub const fn api_version(level: ApiLevel, switches: Switches) -> u32 {
    match level.0 {
        _ if switches.has(Switch::Vulkan14) => vk::make_api_version(0, 1, 4, 0),
        0..=32 => vk::API_VERSION_1_1,
        _ => vk::API_VERSION_1_3,
    }
}
