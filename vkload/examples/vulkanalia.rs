//! Lists the devices by vulkanalia, on the loader in this program.

use std::error::Error;

use vulkanalia::Entry;
use vulkanalia::prelude::v1_0::*;

fn main() -> Result<(), Box<dyn Error>> {
    // SAFETY: the loader's functions have their own types.
    let entry = unsafe { Entry::new(vkload::VulkanaliaLoader) }.map_err(|error| error.to_string())?;
    let info = vk::InstanceCreateInfo::builder();
    // SAFETY: the create info is valid, the device handles come from the instance, and the instance is destroyed after its last use.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        for device in instance.enumerate_physical_devices()? {
            println!("{}", instance.get_physical_device_properties(device).device_name);
        }
        instance.destroy_instance(None);
    }
    Ok(())
}
