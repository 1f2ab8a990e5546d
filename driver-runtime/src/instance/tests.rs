//! Instances as a loader meets them. `docs/rules/drivers.md` has the rules.

use std::ffi::{CStr, CString, c_char};
use std::ptr::null;
use std::vec::Vec;

use ash::vk;
use vkload_core::registry::{CommandId, ExtensionSet, command, extension};

use super::Instance;
use crate::commands::instance::create;
use crate::icd::negotiate;
use crate::object::ParentObject;
use crate::proc_addr::{
    get_instance_proc_addr, get_instance_proc_addr_unchecked, get_physical_device_proc_addr,
};
use crate::result::CreateInstanceError;
use crate::testing::{Ledger, TestDriver, commands, plan};

/// An instance that is destroyed with the test.
pub(crate) struct Made(pub(crate) vk::Instance);

impl Made {
    fn get(&self) -> &Instance<TestDriver> {
        // SAFETY: the handle is live.
        unsafe { Instance::from_handle(self.0) }.unwrap()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: the handle is live and no longer in use.
        unsafe { commands::destroy_instance::<TestDriver>()(self.0, null()) };
    }
}

fn make(info: &vk::InstanceCreateInfo<'_>, interface: u32) -> Result<Made, vk::Result> {
    // SAFETY: the tests make valid structures.
    unsafe { create::<TestDriver>(info, null(), interface) }.map(Made)
}

/// Returns an instance with callbacks, which live at least as long.
pub(crate) fn make_with(callbacks: &vk::AllocationCallbacks<'_>) -> Made {
    // SAFETY: the structure and the callbacks, which are borrowed, are valid.
    Made(unsafe { create::<TestDriver>(&vk::InstanceCreateInfo::default(), callbacks, 7) }.unwrap())
}

fn version(minor: u32) -> u32 {
    vk::make_api_version(0, 1, minor, 0)
}

pub(crate) fn make_for(minor: u32, extensions: &[&CStr]) -> Result<Made, vk::Result> {
    let app = vk::ApplicationInfo::default().api_version(version(minor));
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    make(&vk::InstanceCreateInfo::default().application_info(&app).enabled_extension_names(&names), 7)
}

#[test]
fn the_application_information_is_copied() {
    let mut name = CString::new("game").unwrap().into_bytes_with_nul();
    let made = {
        let app = vk::ApplicationInfo {
            p_application_name: name.as_ptr().cast(),
            application_version: 7,
            engine_version: 8,
            api_version: version(2),
            ..Default::default()
        };
        make(&vk::InstanceCreateInfo::default().application_info(&app), 0).unwrap()
    };
    name.fill(b'x');
    let app = made.get().app();
    assert_eq!(app.name(), Some(&b"game"[..]));
    assert!(app.engine_name().is_none());
    assert_eq!((app.version, app.engine_version, app.api_version), (7, 8, version(2)));
    let silent = make(&vk::InstanceCreateInfo::default(), 0).unwrap();
    assert!(silent.get().app().name().is_none());
    assert_eq!(silent.get().app().api_version, version(0));
}

#[test]
fn ldp_driver_9_and_10_versions() {
    let zero = vk::ApplicationInfo::default();
    let made = make(&vk::InstanceCreateInfo::default().application_info(&zero), 0).unwrap();
    assert_eq!(made.get().app().api_version, version(0));
    let rows = [
        (0, 0, 0, true),
        (0, 1, 0, false),
        (0, 1, 4, false),
        (0, 1, 5, true),
        (1, 9, 0, true),
        (3, 9, 7, true),
    ];
    for (driver, application, interface, accepted) in rows {
        plan(|plan| plan.api_version = version(driver));
        let app = vk::ApplicationInfo::default().api_version(version(application));
        let made = make(&vk::InstanceCreateInfo::default().application_info(&app), interface);
        assert_eq!(made.is_ok(), accepted, "{driver} {application} {interface}");
        assert!(made.is_ok() || made.err() == Some(vk::Result::ERROR_INCOMPATIBLE_DRIVER));
    }
}

