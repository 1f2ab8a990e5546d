//! The commands that records answer while the driver is closed.
//!
//! An answer is all or nothing: if the chain of a call has a structure that is not recorded, the driver is opened.

use core::ffi::{c_char, c_void};

use ash::vk;

use super::device::OnDemandDevice;
use super::forms::{EVERY_FORMAT, FORMS, Form, Structure, call};
use crate::abi::{Command, array, chain, function};
use crate::dispatch::{OnDemandHandle, Table as _};
use crate::drivers::last_start::{Answer, AnswerKey, DeviceAnswers};
use crate::memory::{Process, TryGrow, Vec};
use crate::registry::{self, CommandId, DeviceQuery, command};

/// Returns the function for a command that the records may answer.
pub(super) fn answered(command: CommandId) -> Option<Command> {
    if command == command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES {
        return Some(function!(extensions));
    }
    let form = FORMS.iter().position(|form| form.commands.contains(&command))?;
    ANSWERED.get(form).copied()
}

/// The function for the form of the same index.
static ANSWERED: [Command; FORMS.len()] = [
    function!(structure::<0>),
    function!(structure::<1>),
    function!(structure::<2>),
    function!(structure::<3>),
    function!(structure::<4>),
    function!(structure::<5>),
    function!(counted::<6>),
    function!(counted::<7>),
    function!(format::<8>),
    function!(format::<9>),
    function!(counted::<10>),
];

/// Answers a query for one structure, or opens the driver. Callers of commands that return nothing ignore the result.
///
/// # Safety
/// The parameters are valid for the form, with the handle of a device of a driver on demand.
unsafe extern "system" fn structure<const FORM: usize>(
    handle: vk::PhysicalDevice,
    out: *mut c_void,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid.
    unsafe { OnDemandDevice::of(handle).answer(FORM, &mut 0, out) }
}

/// Answers a query for a format, or opens the driver.
///
/// # Safety
/// As for [`structure`].
unsafe extern "system" fn format<const FORM: usize>(
    handle: vk::PhysicalDevice,
    format: vk::Format,
    out: *mut c_void,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid.
    unsafe { OnDemandDevice::of(handle).answer(FORM, &mut format.as_raw().cast_unsigned(), out) }
}

/// Answers a query for a counted array, or opens the driver.
///
/// # Safety
/// As for [`structure`].
unsafe extern "system" fn counted<const FORM: usize>(
    handle: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut c_void,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid.
    unsafe { OnDemandDevice::of(handle).answer(FORM, &mut *count, out) }
}

/// # Safety
/// The parameters are valid for vkEnumerateDeviceExtensionProperties, with the handle of a device of a driver on demand.
unsafe extern "system" fn extensions(
    handle: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let command = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
    // SAFETY: by this function's `# Safety` the parameters are valid; the type is the command's.
    unsafe {
        let device = OnDemandDevice::of(handle);
        if let Some(answers) = device.closed_answers().filter(|_| layer.is_null()) {
            let mut all = Vec::new_in(Process);
            let mut recorded = answers.extensions(device.driver().answers());
            return match recorded.try_for_each(|extension| all.try_push(extension)) {
                Ok(()) => array::deliver(&all, count, out),
                Err(error) => error.into(),
            };
        }
        let target = OnDemandHandle::open(&raw const device.handle);
        (*target.table)
            .get::<vk::PFN_vkEnumerateDeviceExtensionProperties>(command)
            .map_or(LACKING, |native| native(target.physical_device(), layer, count, out))
    }
}

const LACKING: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

impl OnDemandDevice {
    /// Answers a query from the records, or opens the driver and passes the call on.
    ///
    /// # Safety
    /// The pointers are valid for a command of the form.
    unsafe fn answer(&self, form: usize, number: &mut u32, out: *mut c_void) -> vk::Result {
        let Some(form) = FORMS.get(form) else { return LACKING };
        // SAFETY: by this function's `# Safety` the pointers are valid for the command, and the function is that of
        // the form.
        unsafe {
            if self.fill(form, number, out).is_some() {
                return vk::Result::SUCCESS;
            }
            let target = OnDemandHandle::open(&raw const self.handle);
            let native = |command| (*target.table).get::<Command>(command);
            let native = form.commands.into_iter().find_map(native);
            native.map_or(LACKING, |native| call(form.query, native, target.physical_device(), number, out))
        }
    }

    /// Fills the structures at `out`, if the driver is closed and all of them are recorded.
    ///
    /// # Safety
    /// As for [`Self::answer`].
    unsafe fn fill(&self, form: &Form, number: &mut u32, out: *mut c_void) -> Option<()> {
        let answers = self.closed_answers()?;
        let (query, root) = (form.query, form.root);
        let (key, filled) = if query.is_counted() {
            let recorded = answers.number(query, root.s_type)?;
            (recorded, if out.is_null() { recorded } else { recorded.min(*number) })
        } else {
            (*number, 1)
        };
        let count = if out.is_null() { 0 } else { filled as usize };
        // SAFETY: by this function's `# Safety` `out` has `count` structures, each of which may begin a pNext chain if it
        // has a type. Those that the registry knows have its sizes.
        unsafe {
            let structures = |index: usize| {
                let first = out.byte_add(root.size.saturating_mul(index)).cast::<vk::BaseOutStructure<'_>>();
                let next = if root.s_type == 0 { core::ptr::null_mut() } else { (*first).p_next };
                let chained = chain::pointers(next.cast()).map(|next| {
                    let s_type = (*next).s_type.as_raw();
                    let size = registry::structure_size(s_type)?;
                    Some((next, Structure { s_type: s_type.cast_unsigned(), size }))
                });
                core::iter::once(Some((first, root))).chain(chained).map(move |structure| {
                    let (memory, structure) = structure?;
                    Some((memory, structure, self.find(query, structure.s_type, key)?))
                })
            };
            if !(0..count).all(|index| structures(index).all(|structure| structure.is_some())) {
                return None;
            }
            for index in 0..count {
                for (memory, structure, answer) in structures(index).flatten() {
                    let header = structure.header();
                    let size = structure.size.saturating_sub(header);
                    let members = core::slice::from_raw_parts_mut(memory.byte_add(header).cast::<u8>(), size);
                    answer.fill(size.saturating_mul(index), members);
                }
            }
        }
        if query.is_counted() {
            *number = filled;
        }
        Some(())
    }

    /// Returns the records about this device while the driver is closed.
    fn closed_answers(&self) -> Option<&DeviceAnswers> {
        self.answers.as_ref().filter(|_| self.driver().is_closed())
    }

    fn find(&self, query: DeviceQuery, s_type: u32, number: u32) -> Option<Answer<'_>> {
        let (answers, text) = (self.answers.as_ref()?, self.driver().answers());
        let find = |number| answers.find(text, AnswerKey { query, s_type, number });
        find(number).or_else(|| if query == DeviceQuery::Format { find(EVERY_FORMAT) } else { None })
    }
}

/// Returns the function for a command of a driver that does not open.
pub(super) fn failing(command: CommandId) -> Command {
    let function = if command.returns_result() { fails } else { supports_nothing };
    // SAFETY: callers remove the arguments, so a function that reads none may be called with any.
    unsafe { core::mem::transmute::<unsafe extern "system" fn() -> i32, Command>(function) }
}

unsafe extern "system" fn fails() -> i32 {
    LACKING.as_raw()
}

/// For commands that return whether something is supported, and for those that return nothing.
unsafe extern "system" fn supports_nothing() -> i32 {
    0
}
