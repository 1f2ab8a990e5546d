//! Commands that check the scenario before their own work.
//!
//! A look-up of a command that the scenario names returns the function that [`watched!`] defines for it: it has the
//! command's parameters, checks the scenario, and calls the driver's function.

use driver_runtime::dispatch::Command;
use driver_runtime::registry::{Class, CommandId};
use driver_runtime::vk::{self, Handle};
use driver_runtime::{Device, ObjectBase, Tables};

use crate::Null;

/// The result type of commands, with the value for a failure.
pub(crate) trait Outcome: Sized {
    fn failed(result: vk::Result) -> Self;

    /// Returns the outcome of an executed command, with the scenario's success code.
    fn or(self, _: vk::Result) -> Self {
        self
    }
}

impl Outcome for vk::Result {
    fn failed(result: vk::Result) -> Self {
        result
    }

    fn or(self, wanted: vk::Result) -> Self {
        if self == vk::Result::SUCCESS { wanted } else { self }
    }
}

impl Outcome for () {
    fn failed(_: vk::Result) {}
}

impl Outcome for u32 {
    fn failed(_: vk::Result) -> Self {
        0
    }
}

impl Outcome for u64 {
    fn failed(_: vk::Result) -> Self {
        0
    }
}

/// Returns whether the call returns the scenario's result without doing any work. A success code that reports
/// completed work comes after the work. A lost device stays lost.
///
/// # Safety
/// `first` is the first parameter of the command, as the specification has it.
pub(crate) unsafe fn stops(command: CommandId, first: usize, result: vk::Result) -> bool {
    if result == vk::Result::ERROR_DEVICE_LOST
        && matches!(command.class(), Class::Device | Class::Queue | Class::CommandBuffer)
    {
        // SAFETY: the first parameter is a live handle of a device, or of an object of one.
        unsafe { lose(first as u64) };
    }
    // These results report that nothing was done.
    const UNDONE: [vk::Result; 3] =
        [vk::Result::NOT_READY, vk::Result::TIMEOUT, vk::Result::PIPELINE_COMPILE_REQUIRED];
    result.as_raw() < 0 || UNDONE.contains(&result)
}

/// # Safety
/// `handle` is a live handle of a device, or of an object of one.
unsafe fn lose(handle: u64) {
    // SAFETY: the caller vouches for the handle; the root of an object is its device.
    unsafe {
        let root = ObjectBase::of(handle).and_then(ObjectBase::device);
        let device = root.map(|root| vk::Device::from_raw(core::ptr::from_ref(root.base()).addr() as u64));
        if let Some(device) = device.and_then(|device| Device::<Null>::from_handle(device)) {
            device.set_lost("the scenario wants it");
        }
    }
}

/// Functions for commands of each number of parameters.
macro_rules! by_count {
    ($($count:ident($($parameter:ident: $type:ident),*);)*) => {$(
        /// The function that watches the command with number `ID`, of the type of `_like`.
        pub(super) fn $count<const ID: usize, R: Outcome, $($type),*>(
            _like: unsafe extern "system" fn($($type),*) -> R,
        ) -> Command {
            unsafe extern "system" fn call<const ID: usize, R: Outcome, $($type),*>($($parameter: $type),*) -> R {
                let command = CommandId::new(ID as u16).canonical();
                let wanted = super::get().before(command.name());
                if let Some(wanted) = wanted {
                    // SAFETY: the first parameter of every command is a handle or a pointer.
                    let stops = unsafe {
                        let first = [$((&raw const $parameter).cast::<usize>()),*][0].read();
                        stops(command, first, wanted)
                    };
                    if stops {
                        return R::failed(wanted);
                    }
                }
                // SAFETY: the driver's function of this command has the type that this one was made for; the caller
                // keeps the specification's promises.
                unsafe {
                    let function = Null::TABLE.get(command).expect("a command of the driver");
                    let function = core::mem::transmute_copy::<
                        Command,
                        unsafe extern "system" fn($($type),*) -> R,
                    >(&function);
                    let outcome = function($($parameter),*);
                    match wanted {
                        Some(wanted) => outcome.or(wanted),
                        None => outcome,
                    }
                }
            }
            let call: unsafe extern "system" fn($($type),*) -> R = call::<ID, R, $($type),*>;
            // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
            unsafe { core::mem::transmute_copy(&call) }
        }
    )*};
}

by_count! {
    one(a: A);
    two(a: A, b: B);
    three(a: A, b: B, c: C);
    four(a: A, b: B, c: C, d: D);
    five(a: A, b: B, c: C, d: D, e: E);
    six(a: A, b: B, c: C, d: D, e: E, f: F);
    seven(a: A, b: B, c: C, d: D, e: E, f: F, g: G);
    eight(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H);
}

/// A list of commands with how many parameters each has.
macro_rules! watched {
    (one $id:ident $like:ident) => { watch::one::<$id, _, _>($like) };
    (two $id:ident $like:ident) => { watch::two::<$id, _, _, _>($like) };
    (three $id:ident $like:ident) => { watch::three::<$id, _, _, _, _>($like) };
    (four $id:ident $like:ident) => { watch::four::<$id, _, _, _, _, _>($like) };
    (five $id:ident $like:ident) => { watch::five::<$id, _, _, _, _, _, _>($like) };
    (six $id:ident $like:ident) => { watch::six::<$id, _, _, _, _, _, _, _>($like) };
    (seven $id:ident $like:ident) => { watch::seven::<$id, _, _, _, _, _, _, _, _>($like) };
    (eight $id:ident $like:ident) => { watch::eight::<$id, _, _, _, _, _, _, _, _, _>($like) };
    ($($count:ident $command:ident: $pointer_type:ident;)*) => {
        /// Returns the function that watches a command, if it can be watched. `function` is the driver's.
        pub(super) fn function(
            command: driver_runtime::registry::CommandId,
            function: driver_runtime::dispatch::Command,
        ) -> Option<driver_runtime::dispatch::Command> {
            use driver_runtime::registry::command as known;
            use driver_runtime::{dispatch, types};

            $(
                const _: () = assert!(dispatch::is_type_of(stringify!($pointer_type), known::$command));
                if command.canonical() == known::$command.canonical() {
                    const ID: usize = known::$command.index();
                    // SAFETY: pointers to functions have the same size and meaning whatever their parameters; this one
                    // is not called, only its type counts, which is the command's.
                    let like = unsafe {
                        core::mem::transmute::<dispatch::Command, types::$pointer_type>(function)
                    };
                    return Some(watched!($count ID like));
                }
            )*
            None
        }
    };
}
pub(super) use watched;
