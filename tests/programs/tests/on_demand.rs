//! What the start cache answers for a driver that is not open is what the driver answers, byte for byte.
//!
//! A child process makes every query that may be answered from a record, each time with memory that has other contents, and writes
//! down the bytes that it finds afterwards.
use std::ffi::c_void;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use ash::vk;
use vkload_core::abi::padding::{is_padding_of_memory, is_padding_of_properties};
use vkload_programs::{Library, Machine, Need, lavapipe, run};
use vkload_registry::{DeviceQuery, structures_filled_by};

/// The variable with the path of the file that a child writes.
const ANSWERS: &str = "ON_DEMAND_ANSWERS";
/// The variable with more words of what a child does.
const WORDS: &str = "ON_DEMAND_WORDS";

/// The machines: words for the null driver, or `None` for lavapipe.
const MACHINES: &[(&str, Option<&str>)] = &[
    ("lavapipe", None),
    ("null driver", Some("")),
    ("Vulkan 1.1", Some("api=1.1")),
    ("Vulkan 1.2", Some("api=1.2 name=old")),
    ("Vulkan 1.3", Some("api=1.3 surfaces=loader")),
    ("two devices", Some("devices=2 name=gpu")),
    ("all extensions", Some("extension=all surfaces=driver")),
    ("a large heap", Some("heap=8G")),
    ("a processor", Some("type=cpu")),
    ("queues", Some("queues=graphics+compute:2 queues=transfer:1")),
    ("three devices with all extensions", Some("devices=3 extension=all api=1.3")),
];

fn child(machine: &Machine, library: &Library, words: &str) -> Command {
    let mut command = machine.command(library, env::current_exe().expect("the path of this test"));
    command.args(["--exact", "answers_of_a_child", "--nocapture"]).env(WORDS, words);
    command.env(ANSWERS, machine.work().join("answers"));
    command
}

/// Returns what a child writes, and whether it opened a driver.
fn answers(machine: &Machine, command: &mut Command) -> (String, bool) {
    let _ = run(command).success();
    let text = fs::read_to_string(machine.work().join("answers")).expect("the child's answers");
    let (answers, opened) = text.rsplit_once("opened ").expect("the last line");
    (answers.to_owned(), opened.trim() == "true")
}

#[test]
fn every_answer_is_the_drivers_and_no_driver_is_opened() {
    for (name, variables) in MACHINES {
        let machine = match variables {
            None if Need::missing(&[Need::Lavapipe]) => continue,
            None => Machine::with_drivers(&[lavapipe()]),
            Some(_) => Machine::with_null_driver(),
        };
        let library = Library::under_test();
        let start = |cache: &str, words: &str| {
            let mut command = child(&machine, &library, words);
            command.env("VK_LOADER_X_START_CACHE", cache);
            if let Some(variables) = variables {
                command.env("VKLOAD_NULL_DRIVER", variables);
            }
            answers(&machine, &mut command)
        };
        let (expected, opened) = start("0", "");
        assert!(opened && expected.lines().count() > 300, "{name}: {} lines", expected.lines().count());
        // Two starts have to agree, and anything that changes on the machine meanwhile makes it two more.
        let mut left_closed = 0;
        for number in 1..=20 {
            let (found, opened) = start("1", "");
            let difference = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
            assert_eq!(difference, None, "{name}, start {number}");
            assert_eq!(expected.len(), found.len(), "{name}, start {number}");
            assert!(opened || number > 2, "{name}, start {number}: one start is not enough");
            left_closed += usize::from(!opened);
            if left_closed == 2 {
                break;
            }
        }
        assert_eq!(left_closed, 2, "{name}: the driver is opened in each start");
        // The open driver then answers the same.
        let (found, opened) = start("1", "threads");
        assert!(opened && found == expected, "{name}, with devices");
    }
}

/// Does what the parent says, in a process of its own.
#[test]
fn answers_of_a_child() {
    let Some(path) = env::var_os(ANSWERS) else { return };
    // SAFETY: the loader is the one in the environment; valid use of Vulkan.
    let (text, maps) = unsafe {
        let entry = ash::Entry::load().expect("a loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let extensions = [vk::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2_NAME.as_ptr()];
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&extensions);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let devices = instance.enumerate_physical_devices().expect("devices");
        if env::var(WORDS).is_ok_and(|words| words == "threads") {
            create_devices(&instance, &devices);
            assert_eq!(instance.enumerate_physical_devices().expect("devices"), devices, "handles stay");
        }
        let mut text = String::new();
        for (number, device) in devices.iter().enumerate() {
            Dump { instance: &instance, device: *device, number, text: &mut text }.all();
        }
        let maps = fs::read_to_string("/proc/self/maps").expect("this process's memory");
        instance.destroy_instance(None);
        (text, maps)
    };
    let opened = ["libvulkan_lvp.so", "libvkload_null.so"].iter().any(|driver| maps.contains(driver));
    fs::write(Path::new(&path), format!("{text}opened {opened}\n")).expect("the file for answers");
}

/// Creates devices on 16 threads at once: the first one opens the driver.
unsafe fn create_devices(instance: &ash::Instance, devices: &[vk::PhysicalDevice]) {
    let barrier = std::sync::Barrier::new(16);
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let barrier = &barrier;
            scope.spawn(move || {
                let priorities = [1.0];
                let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
                let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
                barrier.wait();
                // SAFETY: valid use of Vulkan.
                unsafe {
                    let device = instance.create_device(devices[thread % devices.len()], &info, None);
                    device.expect("a device").destroy_device(None);
                }
            });
        }
    });
}

/// Writes down what a device answers.
struct Dump<'a> {
    instance: &'a ash::Instance,
    device: vk::PhysicalDevice,
    number: usize,
    text: &'a mut String,
}

impl Dump<'_> {
    unsafe fn all(&mut self) {
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
