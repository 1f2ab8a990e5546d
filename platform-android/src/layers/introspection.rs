//! A library's description of its layers: the exported enumerations by which Android knows layers,
//! as it has no manifests.
//!
//! Existing layers rely on the order and number of the calls.

use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute_copy;
use core::ptr::NonNull;

use ash::vk;
use vkload_core::abi::name;
use vkload_core::memory::{OrOutOfMemory, Text, TryGrow, Vec, text};

use super::library_error::LibraryError;

pub struct Layer {
    pub properties: vk::LayerProperties,
    pub instance_extensions: Vec<vk::ExtensionProperties>,
    pub device_extensions: Vec<vk::ExtensionProperties>,
    /// Whether it takes part in devices: its library lists it among its device layers, identical
    /// byte for byte.
    pub global: bool,
}

impl Layer {
    pub fn name(&self) -> &CStr {
        name::in_array(&self.properties.layer_name).unwrap_or_default()
    }
}

impl From<LibraryError> for OrOutOfMemory<LibraryError> {
    fn from(error: LibraryError) -> Self {
        Self::Failed(error)
    }
}

struct Functions {
    instance_layers: vk::PFN_vkEnumerateInstanceLayerProperties,
    instance_extensions: vk::PFN_vkEnumerateInstanceExtensionProperties,
    device_layers: Option<vk::PFN_vkEnumerateDeviceLayerProperties>,
    device_extensions: Option<vk::PFN_vkEnumerateDeviceExtensionProperties>,
}

const INSTANCE_LAYERS: &str = "vkEnumerateInstanceLayerProperties";
const INSTANCE_EXTENSIONS: &str = "vkEnumerateInstanceExtensionProperties";
const DEVICE_LAYERS: &str = "vkEnumerateDeviceLayerProperties";
const DEVICE_EXTENSIONS: &str = "vkEnumerateDeviceExtensionProperties";

const MOST_LAYERS: u32 = 256;
const MOST_EXTENSIONS: u32 = 4096;

/// Asks a library for its layers: all or none.
///
/// # Safety
/// Each exported function has the type that its name implies.
pub(super) unsafe fn layers_of(
    exports: &dyn Fn(&CStr) -> Option<NonNull<c_void>>,
) -> Result<Vec<Layer>, OrOutOfMemory<LibraryError>> {
    // SAFETY: by this function's `# Safety` the exports have the types of their names.
    let functions = unsafe { Functions::find(exports) }?;
    // SAFETY: `find` typed the functions by name. `count_of` passes NULL and `fill` an array of
    // `count` elements. No device exists yet; layers accept NULL instead.
    let instance_layers = |count: &mut u32, out| unsafe { (functions.instance_layers)(count, out) };
    let device_layers = |count: &mut u32, out: *mut vk::LayerProperties| match functions.device_layers {
        // SAFETY: the function has the type of its name, and `count_of` and `fill` pass a counted
        // out-array; layers accept NULL as the device.
        Some(call) => unsafe { call(vk::PhysicalDevice::null(), count, out) },
        None => vk::Result::SUCCESS,
    };
    let count = count_of(INSTANCE_LAYERS, b"", MOST_LAYERS, &instance_layers)?;
    if count == 0 {
        return Err(LibraryError::NoLayers.into());
    }
    let device_count = count_of(DEVICE_LAYERS, b"", MOST_LAYERS, &device_layers)?;
    let empty = vk::LayerProperties::default();
    let listed = fill(INSTANCE_LAYERS, b"", count, empty, &instance_layers)?;
    if listed.is_empty() {
        return Err(LibraryError::NoLayers.into());
    }
    let of_devices = match device_count {
        0 => Vec::new(),
        count => fill(DEVICE_LAYERS, b"", count, empty, &device_layers)?,
    };
    let mut layers = Vec::new();
    for properties in &listed {
        layers.try_push(functions.describe(properties, &of_devices)?)?;
    }
    Ok(layers)
}

/// # Safety
/// `F` is the type of the function at that address.
unsafe fn function<F>(address: Option<NonNull<c_void>>) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<NonNull<c_void>>()) };
    // SAFETY: by this function's `# Safety`; the sizes are equal.
    address.map(|address| unsafe { transmute_copy::<NonNull<c_void>, F>(&address) })
}

