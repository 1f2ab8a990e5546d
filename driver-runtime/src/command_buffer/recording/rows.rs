//! The form in which the generated files state commands and structures.

use core::cell::Cell;

use ash::vk;
use vkload_core::registry::CommandId;

use crate::dispatch::Command;

pub(super) struct Row {
    pub(super) command: CommandId,
    pub(super) arguments: &'static [Argument],
    /// Calls the function with the command's number of parameters after the command buffer.
    ///
    /// # Safety
    /// The function is the command's; the words are its parameters.
    pub(super) replay: unsafe fn(Command, vk::CommandBuffer, *const u64),
}

pub(super) struct Argument {
    pub(super) index: usize,
    pub(super) length: Length,
    pub(super) target: Target,
}

/// How many elements a parameter points to.
pub(super) enum Length {
    One,
    Fixed(usize),
    /// The number of elements is in the parameter at this index.
    Counted(usize),
    /// A bit of 32-bit words for each of as many as the parameter at this index says.
    Masks(usize),
}

pub(super) struct Structure {
    /// -1 for a structure without a type.
    pub(super) s_type: i32,
    pub(super) size: usize,
    pub(super) fields: &'static [PointerField],
}

pub(super) struct PointerField {
    pub(super) at: usize,
    pub(super) count: Count,
    pub(super) target: Target,
    /// The position of a selector, and the values for which the pointer is used; at most one, and none for always.
    pub(super) when: &'static [(usize, &'static [i32])],
}

/// How much data a pointer in a structure leads to.
pub(super) enum Count {
    Chain,
    One,
    /// Bytes up to the first NUL.
    Text,
    /// As many elements as the number at an offset says, which has this many bytes.
    Counted(usize, usize),
}

pub(super) enum Target {
    /// This many bytes.
    Plain(usize),
    Structure(&'static Structure),
}

/// Returns the size or offset for this processor, from the values for 64-bit processors, 32-bit ones, and 32-bit ones
/// that align `uint64_t` to four bytes.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub(super) const fn abi(sizes: [usize; 3]) -> usize {
    #[repr(C)]
    struct Long(u64);
    sizes[if size_of::<usize>() == 8 {
        0
    } else if align_of::<Long>() == 8 {
        1
    } else {
        2
    }]
}

pub(super) trait Word: Copy {
    fn to_word(self) -> u64;
    fn of_word(word: u64) -> Self;
}

macro_rules! words {
    ($($number:ty)*) => {$(
        impl Word for $number {
            fn to_word(self) -> u64 {
                self as u64
            }
            fn of_word(word: u64) -> Self {
                word as Self
            }
        }
    )*};
}
words!(u16 u32 i32 u64 usize);

impl Word for f32 {
    fn to_word(self) -> u64 {
        self.to_bits().into()
    }
    fn of_word(word: u64) -> Self {
        Self::from_bits(word as u32)
    }
}

impl Word for *const u8 {
    fn to_word(self) -> u64 {
        self.expose_provenance() as u64
    }
    fn of_word(word: u64) -> Self {
        core::ptr::with_exposed_provenance(word as usize)
    }
}

/// Words, one after the other.
pub(super) struct Words(Cell<*const u64>);

impl Words {
    pub(super) fn new(first: *const u64) -> Self {
        Self(Cell::new(first))
    }

    /// Returns the next element.
    ///
    /// # Safety
    /// A next element exists.
    pub(super) unsafe fn next<W: Word>(&self) -> W {
        let next = self.0.get();
        // SAFETY: the caller vouches for the word; behind the last one is the end of the words.
        unsafe {
            self.0.set(next.add(1));
            W::of_word(next.read())
        }
    }
}

macro_rules! target {
    (plain $($size:literal)*) => {
        $crate::command_buffer::recording::rows::Target::Plain(
            $crate::command_buffer::recording::rows::abi([$($size),*])
        )
    };
    (structure $name:ident) => {
        $crate::command_buffer::recording::rows::Target::Structure(
            $crate::command_buffer::recording::structures_gen::$name
        )
    };
}
pub(super) use target;

