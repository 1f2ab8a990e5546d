//! A driver's functions, by name and by command.

use core::ffi::CStr;
use core::marker::PhantomData;

use ash::vk;
use vkload_core::registry::{self, COMMAND_COUNT, CommandId};

use super::Invariant;
use super::private::is_same;

/// A Vulkan command whose parameters do not matter.
pub type Command = unsafe extern "system" fn();

/// The functions that one part of the driver `D` (the driver itself, its window system code, the runtime) has, one for each name.
///
/// Built at compile time with [`entry_points!`](crate::entry_points). The functions expect this driver's objects
/// behind handles, so one driver's functions cannot become another's.
pub struct EntryPoints<D> {
    functions: [Option<Command>; COMMAND_COUNT],
    of: Invariant<D>,
}

impl<D> Clone for EntryPoints<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for EntryPoints<D> {}

impl<D> EntryPoints<D> {
    /// None at all.
    pub const NONE: Self = Self { functions: [None; COMMAND_COUNT], of: PhantomData };

    /// Returns the same functions and one more.
    ///
    /// # Panics
    /// If the command has a function already: in a constant, an error of the build.
    ///
    /// # Safety
    /// `function` is a pointer to a function with the parameters and the result of the command. It implements the
    /// command as specified, with objects of the driver `D`.
    #[must_use]
    pub const unsafe fn with(self, command: CommandId, function: Command) -> Self {
        self.and_one(command, function)
    }

    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which reports a failure")]
    const fn and_one(mut self, command: CommandId, function: Command) -> Self {
        assert!(self.functions[command.index()].is_none(), "the command has two functions");
        self.functions[command.index()] = Some(function);
        self
    }

    /// Combines these functions with the functions in `other`.
    ///
    /// # Panics
    /// If a command has a function in both: in a constant, an error of the build.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub const fn and(mut self, other: &Self) -> Self {
        let mut index = 0;
        while index < COMMAND_COUNT {
            if let Some(function) = other.functions[index] {
                self = self.and_one(CommandId::new(index as u16), function);
            }
            index += 1;
        }
        self
    }

    /// Returns these functions, with functions from `other` for the names that have none: for example a driver's own
    /// functions before a part of the runtime's.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub const fn or(mut self, other: &Self) -> Self {
        let mut index = 0;
        while index < COMMAND_COUNT {
            if self.functions[index].is_none() {
                self.functions[index] = other.functions[index];
            }
            index += 1;
        }
        self
    }

    /// Returns the same functions, and `function` for every command whose name begins with `prefix` and that has none
    /// yet under its first name.
    ///
    /// # Safety
    /// `function` is called with the parameters of all of these commands, so it takes none. Its behaviour is valid
    /// for each command.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub const unsafe fn with_all(mut self, prefix: &str, function: Command) -> Self {
        let mut taken = [false; COMMAND_COUNT];
        let mut index = 0;
        while index < COMMAND_COUNT {
            if self.functions[index].is_some() {
                taken[CommandId::new(index as u16).canonical().index()] = true;
            }
            index += 1;
        }
        index = 0;
        while index < COMMAND_COUNT {
            let command = CommandId::new(index as u16);
            if command.canonical().index() == index
                && !taken[index]
                && begins_with(command.const_name(), prefix)
            {
                self.functions[index] = Some(function);
            }
            index += 1;
        }
        self
    }

    /// Returns this part's function for the command, under exactly this name.
    pub fn get(&self, command: CommandId) -> Option<Command> {
        self.functions.get(command.index()).copied().flatten()
    }
}

/// One function for each of a driver's commands, under any name: an alias shares the slot of its command.
///
/// A slot without a function holds a stub, so that a call through a trampoline never goes to NULL; the stub returns
/// `VK_ERROR_UNKNOWN`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DispatchTable {
    slots: [Command; COMMAND_COUNT],
    /// One byte for each slot: a look-up takes four instructions fewer than with bits.
    present: [bool; COMMAND_COUNT],
}

