//! The pieces of machine code: each jumps through its own slot and preserves all parameters, and
//! those that report an error name the right command. No driver is needed, so this also runs on an
//! emulated processor (`tests/run.sh arches`).

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::mem::{MaybeUninit, transmute};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::Ordering;

use vkload_core::dispatch::{
    Block, Command, DEVICE_TRAMPOLINES, DeviceTable, INSTANCE_TRAMPOLINES, InstanceTable, KEYS, KeyError,
    LOOK_UP_TRAMPOLINES, LowerEnds, TERMINATORS, Table, UNKNOWN_DEVICE_COMMANDS,
    UNKNOWN_INSTANCE_TRAMPOLINES, UNKNOWN_PHYSICAL_DEVICE_COMMANDS, lower_end_piece, trap,
};
use vkload_core::dispatch::{FIRST_PHYSICAL_DEVICE_SLOT, Handle, HandleKind};
use vkload_core::flavour::Handles;
use vkload_core::memory::Application;
use vkload_core::registry::{CommandId, DEVICE_SLOTS, INSTANCE_SLOTS};
use vkload_linux::{LOADER, PLATFORM};
use vkload_tests::in_a_copy;

/// More parameters than any processor has registers for: integers and floats of all sizes.
type Many = unsafe extern "system" fn(
    *const c_void,
    u32,
    f32,
    u64,
    f64,
    usize,
    i32,
    f32,
    u64,
    f64,
    *const c_void,
    u8,
    f64,
    f32,
    f64,
    u64,
    f64,
    f32,
    i64,
    f64,
) -> u64;

/// What [`receive`] returns.
const ANSWER: u64 = 0x0123_4567_89AB_CDEF;

thread_local! {
    /// The handle that [`receive`] was called with.
    static RECEIVED: Cell<*const c_void> = const { Cell::new(null()) };
}

/// Calls `piece` with `handle`; returns what arrived at [`receive`], which checks the parameters.
fn call(piece: Option<Command>, handle: *const c_void) -> *const c_void {
    let piece = piece.expect("the slot has a piece");
    RECEIVED.set(null());
    let (a, b) = (from_ref(&ANSWER).cast(), usize::MAX / 3);
    // SAFETY: the piece leads to `receive`, which has this type, or to a stub that aborts.
    let answer = unsafe {
        let piece = transmute::<Command, Many>(piece);
        piece(
            handle,
            1,
            2.5,
            3 << 40,
            4.25,
            b,
            -6,
            7.5,
            8 << 50,
            9.75,
            a,
            11,
            12.5,
            -13.5,
            14.25,
            15,
            16.5,
            17.75,
            -18,
            19.5,
        )
    };
    assert_eq!(answer, ANSWER);
    RECEIVED.get()
}

#[expect(clippy::float_cmp, reason = "they are passed on, not computed")]
unsafe extern "system" fn receive(
    handle: *const c_void,
    p1: u32,
    p2: f32,
    p3: u64,
    p4: f64,
    p5: usize,
    p6: i32,
    p7: f32,
    p8: u64,
    p9: f64,
    p10: *const c_void,
    p11: u8,
    p12: f64,
    p13: f32,
    p14: f64,
    p15: u64,
    p16: f64,
    p17: f32,
    p18: i64,
    p19: f64,
) -> u64 {
    assert_eq!((p1, p3, p5, p6), (1, 3 << 40, usize::MAX / 3, -6));
    assert_eq!((p8, p10, p11, p15, p18), (8 << 50, from_ref(&ANSWER).cast(), 11, 15, -18));
    assert_eq!([p2, p7, p13, p17], [2.5, 7.5, -13.5, 17.75]);
    assert_eq!([p4, p9, p12, p14, p16, p19], [4.25, 9.75, 12.5, 14.25, 16.5, 19.5]);
    RECEIVED.set(handle);
    ANSWER
}

/// The target of slots that no call may go through.
unsafe extern "system" fn astray() {
    panic!("the call went through another slot");
}

