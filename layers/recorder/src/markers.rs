//! The markers of checkpoints: numbers that name a command, its command buffer, and its number in the command buffer, so that nothing
//! has to be kept for each checkpoint.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use vkload_layer_runtime::registry::{COMMAND_COUNT, CommandId};

/// A command of a command buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) command: CommandId,
    /// The command buffer's handle, if it is known.
    pub(crate) command_buffer: Option<u64>,
    /// From 1. Only commands with a checkpoint count.
    pub(crate) number: u32,
}

/// A command buffer with its number of checkpoints. The handle determines the index in the table.
struct Counted {
    command_buffer: AtomicU64,
    count: AtomicU32,
}

// A marker is the command, the tag and the place of the handle, and the number, from the highest bits to the lowest.
const COMMAND: u32 = 52;
const TAG: u32 = 40;
const PLACE: u32 = 28;
pub(crate) const PLACES: usize = 1 << (TAG - PLACE);
const MOST: u32 = (1 << PLACE) - 1;

const _: () = assert!(COMMAND_COUNT <= 1 << (u64::BITS - COMMAND));

// A word has the command and the number.
const COMMAND_IN_WORD: u32 = 20;
const MOST_IN_WORD: u32 = (1 << COMMAND_IN_WORD) - 1;

static COUNTED: [Counted; PLACES] =
    [const { Counted { command_buffer: AtomicU64::new(0), count: AtomicU32::new(0) } }; PLACES];

/// Starts to count again.
pub(crate) fn begin(command_buffer: u64) {
    if let Some(counted) = COUNTED.get(place(hash(command_buffer))) {
        counted.command_buffer.store(command_buffer, Ordering::Relaxed);
        counted.count.store(0, Ordering::Relaxed);
    }
}

/// Returns how many checkpoints the command buffer has.
pub(crate) fn count(command_buffer: u64) -> u32 {
    let counted = COUNTED.get(place(hash(command_buffer)));
    counted.map_or(0, |counted| counted.count.load(Ordering::Relaxed))
}

/// Returns the number of the next checkpoint, up to `most`.
fn next_number(command_buffer: u64, most: u32) -> u32 {
    let Some(counted) = COUNTED.get(place(hash(command_buffer))) else { return 0 };
    if counted.command_buffer.load(Ordering::Relaxed) != command_buffer {
        begin(command_buffer);
    }
    // Only one thread records a command buffer.
    let number = counted.count.load(Ordering::Relaxed).saturating_add(1).min(most);
    counted.count.store(number, Ordering::Relaxed);
    number
}

pub(crate) fn next(command: CommandId, command_buffer: u64) -> u64 {
    let (hash, number) = (hash(command_buffer), next_number(command_buffer, MOST));
    (command.index() as u64) << COMMAND | tag(hash) << TAG | (place(hash) as u64) << PLACE | u64::from(number)
}

/// Returns the command of a marker. `None` if it is another program's number.
pub(crate) fn read(marker: u64) -> Option<Marker> {
    let command = (marker >> COMMAND) as usize;
    let number = marker as u32 & MOST;
    if command >= COMMAND_COUNT || number == 0 {
        return None;
    }
    let counted = COUNTED.get((marker >> PLACE) as usize % PLACES)?;
    let command_buffer = counted.command_buffer.load(Ordering::Relaxed);
    let is_same = tag(hash(command_buffer)) == (marker >> TAG) % (1 << (COMMAND - TAG));
    let command = CommandId::new(command as u16);
    Some(Marker { command, command_buffer: is_same.then_some(command_buffer), number })
}

/// Returns the place of a command buffer, and the next marker as a word: the command and the number.
pub(crate) fn next_word(command: CommandId, command_buffer: u64) -> (usize, u32) {
    let number = next_number(command_buffer, MOST_IN_WORD);
    (place(hash(command_buffer)), (command.index() as u32) << COMMAND_IN_WORD | number)
}

/// Returns the command of a word. `None` if nothing has written it.
pub(crate) fn read_word(place: usize, word: u32) -> Option<Marker> {
    let (command, number) = (word >> COMMAND_IN_WORD, word & MOST_IN_WORD);
    let command_buffer = COUNTED.get(place)?.command_buffer.load(Ordering::Relaxed);
    let is_known = number != 0 && (command as usize) < COMMAND_COUNT;
    let command = CommandId::new(command as u16);
    is_known.then_some(Marker { command, command_buffer: Some(command_buffer), number })
}

/// Spreads the bits of a handle, which is often an address.
fn hash(command_buffer: u64) -> u64 {
    command_buffer.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn place(hash: u64) -> usize {
    (hash >> (u64::BITS - (TAG - PLACE))) as usize
}

fn tag(hash: u64) -> u64 {
    (hash >> TAG) % (1 << (COMMAND - TAG))
}

#[cfg(test)]
mod tests {
    use vkload_layer_runtime::registry::command;

    use super::*;

    #[test]
    fn a_marker_names_the_command_and_its_number_since_the_command_buffer_began() {
        let (one, other) = (0x5500_0000_1230, 0x5500_0000_4560);
        begin(one);
        begin(other);
        next(command::CMD_DRAW, one);
        let (second, first) = (next(command::CMD_DISPATCH, one), next(command::CMD_DRAW, other));
        let marker = |command, command_buffer, number| Marker {
            command,
            command_buffer: Some(command_buffer),
            number,
        };
        assert_eq!(read(second), Some(marker(command::CMD_DISPATCH, one, 2)));
        assert_eq!(read(first), Some(marker(command::CMD_DRAW, other, 1)));
        begin(one);
        assert_eq!((count(one), count(other)), (0, 1));
        assert_eq!(read(next(command::CMD_DRAW, one)), Some(marker(command::CMD_DRAW, one, 1)));
    }

    #[test]
    fn a_command_buffer_whose_place_another_one_has_taken_is_unknown() {
        let one = 0x7700_0000_0010;
        let is_rival = |other: &u64| {
            let (own, others) = (hash(one), hash(*other));
            place(own) == place(others) && tag(own) != tag(others)
        };
        let rival = (1..).map(|step| one + 16 * step).find(is_rival).unwrap();
        begin(one);
        let marker = next(command::CMD_DRAW, one);
        next(command::CMD_DISPATCH, rival);
        let expected = Marker { command: command::CMD_DRAW, command_buffer: None, number: 1 };
        assert_eq!(read(marker), Some(expected));
    }

    #[test]
    fn a_word_names_the_command_and_its_number() {
        let one = 0x6600_0000_0010;
        begin(one);
        next_word(command::CMD_DRAW, one);
        let (place, word) = next_word(command::CMD_DISPATCH, one);
        let expected = Marker { command: command::CMD_DISPATCH, command_buffer: Some(one), number: 2 };
        assert_eq!(read_word(place, word), Some(expected));
    }

    #[test]
    fn other_numbers_are_not_markers() {
        assert_eq!((read(0), read(u64::MAX)), (None, None));
        assert_eq!((read_word(0, 0), read_word(0, u32::MAX)), (None, None));
    }
}
