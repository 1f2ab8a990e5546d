//! The driver of a system that has none.

use std::env;
use std::ptr::{null, null_mut};

use android_simulation::Simulation;
use ash::vk::{self, Handle as _};
use platform_android::driver;
use platform_android::hal::Driver;
use platform_android::hal::layout::DISPATCH_MAGIC;
use platform_android::objects::set_dispatch_word;
use platform_android_system::api;
use platform_android_system::hal::is_stub;

use super::{ended, errors};

#[test]
fn without_a_driver_there_are_instances_and_no_devices() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let driver = loader.hal.driver(loader).unwrap();
    assert!(is_stub(&driver));
    let errors = errors(android);
    assert!(errors.len() == 1 && errors[0].contains("ro.hardware.vulkan"), "{errors:?}");
    let mut count = 7;
    // SAFETY: valid usage: `count` and the array are counted out-arrays.
    unsafe {
        let none = std::ptr::null();
        let enumerate = driver.enumerate_instance_extension_properties;
        assert_eq!(enumerate(none, &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        assert_eq!(count, 0);
        let instance = create(&driver).unwrap();
        for name in [c"vkEnumeratePhysicalDevices", c"vkEnumeratePhysicalDeviceGroups"] {
            let function = (driver.get_instance_proc_addr)(instance, name.as_ptr()).unwrap();
            let enumerate: vk::PFN_vkEnumeratePhysicalDevices = std::mem::transmute(function);
            count = 7;
            assert_eq!(enumerate(instance, &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
            assert_eq!(count, 0);
        }
        destroy(&driver, instance);

        let mut instance = vk::Instance::null();
        let info = vk::InstanceCreateInfo::default();
        assert_eq!(api::create_instance(loader, &info, null(), &mut instance), vk::Result::SUCCESS);
        let result = driver::enumerate_physical_devices(instance, &mut count, null_mut());
        assert_eq!((result, count), (vk::Result::SUCCESS, 0));
        api::destroy_instance(instance, null());
    }
}

fn create(driver: &Driver) -> Result<vk::Instance, vk::Result> {
    let mut instance = vk::Instance::null();
    let info = vk::InstanceCreateInfo::default();
    unsafe { (driver.create_instance)(&info, std::ptr::null(), &mut instance) }.result_with_success(instance)
}

/// # Safety
/// The instance is a valid one of the driver.
unsafe fn destroy(driver: &Driver, instance: vk::Instance) {
    // SAFETY: the function has the type of its name, and the instance is the driver's by this
    // function's `# Safety`.
    unsafe {
        let function = (driver.get_instance_proc_addr)(instance, c"vkDestroyInstance".as_ptr()).unwrap();
        let destroy: vk::PFN_vkDestroyInstance = std::mem::transmute(function);
        destroy(instance, std::ptr::null());
    }
}

#[test]
fn only_the_drivers_mark_or_the_same_value_is_overwritten() {
    let data = [0usize; 2];
    let mut word = DISPATCH_MAGIC;
    let object = (&raw mut word).expose_provenance() as u64;
    // SAFETY: the object is a writable word, and the data outlives it.
    unsafe {
        assert!(set_dispatch_word(object, &raw const data[0]));
        assert!(set_dispatch_word(object, &raw const data[0]));
        assert!(!set_dispatch_word(object, &raw const data[1]));
        assert_eq!(*std::ptr::with_exposed_provenance::<*const usize>(object as usize), &raw const data[0]);
        *std::ptr::with_exposed_provenance_mut::<usize>(object as usize) = 0;
        assert!(!set_dispatch_word(object, &raw const data[0]), "not even nothing is free");
    }
}

#[test]
fn the_33rd_instance_of_the_stub_fails_and_a_freed_one_is_used_again() {
    let Simulation { loader, .. } = &Simulation::new();
    let driver = loader.hal.driver(loader).unwrap();
    let mut instances: Vec<vk::Instance> = (0..32).map(|_| create(&driver).unwrap()).collect();
    assert_eq!(create(&driver).err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
    let data = [0u64; 2];
    for instance in &instances {
        // SAFETY: the instances exist, and the data outlives them.
        assert!(unsafe { set_dispatch_word(instance.as_raw(), &raw const data[0]) });
    }
    let freed = instances.swap_remove(17);
    unsafe { destroy(&driver, freed) };
    let again = create(&driver).unwrap();
    assert_eq!(again, freed);
    // SAFETY: an instance begins with a readable word.
    let word = unsafe { *std::ptr::with_exposed_provenance::<usize>(again.as_raw() as usize) };
    assert_eq!(word, DISPATCH_MAGIC);
    instances.push(again);
    instances.sort();
    instances.dedup();
    assert_eq!(instances.len(), 32);
    for instance in instances {
        unsafe { destroy(&driver, instance) };
    }
}

#[test]
fn the_stub_finds_six_commands_and_what_needs_a_device_ends_the_process() {
    const KNOWN: [&std::ffi::CStr; 6] = [
        c"vkCreateInstance",
        c"vkDestroyInstance",
        c"vkEnumerateInstanceExtensionProperties",
        c"vkEnumeratePhysicalDevices",
        c"vkEnumeratePhysicalDeviceGroups",
        c"vkGetInstanceProcAddr",
    ];
    let Simulation { loader, .. } = &Simulation::new();
    let driver = loader.hal.driver(loader).unwrap();
    let look_up = driver.get_instance_proc_addr;
    let instance = create(&driver).unwrap();
    // SAFETY: names are C strings, and the instance is the driver's.
    unsafe {
        for name in KNOWN {
            assert!(look_up(vk::Instance::null(), name.as_ptr()).is_some(), "{name:?}");
        }
        let name = c"vkEnumerateInstanceVersion".as_ptr();
        assert!(look_up(vk::Instance::null(), name).is_none(), "drivers for Vulkan 1.0 have none");
        let unknown =
            look_up(instance, c"vkCreateDevice".as_ptr()).expect("a function that ends the process");
        if env::var_os("VKLOAD_CHILD").is_some() {
            unknown();
            return;
        }
        destroy(&driver, instance);
    }
    let (signal, output) =
        ended("hal::stub::the_stub_finds_six_commands_and_what_needs_a_device_ends_the_process");
    assert_eq!(signal, Some(libc::SIGABRT));
    assert!(output.contains("abort message: this system has no Vulkan driver"), "{output}");
}
