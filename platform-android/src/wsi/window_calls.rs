//! Calls of windows on which extensions depend.
#![forbid(unsafe_code)]

use crate::host::Host;

/// A call of windows that not every Android has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowCall {
    /// The one that tells a window the present mode.
    PresentMode,
    /// The one that connects with a listener, which hears what became of frames.
    Listener,
}

/// Whether windows of this system have a call.
pub(crate) const fn window_can(_host: &Host, call: WindowCall) -> bool {
    match call {
        WindowCall::PresentMode | WindowCall::Listener => true,
    }
}
