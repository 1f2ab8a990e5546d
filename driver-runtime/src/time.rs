//! Calibrated timestamps: clocks of the device and of the host, read at the same moment or nearly so.

use ash::vk;
use vkload_core::memory::OutOfMemory;

use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::out_array::OutArray;
use crate::{calls, entry_points};

/// Returns the clocks that a driver's device and the host both have.
fn domains<D: Driver>() -> impl Iterator<Item = vk::TimeDomainKHR> {
    let known = |domain: &vk::TimeDomainKHR| {
        *domain == vk::TimeDomainKHR::DEVICE || D::host().read_clock(*domain).is_some()
    };
    D::TIME_DOMAINS.iter().copied().filter(known)
}

fn get_time_domains<D: Driver>(call: &calls::GetPhysicalDeviceCalibrateableTimeDomainsKHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let mut array = unsafe { OutArray::new(call.time_domain_count.as_ptr(), call.time_domains) };
    domains::<D>().for_each(|domain| array.push(domain));
    array.finish()
}

/// Reads the clocks one after the other, between two looks at the clock of [`Driver::CALIBRATE_TIME_DOMAIN`]: all were read
/// in the time between, or one tick of the slowest of them before.
fn get_calibrated_timestamps<D: Driver>(
    call: &calls::GetCalibratedTimestampsKHR<'_>,
) -> Result<(), OutOfMemory> {
    let look = || D::host().read_clock(D::CALIBRATE_TIME_DOMAIN).unwrap_or_else(|| D::host().now());
    // SAFETY: the call obeys the specification.
    let device = unsafe { Device::<D>::from_handle(call.device) }.ok_or(OutOfMemory)?;
    let begin = look();
    let mut period = 1;
    for (index, info) in call.timestamp_infos().iter().enumerate() {
        let read = if info.time_domain == vk::TimeDomainKHR::DEVICE {
            period = period.max(D::device_time_domain_period(device));
            D::device_time(device)
        } else if info.time_domain == D::CALIBRATE_TIME_DOMAIN {
            Some(look())
        } else {
            D::host().read_clock(info.time_domain)
        };
        // SAFETY: both arrays have the same length.
        unsafe { call.timestamps.add(index).write(read.ok_or(OutOfMemory)?) };
    }
    call.max_deviation.write(look().saturating_sub(begin).saturating_add(period));
    Ok(())
}

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            GetPhysicalDeviceCalibrateableTimeDomainsKHR = get_time_domains::<D>,
            GetCalibratedTimestampsKHR = get_calibrated_timestamps::<D>,
        }
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::null_mut;

    use ash::vk;

    use crate::device::tests::make;
    use crate::testing::{TestDriver, commands};

    #[test]
    fn clocks_of_host_and_device_are_read_between_two_looks() {
        let made = make(&vk::DeviceCreateInfo::default()).unwrap();
        let mut count = 0;
        let mut domains = [vk::TimeDomainKHR::default(); 3];
        // SAFETY: a live handle and counted arrays throughout.
        unsafe {
            let list = commands::get_time_domains::<TestDriver>();
            let physical = vk::PhysicalDevice::default();
            assert_eq!(list(physical, &mut count, null_mut()), vk::Result::SUCCESS);
            // The driver names a third clock, which the host does not have.
            assert_eq!(count, 2);
            assert_eq!(list(physical, &mut count, domains.as_mut_ptr()), vk::Result::SUCCESS);
        }
        assert!(domains[..2] == [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC]);
        let infos = domains.map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(domain));
        let (mut times, mut deviation) = ([0; 2], 0);
        // SAFETY: as above.
        let result = unsafe {
            let read = commands::get_calibrated_timestamps::<TestDriver>();
            read(made.0, 2, infos.as_ptr(), times.as_mut_ptr(), &mut deviation)
        };
        assert_eq!(result, vk::Result::SUCCESS);
        // Every look at the test's clock takes a second; a tick of the device takes 40 nanoseconds.
        assert_eq!((times[0], deviation), (4711, 2_000_000_040));
        assert!(times[1] > 0);
    }
}