impl DispatchTable {
    /// Returns the table of a driver's own functions.
    ///
    /// # Panics
    /// If two names of the same command have functions: in a constant, an error of the build.
    #[must_use]
    pub const fn new<D>(driver: &EntryPoints<D>) -> Self {
        let empty = Self { slots: [missing_command(); COMMAND_COUNT], present: [false; COMMAND_COUNT] };
        empty.filled(driver)
    }

    /// Returns the same table with functions from another part in its empty slots.
    ///
    /// # Panics
    /// If two names of the same command have functions in `part`: in a constant, an error of the build.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "evaluated by the compiler, which reports a failure"
    )]
    pub const fn filled<D>(mut self, part: &EntryPoints<D>) -> Self {
        let before = self.present;
        let mut index = 0;
        while index < COMMAND_COUNT {
            if let Some(function) = part.functions[index] {
                let slot = CommandId::new(index as u16).canonical().index();
                if !before[slot] {
                    assert!(!self.present[slot], "two names of one command have functions");
                    self.present[slot] = true;
                    self.slots[slot] = function;
                }
            }
            index += 1;
        }
        self
    }

    /// Returns the same table with one function more, in a slot that has none.
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which reports a failure")]
    pub(crate) const fn with(mut self, command: CommandId, function: Command) -> Self {
        let slot = command.canonical().index();
        self.present[slot] = true;
        self.slots[slot] = function;
        self
    }

    /// Returns the function of a command, or `None` if the driver has none.
    #[inline]
    pub fn get(&self, command: CommandId) -> Option<Command> {
        self.at(command.canonical().index())
    }

    /// Returns the function in a slot, by the number of its command, which must not be an alias.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Option<Command> {
        if *self.present.get(slot)? { self.slots.get(slot).copied() } else { None }
    }

    /// Does the same as [`DispatchTable::get`] at compile time.
    #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
    pub(crate) const fn const_get(&self, command: CommandId) -> Option<Command> {
        let slot = command.canonical().index();
        if self.present[slot] { Some(self.slots[slot]) } else { None }
    }

    /// Returns the same as [`DispatchTable::get`], as a pointer of the function's type; the macro `function!` checks
    /// the type.
    ///
    /// # Safety
    /// `P` is the type of a pointer to the function of this command.
    pub(crate) unsafe fn get_as<P: Copy>(&self, command: CommandId) -> Option<P> {
        const { assert!(size_of::<P>() == size_of::<Command>()) };
        // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
        self.get(command).map(|function| unsafe { core::mem::transmute_copy::<Command, P>(&function) })
    }

    /// Fills a table with the results of `look_up`: for each command by its first name, then by its aliases. For
    /// window-system code and for layers, which call functions of another driver or layer.
    pub fn load(&mut self, mut look_up: impl FnMut(&CStr) -> vk::PFN_vkVoidFunction) {
        let aliases = CommandId::all().filter(|command| command.alias_of().is_some());
        for command in CommandId::all().filter(|command| command.alias_of().is_none()).chain(aliases) {
            if self.get(command).is_none()
                && let Some(function) = look_up(command.name())
            {
                self.set(command, function);
            }
        }
    }

    fn set(&mut self, command: CommandId, function: Command) {
        let slot = command.canonical().index();
        if let (Some(entry), Some(present)) = (self.slots.get_mut(slot), self.present.get_mut(slot)) {
            *entry = function;
            *present = true;
        }
    }
}

/// A [`DispatchTable`] of the driver `D`, for a physical device whose functions differ from those on the driver's
/// other devices:
/// [`Enumeration::push_with`](crate::Enumeration::push_with).
pub struct CommandTable<D> {
    table: DispatchTable,
    of: Invariant<D>,
}

impl<D> CommandTable<D> {
    /// Does the same as [`DispatchTable::new`].
    ///
    /// # Panics
    /// As there.
    #[must_use]
    pub const fn new(own: &EntryPoints<D>) -> Self {
        Self { table: DispatchTable::new(own), of: PhantomData }
    }

    /// Does the same as [`DispatchTable::filled`].
    ///
    /// # Panics
    /// As there.
    #[must_use]
    pub const fn filled(self, part: &EntryPoints<D>) -> Self {
        Self { table: self.table.filled(part), of: PhantomData }
    }

