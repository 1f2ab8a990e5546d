//! The driver's functions, and how they are found.

mod devices;
mod physical_devices;

use std::ffi::{CStr, c_char, c_void};

use ash::vk::{self, Handle};
use vkload_core::abi::{array, chain, name};
use vkload_core::registry;

use super::installed::{Hal, ReceivedCreateInfo, current};

type Callbacks = *const vk::AllocationCallbacks<'static>;

/// A function of the driver: its name and its address.
type Row = (&'static CStr, fn() -> *const ());

/// A row of a table: the function must have the type of the command.
macro_rules! row {
    ($name:literal: $type:ty = $function:expr) => {
        ($name, || {
            let function: $type = $function;
            function as *const ()
        })
    };
}
use row;

/// A row of a command that only records its call.
macro_rules! noted {
    ($name:literal: $type:ty = ($($of:ty),*) -> Result) => {
        row!($name: $type = {
            unsafe extern "system" fn function($(_: $of),*) -> vk::Result {
                current().answer($name)
            }
            function
        })
    };
    ($name:literal: $type:ty = ($($of:ty),*)) => {
        row!($name: $type = {
            unsafe extern "system" fn function($(_: $of),*) {
                current().record($name);
            }
            function
        })
    };
}
use noted;

/// The commands found without an instance.
const GLOBAL: &[Row] = &[
    row!(c"vkEnumerateInstanceVersion": vk::PFN_vkEnumerateInstanceVersion = enumerate_instance_version),
    row!(c"vkCreateInstance": vk::PFN_vkCreateInstance = create_instance),
    row!(c"vkEnumerateInstanceExtensionProperties": vk::PFN_vkEnumerateInstanceExtensionProperties =
        enumerate_instance_extension_properties),
];

/// The commands found with an instance, in addition to those found with a device.
const OF_INSTANCES: &[Row] = &[
    row!(c"vkGetInstanceProcAddr": vk::PFN_vkGetInstanceProcAddr = get_instance_proc_addr),
    row!(c"vkDestroyInstance": vk::PFN_vkDestroyInstance = destroy_instance),
];

pub(super) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes a C string.
    let name = unsafe { CStr::from_ptr(name) };
    let tables: &[&[Row]] = if instance.is_null() {
        &[GLOBAL]
    } else {
        &[OF_INSTANCES, physical_devices::COMMANDS, physical_devices::QUERIES, devices::COMMANDS]
    };
    find(tables, name).or_else(|| nothing(name).filter(|_| !instance.is_null()))
}

pub(super) unsafe extern "system" fn get_device_proc_addr(
    _: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes a C string.
    let name = unsafe { CStr::from_ptr(name) };
    find(&[devices::COMMANDS], name).or_else(|| nothing(name))
}

fn find(tables: &[&[Row]], name: &CStr) -> vk::PFN_vkVoidFunction {
    let (known, function) = tables.iter().copied().flatten().find(|(known, _)| *known == name)?;
    if !has(&current().hal(), known) {
        return None;
    }
    // SAFETY: rows hold function pointers; callers know the type from the name.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(function()) })
}

/// Stands in for Vulkan 1.0 commands that no test covers: every driver has them.
fn nothing(name: &CStr) -> vk::PFN_vkVoidFunction {
    unsafe extern "system" fn nothing() -> vk::Result {
        vk::Result::SUCCESS
    }
    registry::find(name).filter(|command| command.core() == Some(0) && has(&current().hal(), name))?;
    Some(vkload_core::command_function!(nothing))
}

/// Returns whether the driver has a command, according to its version and extensions.
fn has(hal: &Hal, name: &CStr) -> bool {
    if hal.lacks.contains(&name) {
        return false;
    }
    if hal.early.contains(&name) {
        return true;
    }
    // The registry does not contain native_buffer.
    let Some(command) = registry::find(name) else { return true };
    let extensions = hal.instance_extensions.iter().chain(&hal.device_extensions);
    let names: Vec<&CStr> = extensions.map(|(name, _)| *name).collect();
    let version = hal.version.unwrap_or(vk::API_VERSION_1_0).min(hal.device_version);
    command.core().is_some_and(|minor| u32::from(minor) <= vk::api_version_minor(version))
        || command.providers().any(|provider| names.contains(&provider.name()))
}

unsafe extern "system" fn enumerate_instance_version(out: *mut u32) -> vk::Result {
    let hal = current().hal();
    if let Some(error) = hal.fails.get(c"vkEnumerateInstanceVersion") {
        return *error;
    }
    // SAFETY: memory for the result.
    unsafe { out.write(hal.version.unwrap_or(vk::API_VERSION_1_0)) };
    vk::Result::SUCCESS
}

pub(super) unsafe extern "system" fn enumerate_instance_extension_properties(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    assert!(layer.is_null(), "a driver has no layers");
    let all = properties(&current().hal().instance_extensions);
    // SAFETY: a counted out-array.
    unsafe { array::deliver(&all, count, out) }
}

fn properties(extensions: &[(&CStr, u32)]) -> Vec<vk::ExtensionProperties> {
    let one = |(called, version): &(&CStr, u32)| {
        let mut properties = vk::ExtensionProperties { spec_version: *version, ..Default::default() };
        name::fill(&mut properties.extension_name, called.to_bytes());
        properties
    };
    extensions.iter().map(one).collect()
}

pub(super) unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let driver = current();
    // SAFETY: the parameters of the command.
    unsafe {
        let info = &*info;
        let application = info.p_application_info.as_ref();
        let received = ReceivedCreateInfo {
            api_version: application.map(|application| application.api_version),
            layers: info.enabled_layer_count,
            ..received(
                info.pp_enabled_extension_names,
                info.enabled_extension_count,
                info.p_next,
                callbacks.cast(),
            )
        };
        driver.received.lock().unwrap().instances.push(received);
        let result = driver.answer(c"vkCreateInstance");
        if result == vk::Result::SUCCESS {
            out.write(make(0, 0));
        }
        result
    }
}

unsafe fn received(
    names: *const *const c_char,
    count: u32,
    first: *const c_void,
    callbacks: Callbacks,
) -> ReceivedCreateInfo {
    // SAFETY: the array and the chain of a create info.
    unsafe {
        ReceivedCreateInfo {
            extensions: name::list(names, count).map(|name| name.to_string_lossy().into_owned()).collect(),
            chain: chain::structures(first).map(|structure| structure.s_type.as_raw()).collect(),
            callbacks: callbacks.addr(),
            ..ReceivedCreateInfo::default()
        }
    }
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, _: *const vk::AllocationCallbacks<'_>) {
    current().record(c"vkDestroyInstance");
    current().objects().destroy(instance.as_raw());
}

/// Creates an object of the driver, with the magic number unless it is configured to lack it.
fn make<H: Handle>(parent: u64, number: usize) -> H {
    let magic = !current().hal().without_magic.contains(&H::TYPE);
    current().objects().make(parent, number, magic)
}
