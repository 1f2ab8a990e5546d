//! The first steps of a program: an instance, its devices, a device, one submission, and a wait for it.
//!
//! Commands are looked up one by one, since a driver may lack any of them and must not be called through a missing one.

use std::ffi::{CStr, CString};
use std::mem::transmute_copy;

use ash::vk::{self, Handle};

use super::{Cause, Ending, Extension, Line, Stage};
use crate::view::{self, Device};

/// The callback that receives the steps.
pub(super) type Tell<'a> = &'a mut dyn FnMut(Line);

/// Devices after this many are not used.
const DEVICE_LIMIT: u32 = 16;
const EXTENSION_LIMIT: u32 = 4096;
/// How long one submission may take, in nanoseconds. The parent's limit is usually shorter.
const WAIT_LIMIT: u64 = 60_000_000_000;

#[derive(Clone, Copy)]
pub(super) struct Commands<'a> {
    /// A loader's or a driver's function.
    pub(super) find: vk::PFN_vkGetInstanceProcAddr,
    pub(super) layer: Option<&'a CStr>,
}

impl Commands<'_> {
    /// Returns the command `name` as a function of type `F`.
    ///
    /// # Safety
    /// `F` is the type of the command, and the instance lives or is null.
    unsafe fn get<F: Copy>(self, instance: vk::Instance, name: &CStr) -> Result<F, Ending> {
        // SAFETY: the caller vouches for the instance; the name is a string.
        let found = unsafe { (self.find)(instance, name.as_ptr()) };
        // SAFETY: the caller vouches for the type, a pointer to a function.
        found.map(|function| unsafe { transmute_copy::<_, F>(&function) }).ok_or_else(|| missing(name))
    }
}

fn missing(name: &CStr) -> Ending {
    Ending::Failed { words: format!("has no {}", name.to_string_lossy()), cause: Cause::LacksCommand }
}

fn check(result: vk::Result) -> Result<(), Ending> {
    match result {
        vk::Result::SUCCESS | vk::Result::INCOMPLETE => Ok(()),
        other => Err(Ending::Result { code: other.as_raw() }),
    }
}

/// Goes through all steps, telling each.
///
/// # Safety
/// `commands` are a Vulkan loader's or driver's.
pub(super) unsafe fn run(commands: Commands<'_>, tell: Tell<'_>) -> Result<(), Ending> {
    let none = vk::Instance::null();
    tell(Line::Stage(Stage::Query));
    // SAFETY: the types match the commands; structures are valid, and the instance is used only while it lives.
    unsafe {
        let mut version = vk::API_VERSION_1_0;
        if let Ok(ask) =
            commands.get::<vk::PFN_vkEnumerateInstanceVersion>(none, c"vkEnumerateInstanceVersion")
        {
            check(ask(&raw mut version))?;
        }
        tell(Line::Version(view::version(version)));
        // The loader would ask the installed drivers, which have nothing to do with a layer above the built-in one.
        let extensions = if commands.layer.is_some() { Vec::new() } else { instance_extensions(commands)? };
        let told = extensions.iter().map(|it| Extension {
            name: view::device_text(it.extension_name_as_c_str()),
            version: it.spec_version,
        });
        tell(Line::InstanceExtensions(told.collect()));
        let extensions = names(&extensions);
        tell(Line::Stage(Stage::CreateInstance));
        let instance = create_instance(commands, version, &extensions)?;
        let has_surface = extensions.iter().any(|name| name.as_c_str() == ash::khr::surface::NAME);
        let went = with_devices(commands, instance, has_surface, tell);
        // After a failure, report the stage that failed.
        if went.is_ok() {
            tell(Line::Stage(Stage::Destroy));
        }
        if let Ok(destroy) = commands.get::<vk::PFN_vkDestroyInstance>(instance, c"vkDestroyInstance") {
            destroy(instance, std::ptr::null());
        }
        went
    }
}

unsafe fn create_instance(
    commands: Commands<'_>,
    version: u32,
    available: &[CString],
) -> Result<vk::Instance, Ending> {
    let application = vk::ApplicationInfo::default().application_name(c"vkload doctor").api_version(version);
    let (mut extensions, mut layers) = (Vec::new(), Vec::new());
    let mut info = vk::InstanceCreateInfo::default().application_info(&application);
    let has = |name: &CStr| available.iter().any(|known| known.as_c_str() == name);
    if has(ash::khr::portability_enumeration::NAME) {
        extensions.push(ash::khr::portability_enumeration::NAME.as_ptr());
        info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
    }
    if has(ash::khr::surface::NAME) {
        extensions.push(ash::khr::surface::NAME.as_ptr());
    }
    if let Some(layer) = commands.layer {
        layers.push(layer.as_ptr());
    }
    let info = info.enabled_extension_names(&extensions).enabled_layer_names(&layers);
    let mut instance = vk::Instance::null();
    // SAFETY: the type matches the command, and the structures are valid.
    unsafe {
        let create: vk::PFN_vkCreateInstance = commands.get(instance, c"vkCreateInstance")?;
        check(create(&raw const info, std::ptr::null(), &raw mut instance))?;
    }
    if instance.is_null() {
        return Err(Ending::failed("returns VK_SUCCESS from vkCreateInstance, but no instance"));
    }
    Ok(instance)
}