    pub(crate) const fn table(&self) -> &DispatchTable {
        &self.table
    }
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn begins_with(name: &[u8], prefix: &str) -> bool {
    let prefix = prefix.as_bytes();
    let mut at = 0;
    while at < prefix.len() {
        if at >= name.len() || name[at] != prefix[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns the value of an empty slot.
const fn missing_command() -> Command {
    // SAFETY: both are functions of the C calling convention, in which the caller removes the arguments.
    unsafe { core::mem::transmute::<extern "system" fn() -> vk::Result, Command>(missing) }
}

extern "system" fn missing() -> vk::Result {
    vk::Result::ERROR_UNKNOWN
}

/// Returns whether `pointer_type`, as `PFN_vkCmdDraw`, is the type of the command's function, under any of its names.
#[doc(hidden)]
pub const fn is_type_of(pointer_type: &str, command: CommandId) -> bool {
    let (Some((b"PFN_", given)), Some((_, name))) =
        (pointer_type.as_bytes().split_first_chunk(), command.const_name().split_last())
    else {
        return false;
    };
    is_same(given, name)
}

/// [`EntryPoints`] as a constant: each command with a function that takes the structure of its parameters in
/// [`calls`](crate::calls), and returns an [`Outcome`](crate::calls::Outcome). The function has no captured variables.
///
/// The second form has functions with the command's own parameters: each command's constant in [`registry::command`],
/// the type of its function in [`types`](crate::types), and the function. That command and type belong together is
/// checked while compiling.
///
/// # Safety
/// Each function implements its command as specified, with objects of the driver that gets the entry points.
///
/// ```
/// use vkload_driver_runtime::calls::CmdFillBuffer;
/// use vkload_driver_runtime::{entry_points, vk, dispatch::EntryPoints};
///
/// fn fill(call: &CmdFillBuffer<'_>) {
///     let _ = (call.dst_buffer, call.dst_offset, call.size, call.data);
/// }
///
/// extern "system" fn draw(_: vk::CommandBuffer, _: u32, _: u32, _: u32, _: u32) {}
///
/// struct Small;
///
/// // SAFETY: commands without an effect.
/// const COMMANDS: EntryPoints<Small> = unsafe {
///     entry_points! { CmdFillBuffer = fill }.and(&entry_points! { CMD_DRAW: PFN_vkCmdDraw = draw })
/// };
/// assert!(COMMANDS.get(vkload_driver_runtime::registry::command::CMD_DRAW).is_some());
/// ```
#[macro_export]
macro_rules! entry_points {
    ($($name:ident = $function:expr),* $(,)?) => {
        $crate::dispatch::EntryPoints::NONE$(.with(
            $crate::calls::$name::ID,
            $crate::calls::$name::function($function),
        ))*
    };
    ($($command:ident: $pointer_type:ident = $function:expr),* $(,)?) => {
        $crate::dispatch::EntryPoints::NONE$(.with(
            {
                let command = $crate::registry::command::$command;
                assert!($crate::dispatch::is_type_of(stringify!($pointer_type), command));
                command
            },
            {
                let function: $crate::types::$pointer_type = $function;
                // Function pointers have the same size and meaning for all parameters; the function is called with
                // its command's parameters, for which its type was checked.
                core::mem::transmute::<$crate::types::$pointer_type, $crate::dispatch::Command>(function)
            },
        ))*
    };
}

/// Returns a command's function in a table, typed; for use in an unsafe block. The types of commands and pointers are
/// checked to belong together.
macro_rules! function {
    ($table:expr, $command:ident: $pointer_type:ident) => {{
        const COMMAND: vkload_core::registry::CommandId = vkload_core::registry::command::$command;
        const _: () = assert!($crate::dispatch::is_type_of(stringify!($pointer_type), COMMAND));
        $table.get_as::<$crate::types::$pointer_type>(COMMAND)
    }};
}
pub(crate) use function;

const _: () = assert!(registry::COMMAND_COUNT < u16::MAX as usize);
