//! What a driver answers, for the next start.
//!
//! Every query is made twice, with memory that has different contents: bytes that differ afterwards are not written by
//! the driver.

use core::ffi::c_void;

use ash::vk;

use crate::abi::{array, padding};
use crate::drivers::last_start::{AnswerKey, AnswerWriter, Query, RecordedGroups};
use crate::memory::{OutOfMemory, Process, Text, TryGrow, Vec};
use crate::negotiation::OWN_SURFACE_INTERFACE;
use crate::objects::instance::driver::DriverInstance;
use crate::registry::{ChainQuery, CommandId, INSTANCE_SLOTS, command, structures_filled_by};

/// The bytes of a structure before its members: `sType` and `pNext`.
pub(super) const HEADER: usize = size_of::<vk::BaseOutStructure<'static>>();

/// The formats of Vulkan 1.0, and the ranges that extensions and later versions add.
const FORMATS: [(u32, u32); 8] = [
    (0, 185),
    (1_000_054_000, 8),
    (1_000_066_000, 14),
    (1_000_156_000, 34),
    (1_000_330_000, 4),
    (1_000_340_000, 2),
    (1_000_464_000, 2),
    (1_000_470_000, 2),
];

/// Stands for every format, with a structure that the driver does not know.
pub(super) const EVERY_FORMAT: u32 = u32::MAX;

/// More queue families than any device has.
const MOST_FAMILIES: u32 = 64;

/// Returns the driver's answers, or `None` if they cannot be recorded: a driver of an old interface, or one with groups of
/// several devices.
///
/// # Errors
/// `ERROR_OUT_OF_HOST_MEMORY`, or the error of an enumeration.
pub(in crate::objects) fn record(
    driver: &DriverInstance,
    devices: &[vk::PhysicalDevice],
) -> Result<Option<Text>, vk::Result> {
    let interface = driver.driver.interface_version();
    let groups = groups(driver, devices)?.filter(|_| interface >= OWN_SURFACE_INTERFACE);
    let Some(groups) = groups else { return Ok(None) };
    let mut writer = AnswerWriter::new(interface, driver.driver.api_version().encoded(), groups)?;
    for command in (0..INSTANCE_SLOTS).filter_map(CommandId::from_instance_slot) {
        if driver.has(command) {
            writer.command(command)?;
        }
    }
    for device in devices {
        Recorder { driver, device: *device, writer: &mut writer }.record()?;
    }
    Ok(Some(writer.finish()))
}

/// Returns the groups of the devices. `None` unless each device is a group of its own, in the same order, and all groups are
/// alike.
fn groups(
    driver: &DriverInstance,
    devices: &[vk::PhysicalDevice],
) -> Result<Option<RecordedGroups>, vk::Result> {
    let Some(groups) = driver.groups(|_| core::ptr::null_mut()) else {
        return Ok(Some(RecordedGroups::None));
    };
    let groups = groups?;
    let subsets = groups.first().map_or(vk::FALSE, |group| group.subset_allocation);
    let is_alone = |(group, device): (&vk::PhysicalDeviceGroupProperties<'_>, &vk::PhysicalDevice)| {
        group.physical_device_count == 1
            && group.physical_devices.first() == Some(device)
            && group.subset_allocation == subsets
    };
    let recorded =
        if subsets == vk::FALSE { RecordedGroups::Single } else { RecordedGroups::SingleWithSubsets };
    let are_alone = groups.len() == devices.len() && groups.iter().zip(devices).all(is_alone);
    Ok(are_alone.then_some(recorded))
}

/// Writes the answers of one device.
struct Recorder<'a> {
    driver: &'a DriverInstance,
    device: vk::PhysicalDevice,
    writer: &'a mut AnswerWriter,
}

/// A function of the driver with a structure as its last parameter.
type StructureFn<'a> = &'a dyn Fn(*mut c_void);

