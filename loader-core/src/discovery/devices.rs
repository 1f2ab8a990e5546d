//! Which physical devices applications see, and in which order, if a user restricts them: the
//! second decision, made from facts that only open drivers provide.
#![forbid(unsafe_code)]

use crate::manifest::DeviceSetting;
use crate::memory::ascii::{self, trimmed};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec};
use crate::platform::{Environment, Variable, variables};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceIds {
    pub ids: [Option<u32>; 3],
    pub driver_version: u32,
    pub uuids: Option<([u8; 16], [u8; 16])>,
}

/// The values of the variables that filter devices, in the order of [`DeviceIds::ids`]; `None` for
/// one that is not set.
#[derive(Debug, Default)]
pub struct DeviceFilters([Option<Text>; 3]);

pub(crate) const FILTERS: [Variable; 3] = [
    variables::VK_LOADER_DEVICE_ID_FILTER,
    variables::VK_LOADER_VENDOR_ID_FILTER,
    variables::VK_LOADER_DRIVER_ID_FILTER,
];

impl DeviceFilters {
    pub fn read(environment: &dyn Environment) -> Result<Self, OutOfMemory> {
        let mut filters = Self::default();
        for (filter, Variable { name, reader }) in filters.0.iter_mut().zip(FILTERS) {
            *filter = environment.variable(name, reader)?.filter(|value| !trimmed(value).is_empty());
        }
        Ok(filters)
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    pub fn let_through(&self, device: &DeviceIds) -> bool {
        let passes = |(filter, id): (&Option<Text>, _)| filter.as_ref().is_none_or(|list| has(list, id));
        self.0.iter().zip(device.ids).all(passes)
    }
}

impl DeviceSetting {
    pub fn matches(&self, device: &DeviceIds) -> bool {
        device.uuids.is_some_and(|(device_uuid, driver_uuid)| {
            self.device_uuid == device_uuid
                && self.driver_uuid.is_none_or(|uuid| uuid == driver_uuid)
                && self.driver_version.is_none_or(|version| version == device.driver_version)
        })
    }
}

/// Returns the indices of the listed devices, each once, in the order of the list.
pub fn choose_devices(devices: &[DeviceIds], listed: &[DeviceSetting]) -> Result<Vec<usize>, OutOfMemory> {
    let mut chosen = Vec::new();
    for setting in listed {
        let mut matching = devices.iter().enumerate().filter(|(_, device)| setting.matches(device));
        if let Some((index, _)) = matching.find(|(index, _)| !chosen.contains(index)) {
            chosen.try_push(index)?;
        }
    }
    Ok(chosen)
}

/// Returns whether a comma-separated list of numbers and ranges contains a number.
fn has(list: &[u8], id: Option<u32>) -> bool {
    let Some(id) = id else { return false };
    let is_in = |range: &[u8]| {
        let mut ends = range.split(|byte| matches!(byte, b':' | b'-')).map(number);
        match (ends.next().flatten(), ends.next(), ends.next()) {
            (Some(first), None, _) => id == first,
            (Some(first), Some(Some(last)), None) => (first..=last).contains(&id),
            _ => false,
        }
    };
    list.split(|byte| *byte == b',').any(is_in)
}

/// Returns a decimal number, or a hexadecimal one that begins with `0x`.
fn number(text: &[u8]) -> Option<u32> {
    let text = trimmed(text);
    match ascii::hexadecimal_digits(text) {
        Some(digits) => ascii::number(digits, 16),
        None => ascii::number(text, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::text;

    fn device(n: u8, ids: [u32; 3]) -> DeviceIds {
        DeviceIds { ids: ids.map(Some), driver_version: 7, uuids: Some(([n; 16], [9; 16])) }
    }

    fn filters(values: [&str; 3]) -> DeviceFilters {
        DeviceFilters(values.map(|value| (!value.is_empty()).then(|| text(&[value.as_bytes()]).unwrap())))
    }

    fn devices() -> [DeviceIds; 3] {
        [device(0, [0x10, 1, 4]), device(1, [0x20, 1, 5]), device(2, [0x30, 2, 6])]
    }

    fn chosen(listed: &[DeviceSetting]) -> std::vec::Vec<usize> {
        choose_devices(&devices(), listed).unwrap().to_vec()
    }

    fn setting(n: u8, driver: Option<u8>, version: Option<u32>) -> DeviceSetting {
        DeviceSetting {
            device_uuid: [n; 16],
            driver_uuid: driver.map(|n| [n; 16]),
            driver_version: version,
            device_name: Text::new(),
        }
    }

    #[test]
    fn filters_have_numbers_and_ranges_and_all_of_them_count() {
        for (values, expected) in [
            (["", "", ""], &[0, 1, 2][..]),
            (["0x10", "", ""], &[0]),
            (["16, 0x30", "", ""], &[0, 2]),
            (["0x10:0x20", "", ""], &[0, 1]),
            (["0x11-0X30,0x10", "", ""], &[0, 1, 2]),
            (["0x20:0x10", "", ""], &[]),
            (["", "1", ""], &[0, 1]),
            (["", "1", "5-6"], &[1]),
            (["0x10", "2", ""], &[]),
            (["", "", "5"], &[1]),
            (["nonsense", "", ""], &[]),
            (["0x10:0x20:0x30,,x", "", ""], &[]),
        ] {
            let filters = filters(values);
            let through = (0..3).filter(|index| filters.let_through(&devices()[*index]));
            assert_eq!(through.collect::<std::vec::Vec<_>>(), expected, "{values:?}");
        }
    }

    #[test]
    fn devices_without_driver_properties_pass_no_filter() {
        let unknown = DeviceIds { ids: [Some(1), Some(1), None], ..DeviceIds::default() };
        assert!(filters(["1", "1", ""]).let_through(&unknown));
        assert!(!filters(["", "", "0-99"]).let_through(&unknown));
    }

    #[test]
    fn listed_devices_come_in_the_order_of_the_list_each_once() {
        let listed = [setting(2, None, None), setting(0, Some(9), Some(7)), setting(2, None, Some(7))];
        assert_eq!(chosen(&listed), [2, 0]);
        assert!(chosen(&[]).is_empty());
    }

    #[test]
    fn everything_that_is_said_of_a_device_has_to_fit() {
        for other in [setting(5, None, None), setting(1, Some(8), None), setting(1, None, Some(8))] {
            assert!(chosen(&[other]).is_empty());
        }
        let silent = DeviceIds { uuids: None, ..device(1, [1, 1, 1]) };
        assert!(!setting(1, None, None).matches(&silent));
    }
}