fn new_table<T: Table>() -> Box<T> {
    // SAFETY: `T` is one of the two tables: arrays of atomic addresses, and NULL is one.
    let table: Box<T> = Box::new(unsafe { MaybeUninit::zeroed().assume_init() });
    for slot in (0..).map_while(|number| table.slot(number)) {
        slot.set(astray);
    }
    table
}

/// Calls the piece of every slot in `slots` and checks that it jumps through that slot of `table`,
/// with the handle `expected`.
fn check<T: Table>(
    block: &Block,
    slots: std::ops::Range<usize>,
    table: &T,
    handle: *const c_void,
    expected: *const c_void,
) {
    for number in slots {
        let slot = table.slot(number).expect("the table has the slot");
        // SAFETY: only `call` calls the slot, and it casts the piece to `Many` again.
        slot.set(unsafe { transmute::<Many, Command>(receive) });
        assert_eq!(call(block.piece(number), handle), expected, "slot {number}");
        slot.set(astray);
    }
}

const ALL_INSTANCE_SLOTS: usize = INSTANCE_SLOTS + UNKNOWN_PHYSICAL_DEVICE_COMMANDS;
const ALL_DEVICE_SLOTS: usize = DEVICE_SLOTS + UNKNOWN_DEVICE_COMMANDS;

#[test]
fn device_trampolines_go_through_their_slots() {
    let table = new_table::<DeviceTable>();
    let object: [*const c_void; 1] = [from_ref(&*table).cast()];
    let handle = object.as_ptr().cast();
    check(&DEVICE_TRAMPOLINES, 0..ALL_DEVICE_SLOTS, &*table, handle, handle);
    assert!(DEVICE_TRAMPOLINES.piece(ALL_DEVICE_SLOTS).is_none());
}

#[test]
fn instance_trampolines_go_through_their_slots() {
    let (upper, lower) = (new_table::<InstanceTable>(), new_table::<InstanceTable>());
    let object = Handle::new(HandleKind::Instance, &raw const *upper, &raw const *lower, null_mut(), null());
    let handle = from_ref(&object).cast();
    check(&INSTANCE_TRAMPOLINES, 0..FIRST_PHYSICAL_DEVICE_SLOT, &*upper, handle, handle);
    let object =
        Handle::new(HandleKind::PhysicalDevice, &raw const *upper, &raw const *lower, null_mut(), null());
    let handle = from_ref(&object).cast();
    check(&INSTANCE_TRAMPOLINES, FIRST_PHYSICAL_DEVICE_SLOT..INSTANCE_SLOTS, &*upper, handle, handle);
    check(&UNKNOWN_INSTANCE_TRAMPOLINES, INSTANCE_SLOTS..ALL_INSTANCE_SLOTS, &*upper, handle, handle);
}

#[test]
fn terminators_go_through_the_table_below_with_the_handle_below() {
    let (upper, lower) = (new_table::<InstanceTable>(), new_table::<InstanceTable>());
    let below = 0x7A11_usize as *mut c_void;
    let object = Handle::new(HandleKind::PhysicalDevice, &raw const *upper, &raw const *lower, below, null());
    check(&TERMINATORS, 0..ALL_INSTANCE_SLOTS, &*lower, from_ref(&object).cast(), below);
}

/// Layers get stubs of missing commands if lower ends are below them.
#[test]
fn stubs_go_through_the_lower_ends_of_a_device_that_has_some() {
    let table = new_table::<DeviceTable>();
    let ends = LowerEnds::try_new(Application::process()).expect("memory");
    let object: [*const c_void; 1] = [from_ref(&*table).cast()];
    let handle = object.as_ptr().cast();
    for number in 0..ALL_DEVICE_SLOTS {
        table.lower.store(from_ref(&*ends).cast_mut(), Ordering::Relaxed);
        let slot = ends.slot(number).expect("a lower end");
        // SAFETY: only `call` calls the slot, and it casts the piece to `Many` again.
        slot.set(unsafe { transmute::<Many, Command>(receive) });
        assert_eq!(call(lower_end_piece(Handles::Written, number), handle), handle, "slot {number}");
        slot.set(astray);
    }
    let empty = LowerEnds::try_new(Application::process()).expect("memory");
    for lower in [null_mut(), from_ref(&*empty).cast_mut()] {
        table.lower.store(lower, Ordering::Relaxed);
        for number in samples(DEVICE_SLOTS).chain([DEVICE_SLOTS - 1]) {
            let name = CommandId::from_device_slot(number).expect("a command").name();
            let message = report(lower_end_piece(Handles::Written, number), handle);
            assert!(message.contains(&format!("{} was called", name.to_string_lossy())), "{message}");
        }
    }
}

