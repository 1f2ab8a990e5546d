//! What windows can since Android 17: get a present mode, and tell of frames.

use crate::host::Host;
use crate::level::ApiLevel;
use crate::switches::Switch;
use crate::system::System;
use crate::wsi::native_window::present_mode;
use crate::wsi::window::{Window, WindowError};

/// What a window can. Without these nothing is listed that needs them: without a present mode every
/// frame is shown in its turn, and a window that does not tell of frames may never have a time of
/// them, since only a display gives times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Whether it can be told the present mode.
    pub present_modes: bool,
    /// Whether it tells when the other side has taken or dropped a frame.
    pub tells_of_frames: bool,
}

impl Abilities {
    /// What the windows of this system can, as far as a switch of the loader needs it. Everything
    /// that is listed without a window follows from this.
    #[must_use]
    pub fn of_system(host: &Host) -> Self {
        let newer = release(host.system) >= ApiLevel::ANDROID_17;
        let any_is_on = |switches: &[Switch]| switches.iter().any(|switch| host.is_on(*switch));
        Self {
            present_modes: newer && any_is_on(&[Switch::LatestReady, Switch::LatestReadyKhr]),
            tells_of_frames: newer
                && any_is_on(&[Switch::PresentId2, Switch::PresentWait2, Switch::PresentTiming]),
        }
    }

    /// Connects to a window, and returns which of these abilities it has.
    ///
    /// # Errors
    /// [`WindowError`], if somebody else is connected.
    pub fn connect(self, window: &Window) -> Result<Self, WindowError> {
        let tells_of_frames = self.tells_of_frames && window.connect_with_listener().is_ok();
        if !tells_of_frames {
            window.connect()?;
        }
        let present_modes = self.present_modes && window.set_present_mode(present_mode::DEFAULT).is_ok();
        Ok(Self { present_modes, tells_of_frames })
    }

    /// Connects to a window that was connected with these abilities before.
    ///
    /// # Errors
    /// [`WindowError`].
    pub fn reconnect(self, window: &Window) -> Result<(), WindowError> {
        if self.tells_of_frames { window.connect_with_listener() } else { window.connect() }
    }
}

/// The Android release of the system, which an application's loader may be newer than.
fn release(system: &dyn System) -> ApiLevel {
    let value = system.property(c"ro.build.version.sdk");
    let number = core::str::from_utf8(value.as_bytes()).ok().and_then(|text| text.parse().ok());
    ApiLevel(number.unwrap_or_default())
}
