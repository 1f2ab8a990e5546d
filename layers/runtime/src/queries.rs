//! Queries that the layer answers: its properties, extensions and tool.

use core::ffi::{CStr, c_char};

use ash::vk;
use vkload_core::abi::{array, name};
use vkload_registry::HEADER_VERSION;

use crate::dispatch::Function;
use crate::layer::{Extension, Layer, Tool};
use crate::manifest;

type GetToolProperties = vk::PFN_vkGetPhysicalDeviceToolProperties;

/// Answers for this layer; `None` for queries about other layers and drivers.
///
/// # Safety
/// The parameters obey the specification.
pub(crate) unsafe fn device_extensions<L: Layer>(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> Option<vk::Result> {
    // SAFETY: the caller vouches for the parameters.
    unsafe { is_this::<L>(layer).then(|| deliver(manifest::device_extensions::<L>(), count, out)) }
}

/// Answers for this layer; without extensions for others.
///
/// # Safety
/// The parameters obey the specification.
pub unsafe fn instance_extensions<L: Layer>(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        if is_this::<L>(layer) {
            return deliver(manifest::instance_extensions::<L>(), count, out);
        }
        vk::Result::ERROR_LAYER_NOT_PRESENT
    }
}

/// Lists this layer.
///
/// # Safety
/// The parameters obey the specification.
pub unsafe fn layers<L: Layer>(count: *mut u32, out: *mut vk::LayerProperties) -> vk::Result {
    let mut layer = vk::LayerProperties {
        spec_version: HEADER_VERSION,
        implementation_version: L::VERSION,
        ..Default::default()
    };
    name::fill(&mut layer.layer_name, L::NAME.to_bytes());
    name::fill(&mut layer.description, L::DESCRIPTION.as_bytes());
    // SAFETY: the caller vouches for the parameters.
    unsafe { array::deliver(&[layer], count, out) }
}

unsafe fn is_this<L: Layer>(layer: *const c_char) -> bool {
    // SAFETY: the caller vouches for the string.
    !layer.is_null() && unsafe { CStr::from_ptr(layer) } == L::NAME
}

unsafe fn deliver(
    extensions: impl Iterator<Item = &'static Extension>,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let properties: Vec<_> = extensions
        .map(|extension| {
            let mut properties =
                vk::ExtensionProperties { spec_version: extension.spec_version, ..Default::default() };
            name::fill(&mut properties.extension_name, extension.name.to_bytes());
            properties
        })
        .collect();
    // SAFETY: the caller vouches for the pointers.
    unsafe { array::deliver(&properties, count, out) }
}

/// Lists the tools below, followed by this one.
///
/// # Safety
/// The parameters obey the specification, and `below` is the next layer's function.
pub(crate) unsafe fn tools<L: Layer>(
    below: Option<Function>,
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters. The next layer's function gets the same ones, and writes at most `count` elements.
    unsafe {
        let room = count.read();
        let below = below.map(|below| core::mem::transmute::<Function, GetToolProperties>(below));
        let Some(tool) = L::TOOL else {
            return below.map_or(vk::Result::ERROR_UNKNOWN, |below| below(physical_device, count, out));
        };
        // This tool exists, so without space the result is known. Some layers are known to write even then.
        let has_room = out.is_null() || room > 0;
        let result = match below.filter(|_| has_room) {
            Some(below) => below(physical_device, count, out),
            None => {
                count.write(0);
                vk::Result::SUCCESS
            }
        };
        if result != vk::Result::SUCCESS {
            return result;
        }
        let others = count.read();
        if !out.is_null() {
            if others >= room {
                return vk::Result::INCOMPLETE;
            }
            describe::<L>(&tool, &mut *out.add(others as usize));
        }
        count.write(others.saturating_add(1));
    }
    vk::Result::SUCCESS
}

/// Fills in this layer's description. The caller sets the type and the chain of the structure.
fn describe<L: Layer>(tool: &Tool, out: &mut vk::PhysicalDeviceToolProperties<'_>) {
    name::fill(&mut out.name, tool.name.as_bytes());
    name::fill(&mut out.version, tool.version.as_bytes());
    out.purposes = tool.purposes;
    name::fill(&mut out.description, L::DESCRIPTION.as_bytes());
    name::fill(&mut out.layer, L::NAME.to_bytes());
}
