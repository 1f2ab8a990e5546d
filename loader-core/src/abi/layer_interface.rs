//! The structures that pass between the loader and layers: layouts of the layer interface (`vk_layer.h`).

use core::ffi::{c_char, c_void};

use ash::vk;

pub type FindInstanceCommand = vk::PFN_vkGetInstanceProcAddr;
pub type FindDeviceCommand = vk::PFN_vkGetDeviceProcAddr;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct Negotiation {
    pub s_type: u32,
    pub p_next: *mut c_void,
    /// In: the loader's newest version. Out: the one to use.
    pub version: u32,
    pub get_instance_proc_addr: Option<FindInstanceCommand>,
    pub get_device_proc_addr: Option<FindDeviceCommand>,
    pub get_physical_device_proc_addr: Option<FindInstanceCommand>,
}

pub type NegotiateFn = unsafe extern "system" fn(*mut Negotiation) -> vk::Result;

/// The content of an [`InstanceCreateInfo`] or [`DeviceCreateInfo`].
pub mod function {
    pub const LINK: u32 = 0;
    pub const LOADER_DATA: u32 = 1;
    pub const CREATE_DEVICE: u32 = 2;
    pub const FEATURES: u32 = 3;
}

/// The loader sorts physical devices (`VK_LOADER_FEATURE_PHYSICAL_DEVICE_SORTING`).
pub const FEATURE_SORTING: u32 = 1;

/// `VkLayerInstanceLink`: the next layer, seen by the one before it.
#[repr(C)]
pub struct InstanceLink {
    pub next: *mut InstanceLink,
    pub get_instance_proc_addr: FindInstanceCommand,
    /// The function of the next layer that has one.
    pub get_physical_device_proc_addr: Option<FindInstanceCommand>,
}

#[repr(C)]
pub struct DeviceLink {
    pub next: *mut DeviceLink,
    pub get_instance_proc_addr: FindInstanceCommand,
    pub get_device_proc_addr: FindDeviceCommand,
}

pub type SetInstanceData = unsafe extern "system" fn(vk::Instance, *mut c_void) -> vk::Result;
pub type SetDeviceData = unsafe extern "system" fn(vk::Device, *mut c_void) -> vk::Result;
pub type LayerCreateDevice = unsafe extern "system" fn(
    vk::Instance,
    vk::PhysicalDevice,
    *const vk::DeviceCreateInfo<'static>,
    *const vk::AllocationCallbacks<'static>,
    *mut vk::Device,
    FindInstanceCommand,
    *mut Option<FindDeviceCommand>,
) -> vk::Result;
pub type LayerDestroyDevice =
    unsafe extern "system" fn(vk::Device, *const vk::AllocationCallbacks<'static>, vk::PFN_vkDestroyDevice);

#[derive(Clone, Copy)]
#[repr(C)]
pub struct LayerDeviceFunctions {
    pub create: LayerCreateDevice,
    pub destroy: LayerDestroyDevice,
}

#[repr(C)]
pub union InstanceContent {
    pub link: *mut InstanceLink,
    pub set_data: SetInstanceData,
    pub devices: LayerDeviceFunctions,
    pub features: u32,
}

#[repr(C)]
pub union DeviceContent {
    pub link: *mut DeviceLink,
    pub set_data: SetDeviceData,
}

pub type InstanceCreateInfo = CreateInfo<InstanceContent>;
pub type DeviceCreateInfo = CreateInfo<DeviceContent>;

#[repr(C)]
pub struct CreateInfo<C> {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub function: u32,
    pub content: C,
}

/// Lets each link lead to the one behind it.
pub fn connect<T>(links: &mut [T], mut lead: impl FnMut(&mut T, *mut T)) {
    let (start, count) = (links.as_mut_ptr(), links.len());
    for (index, link) in links.iter_mut().enumerate().take(count.saturating_sub(1)) {
        lead(link, start.wrapping_add(index).wrapping_add(1));
    }
}

/// The link to the next layer's function for a global command (`Vk...Chain`). `F` is the function-pointer
/// type of that function.
#[repr(C)]
pub struct GlobalLink<F> {
    /// Which of the commands: 1 extensions, 2 layers, 3 version.
    pub kind: u32,
    /// 1, `VK_CURRENT_CHAIN_VERSION`.
    pub version: u32,
    pub size: u32,
    pub function: F,
    /// The link that the next function is given.
    pub next: *const GlobalLink<F>,
}

pub type ExtensionsFn = unsafe extern "system" fn(
    *const c_void,
    *const c_char,
    *mut u32,
    *mut vk::ExtensionProperties,
) -> vk::Result;
pub type LayersFn =
    unsafe extern "system" fn(*const c_void, *mut u32, *mut vk::LayerProperties) -> vk::Result;
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