/// Lists at most `limit` elements: `list` fills in the number, and the elements unless it is given null.
fn listed<T: Clone + Default>(
    limit: u32,
    list: impl Fn(*mut u32, *mut T) -> vk::Result,
) -> Result<Vec<T>, Ending> {
    let mut count = 0;
    check(list(&raw mut count, std::ptr::null_mut()))?;
    let room = count.min(limit);
    let mut elements = vec![T::default(); room as usize];
    count = room;
    if room > 0 {
        check(list(&raw mut count, elements.as_mut_ptr()))?;
    }
    elements.truncate(count as usize);
    Ok(elements)
}

fn names(extensions: &[vk::ExtensionProperties]) -> Vec<CString> {
    extensions.iter().filter_map(|it| it.extension_name_as_c_str().ok()).map(CStr::to_owned).collect()
}

unsafe fn instance_extensions(commands: Commands<'_>) -> Result<Vec<vk::ExtensionProperties>, Ending> {
    type Enumerate = vk::PFN_vkEnumerateInstanceExtensionProperties;
    // SAFETY: the type matches the command, and the array has the requested capacity.
    unsafe {
        let none = vk::Instance::null();
        let enumerate: Enumerate = commands.get(none, c"vkEnumerateInstanceExtensionProperties")?;
        listed(EXTENSION_LIMIT, |count, all| enumerate(std::ptr::null(), count, all))
    }
}

unsafe fn device_extensions(
    commands: Commands<'_>,
    instance: vk::Instance,
    device: vk::PhysicalDevice,
) -> Result<Vec<CString>, Ending> {
    type Enumerate = vk::PFN_vkEnumerateDeviceExtensionProperties;
    // SAFETY: the type matches the command, the handles live, and the array has the requested capacity.
    unsafe {
        let enumerate: Enumerate = commands.get(instance, c"vkEnumerateDeviceExtensionProperties")?;
        let list = |count, all| enumerate(device, std::ptr::null(), count, all);
        listed(EXTENSION_LIMIT, list).map(|all| names(&all))
    }
}

/// Returns the device's features of Vulkan 1.0, by their positions in the structure.
unsafe fn features(commands: Commands<'_>, instance: vk::Instance, device: vk::PhysicalDevice) -> u64 {
    const COUNT: usize = size_of::<vk::PhysicalDeviceFeatures>() / size_of::<vk::Bool32>();
    // SAFETY: the type matches the command and the handles live. The structure consists of these numbers alone.
    let all: [vk::Bool32; COUNT] = unsafe {
        let get =
            commands.get::<vk::PFN_vkGetPhysicalDeviceFeatures>(instance, c"vkGetPhysicalDeviceFeatures");
        let Ok(get) = get else { return 0 };
        let mut features = vk::PhysicalDeviceFeatures::default();
        get(device, &raw mut features);
        std::mem::transmute(features)
    };
    all.iter().enumerate().filter(|(_, has)| **has != 0).fold(0, |bits, (index, _)| bits | (1 << index))
}

unsafe fn with_devices(
    commands: Commands<'_>,
    instance: vk::Instance,
    has_surface: bool,
    tell: Tell<'_>,
) -> Result<(), Ending> {
    tell(Line::Stage(Stage::EnumerateDevices));
    // SAFETY: the type matches the command, the instance lives, and the array has the requested capacity.
    let devices = unsafe {
        let enumerate: vk::PFN_vkEnumeratePhysicalDevices =
            commands.get(instance, c"vkEnumeratePhysicalDevices")?;
        listed(DEVICE_LIMIT, |count, all| enumerate(instance, count, all))?
    };
    for device in devices {
        tell(Line::Stage(Stage::Properties));
        // SAFETY: the device is the instance's, which lives.
        unsafe {
            let described = describe(commands, instance, device)?;
            // Only drivers of Vulkan 1.1 have one.
            let has_ids = !described.uuid.is_empty();
            tell(Line::Device(described));
            let extensions = device_extensions(commands, instance, device).unwrap_or_default();
            let swapchain =
                has_surface && extensions.iter().any(|name| name.as_c_str() == ash::khr::swapchain::NAME);
            let has_bus = extensions.iter().any(|name| name.as_c_str() == ash::ext::pci_bus_info::NAME);
            let ids = has_ids.then(|| ids(commands, instance, device, has_bus));
            let (bus, driver_uuid) = ids.unwrap_or_default();
            let extensions = extensions.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            let features = features(commands, instance, device);
            tell(Line::Abilities(extensions, features, bus, driver_uuid));
            let mut stage = Stage::CreateDevice;
            if let Err(ending) = use_device(commands, instance, (device, swapchain), &mut stage, tell) {
                tell(Line::Failure(stage, ending));
            }
        }
    }
    Ok(())
}

