//! Calls of windows on which extensions depend: windows have them since Android 17.

use crate::host::Host;
use crate::level::ApiLevel;
use crate::switches::Switch;
use crate::system::System;
use crate::wsi::native_window::present_mode;
use crate::wsi::window::{Window, WindowError};

/// A call of windows that not every Android has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowCall {
    /// The operation that sets the present mode. Without it frames are always shown in turn.
    PresentMode,
    /// The operation that connects with a listener, which receives the fate of frames. Without it a
    /// window may never report them, since only a display gives times.
    Listener,
}

/// Returns whether windows of this system have a call, and a switch of the loader is on that needs
/// it. Everything that is listed without a window depends on this.
pub(crate) fn window_can(host: &Host, call: WindowCall) -> bool {
    let switches: &[Switch] = match call {
        WindowCall::PresentMode => &[Switch::LatestReady, Switch::LatestReadyKhr],
        WindowCall::Listener => &[Switch::PresentId2, Switch::PresentWait2, Switch::PresentTiming],
    };
    release(host.system) >= ApiLevel::ANDROID_17 && switches.iter().any(|switch| host.is_on(*switch))
}

/// Returns the Android release of the system, which an application's loader may be newer than.
fn release(system: &dyn System) -> ApiLevel {
    let value = system.property(c"ro.build.version.sdk");
    let number = core::str::from_utf8(value.as_bytes()).ok().and_then(|text| text.parse().ok());
    ApiLevel(number.unwrap_or_default())
}

/// The calls that a certain window has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowCalls {
    pub present_mode: bool,
    pub listener: bool,
}

impl WindowCalls {
    /// Connects to a window, and finds out which of the calls of this system's windows it has.
    pub fn connect(host: &Host, window: &Window) -> Result<Self, WindowError> {
        let listener = window_can(host, WindowCall::Listener) && window.connect_with_listener().is_ok();
        if !listener {
            window.connect()?;
        }
        let present_mode = window_can(host, WindowCall::PresentMode)
            && window.set_present_mode(present_mode::DEFAULT).is_ok();
        Ok(Self { present_mode, listener })
    }

    pub fn reconnect(self, window: &Window) -> Result<(), WindowError> {
        if self.listener { window.connect_with_listener() } else { window.connect() }
    }
}
