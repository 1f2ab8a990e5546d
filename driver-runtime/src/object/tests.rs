//! Objects as a driver and an application meet them. `docs/rules/drivers.md` has the rules.

use std::format;
use std::thread;
use std::vec::Vec;

use ash::vk::{self, Handle};
use vkload_core::memory::{Allocator, CopiedCallbacks};

use super::{Changeable, LOADER_MAGIC, Members, Object, ObjectBase, ParentObject, Piece, VkObject};
use crate::testing::{Held, Ledger, TestDevice, TestInstance, objects};

objects! {
    Buffer(u32): Buffer of TestDevice,
    CommandBuffer: CommandBuffer of TestDevice,
    Messenger: DebugUtilsMessengerEXT of TestInstance,
    Set(u32): DescriptorSet of TestDevice,
}

impl Changeable for Buffer {}
impl Changeable for CommandBuffer {}

fn create<T: VkObject>(parent: &Held<T::Parent>, driver: T) -> super::Owned<T> {
    // SAFETY: no callbacks; every test keeps the parent until its end.
    unsafe { Object::create(&**parent, core::ptr::null(), driver) }.unwrap()
}

fn get<'a, T: VkObject>(handle: T::Handle) -> Option<&'a Object<T>> {
    // SAFETY: the tests use live handles.
    unsafe { Object::<T>::from_handle(handle) }
}

fn destroy<T: VkObject>(handle: T::Handle) {
    // SAFETY: the tests destroy live handles once, created without callbacks.
    unsafe { Object::<T>::destroy(handle, core::ptr::null()) };
}

#[test]
fn new_object_has_magic_type_and_no_name() {
    let device = Held::<TestDevice>::new(None);
    let buffer = create(&device, Buffer(1));
    // SAFETY: the object begins with a word.
    let first = unsafe { core::ptr::from_ref(&*buffer).cast::<usize>().read() };
    assert_eq!(first, LOADER_MAGIC);
    assert_eq!(buffer.base().kind(), vk::ObjectType::BUFFER);
    assert!(!buffer.base().is_visible());
    assert_eq!(buffer.base().name().unwrap().len(), 0);
}

#[test]
fn handles_lead_back_to_their_objects() {
    let device = Held::<TestDevice>::new(None);
    let buffer = create(&device, Buffer(7)).into_handle();
    let commands = create(&device, CommandBuffer).into_handle();
    assert_eq!(get::<Buffer>(buffer).unwrap().0, 7);
    assert_eq!(get::<CommandBuffer>(commands).unwrap().raw(), commands.as_raw());
    assert!(get::<Buffer>(vk::Buffer::null()).is_none());
    assert!(get::<CommandBuffer>(vk::CommandBuffer::null()).is_none());
    destroy::<Buffer>(buffer);
    destroy::<CommandBuffer>(commands);
    destroy::<Buffer>(vk::Buffer::null());
}

#[test]
fn a_handle_of_another_type_is_not_an_object() {
    let device = Held::<TestDevice>::new(None);
    let commands = create(&device, CommandBuffer).into_handle();
    assert!(get::<Buffer>(vk::Buffer::from_raw(commands.as_raw())).is_none());
    destroy::<CommandBuffer>(commands);
}

#[test]
fn base_is_at_the_address_of_the_object() {
    let device = Held::<TestDevice>::new(None);
    let buffer = create(&device, Buffer(1));
    assert_eq!(core::ptr::from_ref(buffer.base()).addr(), core::ptr::from_ref(&*buffer).addr());
}

#[test]
fn visible_from_hand_out_to_recycling() {
    let device = Held::<TestDevice>::new(None);
    let buffer = create(&device, Buffer(1)).into_handle();
    let object = get::<Buffer>(buffer).unwrap();
    assert!(object.base().is_visible());
    object.base().recycle();
    assert!(!object.base().is_visible());
    destroy::<Buffer>(buffer);
}