impl Functions {
    /// # Safety
    /// Each exported function has the type that its name implies.
    unsafe fn find(exports: &dyn Fn(&CStr) -> Option<NonNull<c_void>>) -> Result<Self, LibraryError> {
        let missing = |name| LibraryError::MissingExport { name };
        // SAFETY: by this function's `# Safety` each export has the type that its name implies.
        unsafe {
            Ok(Self {
                instance_layers: function(exports(c"vkEnumerateInstanceLayerProperties"))
                    .ok_or(missing(INSTANCE_LAYERS))?,
                instance_extensions: function(exports(c"vkEnumerateInstanceExtensionProperties"))
                    .ok_or(missing(INSTANCE_EXTENSIONS))?,
                device_layers: function(exports(c"vkEnumerateDeviceLayerProperties")),
                device_extensions: function(exports(c"vkEnumerateDeviceExtensionProperties")),
            })
        }
    }

    fn describe(
        &self,
        properties: &vk::LayerProperties,
        of_devices: &[vk::LayerProperties],
    ) -> Result<Layer, OrOutOfMemory<LibraryError>> {
        let layer = ended(&properties.layer_name, INSTANCE_LAYERS)?;
        ended(&properties.description, INSTANCE_LAYERS)?;
        let instance_extensions = extensions(INSTANCE_EXTENSIONS, layer, |count, out| {
            // SAFETY: the function has the type of its name, `layer` is NUL-terminated within its
            // array, and `extensions` passes a counted out-array.
            unsafe { (self.instance_extensions)(layer.as_ptr(), count, out) }
        })?;
        let global = of_devices.iter().any(|other| bytes(other) == bytes(properties));
        let device_extensions = match self.device_extensions {
            Some(call) if global => extensions(DEVICE_EXTENSIONS, layer, |count, out| {
                // SAFETY: the function has the type of its name, `layer` is NUL-terminated, and
                // `extensions` passes a counted out-array; layers accept NULL as the device.
                unsafe { call(vk::PhysicalDevice::null(), layer.as_ptr(), count, out) }
            })?,
            _ => Vec::new(),
        };
        Ok(Layer { properties: *properties, instance_extensions, device_extensions, global })
    }
}

/// Returns a layer's extensions: always makes both calls.
fn extensions(
    name: &'static str,
    layer: &CStr,
    call: impl Fn(&mut u32, *mut vk::ExtensionProperties) -> vk::Result,
) -> Result<Vec<vk::ExtensionProperties>, OrOutOfMemory<LibraryError>> {
    let count = count_of(name, layer.to_bytes(), MOST_EXTENSIONS, &call)?;
    let extensions = fill(name, layer.to_bytes(), count, vk::ExtensionProperties::default(), &call)?;
    for extension in &extensions {
        ended(&extension.extension_name, name)?;
    }
    Ok(extensions)
}

fn count_of<T>(
    name: &'static str,
    layer: &[u8],
    most: u32,
    call: &dyn Fn(&mut u32, *mut T) -> vk::Result,
) -> Result<u32, OrOutOfMemory<LibraryError>> {
    let mut count = 0;
    check(name, layer, call(&mut count, core::ptr::null_mut()))?;
    if count > most { Err(LibraryError::TooMany { name, count }.into()) } else { Ok(count) }
}

/// Returns that many elements, or as many as the library then returns.
fn fill<T: Copy>(
    name: &'static str,
    layer: &[u8],
    mut count: u32,
    empty: T,
    call: &dyn Fn(&mut u32, *mut T) -> vk::Result,
) -> Result<Vec<T>, OrOutOfMemory<LibraryError>> {
    let mut values = Vec::new();
    values.try_resize(count as usize, empty)?;
    let out = if count == 0 { core::ptr::null_mut() } else { values.as_mut_ptr() };
    check(name, layer, call(&mut count, out))?;
    values.truncate(count as usize);
    Ok(values)
}

fn check(name: &'static str, layer: &[u8], result: vk::Result) -> Result<(), OrOutOfMemory<LibraryError>> {
    if result == vk::Result::SUCCESS {
        return Ok(());
    }
    let layer: Text = text(&[layer])?;
    Err(LibraryError::CallFailed { name, layer, result: result.as_raw() }.into())
}

fn ended<'a>(array: &'a [c_char], name: &'static str) -> Result<&'a CStr, LibraryError> {
    name::in_array(array).ok_or(LibraryError::Unended { name })
}

/// Returns all bytes of the properties, including those after the ends of its texts.
fn bytes(properties: &vk::LayerProperties) -> &[u8] {
    // SAFETY: the structure consists of byte arrays and two 32-bit numbers without padding, which
    // the assertion below checks.
    unsafe {
        core::slice::from_raw_parts(core::ptr::from_ref(properties).cast(), size_of::<vk::LayerProperties>())
    }
}

// `bytes` relies on this.
const _: () = assert!(size_of::<vk::LayerProperties>() == 256 + 256 + 4 + 4);
