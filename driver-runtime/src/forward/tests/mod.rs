//! Every forwarder, with a driver that has only the second forms and stores its arguments.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod barriers;
mod binding;
mod memory;
mod regions;
mod render_pass;
mod submit;

use core::any::Any;
use core::cell::RefCell;
use std::boxed::Box;
use std::vec::Vec;

use ash::vk::{self, Handle};
use vkload_core::registry::{CommandId, command};

use super::{LISTS, forwarded};
use crate::dispatch::{Command, DispatchTable, EntryPoints};
use crate::object::{Object, ParentObject};
use crate::out_array::list;
use crate::testing::{Held, TestDevice, objects};

std::thread_local! {
    static SEEN: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Stores the arguments of one of the driver's commands.
fn see<T: 'static>(what: T) {
    SEEN.with_borrow_mut(|seen| seen.push(Box::new(what)));
}

/// Returns the arguments stored on this thread since the last call, all of this type.
fn seen<T: 'static>() -> Vec<T> {
    let all = SEEN.take();
    all.into_iter().map(|one| *one.downcast::<T>().expect("something else was received")).collect()
}

/// Returns whether exactly this was stored on this thread since the last call.
fn saw<T: PartialEq + 'static, const N: usize>(expected: [T; N]) -> bool {
    seen::<T>() == expected
}

static TABLE: DispatchTable = forwarded(DispatchTable::new(
    &regions::SECOND
        .and(&barriers::SECOND)
        .and(&render_pass::SECOND)
        .and(&binding::SECOND)
        .and(&memory::SECOND)
        .and(&submit::SECOND),
));

/// The function for a command's first form, typed.
macro_rules! first {
    ($command:ident: $pointer_type:ident) => {
        $crate::dispatch::function!(super::TABLE, $command: $pointer_type).unwrap()
    };
}
use first;

/// Works like `assert_eq!`, for types without `Debug`: the types of `ash` have none here.
macro_rules! equal {
    ($left:expr, $right:expr $(, $($message:tt)+)?) => {
        assert!($left == $right $(, $($message)+)?)
    };
}
use equal;

objects! {
    Commands: CommandBuffer of TestDevice,
    Queue: Queue of TestDevice,
}

/// A device of the driver with a command buffer and a queue.
struct Made {
    device: vk::Device,
    commands: vk::CommandBuffer,
    queue: vk::Queue,
    _parent: Held<TestDevice>,
}

impl Made {
    fn new() -> Self {
        Self::with(None)
    }

    fn with(callbacks: Option<&vk::AllocationCallbacks<'_>>) -> Self {
        let parent = Held::<TestDevice>::with_table(callbacks, &TABLE);
        // SAFETY: no callbacks; the device lives as long as the objects.
        let (commands, queue) = unsafe {
            (
                Object::create(&*parent, core::ptr::null(), Commands).unwrap().into_handle(),
                Object::create(&*parent, core::ptr::null(), Queue).unwrap().into_handle(),
            )
        };
        // As a handle of a device is made.
        let address = core::ptr::from_ref(parent.root().base()).expose_provenance();
        let device = vk::Device::from_raw(address as u64);
        Self { device, commands, queue, _parent: parent }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        unsafe {
            Object::<Commands>::destroy(self.commands, core::ptr::null());
            Object::<Queue>::destroy(self.queue, core::ptr::null());
        }
    }
}

fn all<T: Copy>(first: *const T, count: u32) -> Vec<T> {
    unsafe { list(first, count) }.to_vec()
}

fn handle<T: Handle>(number: u64) -> T {
    T::from_raw(number)
}

extern "system" fn own() {}

#[test]
fn forwarders_fill_what_a_driver_lacks_and_has_in_its_second_form() {
    let rows = LISTS.iter().copied().flatten();
    let mut count = 0;
    for row in rows {
        let with = |commands: &[CommandId]| {
            let mut entries = EntryPoints::<()>::NONE;
            for command in commands {
                // SAFETY: never called.
                entries = unsafe { entries.with(*command, own as Command) };
            }
            forwarded(DispatchTable::new(&entries))
        };
        let name = row.command.name();
        let is = |table: &DispatchTable, function: Command| {
            table.get(row.command).is_some_and(|found| found as usize == function as usize)
        };
        assert!(with(&[]).get(row.command).is_none(), "{name:?} of a driver with neither");
        assert!(is(&with(row.calls), row.function), "{name:?} of a driver with the second form");
        assert!(is(&with(&[row.command, row.calls[0]]), own), "{name:?} of a driver with both");
        assert!(TABLE.get(row.command).is_some(), "{name:?} in the tests");
        count += 1;
    }
    assert!(count > 30);
}

#[test]
fn the_name_of_the_second_form_does_not_matter() {
    // SAFETY: never called.
    let by_extension = unsafe { EntryPoints::<()>::NONE.with(command::CMD_COPY_BUFFER_2_KHR, own) };
    assert!(forwarded(DispatchTable::new(&by_extension)).get(command::CMD_COPY_BUFFER).is_some());
}