#[test]
fn recycling_clears_name_and_private_data() {
    let device = Held::<TestDevice>::new(None);
    let slot = device.root().new_slot();
    let buffer = create(&device, Buffer(1));
    buffer.base().set_name(Some(b"vertices")).unwrap();
    buffer.base().set_private_data(&slot, 9).unwrap();
    buffer.base().recycle();
    assert_eq!(buffer.base().name().unwrap().len(), 0);
    assert_eq!(buffer.base().private_data(&slot), 0);
    assert_eq!(buffer.base().kind(), vk::ObjectType::BUFFER);
    assert!(core::ptr::eq(buffer.parent(), &raw const *device));
}

#[test]
fn parents_are_device_or_instance() {
    let device = Held::<TestDevice>::new(None);
    let instance = Held::<TestInstance>::new(None);
    let (buffer, messenger) = (create(&device, Buffer(1)), create(&instance, Messenger));
    assert!(buffer.base().device().is_some() && buffer.base().instance().is_none());
    assert!(messenger.base().instance().is_some() && messenger.base().device().is_none());
    let own = instance.root().base();
    assert!(core::ptr::eq(own.instance().unwrap(), instance.root()) && own.device().is_none());
}

#[test]
fn memory_comes_from_the_callbacks_or_else_the_device() {
    let (ours, theirs) = (Ledger::default(), Ledger::default());
    let device = Held::<TestDevice>::new(Some(&theirs.callbacks()));
    let callbacks = ours.callbacks();
    // SAFETY: the callbacks live until the end of the test.
    let own = unsafe { Object::create(&*device, &callbacks, Buffer(1)) }.unwrap().into_handle();
    let fallen_back = create(&device, Buffer(2)).into_handle();
    assert_eq!((ours.live_blocks(), theirs.live_blocks()), (1, 1));
    assert_eq!(ours.scopes(), [vk::SystemAllocationScope::OBJECT.as_raw()]);
    assert_eq!(theirs.scopes(), [vk::SystemAllocationScope::OBJECT.as_raw()]);
    assert!(ours.alignments().iter().all(|align| *align >= 8));
    // SAFETY: the callbacks are the same as at creation.
    unsafe { Object::<Buffer>::destroy(own, &callbacks) };
    destroy::<Buffer>(fallen_back);
    assert_eq!((ours.live_blocks(), theirs.live_blocks()), (0, 0));
}

#[test]
fn objects_without_memory_are_errors_and_leak_nothing() {
    // The object, the name, what both are kept in, the private data.
    for number in 0..5 {
        let ledger = Ledger::failing_at(number);
        {
            let device = Held::<TestDevice>::new(Some(&ledger.callbacks()));
            // The first slot needs no memory.
            let slot = [device.root().new_slot(), device.root().new_slot()][1];
            // SAFETY: no callbacks.
            let made = unsafe { Object::create(&*device, core::ptr::null(), Buffer(1)) };
            let done = made.and_then(|buffer| {
                buffer.base().set_name(Some(b"name"))?;
                buffer.base().set_private_data(&slot, 1)
            });
            assert_eq!(done.is_ok(), number == 4, "{number}");
        }
        assert_eq!(ledger.live_blocks(), 0, "{number}");
    }
}

