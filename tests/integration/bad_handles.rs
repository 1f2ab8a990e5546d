//! Handles that are none: a message that names the command, and the end of the process. Every command of the registry that
//! takes a `VkInstance` or a `VkPhysicalDevice` is called with every kind of bad handle.
use std::ffi::{CString, c_void};

use ash::vk::{self, Handle as _};
use vkload_core::registry::{Class, CommandId};
use vkload_tests::layered::good;
use vkload_tests::{Ask, Instance, PLATFORMS, Run, Scenario, Vk, in_a_copy, library_under_test};

/// Any command, with more arguments than any of the tested ones has.
type Any = unsafe extern "system" fn(*const c_void, u64, u64, u64, u64, u64, u64, u64, u64) -> u64;

/// 24 readable bytes whose first word is an unreadable address, and 24 whose words are readable addresses.
static NO_OBJECT: [u64; 3] = [0x0123_4567_89AB, 0, 0];
static ZEROS: [u64; 3] = [0; 3];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Null,
    Garbage,
    Zeros,
    OddAddress,
    BesideAnObject,
    DestroyedInstance,
    PhysicalDeviceOfDestroyedInstance,
    OtherKind,
    Device,
    Queue,
    CommandBuffer,
    Surface,
    DriversOwn,
}

const FAULTS: [Fault; 13] = [
    Fault::Null,
    Fault::Garbage,
    Fault::Zeros,
    Fault::OddAddress,
    Fault::BesideAnObject,
    Fault::DestroyedInstance,
    Fault::PhysicalDeviceOfDestroyedInstance,
    Fault::OtherKind,
    Fault::Device,
    Fault::Queue,
    Fault::CommandBuffer,
    Fault::Surface,
    Fault::DriversOwn,
];

/// One object of every kind, alive unless the name says otherwise.
struct Objects<'v> {
    instance: Instance<'v>,
    physical_device: vk::PhysicalDevice,
    device: ash::Device,
    queue: vk::Queue,
    command_buffer: vk::CommandBuffer,
    surface: vk::SurfaceKHR,
    destroyed: [u64; 2],
    drivers_own: *const c_void,
}

impl<'v> Objects<'v> {
    fn new(vk: &'v Vk) -> Self {
        unsafe {
            let old = vk.instance();
            let old_device = old.devices()[0];
            let old = old.leak();
            // Created in between, so that a freed block is not the next one allocated.
            let instance = vk.create(&Ask::new().api(1, 2).every_instance_extension()).unwrap();
            let physical_device = instance.devices()[0];
            old.destroy_instance(None);
            let device = instance.device(physical_device, &[]);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            let buffers = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let headless = ash::ext::headless_surface::Instance::new(&vk.entry, &instance);
            let surface =
                headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None).unwrap();
            Self {
                queue: device.get_device_queue(0, 0),
                command_buffer: device.allocate_command_buffers(&buffers).unwrap()[0],
                surface,
                destroyed: [old.handle().as_raw(), old_device.as_raw()],
                // The fourth word of the loader's physical device: the driver's handle.
                drivers_own: *(physical_device.as_raw() as *const *const c_void).add(3),
                instance,
                physical_device,
                device,
            }
        }
    }

    fn with(&self, fault: Fault, class: Class) -> *const c_void {
        let (instance, device) = (self.instance.handle().as_raw(), self.physical_device.as_raw());
        let (own, other) = if class == Class::Instance { (instance, device) } else { (device, instance) };
        let number = match fault {
            Fault::Null => 0,
            Fault::Garbage => return NO_OBJECT.as_ptr().cast(),
            Fault::Zeros => return ZEROS.as_ptr().cast(),
            Fault::OddAddress => own + 1,
            Fault::BesideAnObject => own + 8,
            Fault::DestroyedInstance => self.destroyed[0],
            Fault::PhysicalDeviceOfDestroyedInstance => self.destroyed[1],
            Fault::OtherKind => other,
            Fault::Device => self.device.handle().as_raw(),
            Fault::Queue => self.queue.as_raw(),
            Fault::CommandBuffer => self.command_buffer.as_raw(),
            Fault::Surface => self.surface.as_raw(),
            Fault::DriversOwn => return self.drivers_own,
        };
        number as *const c_void
    }
}

fn address(vk: &Vk, instance: &Instance<'_>, command: &str) -> usize {
    let exported = vk.symbol(command);
    if exported == 0 { instance.proc(command) } else { exported }
}