/// Returns the address on the bus of a device with VK_EXT_pci_bus_info, and its driver's UUID. The driver has Vulkan 1.1.
unsafe fn ids(
    commands: Commands<'_>,
    instance: vk::Instance,
    device: vk::PhysicalDevice,
    has_bus: bool,
) -> (String, [u8; 16]) {
    let mut bus = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut id = vk::PhysicalDeviceIDProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
    if has_bus {
        all = all.push_next(&mut bus);
    }
    // SAFETY: the types match the command, and the caller vouches for the handles, the version and the extension.
    unsafe {
        let get = commands
            .get::<vk::PFN_vkGetPhysicalDeviceProperties2>(instance, c"vkGetPhysicalDeviceProperties2");
        let Ok(get) = get else { return Default::default() };
        get(device, &raw mut all);
    }
    let (domain, number) = (bus.pci_domain, bus.pci_bus);
    let address = format!("{domain:04x}:{number:02x}:{:02x}.{:x}", bus.pci_device, bus.pci_function);
    (if has_bus { address } else { String::new() }, id.driver_uuid)
}

unsafe fn describe(
    commands: Commands<'_>,
    instance: vk::Instance,
    device: vk::PhysicalDevice,
) -> Result<Device, Ending> {
    // SAFETY: the types match the commands, and the caller vouches for the handles.
    unsafe {
        let properties: vk::PFN_vkGetPhysicalDeviceProperties =
            commands.get(instance, c"vkGetPhysicalDeviceProperties")?;
        let second = commands
            .get::<vk::PFN_vkGetPhysicalDeviceProperties2>(instance, c"vkGetPhysicalDeviceProperties2");
        Ok(Device::read(device, properties, second.ok()))
    }
}

/// Creates a device, with VK_KHR_swapchain if it has that, submits nothing, and waits for it.
unsafe fn use_device(
    commands: Commands<'_>,
    instance: vk::Instance,
    (physical, swapchain): (vk::PhysicalDevice, bool),
    stage: &mut Stage,
    tell: Tell<'_>,
) -> Result<(), Ending> {
    let mut enter = |next: Stage| {
        *stage = next;
        tell(Line::Stage(next));
    };
    enter(Stage::CreateDevice);
    // SAFETY: the types match the commands; structures are valid, and handles are used only while they live.
    unsafe {
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let extensions = [ash::khr::swapchain::NAME.as_ptr()];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(if swapchain { &extensions } else { &[] });
        let create: vk::PFN_vkCreateDevice = commands.get(instance, c"vkCreateDevice")?;
        let find: vk::PFN_vkGetDeviceProcAddr = commands.get(instance, c"vkGetDeviceProcAddr")?;
        let mut device = vk::Device::null();
        check(create(physical, &raw const info, std::ptr::null(), &raw mut device))?;
        if device.is_null() {
            return Err(Ending::failed("returns VK_SUCCESS from vkCreateDevice, but no device"));
        }
        let result = submit(find, device, &mut enter);
        if let Ok(destroy) = of_device::<vk::PFN_vkDestroyDevice>(find, device, c"vkDestroyDevice") {
            destroy(device, std::ptr::null());
        }
        result
    }
}

unsafe fn submit(
    find: vk::PFN_vkGetDeviceProcAddr,
    device: vk::Device,
    enter: &mut dyn FnMut(Stage),
) -> Result<(), Ending> {
    enter(Stage::Submit);
    // SAFETY: the types match the commands; structures are valid, and handles are used only while they live.
    unsafe {
        let get_queue: vk::PFN_vkGetDeviceQueue = of_device(find, device, c"vkGetDeviceQueue")?;
        let create: vk::PFN_vkCreateFence = of_device(find, device, c"vkCreateFence")?;
        let submit: vk::PFN_vkQueueSubmit = of_device(find, device, c"vkQueueSubmit")?;
        let wait: vk::PFN_vkWaitForFences = of_device(find, device, c"vkWaitForFences")?;
        let mut queue = vk::Queue::null();
        get_queue(device, 0, 0, &raw mut queue);
        let mut fence = vk::Fence::null();
        check(create(device, &vk::FenceCreateInfo::default(), std::ptr::null(), &raw mut fence))?;
        check(submit(queue, 1, &vk::SubmitInfo::default(), fence))?;
        enter(Stage::Wait);
        let result = check(wait(device, 1, &raw const fence, vk::TRUE, WAIT_LIMIT));
        if let Ok(destroy) = of_device::<vk::PFN_vkDestroyFence>(find, device, c"vkDestroyFence") {
            destroy(device, fence, std::ptr::null());
        }
        result
    }
}

unsafe fn of_device<F: Copy>(
    find: vk::PFN_vkGetDeviceProcAddr,
    device: vk::Device,
    name: &CStr,
) -> Result<F, Ending> {
    // SAFETY: the device lives, and `F` is the type of the command, a pointer to a function.
    unsafe {
        find(device, name.as_ptr())
            .map(|function| transmute_copy::<_, F>(&function))
            .ok_or_else(|| missing(name))
    }
}
