//! A layer written in Rust, which passes on the commands that create and destroy, and counts them.

use core::ffi::{CStr, c_char, c_void};
use core::mem::transmute;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ash::vk;

use crate::abi::function;
use crate::abi::layer_interface::{
    DeviceCreateInfo, FindDeviceCommand, FindInstanceCommand, InstanceCreateInfo, Negotiation,
    function as kinds,
};
use crate::dispatch::Command;

type Callbacks = vk::AllocationCallbacks<'static>;

pub(super) static CALLED: AtomicUsize = AtomicUsize::new(0);

/// The next look-up functions in the chains of the one instance and its devices.
static NEXT_OF_INSTANCE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static NEXT_OF_DEVICE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

fn called() {
    CALLED.fetch_add(1, Ordering::Relaxed);
}

/// Returns the next one's command.
unsafe fn below(instance: vk::Instance, name: &CStr) -> Option<Command> {
    let next = NEXT_OF_INSTANCE.load(Ordering::Relaxed);
    // SAFETY: such a function was stored there.
    unsafe { transmute::<*mut c_void, FindInstanceCommand>(next)(instance, name.as_ptr()) }
}

unsafe fn below_device(device: vk::Device, name: &CStr) -> Option<Command> {
    let next = NEXT_OF_DEVICE.load(Ordering::Relaxed);
    // SAFETY: such a function was stored there.
    unsafe { transmute::<*mut c_void, FindDeviceCommand>(next)(device, name.as_ptr()) }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    called();
    // SAFETY: the loader puts the layer's link into the chain and passes on the test's valid parameters.
    unsafe {
        let mut next = (*info).p_next.cast::<InstanceCreateInfo>();
        while (*next).s_type != vk::StructureType::LOADER_INSTANCE_CREATE_INFO
            || (*next).function != kinds::LINK
        {
            next = (*next).p_next.cast();
        }
        let next = next.cast_mut();
        let link = (*next).content.link;
        (*next).content.link = (*link).next;
        NEXT_OF_INSTANCE.store((*link).get_instance_proc_addr as *mut c_void, Ordering::Relaxed);
        let create = below(vk::Instance::null(), c"vkCreateInstance").unwrap();
        transmute::<Command, vk::PFN_vkCreateInstance>(create)(info, callbacks, out)
    }
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, callbacks: *const Callbacks) {
    called();
    // SAFETY: the function found has the type of its name.
    unsafe {
        let destroy = below(instance, c"vkDestroyInstance").unwrap();
        transmute::<Command, vk::PFN_vkDestroyInstance>(destroy)(instance, callbacks);
    }
}

unsafe extern "system" fn create_device(
    device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
) -> vk::Result {
    called();
    // SAFETY: the loader puts the layer's link into the chain and passes on the test's valid parameters.
    unsafe {
        let mut next = (*info).p_next.cast::<DeviceCreateInfo>();
        while (*next).s_type != vk::StructureType::LOADER_DEVICE_CREATE_INFO
            || (*next).function != kinds::LINK
        {
            next = (*next).p_next.cast();
        }
        let next = next.cast_mut();
        let link = (*next).content.link;
        (*next).content.link = (*link).next;
        NEXT_OF_DEVICE.store((*link).get_device_proc_addr as *mut c_void, Ordering::Relaxed);
        let create =
            ((*link).get_instance_proc_addr)(vk::Instance::null(), c"vkCreateDevice".as_ptr()).unwrap();
        transmute::<Command, vk::PFN_vkCreateDevice>(create)(device, info, callbacks, out)
    }
}

unsafe extern "system" fn destroy_device(device: vk::Device, callbacks: *const Callbacks) {
    called();
    // SAFETY: the function found has the type of its name.
    unsafe {
        let destroy = below_device(device, c"vkDestroyDevice").unwrap();
        transmute::<Command, vk::PFN_vkDestroyDevice>(destroy)(device, callbacks);
    }
}

unsafe extern "system" fn find(instance: vk::Instance, name: *const c_char) -> Option<Command> {
    // SAFETY: the loader gives a C string.
    let name = unsafe { CStr::from_ptr(name) };
    Some(match name.to_bytes() {
        b"vkGetInstanceProcAddr" => function!(find),
        b"vkCreateInstance" => function!(create_instance),
        b"vkDestroyInstance" => function!(destroy_instance),
        b"vkCreateDevice" => function!(create_device),
        // SAFETY: the instance is the loader's, which came down with vkCreateInstance.
        _ => return unsafe { below(instance, name) },
    })
}

unsafe extern "system" fn find_device_command(device: vk::Device, name: *const c_char) -> Option<Command> {
    // SAFETY: the loader gives a C string.
    let name = unsafe { CStr::from_ptr(name) };
    Some(match name.to_bytes() {
        b"vkGetDeviceProcAddr" => function!(find_device_command),
        b"vkDestroyDevice" => function!(destroy_device),
        // SAFETY: the device is the one that was made below.
        _ => return unsafe { below_device(device, name) },
    })
}

unsafe extern "system" fn negotiate(agreed: *mut Negotiation) -> vk::Result {
    // SAFETY: the loader gives the structure.
    let agreed = unsafe { &mut *agreed };
    agreed.version = 2;
    agreed.get_instance_proc_addr = Some(find);
    agreed.get_device_proc_addr = Some(find_device_command);
    vk::Result::SUCCESS
}

pub(super) fn symbols(name: &CStr) -> Option<NonNull<c_void>> {
    let function: Command = match name.to_bytes() {
        b"vkNegotiateLoaderLayerInterfaceVersion" => function!(negotiate),
        _ => return None,
    };
    NonNull::new(function as *mut c_void)
}
