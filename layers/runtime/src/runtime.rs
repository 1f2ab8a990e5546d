//! The state of a layer's library.

use core::ffi::c_void;
use std::sync::OnceLock;

use vkload_registry::CommandId;

use crate::dispatch::{Dispatch, Function, first_word};
use crate::layer::Layer;
use crate::map::Map;
use crate::message;
use crate::settings::Settings;

/// The objects and the settings of a layer.
pub struct Runtime<L: Layer> {
    pub(crate) objects: Map<Dispatch<L>>,
    settings: OnceLock<Settings>,
}

/// A layer with a library, which [`export!`](crate::export) implements.
///
/// # Safety
/// The function of a command has the command's type, and obeys the specification if it is called as the chain does.
pub unsafe trait ExportedLayer: Layer {
    #[doc(hidden)]
    fn runtime() -> &'static Runtime<Self>;

    /// Returns the layer's function for a command.
    #[doc(hidden)]
    fn function(command: CommandId) -> Option<Function>;
}

/// Returns this process's settings of a layer: from its environment, and otherwise from the program's first instance.
pub fn settings<L: ExportedLayer>() -> &'static Settings {
    L::runtime().settings.get_or_init(|| Settings::read::<L>(&[]))
}

impl<L: Layer> Runtime<L> {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "for a static")]
    pub const fn new() -> Self {
        Self { objects: Map::new(), settings: OnceLock::new() }
    }

    /// Reads the settings, including the layer's in the chain of a program's `VkInstanceCreateInfo`. They are read once: a later instance
    /// with different settings gets a message.
    ///
    /// # Safety
    /// `chain` is the `pNext` of a valid `VkInstanceCreateInfo`.
    pub(crate) unsafe fn read_settings(&self, chain: *const c_void) {
        if L::SETTINGS.is_empty() {
            return;
        }
        // SAFETY: the caller vouches for the chain.
        let structures = unsafe { Settings::structures(chain) };
        let mut is_first = false;
        let settings = self.settings.get_or_init(|| {
            is_first = true;
            Settings::read::<L>(&structures)
        });
        if !is_first && settings.are_different::<L>(&structures) {
            message::log::<L>(
                "the settings of an instance are ignored: those of the first instance are the whole process's; give them to that one",
            );
        }
    }

    /// Returns the instance or device that a handle belongs to.
    ///
    /// # Safety
    /// The handle is one that the chain passes, and its instance or device is not destroyed while the result is used.
    #[inline]
    pub(crate) unsafe fn of<'a>(&self, handle: *const c_void) -> Option<&'a Dispatch<L>> {
        // SAFETY: the caller vouches for the handle. The entry lives as long as its instance or device.
        unsafe { self.objects.find(first_word(handle)).map(|dispatch| dispatch.as_ref()) }
    }
}

/// Returns the instance or device that a handle belongs to, and the next layer's function of a command. Without them, the call has
/// nowhere to go, and the process ends.
///
/// # Safety
/// As for [`Runtime::of`].
#[inline(never)]
pub(crate) unsafe fn required<'a, L: ExportedLayer>(
    handle: *const c_void,
    command: CommandId,
) -> (&'a Dispatch<L>, Function) {
    // SAFETY: the caller vouches for the handle.
    let Some(dispatch) = (unsafe { L::runtime().of(handle) }) else { nowhere_to_go::<L>(command) };
    let Some(function) = dispatch.function(command) else { nowhere_to_go::<L>(command) };
    (dispatch, function)
}

/// Ends a call on an object that no instance or device known to this layer owns, or of a command that the device does not have.
#[cold]
pub(crate) fn nowhere_to_go<L: Layer>(command: CommandId) -> ! {
    message::log::<L>(&format!(
        "{} was called on an object for which the next layer does not have this command; enable the extension or the version \
         that has it",
        command.name().to_string_lossy()
    ));
    std::process::abort()
}
