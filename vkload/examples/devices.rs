//! Lists the devices, or explains why there are none. Drivers in the folder `drivers` beside the program come before the system's.

use std::error::Error;
use std::process::ExitCode;

use vkload::ash::vk;
use vkload::{Config, ConfigError};

fn main() -> ExitCode {
    // The doctor starts this program again to try drivers.
    vkload::init_doctor();
    match devices() {
        Ok(names) if !names.is_empty() => {
            names.iter().for_each(|name| println!("{name}"));
            ExitCode::SUCCESS
        }
        result => {
            if let Err(error) = result {
                eprintln!("{error}");
            }
            match vkload::doctor() {
                Ok(diagnosis) => eprintln!("{diagnosis}"),
                Err(error) => eprintln!("{error}"),
            }
            ExitCode::FAILURE
        }
    }
}

fn devices() -> Result<Vec<String>, Box<dyn Error>> {
    let config = Config::new()
        .on_message(|level, text| eprintln!("Vulkan: {level:?}: {text}"))
        .hint("this program's page explains more");
    match config.clone().add_drivers("drivers").apply() {
        // It may be installed without drivers.
        Err(ConfigError::NotFound(_)) => config.apply()?,
        applied => applied?,
    }
    let entry = vkload::entry();
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the create info is valid, the device handles come from the instance, and the instance is destroyed after its last use.
    unsafe {
        let instance = entry.create_instance(&info, None).map_err(|error| error.to_string())?;
        let devices = instance.enumerate_physical_devices().unwrap_or_default();
        let name = |device| {
            let properties = instance.get_physical_device_properties(device);
            properties.device_name_as_c_str().unwrap_or(c"?").to_string_lossy().into_owned()
        };
        let names = devices.into_iter().map(name).collect();
        instance.destroy_instance(None);
        Ok(names)
    }
}
