//! Templates on a device of the test driver, which writes `vkUpdateDescriptorSets` and `vkCmdPushDescriptorSet` only.

use core::cell::RefCell;
use std::ptr::null;
use std::vec;
use std::vec::Vec;

use ash::vk::{self, DescriptorType as Kind, Handle, StructureType};

use super::*;
use crate::device::tests::{MadeDevice, make};
use crate::dispatch::{DispatchTable, EntryPoints, function};
use crate::driver::Tables;
use crate::entry_points;
use crate::object::ParentObject;
use crate::testing::{Fail, TestDriver, failing};

/// A write as the driver received it, with copies of the data behind its pointers.
#[derive(Clone, Debug, PartialEq)]
struct Write {
    set: u64,
    binding: u32,
    first: u32,
    count: u32,
    kind: i32,
    /// The first number of each descriptor: a handle, or the value in that position.
    descriptors: Vec<u64>,
    chained: Option<(i32, u32)>,
}

/// The writes of one call, and for pushes the call's other arguments.
#[derive(Clone, Debug, PartialEq)]
struct Call(Option<(i32, u64, u32)>, Vec<Write>);

std::thread_local! {
    static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
}

/// # Safety
/// The pointer points to this many elements whose first member is a 64-bit number.
unsafe fn numbers<T>(first: *const T, count: u32) -> Vec<u64> {
    assert!(first.cast::<u64>().is_aligned());
    // SAFETY: the caller vouches for the array.
    (0..count as usize).map(|index| unsafe { first.add(index).cast::<u64>().read() }).collect()
}

/// # Safety
/// As specified for a valid write.
unsafe fn kept(write: &vk::WriteDescriptorSet<'_>) -> Write {
    let count = write.descriptor_count;
    // SAFETY: the caller vouches for the pointer that the kind of descriptors uses.
    let (descriptors, chained) = unsafe {
        match write.descriptor_type {
            Kind::COMBINED_IMAGE_SAMPLER | Kind::STORAGE_IMAGE => (numbers(write.p_image_info, count), None),
            Kind::UNIFORM_BUFFER => (numbers(write.p_buffer_info, count), None),
            Kind::STORAGE_TEXEL_BUFFER => (numbers(write.p_texel_buffer_view, count), None),
            Kind::INLINE_UNIFORM_BLOCK => {
                let block = &*write.p_next.cast::<vk::WriteDescriptorSetInlineUniformBlock<'_>>();
                let bytes = list(block.p_data.cast::<u8>(), block.data_size);
                let chained = Some((block.s_type.as_raw(), block.data_size));
                (bytes.iter().map(|byte| u64::from(*byte)).collect(), chained)
            }
            _ => {
                let of = &*write.p_next.cast::<vk::WriteDescriptorSetAccelerationStructureKHR<'_>>();
                let chained = Some((of.s_type.as_raw(), of.acceleration_structure_count));
                (numbers(of.p_acceleration_structures, count), chained)
            }
        }
    };
    let kind = write.descriptor_type.as_raw();
    let (binding, first) = (write.dst_binding, write.dst_array_element);
    Write { set: write.dst_set.as_raw(), binding, first, count, kind, descriptors, chained }
}

/// The test driver's commands for these tests.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<TestDriver> = unsafe {
    entry_points! {
        UpdateDescriptorSets = |call| {
            assert_eq!(call.descriptor_copy_count, 0);
            let writes = call.descriptor_writes().iter().map(|write| kept(write)).collect();
            CALLS.with_borrow_mut(|calls| calls.push(Call(None, writes)));
        },
        CmdPushDescriptorSetKHR = |call| {
            let writes = call.descriptor_writes().iter().map(|write| kept(write)).collect();
            let set = (call.pipeline_bind_point.as_raw(), call.layout.as_raw(), call.set);
            CALLS.with_borrow_mut(|calls| calls.push(Call(Some(set), writes)));
        },
    }
};

const TABLE: &DispatchTable = <TestDriver as Tables>::TABLE;

fn entry(
    binding: u32,
    first: u32,
    count: u32,
    kind: Kind,
    offset: usize,
    stride: usize,
) -> vk::DescriptorUpdateTemplateEntry {
    vk::DescriptorUpdateTemplateEntry {
        dst_binding: binding,
        dst_array_element: first,
        descriptor_count: count,
        descriptor_type: kind,
        offset,
        stride,
    }
}

/// A template that is destroyed with the test.
struct Made<'a>(vk::DescriptorUpdateTemplate, &'a MadeDevice);

impl<'a> Made<'a> {
    fn new(device: &'a MadeDevice, entries: &[vk::DescriptorUpdateTemplateEntry]) -> Self {
        Self::try_new(device, entries).unwrap()
    }

