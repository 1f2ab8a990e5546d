//! The opened layers of an instance.

use core::ffi::{CStr, c_void};
use core::fmt;
use core::ops::Deref;
use core::ptr::NonNull;

use ash::vk;
use vkload_core::log::{Level, Topic};
use vkload_core::manifest::LayerFunctions;
use vkload_core::memory::{Arc, Escaped, OutOfMemory, Text, TryGrow, Vec, text};
use vkload_core::negotiation::LayerOpenError;
use vkload_core::negotiation::{LayerInterface, with_layer};
use vkload_core::platform::{self, Libraries, LibraryKind};

use platform_android::layers::{Found, Layer, LayerLibrary, Missed, Origin};
use platform_android::log::Logger;
use platform_android::system::{Library, System};

use super::Layers;
use super::enabling::{self, By, Wanted};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Implicit,
    Explicit,
    Platform,
    Oem,
}

/// A layer of an instance, with its library open. It dereferences to the [`Layer`] that its library
/// describes.
pub struct ActiveLayer {
    pub kind: Kind,
    pub interface: LayerInterface,
    of: Arc<LayerLibrary>,
    index: usize,
    library: Library,
}

/// The layers of an instance, the application's nearest first. To be dropped when the instance is
/// gone, because that closes their libraries.
pub struct Active {
    layers: Vec<ActiveLayer>,
    system: &'static dyn System,
}

impl Active {
    pub fn none(system: &'static dyn System) -> Self {
        Self { layers: Vec::new(), system }
    }

    fn add(&mut self, layer: ActiveLayer) -> Result<(), OutOfMemory> {
        let library = layer.library;
        self.layers.try_push(layer).inspect_err(|_| {
            // SAFETY: the layer was not added and is dropped, so no code uses an address in its
            // library.
            unsafe { self.system.close(library) };
        })
    }
}

impl Deref for Active {
    type Target = [ActiveLayer];

    fn deref(&self) -> &[ActiveLayer] {
        &self.layers
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        for layer in self.layers.iter().rev() {
            // SAFETY: this is dropped when the instance of the layers is gone, and with it all
            // callers of their functions.
            unsafe { self.system.close(layer.library) };
        }
    }
}

impl Deref for ActiveLayer {
    type Target = Layer;

    fn deref(&self) -> &Layer {
        self.of.layers.get(self.index).unwrap_or(&NO_LAYER)
    }
}

/// Replaces a layer that its library lacks, which never happens.
static NO_LAYER: Layer = Layer {
    properties: vk::LayerProperties {
        layer_name: [0; vk::MAX_EXTENSION_NAME_SIZE],
        spec_version: 0,
        implementation_version: 0,
        description: [0; vk::MAX_DESCRIPTION_SIZE],
    },
    instance_extensions: Vec::new(),
    device_extensions: Vec::new(),
    global: false,
};

impl Layers {
    /// Opens an instance's layers: those that settings and properties enable, those that the
    /// application names, and the device's.
    ///
    /// # Errors
    /// `ERROR_LAYER_NOT_PRESENT` if a layer that the application names is unavailable;
    /// `ERROR_OUT_OF_HOST_MEMORY`.
    pub fn choose<'a>(
        &self,
        found: &Found,
        names: impl Iterator<Item = &'a CStr>,
        logger: &Logger,
    ) -> Result<Active, vk::Result> {
        let system = logger.loader.system;
        let implicit = enabling::implicit(&system.debug_layers()?, &|name| system.property(name))?;
        let wanted = enabling::with_application(implicit, names)?;
        let choice = Choice { found, logger };
        let mut active = Active::none(system);
        let mut complete = true;
        for wanted in &wanted {
            complete &= choice.activate(wanted, &mut active)?;
        }
        if !complete {
            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
        }
        for origin in [Origin::Platform, Origin::Oem] {
            choice.activate_of_device(origin, &mut active)?;
        }
        // A layer of the device may have been left out.
        let is_active =
            |wanted: &Wanted| active.iter().any(|layer| layer.name().to_bytes() == wanted.name.as_slice());
        if !wanted.iter().filter(|wanted| wanted.by == By::Application).all(is_active) {
            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
        }
        for layer in active.iter() {
            let name = Escaped(layer.name().to_bytes());
            vkload_core::log!(logger, Info, Layer: "layer {name} is active");
        }
        Ok(active)
    }
}

struct Choice<'a> {
    found: &'a Found,
    logger: &'a Logger,
}

