//! How long the first word of a handle belongs to its object: layers know objects by it. Row 158.

use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use ash::vk::{self, Handle};

use super::memory::Memory;
use super::{System, physical_device};

/// A layer's action, once, between the return of the next layer's function and the return of its
/// own.
static AFTER: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

extern "C" fn after() {
    let act = AFTER.lock().unwrap().take();
    if let Some(act) = act {
        act();
    }
}

/// Creates something in another thread while a layer is not done with an object that the driver has
/// destroyed.
fn meanwhile<T: Send + 'static>(make: impl FnOnce() -> T + Send + 'static) -> mpsc::Receiver<T> {
    let (sender, made) = mpsc::channel();
    *AFTER.lock().unwrap() =
        Some(Box::new(move || thread::spawn(move || sender.send(make()).unwrap()).join().unwrap()));
    made
}

/// Returns a system with two layers; the application's nearest one calls `after`.
fn system() -> System {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", &format!("-DAFTER={:#x}", after as *const () as usize)]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    system
}

fn instance(vulkan: &ash::Entry, memory: &Memory) -> ash::Instance {
    let layers = [c"VK_LAYER_one".as_ptr(), c"VK_LAYER_two".as_ptr()];
    let info = vk::InstanceCreateInfo::default().enabled_layer_names(&layers);
    unsafe { vulkan.create_instance(&info, Some(&memory.callbacks())) }.unwrap()
}

fn try_device(instance: &ash::Instance, memory: &Memory) -> Result<ash::Device, vk::Result> {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    unsafe { instance.create_device(physical_device(instance), &info, Some(&memory.callbacks())) }
}

fn device(instance: &ash::Instance, memory: &Memory) -> ash::Device {
    try_device(instance, memory).unwrap()
}

fn word(handle: impl Handle) -> usize {
    // SAFETY: the tests pass instance and device handles that are alive.
    unsafe { *std::ptr::with_exposed_provenance::<usize>(handle.as_raw() as usize) }
}

#[test]
fn no_device_has_the_word_of_one_that_layers_are_not_done_with() {
    let system = system();
    let memory = Arc::new(Memory::used_again());
    let callbacks = memory.callbacks();
    let instance = instance(&system.vulkan, &memory);
    let first = device(&instance, &memory);
    let of_first = word(first.handle());
    let second = meanwhile({
        let (instance, memory) = (instance.clone(), Arc::clone(&memory));
        move || device(&instance, &memory)
    });
    unsafe {
        first.destroy_device(Some(&callbacks));
        let second = second.recv().unwrap();
        assert_ne!(word(second.handle()), of_first);
        let third = device(&instance, &memory);
        assert_eq!(word(third.handle()), of_first, "memory is used again, once the layers are done");
        second.destroy_device(Some(&callbacks));
        third.destroy_device(Some(&callbacks));
        instance.destroy_instance(Some(&callbacks));
    }
    assert!(!system.noted().iter().any(|line| line.contains("two objects with one word")));
    assert!(memory.is_all_free());
}

#[test]
fn no_instance_has_the_word_of_one_that_layers_are_not_done_with() {
    let system = system();
    let memory = Arc::new(Memory::used_again());
    let callbacks = memory.callbacks();
    let first = instance(&system.vulkan, &memory);
    let of_first = word(first.handle());
    let second = meanwhile({
        let (vulkan, memory) = (system.vulkan.clone(), Arc::clone(&memory));
        move || instance(&vulkan, &memory)
    });
    unsafe {
        first.destroy_instance(Some(&callbacks));
        let second = second.recv().unwrap();
        assert_ne!(word(second.handle()), of_first);
        let third = instance(&system.vulkan, &memory);
        assert_eq!(word(third.handle()), of_first, "memory is used again, once the layers are done");
        second.destroy_instance(Some(&callbacks));
        third.destroy_instance(Some(&callbacks));
    }
    assert!(!system.noted().iter().any(|line| line.contains("two objects with one word")));
    assert!(memory.is_all_free());
}

#[test]
fn devices_that_layers_make_for_themselves_leave_nothing() {
    let system = System::new();
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        system.layer(layer, &["-DGLOBAL", "-DOWN_DEVICE"]);
    }
    let (of_instance, of_devices) = (Memory::default(), Memory::default());
    let instance = instance(&system.vulkan, &of_instance);
    let device = device(&instance, &of_devices);
    unsafe {
        device.destroy_device(Some(&of_devices.callbacks()));
        assert!(of_devices.is_all_free());
        instance.destroy_instance(Some(&of_instance.callbacks()));
    }
    assert!(of_instance.is_all_free());
}

#[test]
fn a_device_that_the_loader_itself_destroys_leaves_nothing() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DHIDE=\"vkCmdDraw\""]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    let (of_instance, of_device) = (Memory::default(), Memory::default());
    let instance = instance(&system.vulkan, &of_instance);
    let made = try_device(&instance, &of_device);
    assert_eq!(made.err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
    assert!(of_device.is_all_free());
    unsafe { instance.destroy_instance(Some(&of_instance.callbacks())) };
    assert!(of_instance.is_all_free());
}
