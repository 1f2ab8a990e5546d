//! Instances, physical devices and surfaces that are inside structures, and commands that no registry has.

use crate::above::{System, ask, object, scenario};
use ash::vk;
use vkload_tests::{Device, Instance, Layer, Scenario, Vk, window_driver};

fn with_and_without_a_layer() -> [Scenario; 2] {
    let layer = "VK_LAYER_TEST_a";
    [scenario(), scenario().layer(Layer::new(layer)).argument("layers", layer)]
}

/// Returns an instance with surfaces, and with names for objects.
fn named_instance(vk: &Vk) -> Instance<'_> {
    let names = ["VK_KHR_surface", "VK_EXT_headless_surface", "VK_EXT_debug_utils"];
    vk.create(&names.iter().fold(ask(vk), |ask, name| ask.extension(name))).unwrap()
}

fn name(utils: &ash::ext::debug_utils::Device, object: impl vk::Handle) {
    let info = vk::DebugUtilsObjectNameInfoEXT::default().object_name(c"somebody").object_handle(object);
    unsafe { utils.set_debug_utils_object_name(&info) }.unwrap();
}

#[test]
fn physical_devices_in_groups_are_the_loaders_above_and_the_drivers_below() {
    for scenario in with_and_without_a_layer() {
        let run = scenario.run(|vk| {
            let instance = vk.create(&ask(vk)).unwrap();
            unsafe {
                let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); 1];
                instance.enumerate_physical_device_groups(&mut groups).unwrap();
                let members = &groups[0].physical_devices[..groups[0].physical_device_count as usize];
                assert_eq!(members, instance.devices());
                let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(members);
                let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
                let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut group);
                let raw: &ash::Instance = &instance;
                raw.create_device(members[0], &info, None).unwrap().destroy_device(None);
                // A structure of unknown size is copied as far as it can be read, and never written to.
                let unknown = vk::StructureType::from_raw(999);
                let next = info.p_next.cast_mut().cast();
                let stranger = vk::BaseOutStructure { s_type: unknown, p_next: next, ..Default::default() };
                let info = vk::DeviceCreateInfo { p_next: (&raw const stranger).cast(), ..info };
                raw.create_device(members[0], &info, None).unwrap().destroy_device(None);
                assert!((&raw const stranger.p_next).read_volatile() == next);
            }
        });
        run.ok();
    }
}

#[test]
fn names_are_given_to_the_drivers_own_objects() {
    for scenario in with_and_without_a_layer() {
        let run = scenario.run(|vk| {
            let system = System::open();
            let instance = named_instance(vk);
            let physical_device = instance.devices()[0];
            let device = instance.device(physical_device, &[]);
            let utils = ash::ext::debug_utils::Device::new(&instance, &device);
            let surface = vkload_tests::create_surface(vk, &instance, "headless").unwrap();
            let called = || system.last_call().split_whitespace().last().unwrap().to_owned();
            name(&utils, instance.handle());
            assert!(called().starts_with("instance"));
            name(&utils, physical_device);
            assert!(called().starts_with("physical_device"));
            name(&utils, surface);
            assert!(called().starts_with("surface"));
            name(&utils, device.handle());
            assert_eq!(called(), format!("device{}", object(device.handle()).number));
            unsafe {
                let queue = device.get_device_queue(0, 0);
                name(&utils, queue);
                assert_eq!(called(), format!("queue{}", object(queue).number));
                // Not exported, and looked up without the device.
                let set: vk::PFN_vkSetDebugUtilsObjectNameEXT =
                    instance.command("vkSetDebugUtilsObjectNameEXT");
                let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(device.handle());
                assert_eq!(set(device.handle(), &info), vk::Result::SUCCESS);
                assert_eq!(called(), format!("device{}", object(device.handle()).number));
                vkload_tests::khr_surface(vk, &instance).destroy_surface(surface, None);
                device.destroy_device(None);
            }
        });
        run.ok();
    }
}

/// Another loader would dereference a surface that it takes for its own.
#[test]
fn a_surface_that_the_systems_loader_does_not_have_is_not_named_to_it() {
    let scenario = scenario().env("SYSTEM_LOADER_NO_HEADLESS_SURFACES", "1");
    let run = scenario.driver(window_driver("bundled").own_surfaces()).run(|vk| {
        let system = System::open();
        let instance = named_instance(vk);
        let device = instance.device(instance.named("system"), &[]);
        let utils = ash::ext::debug_utils::Device::new(&instance, &device);
        let surface = vkload_tests::create_surface(vk, &instance, "headless").unwrap();
        let stranger = instance.named("bundled");
        name(&utils, device.handle());
        let before = system.last_call();
        name(&utils, surface);
        name(&utils, stranger);
        assert_eq!(system.last_call(), before);
        unsafe {
            vkload_tests::khr_surface(vk, &instance).destroy_surface(surface, None);
            device.destroy_device(None);
        }
    });
    run.ok();
}

type Secrets = unsafe extern "system" fn(vk::PhysicalDevice, f32, u64, *const u8, i32, i32, i32, i32);
type Secret = unsafe extern "system" fn(vk::CommandBuffer, u64, f32);

#[test]
fn commands_that_no_registry_has_are_called_with_the_drivers_handles() {
    for scenario in with_and_without_a_layer() {
        let run = scenario.driver(window_driver("bundled").device(Device::new("second"))).run(|vk| {
            let system = System::open();
            let instance = vk.create(&ask(vk)).unwrap();
            let device = instance.device(instance.named("system"), &[]);
            // SAFETY: the commands have these types; valid use of Vulkan on one thread.
            unsafe {
                let secrets: Secrets = instance.command("vkGetPhysicalDeviceSecretsTEST");
                secrets(instance.named("system"), 0.5, 0x1_0000_0001, std::ptr::null(), 4, 5, 6, -7);
                let call = system.last_call();
                assert!(call.starts_with("vkGetPhysicalDeviceSecretsTEST physical_device"), "{call}");
                assert!(call.ends_with(" 0.5 100000001 0 4 5 6 -7"), "{call}");
                let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(1);
                let buffer = device.allocate_command_buffers(&info).unwrap()[0];
                let raw: &ash::Instance = &instance;
                let of_device = raw.get_device_proc_addr(device.handle(), c"vkCmdSecretTEST".as_ptr());
                let of_device = std::mem::transmute::<vk::PFN_vkVoidFunction, Option<Secret>>(of_device);
                let of_instance: Secret = instance.command("vkCmdSecretTEST");
                for (number, command) in [of_instance, of_device.unwrap()].into_iter().enumerate() {
                    command(buffer, number as u64, 1.5);
                    let expected =
                        format!("vkCmdSecretTEST command_buffer{} {number} 1.5", object(buffer).number);
                    assert_eq!(system.last_call(), expected);
                }
                device.destroy_device(None);
            }
        });
        run.ok();
    }
}