macro_rules! count {
    (chain) => {
        $crate::command_buffer::recording::rows::Count::Chain
    };
    (one) => {
        $crate::command_buffer::recording::rows::Count::One
    };
    (text) => {
        $crate::command_buffer::recording::rows::Count::Text
    };
    (counted $a:literal $b:literal $c:literal $width:literal) => {
        $crate::command_buffer::recording::rows::Count::Counted(
            $crate::command_buffer::recording::rows::abi([$a, $b, $c]),
            $width,
        )
    };
}
pub(super) use count;

macro_rules! length {
    (one) => {
        $crate::command_buffer::recording::rows::Length::One
    };
    (fixed $count:literal) => {
        $crate::command_buffer::recording::rows::Length::Fixed($count)
    };
    (counted $index:literal) => {
        $crate::command_buffer::recording::rows::Length::Counted($index)
    };
    (masks $index:literal) => {
        $crate::command_buffer::recording::rows::Length::Masks($index)
    };
}
pub(super) use length;

macro_rules! structures {
    ($(
        $name:ident $s_type:literal ($($size:literal)*)
        $([($($at:literal)*) ($($count:tt)*) ($($target:tt)*) $(when ($($selector:literal)*) $($kind:literal)*)?])*;
    )*) => {
        use $crate::command_buffer::recording::rows::{PointerField, Structure, abi, count, target};

        $(pub(super) const $name: &Structure = &Structure {
            s_type: $s_type,
            size: abi([$($size),*]),
            fields: &[$(PointerField {
                at: abi([$($at),*]),
                count: count!($($count)*),
                target: target!($($target)*),
                when: &[$((abi([$($selector),*]), &[$($kind),*]))?],
            }),*],
        };)*

        pub(super) const ALL: &[&Structure] = &[$($name),*];
    };
}
pub(super) use structures;

macro_rules! commands {
    ($(
        $command:ident ($($name:ident $class:ident,)*) $([$index:literal ($($length:tt)*) ($($target:tt)*)])*;
    )*) => {
        use ash::vk;
        use $crate::command_buffer::CommandBuffers;
        use $crate::command_buffer::recording::rows::{Argument, Row, Word as _, Words, length, target};
        use $crate::command_buffer::recording::take;
        use $crate::dispatch::Command;

        type Pointer = *const u8;

        $(pub(super) const $command: &Row = &Row {
            command: vkload_core::registry::command::$command,
            arguments: &[$(Argument {
                index: $index,
                length: length!($($length)*),
                target: target!($($target)*),
            }),*],
            replay: {
                unsafe fn replay(function: Command, commands: vk::CommandBuffer, words: *const u64) {
                    // SAFETY: `Row::replay` is called with the function of its own command, which has these parameters,
                    // and with the words that were recorded for them.
                    unsafe {
                        let function = core::mem::transmute::<
                            Command,
                            unsafe extern "system" fn(vk::CommandBuffer, $($class),*),
                        >(function);
                        let words = Words::new(words);
                        function(commands, $(words.next::<$class>()),*);
                        let _ = words;
                    }
                }
                replay
            },
        };)*

        pub(super) struct Recorders<D>(core::marker::PhantomData<D>);

        impl<D: CommandBuffers> Recorders<D> {
            pub(super) const ALL: &'static [(&'static Row, Command)] = &[$(($command, {
                unsafe extern "system" fn record<D: CommandBuffers>(
                    commands: vk::CommandBuffer,
                    $($name: $class),*
                ) {
                    // SAFETY: the application calls the command with a live handle and parameters that obey the
                    // specification; the function has these parameters.
                    unsafe {
                        if let Some(function) = take::<D>(commands, $command, &[$($name.to_word()),*]) {
                            core::mem::transmute::<
                                Command,
                                unsafe extern "system" fn(vk::CommandBuffer, $($class),*),
                            >(function)(commands, $($name),*);
                        }
                    }
                }
                // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
                unsafe {
                    core::mem::transmute::<
                        unsafe extern "system" fn(vk::CommandBuffer, $($class),*),
                        Command,
                    >(record::<D>)
                }
            })),*];
        }
    };
}
pub(super) use commands;