#[test]
fn a_command_returns_its_object_or_a_failure() {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let device = Held::<TestDevice>::new(None);
    let handle = vk::Device::from_raw(core::ptr::from_ref(&*device).expose_provenance() as u64);
    let mut made = vk::Buffer::from_raw(7);
    let call = |parent, out: &mut vk::Buffer| {
        // SAFETY: the parent is null, or lives until the end of the test, and the callbacks with it.
        unsafe { Object::create_command(parent, &raw const callbacks, out, Buffer(3)) }
    };
    assert_eq!(call(vk::Device::null(), &mut made), vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    ledger.fail(Some(0));
    assert_eq!(call(handle, &mut made), vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    assert_eq!(made.as_raw(), 7, "nothing was written");
    ledger.fail(None);
    assert_eq!((call(handle, &mut made), ledger.live_blocks()), (vk::Result::SUCCESS, 1));
    let buffer = get::<Buffer>(made).unwrap();
    assert!(
        buffer.0 == 3 && buffer.base().is_visible() && core::ptr::eq(buffer.parent(), &raw const *device)
    );
    // SAFETY: it is destroyed once, with the callbacks that it was created with.
    unsafe { Object::<Buffer>::destroy(made, &raw const callbacks) };
    assert_eq!(ledger.live_blocks(), 0);
}

#[test]
fn private_data_of_ten_thousand_slots() {
    let device = Held::<TestDevice>::new(None);
    let buffer = create(&device, Buffer(1));
    let slots: Vec<_> = (0..10_000).map(|_| device.root().new_slot()).collect();
    assert_eq!(buffer.base().private_data(&slots[17]), 0);
    for (value, slot) in slots.iter().enumerate().rev() {
        buffer.base().set_private_data(slot, u64::MAX - value as u64).unwrap();
    }
    buffer.base().set_private_data(&slots[3], 33).unwrap();
    for (value, slot) in slots.iter().enumerate().filter(|(value, _)| *value != 3) {
        assert_eq!(buffer.base().private_data(slot), u64::MAX - value as u64);
    }
    assert_eq!(buffer.base().private_data(&slots[3]), 33);
}

#[test]
fn slot_of_another_device_has_no_value() {
    let (device, other) = (Held::<TestDevice>::new(None), Held::<TestDevice>::new(None));
    let buffer = create(&device, Buffer(1));
    let (slot, foreign) = (device.root().new_slot(), other.root().new_slot());
    buffer.base().set_private_data(&slot, 1).unwrap();
    buffer.base().set_private_data(&foreign, 2).unwrap();
    assert_eq!((buffer.base().private_data(&slot), buffer.base().private_data(&foreign)), (1, 0));
}

#[test]
fn private_data_from_many_threads() {
    let device = Held::<TestDevice>::new(None);
    let buffer = create(&device, Buffer(1));
    let slots: Vec<_> = (0..64).map(|_| device.root().new_slot()).collect();
    let base: &ObjectBase = buffer.base();
    thread::scope(|scope| {
        for (number, part) in slots.chunks(16).enumerate() {
            scope.spawn(move || {
                for slot in part {
                    base.set_private_data(slot, number as u64 + 1).unwrap();
                    assert_eq!(base.private_data(slot), number as u64 + 1);
                }
            });
        }
    });
    let sum: u64 = slots.iter().map(|slot| buffer.base().private_data(slot)).sum();
    assert_eq!(sum, 16 * (1 + 2 + 3 + 4));
}

#[test]
fn objects_of_others_keep_their_data_in_the_device() {
    let (device, other) = (Held::<TestDevice>::new(None), Held::<TestDevice>::new(None));
    let (slot, foreign_slot) = (device.root().new_slot(), other.root().new_slot());
    for number in (1..40).rev() {
        let surface = vk::SurfaceKHR::from_raw(number << 8);
        device.root().foreign().set_private_data(surface, &slot, number).unwrap();
    }
    let surface = vk::SurfaceKHR::from_raw(5 << 8);
    device.root().foreign().set_name(surface, Some(b"window")).unwrap();
    assert_eq!(device.root().foreign().private_data(surface, &slot), 5);
    assert_eq!(other.root().foreign().private_data(surface, &foreign_slot), 0);
    let base = device.root().foreign().find(surface.as_raw()).unwrap();
    assert_eq!(base.name().unwrap().as_slice(), b"window");
}

#[test]
fn names_are_set_replaced_and_cleared() {
    let device = Held::<TestDevice>::new(None);
    let instance = Held::<TestInstance>::new(None);
    let buffer = create(&device, Buffer(1));
    let address = core::ptr::from_ref(&*buffer).addr();
    assert_eq!(format!("{}", buffer.base()), format!("VkBuffer({address:#x})"));
    buffer.base().set_name(Some(b"first")).unwrap();
    buffer.base().set_name(Some(b"second, longer")).unwrap();
    assert_eq!(format!("{}", buffer.base()), "second, longer");
    buffer.base().set_name(None).unwrap();
    assert!(format!("{}", buffer.base()).starts_with("VkBuffer("));
    assert!(format!("{}", instance.root().base()).starts_with("VkInstance("));
}

struct Layouted {
    words: Piece<u32>,
    bytes: Piece<u8>,
    longs: Piece<[u64; 2]>,
}
// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Layouted {
    type Handle = vk::PipelineLayout;
    type Parent = TestDevice;
}

#[test]
fn an_object_and_its_arrays_are_one_block() {
    let ledger = Ledger::default();
    let device = Held::<TestDevice>::new(Some(&ledger.callbacks()));
    let mut pieces = Object::<Layouted>::pieces();
    let (words, bytes) = (pieces.add(3).unwrap(), pieces.add(5).unwrap());
    let driver = Layouted { words, bytes, longs: pieces.add(2).unwrap() };
    // SAFETY: no callbacks; the parent lives to the end of the test.
    let mut object = unsafe { Object::create_with(&*device, core::ptr::null(), &pieces, driver) }.unwrap();
    assert_eq!(ledger.live_blocks(), 1);
    assert_eq!((object.array(words), object.array(bytes)), (&[0; 3][..], &[0; 5][..]));
    object.array_mut(words).copy_from_slice(&[1, 2, 3]);
    object.array_mut(bytes).fill(0xff);
    let longs = object.longs;
    object.array_mut(longs)[1] = [7, u64::MAX];
    let handle = object.into_handle();
    let object = get::<Layouted>(handle).unwrap();
    assert_eq!(object.array(object.words), [1, 2, 3]);
    assert_eq!(object.array(object.bytes), [0xff; 5]);
    assert_eq!(object.array(object.longs), [[0, 0], [7, u64::MAX]]);
    destroy::<Layouted>(handle);
    assert_eq!(ledger.live_blocks(), 0);
    // A piece of a larger object is not an array of a smaller one.
    let buffer = create(&device, Buffer(1));
    assert!(buffer.array(longs).is_empty());
}

/// Returns a pseudo-random number that follows from the one before, so that every run is the same.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

#[test]
fn pieces_are_aligned_and_do_not_overlap() {
    let mut state = 1;
    let rounds = if cfg!(miri) { 20 } else { 2000 };
    for _ in 0..rounds {
        let mut pieces = Object::<Buffer>::pieces();
        let mut ends = std::vec![(0, size_of::<Object<Buffer>>())];
        let mut add = |start: Option<usize>, length: usize, align: usize| {
            let start = start.unwrap();
            assert!(start.is_multiple_of(align) && start >= ends.last().unwrap().1);
            ends.push((start, start + length));
        };
        let count = next(&mut state) % (super::PIECES + 1);
        for _ in 0..count {
            let length = next(&mut state) % 40;
            match next(&mut state) % 4 {
                0 => add(pieces.add::<u8>(length).unwrap().offset_in(0, usize::MAX), length, 1),
                1 => add(pieces.add::<u16>(length).unwrap().offset_in(0, usize::MAX), length * 2, 2),
                2 => add(pieces.add::<[u32; 3]>(length).unwrap().offset_in(0, usize::MAX), length * 12, 4),
                _ => add(
                    pieces.add::<u64>(length).unwrap().offset_in(0, usize::MAX),
                    length * 8,
                    align_of::<u64>(),
                ),
            }
        }
        let size = pieces.layout().size();
        assert!(size >= ends.last().unwrap().1 && size.is_multiple_of(8));
        assert_eq!(pieces.add::<u8>(1).is_err(), count == super::PIECES);
    }
    assert!(Object::<Buffer>::pieces().add::<u64>(usize::MAX / 8).is_err());
    assert!(Object::<Buffer>::pieces().add::<u64>(usize::MAX).is_err());
}

#[test]
fn null_is_not_allocated_or_freed() {
    let ledger = Ledger::default();
    // SAFETY: the callbacks live to the end of the test.
    let memory = unsafe { CopiedCallbacks::new(&ledger.callbacks(), vk::SystemAllocationScope::OBJECT) };
    // SAFETY: no names.
    let names = unsafe { crate::instance::AppInfo::copy(Some(&vk::ApplicationInfo::default()), memory) };
    assert!(names.unwrap().name().is_none());
    destroy::<Buffer>(vk::Buffer::null());
    assert_eq!(ledger.scopes().len(), 0);
    let layout = core::alloc::Layout::from_size_align(24, 8).unwrap();
    let zeros = memory.allocate_zeroed(layout).unwrap();
    // SAFETY: a block of this many bytes, freed once with its layout; the larger one begins with the bytes of the smaller.
    unsafe {
        assert_eq!(zeros.as_ref(), [0; 24]);
        zeros.cast::<u8>().write(9);
        let larger = core::alloc::Layout::from_size_align(4096, 8).unwrap();
        let grown = memory.grow(zeros.cast(), layout, larger).unwrap();
        assert_eq!((grown.cast::<u8>().read(), ledger.live_blocks()), (9, 1));
        memory.deallocate(grown.cast(), larger);
    }
    assert_eq!(ledger.live_blocks(), 0);
}

#[test]
fn attached_data_is_read_while_its_object_changes() {
    let device = Held::<TestDevice>::new(None);
    let slot = device.root().new_slot();
    let handle = create(&device, Buffer(0)).into_handle();
    thread::scope(|scope| {
        // SAFETY: no other thread uses the driver's part, and the base is shared.
        let mut buffer = unsafe { Object::<Buffer>::exclusive_from_handle(handle) }.unwrap();
        // SAFETY: a live handle.
        let base = unsafe { ObjectBase::of(handle.as_raw()) }.unwrap();
        scope.spawn(move || (0..20).for_each(|value| base.set_private_data(&slot, value).unwrap()));
        for _ in 0..20 {
            buffer.0 += 1;
            assert!(buffer.base().private_data(&slot) < 20);
        }
        assert_eq!((buffer.object().0, buffer.object().raw()), (20, handle.as_raw()));
        assert!(core::ptr::eq(buffer.parent(), &*device));
    });
    // SAFETY: null, and the handle of something else.
    unsafe {
        assert!(Object::<Buffer>::exclusive_from_handle(vk::Buffer::null()).is_none());
        let other = vk::CommandBuffer::from_raw(handle.as_raw());
        assert!(Object::<CommandBuffer>::exclusive_from_handle(other).is_none());
    }
    destroy::<Buffer>(handle);
}

#[test]
fn objects_of_a_pool_serve_again_without_memory() {
    let ledger = Ledger::default();
    let device = Held::<TestDevice>::new(None);
    let callbacks = ledger.callbacks();
    // SAFETY: the callbacks live until the end of the test.
    let memory = unsafe { CopiedCallbacks::new(&callbacks, vk::SystemAllocationScope::OBJECT) };
    let mut sets = Members::<Set>::new(memory);
    // SAFETY: the device outlives the sets.
    let add = |sets: &mut Members<Set>, number| unsafe { sets.create(&*device, Set(number)) };
    let all: Vec<_> = (0..5).map(|number| add(&mut sets, number).unwrap()).collect();
    ledger.fail(Some(0));
    assert!(add(&mut sets, 9).is_err() && sets.reuse().is_none());
    get::<Set>(all[3]).unwrap().base().set_name(Some(b"third")).unwrap();
    // SAFETY: the sets are of this pool and no longer in use.
    unsafe {
        [3, 0, 4].iter().for_each(|index| sets.free(all[*index]));
        sets.free(vk::DescriptorSet::null());
    }
    let mut again: Vec<_> = (0..3).map(|_| get::<Set>(sets.reuse().unwrap()).unwrap()).collect();
    assert!(sets.reuse().is_none());
    again.sort_by_key(|set| set.0);
    assert_eq!(again.iter().map(|set| set.0).collect::<Vec<_>>(), [0, 3, 4]);
    assert!(again.iter().all(|set| set.base().name().unwrap().is_empty() && set.base().is_visible()));
    // SAFETY: as above.
    unsafe { sets.free(all[1]) };
    assert_eq!(ledger.live_blocks(), 5);
    sets.trim();
    assert_eq!(ledger.live_blocks(), 4);
    // SAFETY: as above.
    unsafe { sets.free_all() };
    assert!((0..4).all(|_| sets.reuse().is_some()) && sets.reuse().is_none());
    drop(sets);
    assert_eq!((ledger.live_blocks(), device.root().children()), (0, 0));
}