impl Choice<'_> {
    /// Adds a requested layer. Returns whether vkCreateInstance can go on.
    fn activate(&self, wanted: &Wanted, active: &mut Active) -> Result<bool, OutOfMemory> {
        let is_explicit = wanted.by == By::Application;
        let level = if is_explicit { Level::Error } else { Level::Warning };
        let left_out = if is_explicit { "" } else { "; it is left out" };
        let (name, by) = (Escaped(&wanted.name), wanted.by);
        let Some((library, index)) = self.found.find_layer(&wanted.name) else {
            if self.is_of_device(&wanted.name) || (wanted.name.is_empty() && !is_explicit) {
                return Ok(true);
            }
            let why = Missed { found: self.found, name: &wanted.name };
            self.logger.log(
                level,
                Topic::Layer,
                format_args!("{by} asks for the layer {name}: {why}{left_out}"),
            );
            return Ok(!is_explicit);
        };
        let kind = if is_explicit { Kind::Explicit } else { Kind::Implicit };
        match self.open(library, index, kind, active.system)? {
            Ok(layer) => active.add(layer).map(|()| true),
            Err(outcome) => {
                let (path, why) = (Escaped(library.path.as_c_str().to_bytes()), Unusable(&outcome));
                self.logger.log(
                    level,
                    Topic::Layer,
                    format_args!("{by} asks for the layer {name}: {path}: {why}{left_out}"),
                );
                Ok(!is_explicit)
            }
        }
    }

    fn activate_of_device(&self, origin: Origin, active: &mut Active) -> Result<(), OutOfMemory> {
        let kind = if origin == Origin::Oem { Kind::Oem } else { Kind::Platform };
        for library in self.found.libraries.iter().filter(|library| library.origin == origin) {
            for (index, layer) in library.layers.iter().enumerate() {
                match self.open(library, index, kind, active.system)? {
                    Ok(layer) => active.add(layer)?,
                    Err(outcome) => {
                        let (name, why) = (Escaped(layer.name().to_bytes()), Unusable(&outcome));
                        let path = Escaped(library.path.as_c_str().to_bytes());
                        vkload_core::log!(self.logger, Error, Layer:
                            "{path}: the device's layer {name} is left out: {why}");
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns whether the device has a layer with this name, which is always active.
    fn is_of_device(&self, name: &[u8]) -> bool {
        let mut of_device = self.found.libraries.iter().filter(|library| library.origin.is_of_device());
        of_device.any(|library| library.layers.iter().any(|layer| layer.name().to_bytes() == name))
    }

    fn open(
        &self,
        library: &Arc<LayerLibrary>,
        index: usize,
        kind: Kind,
        system: &'static dyn System,
    ) -> Result<Result<ActiveLayer, LayerOpenError>, OutOfMemory> {
        let opened = match system.open(library.path.as_c_str(), library.method) {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(LayerOpenError::DoesNotOpen { error })),
        };
        let name = library.layers.get(index).map_or(c"", Layer::name).to_bytes();
        // SAFETY: introspection found layers in this library, so its exports have the types of
        // layer functions.
        let agreed = unsafe { agree(system, opened, name) };
        let refused = match agreed {
            Ok(Ok(interface)) => {
                return Ok(Ok(ActiveLayer { kind, interface, of: library.clone(), index, library: opened }));
            }
            Ok(Err(outcome)) => Ok(Err(outcome)),
            Err(out_of_memory) => Err(out_of_memory),
        };
        // SAFETY: the layer was refused, so no code keeps an address in its library.
        unsafe { system.close(opened) };
        refused
    }
}

/// Negotiates the interface with a layer.
///
/// A library that exports functions with the layer's name is not asked: it would answer for all of
/// its layers, and these functions are the layer's own.
///
/// # Safety
/// The library is open and has a layer with this name.
unsafe fn agree(
    system: &dyn System,
    library: Library,
    name: &[u8],
) -> Result<Result<LayerInterface, LayerOpenError>, OutOfMemory> {
    let own = text(&[name, b"GetInstanceProcAddr\0"])?;
    let has_own = CStr::from_bytes_until_nul(&own).is_ok_and(|own| system.symbol(library, own).is_some());
    let exports = Exports { system, library, negotiates: !has_own };
    // SAFETY: by this function's `# Safety` the open library has this layer, so its exports have
    // the types of layer functions.
    unsafe { with_layer(&exports, platform::Library(library.handle), name, &LayerFunctions::default()) }
}

struct Exports<'a> {
    system: &'a dyn System,
    library: Library,
    negotiates: bool,
}

impl Libraries for Exports<'_> {
    fn symbol(&self, _: platform::Library, name: &CStr) -> Option<NonNull<c_void>> {
        let is_asked = self.negotiates || name != c"vkNegotiateLoaderLayerInterfaceVersion";
        if is_asked { self.system.symbol(self.library, name) } else { None }
    }

    /// Never called: negotiation opens no other library.
    fn open(&self, _: &[u8], _: LibraryKind) -> Result<platform::Library, Text> {
        Err(Text::new())
    }

    /// Never called, like [`open`](Libraries::open).
    unsafe fn close(&self, _: platform::Library) {}
}

/// Why a library with layers turns out to be unusable.
struct Unusable<'a>(&'a LayerOpenError);

impl fmt::Display for Unusable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            LayerOpenError::DoesNotOpen { error } => {
                write!(f, "it does not open any more ({}); reinstall it", Escaped(error))
            }
            LayerOpenError::NegotiationRefused { result } => write!(
                f,
                "it has no interface version in common with this loader (it returned {result}); update the layer"
            ),
            LayerOpenError::InterfaceVersion { version, offered: needed } => {
                write!(f, "it settled on interface version {version}, and this loader knows those up to {needed}; ")?;
                f.write_str("update the layer")
            }
            _ => f.write_str(
                "it has no vkGetInstanceProcAddr, with or without the layer's name before it, that knows vkCreateInstance; \
                 export one",
            ),
        }
    }
}
