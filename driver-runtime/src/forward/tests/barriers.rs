//! Barriers, events, timestamps.

use std::vec;
use std::vec::Vec;

use ash::vk;

use super::{Made, all, equal, first, handle, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::forward::calls::CHUNK;

/// A barrier: stages and accesses before and after.
type Scopes = (vk::PipelineStageFlags2, vk::AccessFlags2, vk::PipelineStageFlags2, vk::AccessFlags2);
type Image = (Scopes, vk::ImageLayout, vk::ImageLayout, u32, u32, vk::Image, u32);
type Buffer = (Scopes, u32, u32, vk::Buffer, u64, u64);

#[derive(Clone, PartialEq)]
struct Dependency {
    flags: vk::DependencyFlags,
    memory: Vec<Scopes>,
    buffers: Vec<Buffer>,
    images: Vec<Image>,
}

#[derive(PartialEq)]
enum Call {
    Barrier(Dependency),
    Set(vk::Event, Dependency),
    Reset(vk::Event, vk::PipelineStageFlags2),
    Wait(Vec<vk::Event>, Vec<Dependency>),
    Timestamp(vk::PipelineStageFlags2, vk::QueryPool, u32),
    Marker(vk::PipelineStageFlags2, vk::Buffer, u64, u32),
}

fn kept(info: &vk::DependencyInfo<'_>) -> Dependency {
    let memory = all(info.p_memory_barriers, info.memory_barrier_count);
    let buffers = all(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count);
    let images = all(info.p_image_memory_barriers, info.image_memory_barrier_count);
    Dependency {
        flags: info.dependency_flags,
        memory: memory
            .iter()
            .map(|one| (one.src_stage_mask, one.src_access_mask, one.dst_stage_mask, one.dst_access_mask))
            .collect(),
        buffers: buffers
            .iter()
            .map(|one| {
                let scopes =
                    (one.src_stage_mask, one.src_access_mask, one.dst_stage_mask, one.dst_access_mask);
                let families = (one.src_queue_family_index, one.dst_queue_family_index);
                (scopes, families.0, families.1, one.buffer, one.offset, one.size)
            })
            .collect(),
        images: images
            .iter()
            .map(|one| {
                let scopes =
                    (one.src_stage_mask, one.src_access_mask, one.dst_stage_mask, one.dst_access_mask);
                let families = (one.src_queue_family_index, one.dst_queue_family_index);
                let levels = one.subresource_range.level_count;
                (scopes, one.old_layout, one.new_layout, families.0, families.1, one.image, levels)
            })
            .collect(),
    }
}

// SAFETY: each function implements its command, with the objects of this driver; forwarders pass valid structures.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        CmdPipelineBarrier2 = |call| see(Call::Barrier(kept(&call.dependency_info))),
        CmdSetEvent2 = |call| see(Call::Set(call.event, kept(&call.dependency_info))),
        CmdResetEvent2 = |call| see(Call::Reset(call.event, call.stage_mask)),
        CmdWaitEvents2 = |call| {
            let dependencies = call.dependency_infos().iter().map(kept).collect();
            see(Call::Wait(call.events().to_vec(), dependencies));
        },
        CmdWriteTimestamp2 = |call| see(Call::Timestamp(call.stage, call.query_pool, call.query)),
        CmdWriteBufferMarker2AMD = |call| {
            see(Call::Marker(call.stage, call.dst_buffer, call.dst_offset, call.marker));
        },
    }
};

const BEFORE: vk::PipelineStageFlags = vk::PipelineStageFlags::TRANSFER;
const AFTER: vk::PipelineStageFlags = vk::PipelineStageFlags::FRAGMENT_SHADER;
const BEFORE_2: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::TRANSFER;
const AFTER_2: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::FRAGMENT_SHADER;
const EXECUTION: Scopes = (BEFORE_2, vk::AccessFlags2::NONE, AFTER_2, vk::AccessFlags2::NONE);
const MEMORY: Scopes = (BEFORE_2, vk::AccessFlags2::TRANSFER_WRITE, AFTER_2, vk::AccessFlags2::SHADER_READ);

fn memory_barrier() -> vk::MemoryBarrier<'static> {
    vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::SHADER_READ)
}

fn image_barrier(number: u64) -> vk::ImageMemoryBarrier<'static> {
    vk::ImageMemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::SHADER_READ)
        .old_layout(vk::ImageLayout::UNDEFINED)
        .new_layout(vk::ImageLayout::GENERAL)
        .src_queue_family_index(3)
        .dst_queue_family_index(4)
        .image(handle(number))
        .subresource_range(vk::ImageSubresourceRange::default().level_count(5))
}

fn image_received(number: u64) -> Image {
    (MEMORY, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL, 3, 4, handle(number), 5)
}

/// Returns an execution dependency, with or without a memory barrier.
fn dependency(memory: &[Scopes]) -> Dependency {
    let flags = vk::DependencyFlags::empty();
    Dependency { flags, memory: memory.to_vec(), buffers: Vec::new(), images: Vec::new() }
}