/// Calls the command in a copy of the process; returns the signal that ended it, and its standard error.
fn call(address: usize, handle: *const c_void) -> (i32, String) {
    in_a_copy(|| {
        // SAFETY: a command takes its arguments in registers and on the stack, and surplus ones do no harm; the test is about the handle.
        unsafe { std::mem::transmute::<usize, Any>(address)(handle, 0, 0, 0, 0, 0, 0, 0, 0) };
        true
    })
}

fn parameter(class: Class) -> &'static str {
    if class == Class::Instance { "instance" } else { "physicalDevice" }
}

/// Returns all commands that take an instance or a physical device, with their names.
fn commands() -> impl Iterator<Item = (CommandId, &'static str)> {
    CommandId::all()
        .filter(|command| [Class::Instance, Class::PhysicalDevice].contains(&command.class()))
        .map(|command| (command, command.name().to_str().unwrap()))
}

/// Says how many calls were made, and which did not end as they have to.
fn call_all(vk: &Vk) {
    let objects = Objects::new(vk);
    let (mut calls, mut called, mut faults) = (0, Vec::new(), Vec::new());
    for (command, name) in commands() {
        let address = address(vk, &objects.instance, name);
        if address == 0 {
            vk.say(&format!("absent {name}"), format_args!("{:?}", command.window_system()));
            continue;
        }
        called.push(name);
        for fault in FAULTS.into_iter().filter(|fault| *fault != Fault::Null || name != "vkDestroyInstance") {
            let class = command.class();
            let (signal, message) = call(address, objects.with(fault, class));
            let parameter = parameter(class);
            let expected = format!("{name}: Invalid {parameter} [VUID-{name}-{parameter}-parameter]");
            calls += 1;
            if signal != libc::SIGABRT || !message.contains(&expected) {
                faults.push(format!("{name} with {fault:?}: signal {signal}, \"{}\"", message.trim()));
            }
        }
    }
    vk.say("calls", calls);
    vk.say("called", called.len());
    vk.say("faults", faults.join("; "));
}

fn run(body: fn(&Vk)) -> Run {
    let driver = good().every_instance_extension();
    Scenario::new().driver(driver).run(body)
}

#[test]
fn every_bad_handle_is_refused_by_every_command() {
    let run = run(call_all);
    run.ok().says("faults", "");
    let called = run.said("called").parse::<usize>().unwrap();
    assert_eq!(run.said("calls"), (called * FAULTS.len() - 1).to_string());
    // Commands that are not exported here belong to other systems.
    let known = commands().filter(|(command, _)| PLATFORMS.contains(&command.window_system())).count();
    assert!(called >= known && known > 100, "{called} of {known}: {run:?}");
}

/// Calls the commands with NULL, but for vkDestroyInstance, and with what is no object, and says which calls did not end as they have to.
fn say_accepted(vk: &Vk, address: impl Fn(&str) -> usize) {
    let mut faults = Vec::new();
    for (command, name) in commands().filter(|(_, name)| address(name) != 0) {
        for handle in [std::ptr::null::<c_void>(), NO_OBJECT.as_ptr().cast()] {
            if handle.is_null() && name == "vkDestroyInstance" {
                continue;
            }
            let (signal, message) = call(address(name), handle);
            if signal != libc::SIGABRT
                || !message.contains(&format!("{name}: Invalid {}", parameter(command.class())))
            {
                faults.push(format!("{name}: signal {signal}, {message}"));
            }
        }
    }
    vk.say("faults", faults.join("; "));
}

#[test]
fn a_physical_device_that_layers_see_is_refused_the_same_way() {
    let layer = vkload_tests::Layer::new("VK_LAYER_TEST_a");
    let run = Scenario::new().driver(good()).layer(layer).run(|vk| {
        let instance = vk.create(&Ask::new().layer("VK_LAYER_TEST_a")).unwrap();
        say_accepted(vk, |name| address(vk, &instance, name));
    });
    run.ok().says("faults", "");
}