impl Recorder<'_> {
    fn record(mut self) -> Result<(), vk::Result> {
        let (driver, device) = (self.driver, self.device);
        // SAFETY: each type matches its command or the alias of it.
        unsafe {
            let extensions = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
            let extensions = match driver.get::<vk::PFN_vkEnumerateDeviceExtensionProperties>(extensions) {
                Some(enumerate) => {
                    array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
                        enumerate(device, core::ptr::null(), count, out)
                    })?
                }
                None => Vec::new(),
            };
            self.writer.device(&extensions)?;
            if let Some(get) =
                driver.get::<vk::PFN_vkGetPhysicalDeviceProperties>(command::GET_PHYSICAL_DEVICE_PROPERTIES)
            {
                let size = size_of::<vk::PhysicalDeviceProperties>();
                self.plain(Query::Properties, 0, size, &|out| get(device, out.cast()))?;
            }
            if let Some(get) =
                driver.get::<vk::PFN_vkGetPhysicalDeviceFeatures>(command::GET_PHYSICAL_DEVICE_FEATURES)
            {
                let size = size_of::<vk::PhysicalDeviceFeatures>();
                self.plain(Query::Features, 0, size, &|out| get(device, out.cast()))?;
            }
            let memory = command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES;
            if let Some(get) = driver.get::<vk::PFN_vkGetPhysicalDeviceMemoryProperties>(memory) {
                let size = size_of::<vk::PhysicalDeviceMemoryProperties>();
                self.plain(Query::Memory, 0, size, &|out| get(device, out.cast()))?;
            }
            if let Some(get) = driver.first::<vk::PFN_vkGetPhysicalDeviceProperties2>([
                command::GET_PHYSICAL_DEVICE_PROPERTIES_2,
                command::GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR,
            ]) {
                let root = Root::of::<vk::PhysicalDeviceProperties2<'_>>();
                let chained = Some(ChainQuery::Properties);
                self.chain(Query::Properties, 0, root, chained, &|out| get(device, out.cast()))?;
            }
            if let Some(get) = driver.first::<vk::PFN_vkGetPhysicalDeviceFeatures2>([
                command::GET_PHYSICAL_DEVICE_FEATURES_2,
                command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR,
            ]) {
                let root = Root::of::<vk::PhysicalDeviceFeatures2<'_>>();
                let chained = Some(ChainQuery::Features);
                self.chain(Query::Features, 0, root, chained, &|out| get(device, out.cast()))?;
            }
            if let Some(get) = driver.first::<vk::PFN_vkGetPhysicalDeviceMemoryProperties2>([
                command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR,
            ]) {
                // Only budgets may be in the chain, which change from call to call.
                let root = Root::of::<vk::PhysicalDeviceMemoryProperties2<'_>>();
                self.chain(Query::Memory, 0, root, None, &|out| get(device, out.cast()))?;
            }
            self.formats()?;
            self.families()?;
            if let Some(get) = driver.first::<vk::PFN_vkGetPhysicalDeviceToolProperties>([
                command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES,
                command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT,
            ]) {
                let mut count = 0;
                if get(device, &mut count, core::ptr::null_mut()) == vk::Result::SUCCESS && count == 0 {
                    self.writer
                        .answer(AnswerKey { query: Query::Tools, s_type: 0, number: 0 }, [].into_iter())?;
                }
            }
        }
        Ok(())
    }

    fn formats(&mut self) -> Result<(), OutOfMemory> {
        let (driver, device) = (self.driver, self.device);
        // SAFETY: each type matches its command or the alias of it.
        let (get, get2) = unsafe {
            (
                driver.get::<vk::PFN_vkGetPhysicalDeviceFormatProperties>(
                    command::GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES,
                ),
                driver.first::<vk::PFN_vkGetPhysicalDeviceFormatProperties2>([
                    command::GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2,
                    command::GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR,
                ]),
            )
        };
        let formats = || FORMATS.iter().flat_map(|(first, count)| *first..first.saturating_add(*count));
        for number in formats() {
            let format = vk::Format::from_raw(number.cast_signed());
            if let Some(get) = get {
                let size = size_of::<vk::FormatProperties>();
                // SAFETY: the driver's own device, and memory for the structure.
                self.plain(Query::Format, number, size, &|out| unsafe { get(device, format, out.cast()) })?;
            }
            if let Some(get) = get2 {
                let root = Root::of::<vk::FormatProperties2<'_>>();
                // SAFETY: the driver's own device, and a chain of structures.
                self.chain(Query::Format, number, root, None, &|out| unsafe {
                    get(device, format, out.cast())
                })?;
            }
        }
        let Some(get) = get2 else { return Ok(()) };
        for chained in structures_filled_by(ChainQuery::Format) {
            let (mut is_written, s_type) = (false, chained.0.cast_unsigned());
            for number in formats() {
                let format = vk::Format::from_raw(number.cast_signed());
                let root = Root::of::<vk::FormatProperties2<'_>>();
                // SAFETY: the driver's own device, and a chain of structures.
                let [first, second] =
                    in_chain(root, chained, &|out| unsafe { get(device, format, out.cast()) })?;
                // A driver that does not know the structure leaves it alone for every format.
                is_written |=
                    bytes(&first, &second, HEADER..chained.1).any(|(first, second)| first == second);
                if is_written {
                    let key = AnswerKey { query: Query::Format, s_type, number };
                    self.writer.answer(key, bytes(&first, &second, HEADER..chained.1))?;
                }
            }
            if !is_written {
                let key = AnswerKey { query: Query::Format, s_type, number: EVERY_FORMAT };
                self.writer.answer(key, (HEADER..chained.1).map(|_| (0, 1)))?;
            }
        }
        Ok(())
    }

    /// Records a structure without a type.
    fn plain(
        &mut self,
        query: Query,
        number: u32,
        size: usize,
        get: StructureFn<'_>,
    ) -> Result<(), OutOfMemory> {
        let [first, second] = twice(size, &mut |memory: &mut [u64]| get(memory.as_mut_ptr().cast()))?;
        let key = AnswerKey { query, s_type: 0, number };
        self.writer.answer(key, without_padding(query, bytes(&first, &second, 0..size)))
    }

    /// Records a structure by itself, and each of the structures that may be in its chain.
    fn chain(
        &mut self,
        query: Query,
        number: u32,
        root: Root,
        chained: Option<ChainQuery>,
        get: StructureFn<'_>,
    ) -> Result<(), OutOfMemory> {
        let [first, second] = twice(root.size, &mut |memory: &mut [u64]| {
            begin(memory, root.s_type, core::ptr::null_mut());
            get(memory.as_mut_ptr().cast());
        })?;
        let key = AnswerKey { query, s_type: root.s_type, number };
        self.writer.answer(key, without_padding(query, bytes(&first, &second, HEADER..root.size)))?;
        for chained in chained.into_iter().flat_map(structures_filled_by) {
            let [first, second] = in_chain(root, chained, get)?;
            let key = AnswerKey { query, s_type: chained.0.cast_unsigned(), number };
            self.writer.answer(key, bytes(&first, &second, HEADER..chained.1))?;
        }
        Ok(())
    }

    /// Records the queue families: the structures of all families, one after the other.
    fn families(&mut self) -> Result<(), OutOfMemory> {
        let (driver, device) = (self.driver, self.device);
        let one = command::GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES;
        // SAFETY: each type matches its command or the alias of it; the count and the arrays are local.
        unsafe {
            let Some(get) = driver.get::<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties>(one) else {
                return Ok(());
            };
            let mut count = 0;
            get(device, &mut count, core::ptr::null_mut());
            if count > MOST_FAMILIES {
                return Ok(());
            }
            let (families, number) = (count as usize, count);
            let size = size_of::<vk::QueueFamilyProperties>().saturating_mul(families);
            self.plain(Query::QueueFamilies, number, size, &|out| {
                let mut count = count;
                get(device, &mut count, out.cast());
            })?;
            let Some(get) = driver.first::<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2>([
                command::GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2,
                command::GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR,
            ]) else {
                return Ok(());
            };
            let root = Root::of::<vk::QueueFamilyProperties2<'_>>();
            let rows = core::iter::once((root.s_type.cast_signed(), 0))
                .chain(structures_filled_by(ChainQuery::QueueFamilies));
            for (s_type, size) in rows {
                let s_type = s_type.cast_unsigned();
                let is_root = s_type == root.s_type;
                let size = if is_root { root.size } else { size };
                let mut roots: Vec<u64> = Vec::new();
                roots.try_resize(root.size.saturating_mul(families).div_ceil(size_of::<u64>()), 0)?;
                let [first, second] = twice(size.saturating_mul(families), &mut |memory: &mut [u64]| {
                    for family in 0..families {
                        let structure = memory.as_mut_ptr().byte_add(size.saturating_mul(family));
                        if !is_root {
                            begin_at(structure.cast(), s_type, core::ptr::null_mut());
                        }
                        let next = if is_root { core::ptr::null_mut() } else { structure.cast() };
                        let array = if is_root { memory.as_mut_ptr() } else { roots.as_mut_ptr() };
                        begin_at(array.byte_add(root.size.saturating_mul(family)).cast(), root.s_type, next);
                    }
                    let mut count = count;
                    let array = if is_root { memory.as_mut_ptr() } else { roots.as_mut_ptr() };
                    get(device, &mut count, array.cast());
                })?;
                let positions = (0..families).flat_map(|family| {
                    let start = size.saturating_mul(family);
                    start.saturating_add(HEADER)..start.saturating_add(size)
                });
                let key = AnswerKey { query: Query::QueueFamilies, s_type, number };
                self.writer.answer(key, bytes(&first, &second, positions))?;
            }
        }
        Ok(())
    }
}

