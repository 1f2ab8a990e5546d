//! A driver that knows nothing of these tests, loaded as a shared library: the null driver as a HAL module.

use android_simulation::{Simulation, filled, null_driver};
use ash::vk::{self, Handle as _};
use ash::{Device, Instance};
use platform_android::objects::{device_of, instance_of};

#[test]
fn a_program_gets_the_right_bytes_from_a_hal_module() {
    let simulation = Simulation::new();
    simulation.android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    simulation.android.set("ro.board.platform", "null");
    let vulkan = simulation.vulkan();
    unsafe {
        let listed = vulkan.enumerate_instance_extension_properties(None).unwrap();
        let surface =
            listed.iter().find(|one| one.extension_name_as_c_str() == Ok(c"VK_KHR_android_surface"));
        assert!(surface.is_some());
        let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let ours = instance_of(instance.handle().as_raw());
        assert!(std::ptr::eq(instance_of(physical.as_raw()), ours));
        let device = create_device(&instance, physical);
        let ours = device_of(device.handle().as_raw());
        let bytes = filled(&device, |queue, commands| {
            assert!(std::ptr::eq(device_of(queue.as_raw()), ours));
            assert!(std::ptr::eq(device_of(commands.as_raw()), ours));
        });
        assert_eq!(bytes, [0xABu8; 64]);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
    let path = "/vendor/lib64/hw/vulkan.null.so".to_owned();
    assert_eq!(simulation.android.open_libraries(), [path]);
}

unsafe fn create_device(instance: &Instance, physical: vk::PhysicalDevice) -> Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    unsafe { instance.create_device(physical, &info, None) }.unwrap()
}
