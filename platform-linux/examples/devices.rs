//! A program that contains the loader: it needs no `libvulkan.so.1`, and prints the devices.

use ash::{Entry, StaticFn, vk};
use vkload_linux::entry::get_instance_proc_addr;

fn main() -> Result<(), vk::Result> {
    // SAFETY: this is the loader's own vkGetInstanceProcAddr, which returns every other command
    // with its own type.
    let entry = unsafe { Entry::from_static_fn(StaticFn { get_instance_proc_addr }) };
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the create info is valid, the device handles come from the instance, and the instance
    // is destroyed after its last use.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        for device in instance.enumerate_physical_devices().unwrap_or_default() {
            let properties = instance.get_physical_device_properties(device);
            println!("{}", properties.device_name_as_c_str().unwrap_or(c"?").to_string_lossy());
        }
        instance.destroy_instance(None);
    }
    Ok(())
}