/// The first structure of a chain.
#[derive(Clone, Copy)]
pub(super) struct Root {
    pub(super) s_type: u32,
    pub(super) size: usize,
}

impl Root {
    pub(super) const fn of<T: vk::TaggedStructure>() -> Self {
        Self { s_type: T::STRUCTURE_TYPE.as_raw().cast_unsigned(), size: size_of::<T>() }
    }
}

/// Returns what a query writes to a structure in the chain of another, of which the type and the size are given.
fn in_chain(
    root: Root,
    (s_type, size): (i32, usize),
    get: StructureFn<'_>,
) -> Result<[Vec<u64>; 2], OutOfMemory> {
    let mut root_memory = Vec::new();
    root_memory.try_resize(root.size.div_ceil(size_of::<u64>()), 0u64)?;
    twice(size, &mut |memory: &mut [u64]| {
        begin(memory, s_type.cast_unsigned(), core::ptr::null_mut());
        begin(&mut root_memory, root.s_type, memory.as_mut_ptr().cast());
        get(root_memory.as_mut_ptr().cast());
    })
}

/// Calls `get` with memory of this many bytes that is all zeros, and with memory that is all ones.
fn twice(size: usize, get: &mut dyn FnMut(&mut [u64])) -> Result<[Vec<u64>; 2], OutOfMemory> {
    let mut both = [Vec::new(), Vec::new()];
    for (memory, contents) in both.iter_mut().zip([0, u64::MAX]) {
        memory.try_resize(size.div_ceil(size_of::<u64>()), contents)?;
        get(memory);
    }
    Ok(both)
}