/// The tables of devices and the first word of each one's handles: addresses that are powers of two
/// apart, like those of large blocks, and some close together.
fn keyed_tables() -> Vec<(usize, Box<DeviceTable>)> {
    let far = (1..=100).map(|number| 0x70_0000_usize + (number << 16));
    let close = (0..100).map(|number| 0x7000_0000_usize + number * 16);
    far.chain(close).map(|key| (key, new_table())).collect()
}

#[test]
fn look_ups_go_through_the_table_of_the_handles_key() {
    let waiting = PLATFORM.waiting;
    let tables = keyed_tables();
    for (key, table) in &tables {
        assert_eq!(KEYS.insert(waiting, *key, &raw const **table), Ok(()));
        assert_eq!(KEYS.insert(waiting, *key, &raw const **table), Err(KeyError::NotUnique));
    }
    let check_slots = |(key, table): &(usize, Box<DeviceTable>), slots: std::ops::Range<usize>| {
        let handle = from_ref(key).cast();
        check(&LOOK_UP_TRAMPOLINES, slots, &**table, handle, handle);
    };
    // The first key is compared before the others are searched.
    for keyed in &tables[..2] {
        check_slots(keyed, 0..ALL_DEVICE_SLOTS);
    }
    for (number, keyed) in tables.iter().enumerate() {
        check_slots(keyed, number..number + 2);
    }
    assert!(LOOK_UP_TRAMPOLINES.piece(ALL_DEVICE_SLOTS).is_none());

    // Every second device is removed; the others are still found behind the gaps.
    for (key, table) in tables.iter().step_by(2) {
        KEYS.remove(waiting, *key, &raw const **table);
    }
    for keyed in tables.iter().skip(1).step_by(2) {
        check_slots(keyed, 7..9);
    }
    let nothing = (0, new_table());
    for (key, _) in tables.iter().step_by(50).chain([&nothing]) {
        let message = report(LOOK_UP_TRAMPOLINES.piece(3), from_ref(key).cast());
        let name = CommandId::from_device_slot(3).expect("a command").name().to_string_lossy();
        assert!(message.contains(&format!("{name}: {:?} is not a device", from_ref(key))), "{message}");
    }

    // Other devices arrive with the same keys.
    let again: Vec<_> = tables.iter().step_by(2).map(|(key, _)| (*key, new_table())).collect();
    for ((key, table), (_, old)) in again.iter().zip(tables.iter().step_by(2)) {
        assert_eq!(KEYS.insert(waiting, *key, &raw const **table), Ok(()));
        KEYS.remove(waiting, *key, &raw const **old);
    }
    for keyed in again.iter().chain(tables.iter().skip(1).step_by(2)) {
        check_slots(keyed, 20..22);
    }
    for (key, table) in again.iter().chain(tables.iter().skip(1).step_by(2)) {
        KEYS.remove(waiting, *key, &raw const **table);
    }
    KEYS.forget(waiting);
}

/// The first slots and those around which an encoding may change.
fn samples(end: usize) -> impl Iterator<Item = usize> {
    [0, 1, 15, 16, 31, 32, 127, 128, 255, 256, 511, 512, 1023, 1024]
        .into_iter()
        .filter(move |slot| *slot < end)
}

#[test]
fn stubs_of_missing_commands_name_them_and_abort() {
    let arguments = [0usize; 4];
    for slot in samples(DEVICE_SLOTS).chain([DEVICE_SLOTS - 1]) {
        let name = CommandId::from_device_slot(slot).expect("a command").name();
        let message = report(DeviceTable::MISSING.piece(slot), arguments.as_ptr().cast());
        assert!(message.contains(&format!("{} was called", name.to_string_lossy())), "{message}");
        assert!(message.contains("of this device"), "{message}");
    }
    for slot in samples(INSTANCE_SLOTS).chain([INSTANCE_SLOTS - 1]) {
        let name = CommandId::from_instance_slot(slot).expect("a command").name();
        let message = report(InstanceTable::MISSING.piece(slot), arguments.as_ptr().cast());
        assert!(message.contains(&format!("{} was called", name.to_string_lossy())), "{message}");
        assert!(message.contains("of this physical device"), "{message}");
    }
}