#[test]
fn extensions_are_checked_and_exactly_those_enabled() {
    let wrong = [c"VK_XYZ_unheard_of", c"VK_KHR_display", c"VK_KHR_swapchain", c"", c"VK_KHR_surfac"];
    for name in wrong {
        assert_eq!(make_for(0, &[name]).err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT), "{name:?}");
    }
    let made = make_for(0, &[c"VK_KHR_surface", c"VK_KHR_surface"]).unwrap();
    assert_eq!(**made.get().extensions(), ExtensionSet::new(&[extension::KHR_SURFACE]));
    assert!(!made.get().extensions().has_unlisted(c"VK_TEST_of_instances"));
    assert!(
        make_for(0, &[c"VK_TEST_of_instances"])
            .unwrap()
            .get()
            .extensions()
            .has_unlisted(c"VK_TEST_of_instances")
    );
    assert_eq!(**make_for(0, &[]).unwrap().get().extensions(), ExtensionSet::default());
}

#[test]
fn every_failure_leaves_no_memory_of_the_application() {
    let app = vk::ApplicationInfo::default().application_name(c"a game").engine_name(c"an engine");
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    let mut failures = 0;
    loop {
        let ledger = Ledger::failing_at(failures);
        let callbacks = ledger.callbacks();
        let mut handle = vk::Instance::null();
        // SAFETY: valid structures; the callbacks live longer than the instance.
        let result = unsafe { commands::create_instance::<TestDriver>()(&info, &callbacks, &mut handle) };
        if result == vk::Result::SUCCESS {
            assert!(
                ledger.scopes().iter().all(|scope| *scope == vk::SystemAllocationScope::INSTANCE.as_raw())
            );
            // SAFETY: the handle is live and no longer in use.
            unsafe { commands::destroy_instance::<TestDriver>()(handle, &callbacks) };
            assert_eq!(ledger.live_blocks(), 0);
            break;
        }
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        assert_eq!((ledger.live_blocks(), handle), (0, vk::Instance::null()));
        failures += 1;
    }
    assert_eq!(failures, 3);
    plan(|plan| plan.create = Err(CreateInstanceError::InitializationFailed));
    let ledger = Ledger::default();
    // SAFETY: as above.
    let made = unsafe { create::<TestDriver>(&info, &ledger.callbacks(), 7) };
    assert_eq!((made.err(), ledger.live_blocks()), (Some(vk::Result::ERROR_INITIALIZATION_FAILED), 0));
}

#[test]
fn extensions_are_enumerated() {
    let list = |count: &mut u32, out: &mut [vk::ExtensionProperties]| {
        let out = if out.is_empty() { std::ptr::null_mut() } else { out.as_mut_ptr() };
        // SAFETY: every test row passes an array as long as the count says.
        unsafe { commands::enumerate_instance_extension_properties::<TestDriver>()(null(), count, out) }
    };
    let mut count = 77;
    assert_eq!((list(&mut count, &mut []), count), (vk::Result::SUCCESS, 3));
    let mut all = [vk::ExtensionProperties::default(); 3];
    assert_eq!((list(&mut count, &mut all), count), (vk::Result::SUCCESS, 3));
    assert_eq!(all[0].extension_name_as_c_str(), Ok(c"VK_KHR_surface"));
    assert_eq!((all[0].spec_version, all[1].spec_version), (25, 2));
    assert_eq!(all[1].extension_name_as_c_str(), Ok(c"VK_EXT_debug_utils"));
    // One that the registry does not list.
    assert_eq!((all[2].extension_name_as_c_str(), all[2].spec_version), (Ok(c"VK_TEST_of_instances"), 3));
    count = 1;
    assert_eq!((list(&mut count, &mut all), count), (vk::Result::INCOMPLETE, 1));
    let layer = c"VK_LAYER_some";
    // SAFETY: valid name and count.
    unsafe {
        let result = commands::enumerate_instance_extension_properties::<TestDriver>()(
            layer.as_ptr(),
            &mut count,
            std::ptr::null_mut(),
        );
        assert_eq!(result, vk::Result::ERROR_LAYER_NOT_PRESENT);
        count = 5;
        assert_eq!(
            commands::enumerate_instance_layer_properties::<TestDriver>()(&mut count, std::ptr::null_mut()),
            vk::Result::SUCCESS
        );
    }
    assert_eq!(count, 0);
}

