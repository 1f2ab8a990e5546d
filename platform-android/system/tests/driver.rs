//! The end of the layer chain, in front of configurable drivers.

mod devices;
mod functions;
mod instances;
mod null_driver;
mod timing;

use std::cell::RefCell;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

use android_simulation::Simulation;
use android_simulation::hal::{Hal, Installed};
use ash::vk;
use platform_android::{ApiLevel, driver};
use vkload_core::abi::name;

struct World {
    simulation: Simulation,
    hal: &'static Installed,
    /// The devices and instances that the test leaves to the end.
    live: RefCell<(Vec<vk::Device>, Vec<vk::Instance>)>,
}

impl World {
    fn new(hal: Hal) -> Self {
        Self::at(ApiLevel::NEWEST, hal)
    }

    /// Returns a system with an instance and a device of it.
    fn with_device(hal: Hal) -> (Self, vk::Instance, vk::Device) {
        let world = Self::new(hal);
        let instance = world.instance(&[]);
        let device = world.device(instance, &[]);
        (world, instance, device)
    }

    fn at(level: ApiLevel, hal: Hal) -> Self {
        let simulation = Simulation::at(level);
        let hal = simulation.android.install(hal);
        simulation.loader.enter();
        Self { simulation, hal, live: RefCell::default() }
    }

    fn try_instance(&self, info: &vk::InstanceCreateInfo<'_>) -> Result<vk::Instance, vk::Result> {
        let mut instance = vk::Instance::null();
        // SAFETY: a valid create info, no callbacks and memory for the result.
        let result = unsafe { driver::create_instance(info, null(), &mut instance) };
        result.result()?;
        self.live.borrow_mut().1.push(instance);
        Ok(instance)
    }

    fn instance(&self, extensions: &[&CStr]) -> vk::Instance {
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        self.try_instance(&vk::InstanceCreateInfo::default().enabled_extension_names(&names)).unwrap()
    }

    fn physical_devices(&self, instance: vk::Instance) -> Vec<vk::PhysicalDevice> {
        let mut count = 0;
        // SAFETY: a valid instance and a counted out-array.
        unsafe {
            let result = driver::enumerate_physical_devices(instance, &mut count, null_mut());
            assert_eq!(result, vk::Result::SUCCESS);
            let mut devices = vec![vk::PhysicalDevice::null(); count as usize];
            let result = driver::enumerate_physical_devices(instance, &mut count, devices.as_mut_ptr());
            assert_eq!(result, vk::Result::SUCCESS);
            devices
        }
    }

    fn try_device(
        &self,
        physical_device: vk::PhysicalDevice,
        info: &vk::DeviceCreateInfo<'_>,
    ) -> Result<vk::Device, vk::Result> {
        let mut device = vk::Device::null();
        // SAFETY: a valid physical device and create info, no callbacks and memory for the result.
        let result = unsafe { driver::create_device(physical_device, info, null(), &mut device) };
        result.result()?;
        self.live.borrow_mut().0.push(device);
        Ok(device)
    }

    fn device(&self, instance: vk::Instance, extensions: &[&CStr]) -> vk::Device {
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
        self.try_device(self.physical_devices(instance)[0], &info).unwrap()
    }

    /// Destroys what the test has created, and checks that nothing is left.
    fn finish(&self) {
        let (devices, instances) = self.live.take();
        unsafe {
            devices.into_iter().for_each(|device| driver::destroy_device(device, null()));
            instances.into_iter().for_each(|instance| driver::destroy_instance(instance, null()));
        }
        assert_eq!(self.hal.alive(vk::ObjectType::INSTANCE), 0);
        assert_eq!(self.hal.alive(vk::ObjectType::DEVICE), 0);
    }

    /// Returns the records of errors since the last time.
    fn errors(&self) -> Vec<String> {
        let logged = self.simulation.android.logged();
        logged
            .into_iter()
            .filter(|(level, _)| *level == vkload_core::log::Level::Error)
            .map(|(_, text)| text)
            .collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.finish();
        }
    }
}

/// Returns the extensions that `enumerate` returns, with their versions.
fn list(enumerate: impl Fn(*mut u32, *mut vk::ExtensionProperties) -> vk::Result) -> Vec<(String, u32)> {
    let mut count = 0;
    assert_eq!(enumerate(&mut count, null_mut()), vk::Result::SUCCESS);
    let mut all = vec![vk::ExtensionProperties::default(); count as usize];
    assert_eq!(enumerate(&mut count, all.as_mut_ptr()), vk::Result::SUCCESS);
    let named = |one: &vk::ExtensionProperties| {
        name::in_array(&one.extension_name).unwrap().to_str().unwrap().to_owned()
    };
    all.iter().map(|one| (named(one), one.spec_version)).collect()
}
