//! What a driver answers, for the next start.
//!
//! Every query is made twice, with memory that has different contents: bytes that differ afterwards are not written by
//! the driver.

use core::ffi::c_void;

use ash::vk;

use super::forms::{EVERY_FORMAT, FORMS, Form, Structure, call};
use crate::abi::{Command, array, padding};
use crate::drivers::last_start::{AnswerKey, AnswerWriter};
use crate::memory::{OutOfMemory, Process, Text, TryGrow, Vec};
use crate::negotiation::OWN_SURFACE_INTERFACE;
use crate::objects::instance::driver::DriverInstance;
use crate::registry::{CommandId, DeviceQuery, INSTANCE_SLOTS, command, structures_filled_by};

/// The formats of Vulkan 1.0, and the ranges that extensions and later versions add: the first and their number.
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
    if driver.driver.interface_version() < OWN_SURFACE_INTERFACE || !are_single(driver, devices)? {
        return Ok(None);
    }
    let mut writer = AnswerWriter::new(driver.driver.api_version().encoded())?;
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

/// Returns whether each device is a group of its own, in the same order, if the driver has groups.
fn are_single(driver: &DriverInstance, devices: &[vk::PhysicalDevice]) -> Result<bool, vk::Result> {
    let Some(groups) = driver.groups(|_| core::ptr::null_mut()).transpose()? else { return Ok(true) };
    let is_single = |(group, device): (&vk::PhysicalDeviceGroupProperties<'_>, &vk::PhysicalDevice)| {
        group.physical_device_count == 1
            && group.physical_devices.first() == Some(device)
            && group.subset_allocation == vk::FALSE
    };
    Ok(groups.len() == devices.len() && groups.iter().zip(devices).all(is_single))
}

/// Writes the answers of one device.
struct Recorder<'a> {
    driver: &'a DriverInstance,
    device: vk::PhysicalDevice,
    writer: &'a mut AnswerWriter,
}

impl Recorder<'_> {
    fn record(mut self) -> Result<(), vk::Result> {
        let (driver, device) = (self.driver, self.device);
        // SAFETY: each type matches its command or the alias of it; the device is the driver's.
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
            for form in &FORMS {
                if let Some(function) = driver.first::<Command>(form.commands) {
                    self.form(form, function)?;
                }
            }
        }
        Ok(())
    }

    /// Records a structure by itself, and each of the structures that may be in its chain.
    ///
    /// # Safety
    /// The function is the driver's for the form.
    unsafe fn form(&mut self, form: &Form, function: Command) -> Result<(), OutOfMemory> {
        let mut count = 0;
        // The answer about tools is recorded only if there are none.
        let most = if form.query == DeviceQuery::Tools { 0 } else { MOST_FAMILIES };
        if form.query.is_counted() {
            // SAFETY: by this function's `# Safety`; the count is local.
            let result =
                unsafe { call(form.query, function, self.device, &mut count, core::ptr::null_mut()) };
            if result != vk::Result::SUCCESS || count > most {
                return Ok(());
            }
        }
        let one = [(count, 1)];
        let numbers = if form.query == DeviceQuery::Format { &FORMATS[..] } else { &one };
        let chained = structures_filled_by(form.query)
            .map(|(s_type, size)| Structure { s_type: s_type.cast_unsigned(), size });
        let chained = chained.filter(|_| form.root.s_type != 0);
        for structure in core::iter::once(form.root).chain(chained) {
            // SAFETY: by this function's `# Safety` the function is that of the form.
            unsafe { self.structure(form, function, numbers, structure) }?;
        }
        Ok(())
    }

    /// Records a structure: the root of the form, or one in its chain.
    ///
    /// # Safety
    /// As for [`Self::form`].
    unsafe fn structure(
        &mut self,
        form: &Form,
        function: Command,
        numbers: &[(u32, u32)],
        structure: Structure,
    ) -> Result<(), OutOfMemory> {
        let is_root = structure.s_type == form.root.s_type;
        let is_padding = match form.query {
            DeviceQuery::Properties if is_root => padding::is_padding_of_properties,
            DeviceQuery::Memory if is_root => padding::is_padding_of_memory,
            _ => |_| false,
        };
        let length = structure.size.saturating_sub(structure.header());
        let mut is_written = false;
        for number in numbers.iter().flat_map(|(first, count)| *first..first.saturating_add(*count)) {
            let count = if form.query.is_counted() { number as usize } else { 1 };
            let mut roots = memory(if is_root { 0 } else { form.root.size.saturating_mul(count) }, 0)?;
            let mut members = [Text::new(), Text::new()];
            for (members, contents) in members.iter_mut().zip([0, u64::MAX]) {
                let mut filled = memory(structure.size.saturating_mul(count), contents)?;
                let first = filled.as_mut_ptr().cast::<c_void>();
                let array = if is_root { first } else { roots.as_mut_ptr().cast() };
                // SAFETY: both arrays have `count` structures of their kind. By this function's `# Safety` the function is
                // that of the form.
                unsafe {
                    for index in 0..count {
                        let next = if is_root {
                            core::ptr::null_mut()
                        } else {
                            begin(first, structure, index, core::ptr::null_mut())
                        };
                        begin(array, form.root, index, next);
                    }
                    let _ = call(form.query, function, self.device, &mut { number }, array);
                    for index in 0..count {
                        let start = structure.size.saturating_mul(index).saturating_add(structure.header());
                        members
                            .try_extend(core::slice::from_raw_parts(first.byte_add(start).cast(), length))?;
                    }
                }
            }
            let [one, other] = &mut members;
            for (position, (one, other)) in one.iter_mut().zip(other.iter_mut()).enumerate() {
                if is_padding(position) {
                    (*one, *other) = (0, 1);
                }
            }
            // A driver that does not know the structure leaves it alone for every format.
            is_written |=
                form.query != DeviceQuery::Format || one.iter().zip(&*other).any(|(one, other)| one == other);
            if is_written {
                let key = AnswerKey { query: form.query, s_type: structure.s_type, number };
                self.writer.answer(key, one, other)?;
            }
        }
        if !is_written {
            let key = AnswerKey { query: form.query, s_type: structure.s_type, number: EVERY_FORMAT };
            let (mut one, mut other) = (Text::new(), Text::new());
            one.try_resize(length, 0)?;
            other.try_resize(length, 1)?;
            self.writer.answer(key, &one, &other)?;
        }
        Ok(())
    }
}

/// Returns memory for this many bytes.
fn memory(size: usize, contents: u64) -> Result<Vec<u64>, OutOfMemory> {
    let mut memory = Vec::new();
    memory.try_resize(size.div_ceil(size_of::<u64>()), contents)?;
    Ok(memory)
}

/// Writes `sType` and `pNext` of a structure in an array, if it has them, and returns its address.
///
/// # Safety
/// The array has more than `index` elements.
unsafe fn begin(
    array: *mut c_void,
    structure: Structure,
    index: usize,
    next: *mut vk::BaseOutStructure<'static>,
) -> *mut vk::BaseOutStructure<'static> {
    // SAFETY: by this function's `# Safety` the element can be written to.
    unsafe {
        let element = array.byte_add(structure.size.saturating_mul(index)).cast::<vk::BaseOutStructure<'_>>();
        if structure.s_type != 0 {
            (&raw mut (*element).s_type).write(vk::StructureType::from_raw(structure.s_type.cast_signed()));
            (&raw mut (*element).p_next).write(next);
        }
        element
    }
}