fn look_up(instance: vk::Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
    // SAFETY: a null or live handle and a valid name.
    unsafe { get_instance_proc_addr::<TestDriver>(instance, name.as_ptr()) }
}

fn look_up_physical(instance: vk::Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe { get_physical_device_proc_addr::<TestDriver>(instance, name.as_ptr()) }
}

fn look_up_unchecked(instance: vk::Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
    // SAFETY: as above.
    unsafe { get_instance_proc_addr_unchecked::<TestDriver>(instance, name.as_ptr()) }
}

#[test]
fn without_an_instance_there_are_seven_functions() {
    let names: Vec<_> = CommandId::all()
        .map(CommandId::name)
        .filter(|name| look_up(vk::Instance::null(), name).is_some())
        .collect();
    assert_eq!(
        names,
        [
            c"vkCreateInstance",
            c"vkGetInstanceProcAddr",
            c"vkEnumerateInstanceExtensionProperties",
            c"vkEnumerateInstanceLayerProperties",
            c"vkEnumerateInstanceVersion",
        ]
    );
    for name in [c"vk_icdNegotiateLoaderICDInterfaceVersion", c"vk_icdGetPhysicalDeviceProcAddr"] {
        assert!(look_up(vk::Instance::null(), name).is_some());
    }
}

#[test]
fn commands_of_devices_are_found_whatever_is_enabled() {
    let made = make_for(1, &[]).unwrap();
    assert!(look_up(made.0, c"vkCmdDrawMeshTasksEXT").is_some());
    assert!(look_up(made.0, c"vkCreateBuffer").is_some());
}

#[test]
fn no_name_no_function() {
    let made = make_for(1, &[]).unwrap();
    let none: *const c_char = null();
    // SAFETY: NULL is allowed.
    unsafe {
        assert!(get_instance_proc_addr::<TestDriver>(made.0, none).is_none());
        assert!(get_instance_proc_addr_unchecked::<TestDriver>(made.0, none).is_none());
        assert!(get_physical_device_proc_addr::<TestDriver>(made.0, none).is_none());
    }
}

#[test]
fn the_unchecked_look_up_returns_commands_that_are_not_enabled() {
    let made = make_for(0, &[]).unwrap();
    let name = c"vkEnumeratePhysicalDeviceGroups";
    assert!(look_up(made.0, name).is_none());
    assert!(look_up_unchecked(made.0, name).is_some());
    assert!(look_up_unchecked(vk::Instance::null(), c"vkCreateInstance").is_none());
    assert!(look_up_unchecked(made.0, c"vkUnheardOf").is_none());
}

#[test]
fn the_loader_recognises_physical_device_commands() {
    let made = make_for(1, &[]).unwrap();
    assert!(look_up_physical(made.0, c"vkGetPhysicalDeviceFeatures2").is_some());
    let others =
        [c"vkDestroyInstance", c"vkCreateBuffer", c"vkUnheardOf", c"vkGetPhysicalDeviceToolProperties"];
    for name in others {
        assert!(look_up_physical(made.0, name).is_none(), "{name:?}");
    }
}

#[test]
fn commands_that_the_driver_does_not_have_are_not_found() {
    let made = make_for(3, &[]).unwrap();
    assert!(look_up(made.0, command::CREATE_IMAGE.name()).is_none());
    assert!(look_up_unchecked(made.0, command::CREATE_IMAGE.name()).is_none());
}

#[test]
fn the_instance_is_its_own_instance() {
    let made = make_for(0, &[]).unwrap();
    let base = made.get().root().base();
    assert!(core::ptr::eq(base.instance().unwrap(), made.get().root()));
    assert!(base.device().is_none() && base.is_visible());
}

#[test]
fn negotiation_ends_at_seven() {
    for (asked, agreed) in [(0, 0), (1, 1), (5, 5), (7, 7), (99, 7)] {
        let mut version = asked;
        // SAFETY: a valid pointer.
        assert_eq!(unsafe { negotiate(&mut version) }, vk::Result::SUCCESS);
        assert_eq!(version, agreed);
    }
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { negotiate(std::ptr::null_mut()) }, vk::Result::ERROR_INITIALIZATION_FAILED);
}