/// Marks the bytes between members as not written.
fn without_padding(query: Query, bytes: impl Iterator<Item = (u8, u8)>) -> impl Iterator<Item = (u8, u8)> {
    let is_padding = match query {
        Query::Properties => padding::is_padding_of_properties,
        Query::Memory => padding::is_padding_of_memory,
        _ => |_| false,
    };
    bytes.enumerate().map(move |(position, byte)| if is_padding(position) { (0, 1) } else { byte })
}

/// Returns the bytes at these positions.
fn bytes(
    first: &[u64],
    second: &[u64],
    positions: impl Iterator<Item = usize>,
) -> impl Iterator<Item = (u8, u8)> {
    const WORD: usize = size_of::<u64>();
    let byte = |memory: &[u64], position: usize| {
        let word = memory.get(position.div_euclid(WORD)).copied().unwrap_or(0).to_ne_bytes();
        word.get(position.rem_euclid(WORD)).copied().unwrap_or(0)
    };
    positions.map(move |position| (byte(first, position), byte(second, position)))
}

fn begin(memory: &mut [u64], s_type: u32, next: *mut vk::BaseOutStructure<'static>) {
    if size_of_val(memory) >= HEADER {
        // SAFETY: the memory is large enough, and aligned for pointers.
        unsafe { begin_at(memory.as_mut_ptr().cast(), s_type, next) };
    }
}

/// Writes the first members of a structure.
///
/// # Safety
/// They can be written to.
unsafe fn begin_at(
    structure: *mut vk::BaseOutStructure<'static>,
    s_type: u32,
    next: *mut vk::BaseOutStructure<'static>,
) {
    // SAFETY: by this function's `# Safety` the members can be written to.
    unsafe {
        (&raw mut (*structure).s_type).write(vk::StructureType::from_raw(s_type.cast_signed()));
        (&raw mut (*structure).p_next).write(next);
    }
}