    fn try_new(
        device: &'a MadeDevice,
        entries: &[vk::DescriptorUpdateTemplateEntry],
    ) -> Result<Self, vk::Result> {
        let info = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(entries)
            .pipeline_bind_point(vk::PipelineBindPoint::COMPUTE);
        let mut template = vk::DescriptorUpdateTemplate::null();
        // SAFETY: a live device and valid pointers.
        let result = unsafe {
            let create = function!(
                TABLE,
                CREATE_DESCRIPTOR_UPDATE_TEMPLATE: PFN_vkCreateDescriptorUpdateTemplate
            );
            create.unwrap()(device.0, &info, null(), &mut template)
        };
        result.result_with_success(Self(template, device)).inspect(|made| assert!(!made.0.is_null()))
    }

    /// Returns the calls that the driver gets for the data.
    fn update<T>(&self, data: &[T]) -> Vec<Call> {
        // SAFETY: live handles and data that is as long as the entries say.
        unsafe {
            let update = function!(
                TABLE,
                UPDATE_DESCRIPTOR_SET_WITH_TEMPLATE: PFN_vkUpdateDescriptorSetWithTemplate
            );
            update.unwrap()(self.1.0, vk::DescriptorSet::from_raw(77), self.0, data.as_ptr().cast());
        }
        CALLS.take()
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        // SAFETY: a live or null handle that is no longer in use.
        unsafe {
            let destroy = function!(
                TABLE,
                DESTROY_DESCRIPTOR_UPDATE_TEMPLATE: PFN_vkDestroyDescriptorUpdateTemplate
            );
            destroy.unwrap()(self.1.0, self.0, null());
        }
    }
}

fn device() -> MadeDevice {
    make(&vk::DeviceCreateInfo::default()).unwrap()
}

fn write(binding: u32, first: u32, kind: Kind, descriptors: &[u64]) -> Write {
    let descriptors = descriptors.to_vec();
    let count = descriptors.len() as u32;
    Write { set: 77, binding, first, count, kind: kind.as_raw(), descriptors, chained: None }
}

#[test]
fn every_kind_of_descriptor_is_written() {
    let device = device();
    // Words: an image has three, a buffer has three, and the rest has one.
    let data: Vec<u64> = (100..130).collect();
    let tensor = Kind::from_raw(1_000_460_000);
    let made = Made::new(
        &device,
        &[
            entry(1, 2, 2, Kind::COMBINED_IMAGE_SAMPLER, 0, 24),
            entry(2, 0, 1, Kind::UNIFORM_BUFFER, 48, 0),
            entry(3, 0, 2, Kind::STORAGE_TEXEL_BUFFER, 72, 8),
            entry(4, 5, 3, Kind::INLINE_UNIFORM_BLOCK, 88, 0),
            entry(5, 0, 2, Kind::ACCELERATION_STRUCTURE_KHR, 96, 8),
            entry(6, 0, 1, Kind::ACCELERATION_STRUCTURE_NV, 112, 8),
            entry(7, 0, 1, tensor, 120, 8),
        ],
    );
    let chained = |write: Write, kind: StructureType| {
        let count = write.count;
        Write { chained: Some((kind.as_raw(), count)), ..write }
    };
    let bytes = data[11].to_ne_bytes();
    let expected = vec![
        write(1, 2, Kind::COMBINED_IMAGE_SAMPLER, &[100, 103]),
        write(2, 0, Kind::UNIFORM_BUFFER, &[106]),
        write(3, 0, Kind::STORAGE_TEXEL_BUFFER, &[109, 110]),
        chained(
            write(4, 5, Kind::INLINE_UNIFORM_BLOCK, &[bytes[0], bytes[1], bytes[2]].map(u64::from)),
            StructureType::WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
        ),
        chained(
            write(5, 0, Kind::ACCELERATION_STRUCTURE_KHR, &[112, 113]),
            StructureType::WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        ),
        chained(
            write(6, 0, Kind::ACCELERATION_STRUCTURE_NV, &[114]),
            StructureType::WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_NV,
        ),
        chained(write(7, 0, tensor, &[115]), StructureType::from_raw(1_000_460_003)),
    ];
    assert_eq!(made.update(&data), [Call(None, expected)]);
}

#[test]
fn descriptors_between_other_data_are_gathered_whatever_their_number() {
    let device = device();
    let data: Vec<u64> = (0..1000).collect();
    for (kind, count) in
        [(Kind::STORAGE_IMAGE, 100), (Kind::STORAGE_TEXEL_BUFFER, 200), (Kind::UNIFORM_BUFFER, 2)]
    {
        let made = Made::new(&device, &[entry(3, 4, count, kind, 16, 40)]);
        let mut received = Vec::new();
        for Call(_, writes) in made.update(&data) {
            for write in writes {
                assert_eq!((write.set, write.binding, write.kind), (77, 3, kind.as_raw()));
                assert_eq!(write.first as usize, 4 + received.len(), "one begins where the last ended");
                received.extend(write.descriptors);
            }
        }
        let sent: Vec<u64> = (0..u64::from(count)).map(|index| 2 + 5 * index).collect();
        assert_eq!(received, sent);
    }
}

