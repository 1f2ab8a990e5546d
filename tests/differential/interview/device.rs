//! Questions with a device.

use std::ffi::{CString, c_char, c_void};

use ash::vk::{self, Handle};
use vkload_tests::{Instance, code};

use super::instance::Wishes;
use super::{Interview, Unknown};

impl Interview<'_> {
    pub(super) fn device(
        &self,
        key: &str,
        instance: &Instance<'_>,
        physical: vk::PhysicalDevice,
        group: Option<&Vec<vk::PhysicalDevice>>,
        surface: Option<vk::SurfaceKHR>,
        wishes: &Wishes<'_>,
    ) {
        let created = create(instance, physical, group, wishes);
        self.say(format_args!("{key} created"), code(&created));
        let Ok(device) = created else { return };
        self.write();
        let get = instance.fp_v1_0().get_device_proc_addr;
        self.names(key, |name| unsafe { get(device.handle(), name.as_ptr()) }.is_some());
        self.write();
        // SAFETY: the device is alive, and destroyed last.
        unsafe {
            let queue = device.get_device_queue(0, 0);
            self.say(format_args!("{key} submit"), code(&device.queue_submit(queue, &[], vk::Fence::null())));
            self.say(format_args!("{key} wait"), code(&device.device_wait_idle()));
            if wishes.wants("names") && wishes.has("VK_EXT_debug_utils") && wishes.nameable {
                self.write();
                let surface = surface.map_or(0, vk::SurfaceKHR::as_raw);
                // Layers of ours that wrap devices do not look for their queues in names.
                let queue = if wishes.wrapped { 0 } else { queue.as_raw() };
                let objects = [
                    (vk::ObjectType::INSTANCE, instance.handle().as_raw()),
                    (vk::ObjectType::PHYSICAL_DEVICE, physical.as_raw()),
                    (vk::ObjectType::DEVICE, device.handle().as_raw()),
                    (vk::ObjectType::QUEUE, queue),
                    (vk::ObjectType::SURFACE_KHR, surface),
                ];
                self.name_objects(key, instance, &device, &objects);
            }
            device.destroy_device(None);
        }
    }

    /// Names objects through the commands from both look-up functions.
    fn name_objects(
        &self,
        key: &str,
        instance: &Instance<'_>,
        device: &ash::Device,
        objects: &[(vk::ObjectType, u64)],
    ) {
        let name = c"vkSetDebugUtilsObjectNameEXT";
        let of_device = unsafe { (instance.fp_v1_0().get_device_proc_addr)(device.handle(), name.as_ptr()) };
        let of_instance = unsafe { self.vk.entry.get_instance_proc_addr(instance.handle(), name.as_ptr()) };
        for (way, function) in [("device", of_device), ("instance", of_instance)] {
            let Some(function) = function else { continue };
            // SAFETY: the command of this name has this type.
            let set: vk::PFN_vkSetDebugUtilsObjectNameEXT = unsafe { std::mem::transmute(function) };
            for (kind, handle) in objects.iter().filter(|(_, handle)| *handle != 0) {
                let mut info = vk::DebugUtilsObjectNameInfoEXT::default().object_name(c"named");
                (info.object_type, info.object_handle) = (*kind, *handle);
                // SAFETY: the device and the object are alive.
                let result = unsafe { set(device.handle(), &raw const info) };
                self.say(format_args!("{key} named by {way} {}", kind.as_raw()), format_args!("{result:?}"));
            }
        }
    }
}

fn create(
    instance: &Instance<'_>,
    physical: vk::PhysicalDevice,
    group: Option<&Vec<vk::PhysicalDevice>>,
    wishes: &Wishes<'_>,
) -> Result<ash::Device, vk::Result> {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let names = wishes.all("device_extension");
    let names: Vec<CString> = names.iter().map(|name| CString::new(*name).unwrap()).collect();
    let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let mut info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
    let queries = vk::PhysicalDeviceFeatures::default().inherited_queries(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().features(queries);
    let mut members = vk::DeviceGroupDeviceCreateInfo::default();
    if let Some(group) = group.filter(|_| wishes.wants("group_device")) {
        members = members.physical_devices(group);
        info.p_next = (&raw const members).cast();
    }
    let known = wishes.modern || wishes.has("VK_KHR_get_physical_device_properties2");
    if wishes.wants("features") && known {
        features.p_next = info.p_next.cast_mut();
        info.p_next = (&raw const features).cast::<c_void>();
    }
    let unknown = Unknown::before(info.p_next);
    if wishes.wants("unknown_device") {
        info.p_next = (&raw const unknown).cast();
    }
    // SAFETY: the structures and all that they point to are alive.
    unsafe { instance.create_device(physical, &info, None) }
}