fn pipeline_barrier(
    memory: &[vk::MemoryBarrier<'_>],
    buffers: &[vk::BufferMemoryBarrier<'_>],
    images: &[vk::ImageMemoryBarrier<'_>],
) -> Vec<Dependency> {
    let made = Made::new();
    unsafe {
        first!(CMD_PIPELINE_BARRIER: PFN_vkCmdPipelineBarrier)(
            made.commands,
            BEFORE,
            AFTER,
            vk::DependencyFlags::BY_REGION,
            memory.len() as u32,
            memory.as_ptr(),
            buffers.len() as u32,
            buffers.as_ptr(),
            images.len() as u32,
            images.as_ptr(),
        );
    }
    let calls = seen::<Call>().into_iter();
    let received: Vec<_> = calls
        .map(|call| {
            let Call::Barrier(info) = call else { panic!("only barriers") };
            info
        })
        .collect();
    assert!(received.iter().all(|one| one.flags == vk::DependencyFlags::BY_REGION));
    received
}

#[test]
fn a_barrier_orders_its_stages_whatever_it_is_about() {
    let none = pipeline_barrier(&[], &[], &[]);
    equal!((none.len(), &none[0].memory[..]), (1, &[EXECUTION][..]));
    let images = pipeline_barrier(&[], &[], &[image_barrier(1)]);
    equal!((images[0].memory.clone(), images[0].images.clone()), (vec![EXECUTION], vec![image_received(1)]));
    let both = pipeline_barrier(&[memory_barrier()], &[], &[image_barrier(2)]);
    equal!((both.len(), both[0].memory.clone()), (1, vec![MEMORY]));
}

#[test]
fn barriers_of_buffers_arrive() {
    let one = vk::BufferMemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::SHADER_READ)
        .src_queue_family_index(1)
        .dst_queue_family_index(2)
        .buffer(handle(3))
        .offset(4)
        .size(5);
    let received = pipeline_barrier(&[], &[one], &[]);
    equal!(received[0].buffers, [(MEMORY, 1, 2, handle(3), 4, 5)]);
}

#[test]
fn a_long_list_of_barriers_arrives_in_order_and_each_once() {
    let images: Vec<_> = (0..2 * CHUNK as u64 + 1).map(image_barrier).collect();
    let memory = vec![memory_barrier(); CHUNK + 2];
    let received = pipeline_barrier(&memory, &[], &images);
    equal!(received.len(), 3);
    let of_images: Vec<_> = received.iter().flat_map(|one| one.images.clone()).collect();
    equal!(of_images, (0..2 * CHUNK as u64 + 1).map(image_received).collect::<Vec<_>>());
    let of_memory: Vec<_> = received.iter().flat_map(|one| one.memory.clone()).collect();
    equal!(of_memory, [MEMORY; CHUNK + 2]);
}

fn wait_events(events: &[vk::Event], images: &[vk::ImageMemoryBarrier<'_>]) -> Vec<Call> {
    let made = Made::new();
    unsafe {
        first!(CMD_WAIT_EVENTS: PFN_vkCmdWaitEvents)(
            made.commands,
            events.len() as u32,
            events.as_ptr(),
            BEFORE,
            AFTER,
            0,
            core::ptr::null(),
            0,
            core::ptr::null(),
            images.len() as u32,
            images.as_ptr(),
        );
    }
    seen()
}

#[test]
fn one_event_has_the_barriers() {
    let waited = wait_events(&[handle(7)], &[image_barrier(1)]);
    let info = Dependency { images: vec![image_received(1)], ..dependency(&[EXECUTION]) };
    equal!(waited, [Call::Wait(vec![handle(7)], vec![info])]);
    equal!(wait_events(&[handle(7)], &[]), [Call::Wait(vec![handle(7)], vec![dependency(&[EXECUTION])])]);
}

#[test]
fn several_events_are_waited_for_before_a_barrier() {
    let events: Vec<vk::Event> = (1..CHUNK as u64 + 2).map(handle).collect();
    let waited = wait_events(&events, &[image_barrier(1)]);
    let info = Dependency { images: vec![image_received(1)], ..dependency(&[EXECUTION]) };
    equal!(
        waited,
        [
            Call::Wait(events[..CHUNK].to_vec(), vec![dependency(&[EXECUTION]); CHUNK]),
            Call::Wait(events[CHUNK..].to_vec(), vec![dependency(&[EXECUTION])]),
            Call::Barrier(info),
        ]
    );
    equal!(wait_events(&events[..2], &[]).len(), 1);
}

#[test]
fn events_and_timestamps_have_stages_of_64_bits() {
    let made = Made::new();
    unsafe {
        first!(CMD_SET_EVENT: PFN_vkCmdSetEvent)(made.commands, handle(1), BEFORE);
        first!(CMD_RESET_EVENT: PFN_vkCmdResetEvent)(made.commands, handle(2), AFTER);
        let write = first!(CMD_WRITE_TIMESTAMP: PFN_vkCmdWriteTimestamp);
        write(made.commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, handle(3), 4);
        let mark = first!(CMD_WRITE_BUFFER_MARKER_AMD: PFN_vkCmdWriteBufferMarkerAMD);
        mark(made.commands, BEFORE, handle(5), 6, 7);
    }
    let none = vk::AccessFlags2::NONE;
    let set = dependency(&[(BEFORE_2, none, vk::PipelineStageFlags2::ALL_COMMANDS, none)]);
    equal!(
        seen::<Call>(),
        [
            Call::Set(handle(1), set),
            Call::Reset(handle(2), AFTER_2),
            Call::Timestamp(vk::PipelineStageFlags2::BOTTOM_OF_PIPE, handle(3), 4),
            Call::Marker(BEFORE_2, handle(5), 6, 7),
        ]
    );
}