/// Unreadable memory cannot be checked; only the second word of the supposed object is read.
#[test]
fn of_an_address_that_cannot_be_read_only_the_mark_is_looked_at() {
    extern "C" fn report(_: i32, info: *const libc::siginfo_t, _: *const c_void) {
        // SAFETY: the kernel passes information about the signal.
        let offset = unsafe { (*info).si_addr() as usize }.wrapping_sub(nowhere() as usize);
        let text = if offset == size_of::<usize>() { "mark" } else { "something else" };
        // SAFETY: writes text and exits.
        unsafe {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
            libc::_exit(0);
        }
    }
    let run = run(|vk| {
        let instance = vk.instance();
        let mut faults = Vec::new();
        for (_, name) in commands() {
            let address = address(vk, &instance, name);
            if address == 0 {
                continue;
            }
            // SAFETY: the handler only writes and exits; only children run it.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = report as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO;
                libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut());
            }
            let (signal, message) = call(address, nowhere());
            if (signal, message.as_str()) != (0, "mark") {
                faults.push(format!("{name}: signal {signal}, {message}"));
            }
        }
        vk.say("faults", faults.join("; "));
    });
    run.ok().says("faults", "");
}

/// Returns an unreadable page.
fn nowhere() -> *const c_void {
    static PAGE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: requests an unused page.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        page as usize
    });
    *page as *const c_void
}

#[test]
fn a_bad_handle_in_the_first_call_of_the_process_is_named() {
    let run = run(|vk| {
        // The library has been called already, so a copy is.
        let copy = std::env::current_dir().unwrap().join("libvulkan.copy.so");
        std::fs::copy(library_under_test(), &copy).unwrap();
        let path = CString::new(copy.to_str().unwrap()).unwrap();
        // SAFETY: the loader needs nothing when it is opened.
        let copy = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!copy.is_null());
        say_accepted(vk, |name| {
            let name = CString::new(name).unwrap();
            // SAFETY: the library stays open.
            unsafe { libc::dlsym(copy, name.as_ptr()) as usize }
        });
    });
    run.ok().says("faults", "");
}

#[test]
fn destroying_no_instance_does_nothing() {
    let run = run(|vk| {
        let (signal, message) = call(vk.symbol("vkDestroyInstance"), std::ptr::null());
        vk.say("signal", signal);
        vk.say("message", message);
    });
    run.ok().says("signal", 0).says("message", "");
}

#[test]
fn looking_up_with_a_bad_instance_is_refused() {
    let run = run(|vk| {
        let objects = Objects::new(vk);
        let mut faults = Vec::new();
        for fault in FAULTS.into_iter().filter(|fault| *fault != Fault::Null) {
            let instance = vk::Instance::from_raw(objects.with(fault, Class::Instance) as u64);
            let (signal, message) = in_a_copy(|| {
                // SAFETY: but for the bad handle this is valid.
                unsafe { vk.entry.get_instance_proc_addr(instance, c"vkDestroyInstance".as_ptr()) }.is_some()
            });
            if signal != libc::SIGABRT || !message.contains("vkGetInstanceProcAddr: Invalid instance") {
                faults.push(format!("{fault:?}: signal {signal}, {message}"));
            }
        }
        vk.say("faults", faults.join("; "));
    });
    run.ok().says("faults", "");
}

// ---- handles inside structures ----

/// Makes the calls with each bad physical device inside a structure; notes which calls `command` does not refuse.
fn inside(vk: &Vk, command: &str, use_it: fn(&Objects<'_>, vk::PhysicalDevice)) {
    let objects = Objects::new(vk);
    let mut faults = Vec::new();
    for fault in FAULTS {
        let handle = vk::PhysicalDevice::from_raw(objects.with(fault, Class::PhysicalDevice) as u64);
        let (signal, message) = in_a_copy(|| {
            use_it(&objects, handle);
            true
        });
        if signal != libc::SIGABRT || !message.contains(&format!("{command}: Invalid physicalDevice")) {
            faults.push(format!("{fault:?}: signal {signal}, {message}"));
        }
    }
    vk.say("faults", faults.join("; "));
}

#[test]
fn a_bad_member_of_a_device_group_is_refused() {
    let run = run(|vk| {
        inside(vk, "vkCreateDevice", |objects, bad| {
            let members = [objects.physical_device, bad];
            let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&members);
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut group);
            // SAFETY: but for the bad member this is valid.
            _ = unsafe { objects.instance.create_device(objects.physical_device, &info, None) };
        });
    });
    run.ok().says("faults", "");
}

#[test]
fn naming_a_bad_physical_device_is_refused() {
    let run = run(|vk| {
        inside(vk, "vkSetDebugUtilsObjectNameEXT", |objects, bad| {
            let debug = ash::ext::debug_utils::Device::new(&objects.instance, &objects.device);
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(bad);
            // SAFETY: but for the bad handle this is valid.
            _ = unsafe { debug.set_debug_utils_object_name(&info) };
        });
    });
    run.ok().says("faults", "");
}
