//! Every query that may be answered from a record.
use std::ffi::c_void;
use std::fmt::Write as _;

use ash::vk;
use vkload_core::abi::padding::{is_padding_of_memory, is_padding_of_properties};
use vkload_registry::{DeviceQuery, structures_filled_by};

/// Writes down what a device answers.
pub(super) struct Dump<'a> {
    pub(super) instance: &'a ash::Instance,
    pub(super) device: vk::PhysicalDevice,
    pub(super) number: usize,
    pub(super) text: &'a mut String,
}

impl Dump<'_> {
    pub(super) unsafe fn all(&mut self) {
        let (device, first) = (self.device, self.instance.fp_v1_0());
        let second = self.instance.fp_v1_1();
        // SAFETY: the device is the instance's, and each query gets memory for its structures.
        unsafe {
            for contents in [0x00, 0xa5] {
                self.plain::<vk::PhysicalDeviceProperties>("properties", contents, |out| {
                    (first.get_physical_device_properties)(device, out);
                });
                self.plain::<vk::PhysicalDeviceFeatures>("features", contents, |out| {
                    (first.get_physical_device_features)(device, out);
                });
                self.plain::<vk::PhysicalDeviceMemoryProperties>("memory", contents, |out| {
                    (first.get_physical_device_memory_properties)(device, out);
                });
                self.chained::<vk::PhysicalDeviceProperties2<'_>>(
                    Some(DeviceQuery::Properties),
                    contents,
                    |out| {
                        (second.get_physical_device_properties2)(device, out);
                    },
                );
                self.chained::<vk::PhysicalDeviceFeatures2<'_>>(
                    Some(DeviceQuery::Features),
                    contents,
                    |out| {
                        (second.get_physical_device_features2)(device, out);
                    },
                );
                self.chained::<vk::PhysicalDeviceMemoryProperties2<'_>>(None, contents, |out| {
                    (second.get_physical_device_memory_properties2)(device, out);
                });
                for format in (0..185).chain(1_000_156_000..1_000_156_034).map(vk::Format::from_raw) {
                    self.plain::<vk::FormatProperties>("format", contents, |out| {
                        (first.get_physical_device_format_properties)(device, format, out);
                    });
                    self.chained::<vk::FormatProperties2<'_>>(Some(DeviceQuery::Format), contents, |out| {
                        (second.get_physical_device_format_properties2)(device, format, out);
                    });
                }
            }
            self.lists();
        }
    }

    /// Queue families, extensions, tools and groups.
    unsafe fn lists(&mut self) {
        // SAFETY: as for `all`.
        unsafe {
            let families = self.instance.get_physical_device_queue_family_properties(self.device);
            self.elements("families", &families);
            let mut all = vec![vk::QueueFamilyProperties2::default(); families.len()];
            let mut priorities = vec![vk::QueueFamilyGlobalPriorityPropertiesKHR::default(); families.len()];
            for (family, priorities) in all.iter_mut().zip(&mut priorities) {
                family.p_next = std::ptr::from_mut(priorities).cast();
            }
            self.instance.get_physical_device_queue_family_properties2(self.device, &mut all);
            for (family, priorities) in all.iter().zip(&priorities) {
                self.elements("family", &[family.queue_family_properties]);
                self.elements("priorities", &priorities.priorities);
            }
            let mut few = 1;
            let mut family = vk::QueueFamilyProperties::default();
            let get = self.instance.fp_v1_0().get_physical_device_queue_family_properties;
            get(self.device, &mut few, &mut family);
            self.elements(&format!("first of {few}"), &[family]);
            let extensions =
                self.instance.enumerate_device_extension_properties(self.device).expect("extensions");
            for extension in extensions {
                let name = extension.extension_name_as_c_str().expect("a name");
                writeln!(self.text, "extension {name:?} {}", extension.spec_version).expect("text");
            }
            let tools = self.instance.get_physical_device_tool_properties_len(self.device);
            writeln!(self.text, "tools {tools:?}").expect("text");
            let mut groups = vec![
                vk::PhysicalDeviceGroupProperties::default();
                self.instance.enumerate_physical_device_groups_len().expect("groups")
            ];
            self.instance.enumerate_physical_device_groups(&mut groups).expect("groups");
            for group in &groups {
                let (count, subset) = (group.physical_device_count, group.subset_allocation);
                let own = group.physical_devices[0] == self.device;
                writeln!(self.text, "group {count} {subset} {own}").expect("text");
            }
        }
    }

    /// Writes structures without padding.
    fn elements<T: Copy>(&mut self, name: &str, elements: &[T]) {
        // SAFETY: the elements have no padding, so each of their bytes has a value.
        let bytes =
            unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), size_of_val(elements)) };
        writeln!(self.text, "{name} {bytes:02x?}").expect("text");
    }

    fn plain<T>(&mut self, name: &str, contents: u8, get: impl Fn(*mut T)) {
        let mut memory = vec![u64::from_ne_bytes([contents; 8]); size_of::<T>().div_ceil(8)];
        get(memory.as_mut_ptr().cast());
        self.write(name, 0, &memory, 0..size_of::<T>());
    }

    fn chained<T: vk::TaggedStructure>(
        &mut self,
        query: Option<DeviceQuery>,
        contents: u8,
        get: impl Fn(*mut T),
    ) {
        let header = size_of::<vk::BaseOutStructure<'_>>();
        let alone = (T::STRUCTURE_TYPE.as_raw(), 0);
        for (s_type, size) in std::iter::once(alone).chain(query.into_iter().flat_map(structures_filled_by)) {
            let word = u64::from_ne_bytes([contents; 8]);
            let mut root = vec![word; size_of::<T>().div_ceil(8)];
            let mut next = vec![word; size.div_ceil(8)];
            let begin = |memory: &mut [u64], s_type: i32, next: *mut c_void| {
                let start = vk::BaseOutStructure {
                    s_type: vk::StructureType::from_raw(s_type),
                    p_next: next.cast(),
                    ..Default::default()
                };
                // SAFETY: the memory is large enough for the header.
                unsafe { memory.as_mut_ptr().cast::<vk::BaseOutStructure<'_>>().write(start) };
            };
            let mut chained = std::ptr::null_mut();
            if size > 0 {
                begin(&mut next, s_type, std::ptr::null_mut());
                chained = next.as_mut_ptr().cast();
            }
            begin(&mut root, T::STRUCTURE_TYPE.as_raw(), chained);
            get(root.as_mut_ptr().cast());
            let name = match T::STRUCTURE_TYPE {
                vk::StructureType::PHYSICAL_DEVICE_PROPERTIES_2 => "properties",
                vk::StructureType::PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 => "memory",
                _ => "root",
            };
            self.write(name, s_type, &root, header..size_of::<T>());
            self.write("structure", s_type, &next, header.min(size)..size);
        }
    }

    /// Writes bytes, except those between members, where drivers leave anything.
    fn write(&mut self, name: &str, s_type: i32, memory: &[u64], range: std::ops::Range<usize>) {
        let padding: fn(usize) -> bool = match name {
            "properties" => is_padding_of_properties,
            "memory" => is_padding_of_memory,
            _ => |_| false,
        };
        let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
        write!(self.text, "{} {name} {s_type} ", self.number).expect("text");
        for (position, byte) in bytes[range].iter().enumerate() {
            if padding(position) {
                continue;
            }
            write!(self.text, "{byte:02x}").expect("text");
        }
        self.text.push('\n');
    }
}
