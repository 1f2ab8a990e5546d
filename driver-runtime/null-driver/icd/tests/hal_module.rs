//! The HAL module as Android's loader opens it, on this machine. The structures are Android's, written down once more.
use std::env;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use ash::{Device, Instance, StaticFn, vk};
use libloading::Library;

#[repr(C)]
struct Module {
    tag: u32,
    module_api_version: u16,
    hal_api_version: u16,
    id: *const c_char,
    name: *const c_char,
    author: *const c_char,
    methods: *const Methods,
    dso: *mut c_void,
    reserved: [usize; 25],
}

#[repr(C)]
struct Methods {
    open: unsafe extern "C" fn(*const Module, *const c_char, *mut *const HalDevice) -> c_int,
}

#[repr(C)]
struct HalDevice {
    tag: u32,
    version: u32,
    module: *const Module,
    reserved: [usize; 12],
    close: unsafe extern "C" fn(*const HalDevice) -> c_int,
    enumerate_instance_extension_properties: vk::PFN_vkEnumerateInstanceExtensionProperties,
    create_instance: vk::PFN_vkCreateInstance,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
}

/// Returns the module, which stays open.
fn module() -> *mut Module {
    let path = env::current_exe().unwrap().with_file_name("libvkload_null.so");
    // SAFETY: the library keeps its promises; it stays open.
    unsafe {
        let library = Box::leak(Box::new(Library::new(path).unwrap()));
        *library.get::<*mut Module>(b"HMI").unwrap()
    }
}

fn open(module: *mut Module) -> &'static HalDevice {
    let mut device = null();
    // SAFETY: called as Android's loader does.
    unsafe {
        assert_eq!(((*(*module).methods).open)(module, c"vk0".as_ptr(), &mut device), 0);
        &*device
    }
}

#[test]
fn the_module_is_what_android_looks_for() {
    let module = module();
    // SAFETY: the module is one of Android's, whose loader writes the handle of the library into it.
    unsafe {
        assert_eq!(CStr::from_ptr((*module).id), c"vulkan");
        assert_eq!(((*module).tag, (*module).module_api_version), (0x4857_4D54, 1));
        assert_eq!((*module).hal_api_version, 0x0100);
        (*module).dso = std::ptr::without_provenance_mut(0x1234);
        let mut device = null();
        assert_eq!(((*(*module).methods).open)(module, c"vk1".as_ptr(), &mut device), -2);
        let device = open(module);
        assert_eq!((device.tag, device.version), (0x4857_4454, 0x0001_0000));
        assert_eq!(device.module, module.cast_const());
        assert_eq!((device.close)(device), 0);
    }
}

#[test]
fn a_program_gets_the_right_bytes_from_the_module() {
    let hal = open(module());
    // SAFETY: the driver keeps the specification's promises, and so does this program.
    unsafe {
        let mut count = 0;
        let list = hal.enumerate_instance_extension_properties;
        assert_eq!(list(null(), &mut count, null_mut()), vk::Result::SUCCESS);
        assert!(count > 0);
        let mut handle = vk::Instance::null();
        let info = vk::InstanceCreateInfo::default();
        assert_eq!((hal.create_instance)(&info, null(), &mut handle), vk::Result::SUCCESS);
        let functions = StaticFn { get_instance_proc_addr: hal.get_instance_proc_addr };
        let instance = Instance::load(&functions, handle);
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical, &info, None).unwrap();
        assert_eq!(filled(&device), [0xABu8; 64]);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}

#[test]
fn native_buffers_have_commands_where_their_extension_is_enabled() {
    let hal = open(module());
    // SAFETY: the module obeys the specification, and so do the calls.
    unsafe {
        let entry = StaticFn { get_instance_proc_addr: hal.get_instance_proc_addr };
        let mut handle = vk::Instance::null();
        let result = (hal.create_instance)(&vk::InstanceCreateInfo::default(), null(), &mut handle);
        assert_eq!(result, vk::Result::SUCCESS);
        let instance = Instance::load(&entry, handle);
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let listed = instance.enumerate_device_extension_properties(physical).unwrap();
        let name = c"VK_ANDROID_native_buffer";
        assert!(listed.iter().any(|one| one.extension_name_as_c_str() == Ok(name)));
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        for names in [&[][..], &[name.as_ptr()][..]] {
            let info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(names);
            let device = instance.create_device(physical, &info, None).unwrap();
            for command in [c"vkGetSwapchainGrallocUsage4ANDROID", c"vkQueueSignalReleaseImageANDROID"] {
                let found = instance.get_device_proc_addr(device.handle(), command.as_ptr());
                assert_eq!(found.is_some(), !names.is_empty(), "{command:?}");
            }
            device.destroy_device(None);
        }
        instance.destroy_instance(None);
    }
}

/// Returns the bytes of a buffer that a queue has filled.
unsafe fn filled(device: &Device) -> [u8; 64] {
    // SAFETY: valid structures and live handles.
    unsafe {
        let info = vk::BufferCreateInfo::default().size(64).usage(vk::BufferUsageFlags::TRANSFER_DST);
        let buffer = device.create_buffer(&info, None).unwrap();
        let info = vk::MemoryAllocateInfo::default().allocation_size(64);
        let memory = device.allocate_memory(&info, None).unwrap();
        device.bind_buffer_memory(buffer, memory, 0).unwrap();
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info).unwrap();
        device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default()).unwrap();
        device.cmd_fill_buffer(commands[0], buffer, 0, vk::WHOLE_SIZE, 0xABAB_ABAB);
        device.end_command_buffer(commands[0]).unwrap();
        let queue = device.get_device_queue(0, 0);
        let work = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(queue, &[work], vk::Fence::null()).unwrap();
        device.queue_wait_idle(queue).unwrap();
        let start = device.map_memory(memory, 0, 64, vk::MemoryMapFlags::empty()).unwrap();
        let bytes = start.cast::<[u8; 64]>().read();
        device.destroy_command_pool(pool, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
        bytes
    }
}

const _: () = assert!(size_of::<Module>() == if size_of::<usize>() == 8 { 248 } else { 128 });
const _: () = assert!(size_of::<HalDevice>() == if size_of::<usize>() == 8 { 144 } else { 76 });
