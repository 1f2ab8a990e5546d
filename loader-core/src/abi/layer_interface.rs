//! The structures that pass between the loader and layers: layouts of the layer interface (`vk_layer.h`).

use core::ffi::{c_char, c_void};

use ash::vk;

/// `vkGetInstanceProcAddr`, `vk_layerGetPhysicalDeviceProcAddr`.
pub type FindInstanceCommand = vk::PFN_vkGetInstanceProcAddr;
/// `vkGetDeviceProcAddr`.
pub type FindDeviceCommand = vk::PFN_vkGetDeviceProcAddr;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct Negotiation {
    /// 1, `LAYER_NEGOTIATE_INTERFACE_STRUCT`.
    pub s_type: u32,
    /// NULL.
    pub p_next: *mut c_void,
    /// In: the loader's newest version. Out: the one to use.
    pub version: u32,
    /// The layer's functions.
    pub get_instance_proc_addr: Option<FindInstanceCommand>,
    /// May be NULL.
    pub get_device_proc_addr: Option<FindDeviceCommand>,
    /// May be NULL.
    pub get_physical_device_proc_addr: Option<FindInstanceCommand>,
}

/// `vkNegotiateLoaderLayerInterfaceVersion`.
pub type NegotiateFn = unsafe extern "system" fn(*mut Negotiation) -> vk::Result;

/// The content of an [`InstanceCreateInfo`] or [`DeviceCreateInfo`].
pub mod function {
    /// The links of the chain.
    pub const LINK: u32 = 0;
    /// A function that prepares objects made by layers.
    pub const LOADER_DATA: u32 = 1;
    /// Functions with which a layer creates its own devices.
    pub const CREATE_DEVICE: u32 = 2;
    /// The loader's own features.
    pub const FEATURES: u32 = 3;
}

/// The loader sorts physical devices (`VK_LOADER_FEATURE_PHYSICAL_DEVICE_SORTING`).
pub const FEATURE_SORTING: u32 = 1;

/// `VkLayerInstanceLink`: the next layer, seen by the one before it.
#[repr(C)]
pub struct InstanceLink {
    /// The link of the next layer.
    pub next: *mut InstanceLink,
    /// The next layer's function.
    pub get_instance_proc_addr: FindInstanceCommand,
    /// The function of the next layer that has one.
    pub get_physical_device_proc_addr: Option<FindInstanceCommand>,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
pub struct DeviceLink {
    /// The link of the next layer.
    pub next: *mut DeviceLink,
    /// The next layer's function.
    pub get_instance_proc_addr: FindInstanceCommand,
    /// The next layer's function.
    pub get_device_proc_addr: FindDeviceCommand,
}

/// `PFN_vkSetInstanceLoaderData`.
pub type SetInstanceData = unsafe extern "system" fn(vk::Instance, *mut c_void) -> vk::Result;
/// `PFN_vkSetDeviceLoaderData`.
pub type SetDeviceData = unsafe extern "system" fn(vk::Device, *mut c_void) -> vk::Result;
/// `PFN_vkLayerCreateDevice`.
pub type LayerCreateDevice = unsafe extern "system" fn(
    vk::Instance,
    vk::PhysicalDevice,
    *const vk::DeviceCreateInfo<'static>,
    *const vk::AllocationCallbacks<'static>,
    *mut vk::Device,
    FindInstanceCommand,
    *mut Option<FindDeviceCommand>,
) -> vk::Result;
/// `PFN_vkLayerDestroyDevice`.
pub type LayerDestroyDevice =
    unsafe extern "system" fn(vk::Device, *const vk::AllocationCallbacks<'static>, vk::PFN_vkDestroyDevice);

/// The functions with which a layer creates its own devices.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct LayerDeviceFunctions {
    /// Makes one.
    pub create: LayerCreateDevice,
    /// Destroys one.
    pub destroy: LayerDestroyDevice,
}

/// The union in `VkLayerInstanceCreateInfo`.
#[repr(C)]
pub union InstanceContent {
    /// [`function::LINK`].
    pub link: *mut InstanceLink,
    /// [`function::LOADER_DATA`].
    pub set_data: SetInstanceData,
    /// [`function::CREATE_DEVICE`].
    pub devices: LayerDeviceFunctions,
    /// [`function::FEATURES`].
    pub features: u32,
}

/// `VkLayerInstanceCreateInfo`.
#[repr(C)]
pub struct InstanceCreateInfo {
    /// `VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO`.
    pub s_type: vk::StructureType,
    /// The rest of the chain.
    pub p_next: *const c_void,
    /// The kind of content.
    pub function: u32,
    /// It.
    pub content: InstanceContent,
}

/// The union in `VkLayerDeviceCreateInfo`.
#[repr(C)]
pub union DeviceContent {
    /// [`function::LINK`].
    pub link: *mut DeviceLink,
    /// [`function::LOADER_DATA`].
    pub set_data: SetDeviceData,
}

/// `VkLayerDeviceCreateInfo`.
#[repr(C)]
pub struct DeviceCreateInfo {
    /// `VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO`.
    pub s_type: vk::StructureType,
    /// The rest of the chain.
    pub p_next: *const c_void,
    /// The kind of content.
    pub function: u32,
    /// It.
    pub content: DeviceContent,
}

/// The link to the next layer's function for a global command (`Vk...Chain`). `F` is the function-pointer
/// type of that function.
#[repr(C)]
pub struct GlobalLink<F> {
    /// Which of the commands: 1 extensions, 2 layers, 3 version.
    pub kind: u32,
    /// 1, `VK_CURRENT_CHAIN_VERSION`.
    pub version: u32,
    /// Bytes of this structure.
    pub size: u32,
    /// The next function.
    pub function: F,
    /// The link that the next function is given.
    pub next: *const GlobalLink<F>,
}

/// A layer's function for vkEnumerateInstanceExtensionProperties.
pub type ExtensionsFn = unsafe extern "system" fn(
    *const c_void,
    *const c_char,
    *mut u32,
    *mut vk::ExtensionProperties,
) -> vk::Result;
/// A layer's function for vkEnumerateInstanceLayerProperties.
pub type LayersFn =
    unsafe extern "system" fn(*const c_void, *mut u32, *mut vk::LayerProperties) -> vk::Result;
/// A layer's function for vkEnumerateInstanceVersion.
pub type VersionFn = unsafe extern "system" fn(*const c_void, *mut u32) -> vk::Result;

#[expect(clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const _: () = {
    let word = size_of::<usize>();
    assert!(core::mem::offset_of!(InstanceCreateInfo, content) == 3 * word);
    assert!(size_of::<InstanceCreateInfo>() == 5 * word);
    assert!(core::mem::offset_of!(DeviceCreateInfo, content) == 3 * word);
    assert!(size_of::<InstanceLink>() == 3 * word);
    assert!(core::mem::offset_of!(Negotiation, get_instance_proc_addr) == 3 * word);
    assert!(core::mem::offset_of!(GlobalLink<VersionFn>, function) == 12usize.next_multiple_of(word));
};