#[test]
fn stubs_of_unknown_commands_name_them_too() {
    LOADER.make_current();
    let name: &CStr = c"vkUnheardOf";
    let device = LOADER.unknown.device.add(LOADER.platform.waiting, name).expect("memory").expect("a number");
    let message = report(DeviceTable::MISSING.piece(DEVICE_SLOTS + device), null());
    assert!(message.contains("vkUnheardOf was called"), "{message}");
    let physical =
        LOADER.unknown.physical_device.add(LOADER.platform.waiting, name).expect("memory").expect("a number");
    let message = report(InstanceTable::MISSING.piece(INSTANCE_SLOTS + physical), null());
    assert!(message.contains("vkUnheardOf was called"), "{message}");
    let message = report(DeviceTable::MISSING.piece(ALL_DEVICE_SLOTS - 1), null());
    assert!(message.contains("an unknown command was called"), "{message}");
}

#[test]
fn bad_handles_are_reported_with_the_command() {
    let no_object = [0x5EED_usize; 4];
    let object = |kind| Handle::new(kind, null(), null(), null_mut(), null());
    let (instance, device) = (object(HandleKind::Instance), object(HandleKind::PhysicalDevice));
    for handle in [null(), no_object.as_ptr().cast(), from_ref(&instance).cast(), from_ref(&device).cast()] {
        let first = FIRST_PHYSICAL_DEVICE_SLOT;
        for slot in samples(INSTANCE_SLOTS).chain([first - 1, first, INSTANCE_SLOTS - 1]) {
            let of_instances = slot < first;
            if handle == if of_instances { from_ref(&instance).cast() } else { from_ref(&device).cast() } {
                continue;
            }
            let name = CommandId::from_instance_slot(slot).expect("a command").name();
            let message = report(INSTANCE_TRAMPOLINES.piece(slot), handle);
            assert!(message.contains(&format!("{}: Invalid", name.to_string_lossy())), "{message}");
        }
        if handle == from_ref(&device).cast() {
            continue;
        }
        let message = report(UNKNOWN_INSTANCE_TRAMPOLINES.piece(INSTANCE_SLOTS), handle);
        assert!(message.contains("an unknown physical-device command was given an invalid"), "{message}");
    }
}

#[test]
fn handles_of_no_device_are_reported_with_the_command() {
    let (no_device, nothing) = ([0x5EED_usize; 4], [0_usize; 4]);
    for handle in [null(), no_device.as_ptr().cast(), nothing.as_ptr().cast()] {
        for slot in samples(DEVICE_SLOTS).chain([DEVICE_SLOTS - 1]) {
            let name = CommandId::from_device_slot(slot).expect("a command").name();
            let message = report(LOOK_UP_TRAMPOLINES.piece(slot), handle);
            let words = format!("{}: {handle:?} is not a device", name.to_string_lossy());
            assert!(message.contains(&words), "{message}");
        }
        let message = report(LOOK_UP_TRAMPOLINES.piece(ALL_DEVICE_SLOTS - 1), handle);
        assert!(message.contains("an unknown command: "), "{message}");
    }
}

#[test]
fn a_trap_ends_the_process() {
    // SAFETY: `trap` has no preconditions and does not return.
    let (signal, _) = in_a_copy(|| unsafe { trap() });
    assert!([libc::SIGILL, libc::SIGTRAP].contains(&signal), "{signal}");
}

/// The output to standard error before `piece`, called with `handle`, aborts the process.
fn report(piece: Option<Command>, handle: *const c_void) -> String {
    let (signal, message) = in_a_copy(|| {
        LOADER.make_current();
        call(piece, handle);
        true
    });
    assert_eq!(signal, libc::SIGABRT, "{message}");
    message
}