#[test]
fn data_at_odd_addresses_is_moved() {
    let device = device();
    let mut data = vec![0u8; 64];
    let start = data.as_ptr().align_offset(8) + 1;
    data[start..start + 8].copy_from_slice(&4711u64.to_ne_bytes());
    let made = Made::new(&device, &[entry(0, 0, 1, Kind::STORAGE_TEXEL_BUFFER, start, 8)]);
    let expected = vec![write(0, 0, Kind::STORAGE_TEXEL_BUFFER, &[4711])];
    assert_eq!(made.update(&data), [Call(None, expected)]);
}

#[test]
fn many_entries_arrive_in_order() {
    let device = device();
    let data: Vec<u64> = (0..40).collect();
    let entries: Vec<_> = (0..40u32)
        .map(|index| entry(index, 0, 1, Kind::ACCELERATION_STRUCTURE_KHR, 8 * index as usize, 8))
        .collect();
    let calls = Made::new(&device, &entries).update(&data);
    let writes: Vec<_> = calls.into_iter().flat_map(|call| call.1).collect();
    let received: Vec<_> = writes.iter().map(|write| (write.binding, write.descriptors.clone())).collect();
    let sent: Vec<_> = (0..40u32).map(|index| (index, vec![u64::from(index)])).collect();
    assert_eq!(received, sent);
}

#[test]
fn nothing_is_handed_over_for_nothing() {
    let device = device();
    let unknown = Kind::from_raw(123_456);
    assert_eq!(Made::new(&device, &[entry(0, 0, 1, unknown, 0, 0)]).update(&[0u64]), []);
    assert_eq!(Made::new(&device, &[entry(0, 0, 0, Kind::UNIFORM_BUFFER, 0, 7)]).update(&[0u64]).len(), 1);
    assert_eq!(Made::new(&device, &[]).update(&[0u64]), []);
}

struct Commands;
// SAFETY: no other type is behind such handles.
unsafe impl crate::VkObject for Commands {
    type Handle = vk::CommandBuffer;
    type Parent = Device<TestDriver>;
}

#[test]
fn descriptors_are_pushed_by_template() {
    let device = device();
    let made = Made::new(&device, &[entry(1, 0, 1, Kind::STORAGE_TEXEL_BUFFER, 0, 8)]);
    let (data, layout) = ([5u64], vk::PipelineLayout::from_raw(6));
    let info = vk::PushDescriptorSetWithTemplateInfoKHR {
        descriptor_update_template: made.0,
        layout,
        set: 7,
        p_data: data.as_ptr().cast(),
        ..Default::default()
    };
    // SAFETY: live handles and valid data.
    unsafe {
        let commands = Object::create(device.get(), null(), Commands).unwrap().into_handle();
        let push = function!(
            TABLE,
            CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR
        );
        push.unwrap()(commands, made.0, layout, 7, data.as_ptr().cast());
        let push = function!(
            TABLE,
            CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_2_KHR: PFN_vkCmdPushDescriptorSetWithTemplate2KHR
        );
        push.unwrap()(commands, &info);
        Object::<Commands>::destroy(commands, null());
    }
    let written = Write { set: 0, ..write(1, 0, Kind::STORAGE_TEXEL_BUFFER, &[5]) };
    let call = Call(Some((vk::PipelineBindPoint::COMPUTE.as_raw(), 6, 7)), vec![written]);
    assert_eq!(CALLS.take(), [call.clone(), call]);
}

#[test]
fn templates_without_memory() {
    let device = device();
    let (result, reached, left) = failing(Fail::Only(0), || {
        Made::try_new(&device, &[entry(0, 0, 1, Kind::UNIFORM_BUFFER, 0, 0)]).map(drop)
    });
    assert_eq!((result, reached, left), (Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY), true, 0));
    assert!(device.get().root().base().is_visible());
}

#[test]
fn a_driver_with_templates_keeps_its_own() {
    extern "system" fn own() {}
    // SAFETY: never called.
    let driver =
        unsafe { COMMANDS.with(vkload_core::registry::command::CREATE_DESCRIPTOR_UPDATE_TEMPLATE, own) };
    let table = DispatchTable::new(&driver).forwarded(Templates::<TestDriver>::FORWARDS);
    for row in Templates::<TestDriver>::FORWARDS {
        let found = table.get(row.command).map(|function| function as usize);
        assert!(found.is_none_or(|found| found == own as *const () as usize), "{:?}", row.command.name());
    }
}
