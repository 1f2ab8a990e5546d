//! Layers before an instance exists: implicit layers may intercept the global commands (pre-instance
//! functions).
//!
//! Only a layer's library, which stays open, survives a call.

use core::ffi::{CStr, c_void};

use ash::vk;

use super::found::FoundLayers;
use super::library::LayerLibrary;
use crate::abi::layer_interface::GlobalLink;
use crate::discovery::LayerRequest;
use crate::manifest::{PreInstanceFunctions, Symbol};
use crate::memory::{Arc, OutOfMemory, TryGrow, Vec};
use crate::platform::Platform;

/// A global command that layers may intercept: its number in `VkChainType`, and the name that a manifest
/// gives to a layer's function for it.
#[derive(Clone, Copy)]
pub struct GlobalCommand {
    kind: u32,
    named: fn(&PreInstanceFunctions) -> Option<&Symbol>,
}

pub const EXTENSIONS: GlobalCommand =
    GlobalCommand { kind: 1, named: |functions| functions.enumerate_instance_extension_properties.as_ref() };
pub const LAYERS: GlobalCommand =
    GlobalCommand { kind: 2, named: |functions| functions.enumerate_instance_layer_properties.as_ref() };
pub const VERSION: GlobalCommand =
    GlobalCommand { kind: 3, named: |functions| functions.enumerate_instance_version.as_ref() };

/// The layers' functions that intercept a global command, opened for one call.
struct Interceptors {
    functions: Vec<*mut c_void>,
    libraries: Vec<Arc<LayerLibrary>>,
}

impl Interceptors {
    fn of(
        command: GlobalCommand,
        platform: &'static Platform,
        found: &FoundLayers,
    ) -> Result<Self, OutOfMemory> {
        let mut open = Self { functions: Vec::new(), libraries: Vec::new() };
        let active = found.plan.activate(&LayerRequest::default())?;
        for (layer, candidate) in active.pre_instance(&found.plan) {
            let manifest = candidate.manifest.as_ref().filter(|_| !found.is_broken(layer.layer));
            let Some(name) = manifest.and_then(|manifest| (command.named)(&manifest.pre_instance_functions))
            else {
                continue;
            };
            let Ok(library) = found.library(platform, layer.layer)? else {
                continue;
            };
            if let Some(function) = platform.libraries.symbol(library.library, name.as_c_str()) {
                open.functions.try_push(function.as_ptr())?;
            }
            found.note(platform, layer.layer, None, Some(&library));
            open.libraries.try_push(library)?;
        }
        Ok(open)
    }
}

/// Calls `command` through the layers that intercept it, down to `last`. If no layer does, calls `direct`,
/// which does the same as `last` without searching again for the layers known here. `call` calls a function
/// of type `F` with its link.
///
/// # Safety
/// `F` is the function-pointer type of the command's functions in layers, and of `last`.
pub unsafe fn enter_global_chain<F: Copy, R>(
    command: GlobalCommand,
    platform: &'static Platform,
    found: &FoundLayers,
    last: F,
    direct: impl FnOnce() -> R,
    call: impl FnOnce(F, *const c_void) -> R,
) -> Result<R, OutOfMemory> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let open = Interceptors::of(command, platform, found)?;
    if open.functions.is_empty() {
        return Ok(direct());
    }
    let mut links: Vec<GlobalLink<F>> = Vec::new();
    links.try_fit(open.functions.len().saturating_add(1))?;
    let size = u32::try_from(size_of::<GlobalLink<F>>()).unwrap_or(u32::MAX);
    let link = |function, next| GlobalLink { kind: command.kind, version: 1, size, function, next };
    links.try_push(link(last, core::ptr::null()))?;
    for address in open.functions.iter().rev() {
        let next = links.last().map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: the layer's manifest says that its function is one for this command.
        let function = unsafe { core::mem::transmute_copy::<*mut c_void, F>(address) };
        links.try_push(link(function, next))?;
    }
    let (function, next) = links.last().map_or((last, core::ptr::null()), |head| (head.function, head.next));
    Ok(call(function, next.cast()))
}

/// Returns a layer's name from a C string; `None` for NULL and for an empty string.
///
/// # Safety
/// `layer` is NULL or a valid C string.
pub unsafe fn layer_name<'a>(layer: *const core::ffi::c_char) -> Option<&'a CStr> {
    if layer.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` `layer` is a valid C string: NULL has returned above.
    let name = unsafe { CStr::from_ptr(layer) };
    (!name.is_empty()).then_some(name)
}

/// Returns the command's result, which is an error if memory ran out.
pub fn flatten(result: Result<vk::Result, OutOfMemory>) -> vk::Result {
    result.unwrap_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)
}
