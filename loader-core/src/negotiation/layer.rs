//! Negotiating the interface version with a layer.
//!
//! Rules: sections "Layer Version Negotiation" and "Layer Interface Versions" of the layer interface
//! document.

use core::ffi::{CStr, c_void};
use core::mem::transmute;
use core::ptr::NonNull;

use ash::vk;

use super::LayerOpenError;
use crate::abi::layer_interface::{FindDeviceCommand, FindInstanceCommand, NegotiateFn, Negotiation};
use crate::manifest::{LayerFunctions, Symbol};
use crate::memory::{OutOfMemory, text};
use crate::platform::{Libraries, Library};

pub const NEWEST_LAYER_INTERFACE: u32 = 2;

/// The first version in which a layer passes its functions to the loader, and may know physical-device
/// commands of its own.
const FUNCTIONS_INTERFACE: u32 = 2;

#[derive(Clone, Copy)]
pub struct LayerInterface {
    /// The version that both sides agreed on; 0 for a layer that does not negotiate.
    pub version: u32,
    pub get_instance_proc_addr: FindInstanceCommand,
    /// Finds the layer's device commands; a layer without it takes no part in devices.
    pub get_device_proc_addr: Option<FindDeviceCommand>,
    /// Finds the layer's physical-device commands, and nothing else.
    pub get_physical_device_proc_addr: Option<FindInstanceCommand>,
}

struct Symbols<'a> {
    libraries: &'a dyn Libraries,
    library: Library,
    layer: &'a [u8],
}

/// Negotiates with the layer called `name` in `library`.
///
/// Functions come from the first of these sources that has them: the negotiation, the names in the manifest,
/// `<layer>GetInstanceProcAddr`, the plain names.
///
/// # Safety
/// `library` is a layer: the functions that it exports have the types of their names.
pub unsafe fn with_layer(
    libraries: &dyn Libraries,
    library: Library,
    name: &[u8],
    functions: &LayerFunctions,
) -> Result<Result<LayerInterface, LayerOpenError>, OutOfMemory> {
    let symbols = Symbols { libraries, library, layer: name };
    let mut agreed = Negotiation {
        s_type: 1,
        p_next: core::ptr::null_mut(),
        version: NEWEST_LAYER_INTERFACE,
        get_instance_proc_addr: None,
        get_device_proc_addr: None,
        get_physical_device_proc_addr: None,
    };
    let negotiate = match symbols.named(&functions.negotiate) {
        None => libraries.symbol(library, c"vkNegotiateLoaderLayerInterfaceVersion"),
        found => found,
    };
    // SAFETY: by this function's `# Safety` the layer's exports have the types of their names.
    unsafe {
        match negotiate.map(|address| transmute::<NonNull<c_void>, NegotiateFn>(address)) {
            Some(negotiate) => {
                let result = negotiate(&mut agreed);
                if result != vk::Result::SUCCESS {
                    return Ok(Err(LayerOpenError::NegotiationRefused { result: result.as_raw() }));
                }
                if agreed.version > NEWEST_LAYER_INTERFACE {
                    let (version, offered) = (agreed.version, NEWEST_LAYER_INTERFACE);
                    return Ok(Err(LayerOpenError::InterfaceVersion { version, offered }));
                }
            }
            None => agreed.version = 0,
        }
        if agreed.version < FUNCTIONS_INTERFACE {
            agreed.get_instance_proc_addr = None;
            agreed.get_device_proc_addr = None;
            agreed.get_physical_device_proc_addr = None;
        }
        // A layer that passes only one of the two functions takes no part in devices.
        let handed_over = agreed.get_instance_proc_addr.is_some();
        if !handed_over {
            agreed.get_instance_proc_addr = symbols
                .look_up(&functions.get_instance_proc_addr, b"GetInstanceProcAddr", c"vkGetInstanceProcAddr")?
                .map(|address| transmute::<NonNull<c_void>, FindInstanceCommand>(address));
        }
        if agreed.get_device_proc_addr.is_none() && !handed_over {
            agreed.get_device_proc_addr = symbols
                .look_up(&functions.get_device_proc_addr, b"GetDeviceProcAddr", c"vkGetDeviceProcAddr")?
                .map(|address| transmute::<NonNull<c_void>, FindDeviceCommand>(address));
        }
    }
    // A layer without vkCreateInstance would fail every instance (section "Layer Intercept Requirements").
    // SAFETY: the function may be called without an instance, and the name is a C string.
    let intercepts = |find: &FindInstanceCommand| unsafe {
        find(vk::Instance::null(), c"vkCreateInstance".as_ptr()).is_some()
    };
    Ok(match agreed.get_instance_proc_addr.filter(intercepts) {
        Some(get_instance_proc_addr) => Ok(LayerInterface {
            version: agreed.version,
            get_instance_proc_addr,
            get_device_proc_addr: agreed.get_device_proc_addr,
            get_physical_device_proc_addr: agreed.get_physical_device_proc_addr,
        }),
        None => Err(LayerOpenError::NoEntryPoint),
    })
}

impl Symbols<'_> {
    /// Returns the function with the name in the manifest, else with the layer's name before `suffix`, else
    /// `plain`.
    fn look_up(
        &self,
        named: &Option<Symbol>,
        suffix: &[u8],
        plain: &CStr,
    ) -> Result<Option<NonNull<c_void>>, OutOfMemory> {
        if let Some(found) = self.named(named) {
            return Ok(Some(found));
        }
        let prefixed = text(&[self.layer, suffix, b"\0"])?;
        let found = CStr::from_bytes_until_nul(&prefixed).ok().and_then(|name| self.symbol(name));
        Ok(found.or_else(|| self.symbol(plain)))
    }

    fn named(&self, name: &Option<Symbol>) -> Option<NonNull<c_void>> {
        self.symbol(name.as_ref()?.as_c_str())
    }

    fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        self.libraries.symbol(self.library, name)
    }
}
