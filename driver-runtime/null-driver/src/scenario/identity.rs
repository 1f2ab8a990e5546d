//! The devices' identity, from words.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use vkload_driver_runtime::physical_device::QUEUE_FAMILIES;
use vkload_driver_runtime::{Description, reflect, vk};
use vkload_fault_rules::parse_heap;

/// The identity in the words; all other properties remain unchanged.
#[derive(Default)]
pub(crate) struct Identity {
    vendor: Option<u32>,
    device: Option<u32>,
    kind: Option<vk::PhysicalDeviceType>,
    driver: Option<vk::DriverId>,
    /// Sizes, and whether each is the device's own.
    heaps: Vec<(u64, bool)>,
    families: Vec<(vk::QueueFlags, u32)>,
}

const QUEUES: u32 = 64;

const USES: [(&str, vk::QueueFlags); 5] = [
    ("graphics", vk::QueueFlags::GRAPHICS),
    ("compute", vk::QueueFlags::COMPUTE),
    ("transfer", vk::QueueFlags::TRANSFER),
    ("sparse", vk::QueueFlags::SPARSE_BINDING),
    ("protected", vk::QueueFlags::PROTECTED),
];

const KINDS: [(&str, vk::PhysicalDeviceType); 5] = [
    ("other", vk::PhysicalDeviceType::OTHER),
    ("integrated", vk::PhysicalDeviceType::INTEGRATED_GPU),
    ("discrete", vk::PhysicalDeviceType::DISCRETE_GPU),
    ("virtual", vk::PhysicalDeviceType::VIRTUAL_GPU),
    ("cpu", vk::PhysicalDeviceType::CPU),
];

impl Identity {
    /// Takes a word.
    ///
    /// # Errors
    /// An error is a sentence about the fault.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "vendor" => self.vendor = Some(number(value)?),
            "device" => self.device = Some(number(value)?),
            "type" => {
                let known = KINDS.iter().find(|(name, _)| *name == value);
                let (_, kind) = known.ok_or("a type is other, integrated, discrete, virtual or cpu")?;
                self.kind = Some(*kind);
            }
            "driver" => self.driver = Some(driver(value)?),
            "queues" => {
                if self.families.len() >= QUEUE_FAMILIES {
                    return Err(format!("a device has up to {QUEUE_FAMILIES} families of queues"));
                }
                self.families.push(family(value)?);
            }
            _ => {
                if self.heaps.len() >= vk::MAX_MEMORY_HEAPS {
                    return Err(format!("a device has up to {} heaps", vk::MAX_MEMORY_HEAPS));
                }
                self.heaps.push(parse_heap(value)?);
            }
        }
        Ok(())
    }

    /// Returns the number of memory types in the words.
    pub(super) fn memory_types(&self) -> Option<u32> {
        (!self.heaps.is_empty()).then_some(self.heaps.len() as u32)
    }

    /// Sets a device's properties from the words.
    pub(crate) fn write(&self, known: &mut Description) {
        let properties = &mut known.properties;
        properties.vendor_id = self.vendor.unwrap_or(properties.vendor_id);
        properties.device_id = self.device.unwrap_or(properties.device_id);
        properties.device_type = self.kind.unwrap_or(properties.device_type);
        known.vulkan_1_2.driver_id = self.driver.unwrap_or(known.vulkan_1_2.driver_id);
        self.write_families(known);
        if self.heaps.is_empty() {
            return;
        }
        let memory = &mut known.memory;
        let heaps_and_types = memory.memory_heaps.iter_mut().zip(&mut memory.memory_types);
        for (number, ((heap, kind), (size, own))) in heaps_and_types.zip(&self.heaps).enumerate() {
            let (of_heap, of_type) = if *own {
                (vk::MemoryHeapFlags::DEVICE_LOCAL, vk::MemoryPropertyFlags::DEVICE_LOCAL)
            } else {
                (vk::MemoryHeapFlags::empty(), vk::MemoryPropertyFlags::HOST_CACHED)
            };
            let mapped = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            *heap = vk::MemoryHeap { size: *size, flags: of_heap };
            *kind = vk::MemoryType { property_flags: of_type | mapped, heap_index: number as u32 };
        }
        memory.memory_heap_count = self.heaps.len() as u32;
        memory.memory_type_count = self.heaps.len() as u32;
    }

    fn write_families(&self, known: &mut Description) {
        if self.families.is_empty() {
            return;
        }
        for (family, (uses, count)) in known.queue_families.iter_mut().zip(&self.families) {
            *family = vk::QueueFamilyProperties {
                queue_flags: *uses,
                queue_count: *count,
                timestamp_valid_bits: 64,
                min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
            };
        }
        known.queue_family_count = self.families.len() as u32;
    }
}

fn number(text: &str) -> Result<u32, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| format!("{text} is not a 32-bit number, as 0x10de would be"))
}

fn driver(text: &str) -> Result<vk::DriverId, String> {
    let mut known = vk::PhysicalDeviceDriverProperties::default();
    let Some(mut slot) = reflect::member_of(&mut known, "driverID") else { return Err(String::new()) };
    let value = text.parse().map_or(reflect::Value::Text(text), reflect::Value::Integer);
    slot.set(value).map_err(|_| format!("{text} is not a driver, as VK_DRIVER_ID_MESA_RADV would be"))?;
    Ok(known.driver_id)
}

/// Parses `USES:COUNT`.
fn family(text: &str) -> Result<(vk::QueueFlags, u32), String> {
    let wrong = || format!("a family is USES:COUNT with 1 to {QUEUES} queues, as graphics+compute:4");
    let (uses, count) = text.split_once(':').ok_or_else(wrong)?;
    let count = count.parse().ok().filter(|count| (1..=QUEUES).contains(count)).ok_or_else(wrong)?;
    let mut flags = vk::QueueFlags::empty();
    for word in uses.split('+') {
        let known = USES.iter().find(|(name, _)| *name == word);
        let (_, flag) =
            known.ok_or("queues are for graphics, compute, transfer, sparse or protected, joined by +")?;
        flags |= *flag;
    }
    Ok((flags, count))
}
