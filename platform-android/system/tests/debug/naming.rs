//! Names of objects and labels.

use std::ffi::CStr;
use std::mem::transmute;
use std::ptr::null;

use android_simulation::Simulation;
use ash::vk;
use platform_android::driver;

use super::{Instance, install, traced};

#[test]
fn names_and_labels_reach_a_driver_that_has_the_extension_and_no_other() {
    for (name, told) in [("without", false), ("with", true)] {
        let Simulation { android, loader, .. } = &Simulation::new();
        let trace = install(android, name, &[]);
        let instance = Instance::new(loader, null());
        let device = Device::new(&instance);
        let _ = traced(&trace);
        device.set_name(vk::ObjectType::QUEUE, c"debug name of a queue");
        device.set_name(vk::ObjectType::SWAPCHAIN_KHR, c"debug name of what is the loader's");
        device.begin_label(c"debug label");
        let expected = ["debug name of a queue", "debug label"];
        assert_eq!(traced(&trace), if told { expected.as_slice() } else { &[] }, "{name}");
    }
}

struct Device(vk::Device);

impl Device {
    fn new(instance: &Instance) -> Self {
        let (mut count, mut physical_device, mut device) =
            (1, vk::PhysicalDevice::null(), vk::Device::null());
        // SAFETY: the functions have the types of their names, and the parameters are valid.
        unsafe {
            let enumerate: vk::PFN_vkEnumeratePhysicalDevices = instance.find(c"vkEnumeratePhysicalDevices");
            assert_eq!(enumerate(instance.0, &mut count, &mut physical_device), vk::Result::SUCCESS);
            let create: vk::PFN_vkCreateDevice = instance.find(c"vkCreateDevice");
            let info = vk::DeviceCreateInfo::default();
            assert_eq!(create(physical_device, &info, null(), &mut device), vk::Result::SUCCESS);
        }
        Self(device)
    }

    unsafe fn find(&self, name: &CStr) -> unsafe extern "system" fn() {
        let found = unsafe { driver::get_device_proc_addr(self.0, name.as_ptr()) };
        found.unwrap_or_else(|| panic!("{name:?} is not found"))
    }

    fn set_name(&self, kind: vk::ObjectType, name: &CStr) {
        let info = vk::DebugUtilsObjectNameInfoEXT {
            object_type: kind,
            object_handle: 0x1234,
            p_object_name: name.as_ptr(),
            ..Default::default()
        };
        unsafe {
            let set: vk::PFN_vkSetDebugUtilsObjectNameEXT =
                transmute(self.find(c"vkSetDebugUtilsObjectNameEXT"));
            assert_eq!(set(self.0, &info), vk::Result::SUCCESS);
        }
    }

    fn begin_label(&self, name: &CStr) {
        let mut queue = vk::Queue::null();
        let label = vk::DebugUtilsLabelEXT::default().label_name(name);
        // SAFETY: the functions have the types of their names, and the parameters are valid.
        unsafe {
            let get: vk::PFN_vkGetDeviceQueue = transmute(self.find(c"vkGetDeviceQueue"));
            get(self.0, 0, 0, &mut queue);
            let begin: vk::PFN_vkQueueBeginDebugUtilsLabelEXT =
                transmute(self.find(c"vkQueueBeginDebugUtilsLabelEXT"));
            begin(queue, &label);
            let end: vk::PFN_vkQueueEndDebugUtilsLabelEXT =
                transmute(self.find(c"vkQueueEndDebugUtilsLabelEXT"));
            end(queue);
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        unsafe { driver::destroy_device(self.0, null()) };
    }
}
