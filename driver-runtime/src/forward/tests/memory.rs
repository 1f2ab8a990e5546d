//! Memory, queues, swapchains.

use std::ptr;
use std::vec::Vec;

use ash::vk;

use super::{Made, equal, first, handle, saw, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::out_array::OutArray;
use crate::testing::Ledger;

const FAILED: vk::Result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
const REQUIREMENTS: vk::MemoryRequirements =
    vk::MemoryRequirements { size: 1, alignment: 2, memory_type_bits: 3 };

// SAFETY: each function implements its command, with the objects of this driver; forwarders pass valid structures.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        BindBufferMemory2 = |call| {
            let [info] = call.bind_infos() else { panic!("one binding") };
            see((info.s_type, info.buffer, info.memory, info.memory_offset));
            FAILED
        },
        BindImageMemory2 = |call| {
            let [info] = call.bind_infos() else { panic!("one binding") };
            see((info.s_type, info.image, info.memory, info.memory_offset));
            FAILED
        },
        GetBufferMemoryRequirements2 = |call| {
            see(call.info.buffer);
            call.memory_requirements.as_mut().memory_requirements = REQUIREMENTS;
        },
        GetImageMemoryRequirements2 = |call| {
            see(call.info.image);
            call.memory_requirements.as_mut().memory_requirements = REQUIREMENTS;
        },
        // An image has three.
        GetImageSparseMemoryRequirements2 = |call| {
            see(call.info.image);
            let count = call.sparse_memory_requirement_count.as_ptr();
            let mut array = OutArray::new(count, call.sparse_memory_requirements);
            for number in 7..10 {
                array.push_with(|out| out.memory_requirements.image_mip_tail_first_lod = number);
            }
            let _ = array.finish();
        },
        MapMemory2 = |call| {
            let info = &call.memory_map_info;
            see((info.flags, info.memory, info.offset, info.size));
            call.data.write(ptr::without_provenance_mut(4711));
            vk::Result::SUCCESS
        },
        UnmapMemory2 = |call| {
            see(call.memory_unmap_info.memory);
            vk::Result::SUCCESS
        },
        GetImageSubresourceLayout2 = |call| {
            see((call.image, call.subresource.image_subresource.mip_level));
            call.layout.as_mut().subresource_layout.row_pitch = 99;
        },
        GetDeviceQueue2 = |call| {
            let info = &call.queue_info;
            see((info.flags, info.queue_family_index, info.queue_index));
            call.queue.write(handle(5));
        },
        AcquireNextImage2KHR = |call| {
            let info = &call.acquire_info;
            see((info.swapchain, info.timeout, info.semaphore, info.fence, info.device_mask));
            call.image_index.write(6);
            vk::Result::SUBOPTIMAL_KHR
        },
    }
};

#[test]
fn memory_is_bound_and_the_result_is_the_drivers() {
    let made = Made::new();
    let memory = handle::<vk::DeviceMemory>(2);
    unsafe {
        let bind = first!(BIND_BUFFER_MEMORY: PFN_vkBindBufferMemory);
        equal!(bind(made.device, handle(1), memory, 3), FAILED);
        let buffer = handle::<vk::Buffer>(1);
        assert!(saw([(vk::StructureType::BIND_BUFFER_MEMORY_INFO, buffer, memory, 3u64)]));
        let bind = first!(BIND_IMAGE_MEMORY: PFN_vkBindImageMemory);
        equal!(bind(made.device, handle(1), memory, 3), FAILED);
        let image = handle::<vk::Image>(1);
        assert!(saw([(vk::StructureType::BIND_IMAGE_MEMORY_INFO, image, memory, 3u64)]));
    }
}

#[test]
fn requirements_and_layouts_come_back() {
    let made = Made::new();
    let mut out = vk::MemoryRequirements::default();
    unsafe {
        let query = first!(GET_BUFFER_MEMORY_REQUIREMENTS: PFN_vkGetBufferMemoryRequirements);
        query(made.device, handle(1), &mut out);
        equal!((seen::<vk::Buffer>(), out.memory_type_bits), (std::vec![handle(1)], 3));
        out = vk::MemoryRequirements::default();
        let query = first!(GET_IMAGE_MEMORY_REQUIREMENTS: PFN_vkGetImageMemoryRequirements);
        query(made.device, handle(2), &mut out);
        equal!((seen::<vk::Image>(), out.alignment), (std::vec![handle(2)], 2));
        let subresource = vk::ImageSubresource::default().mip_level(4);
        let mut layout = vk::SubresourceLayout::default();
        let query = first!(GET_IMAGE_SUBRESOURCE_LAYOUT: PFN_vkGetImageSubresourceLayout);
        query(made.device, handle(3), &subresource, &mut layout);
        equal!((seen::<(vk::Image, u32)>(), layout.row_pitch), (std::vec![(handle(3), 4)], 99));
    }
}

#[test]
fn requirements_of_sparse_images_are_counted_and_listed() {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let made = Made::with(Some(&callbacks));
    let query = |count: &mut u32, out: *mut vk::SparseImageMemoryRequirements| {
        unsafe {
            first!(GET_IMAGE_SPARSE_MEMORY_REQUIREMENTS: PFN_vkGetImageSparseMemoryRequirements)(
                made.device,
                handle(1),
                count,
                out,
            );
        }
        seen::<vk::Image>()
    };
    let (mut count, mut list) = (77, [vk::SparseImageMemoryRequirements::default(); 4]);
    equal!((query(&mut count, ptr::null_mut()), count), (std::vec![handle(1)], 3));
    for (room, written) in [(4, 3), (2, 2), (0, 0)] {
        list.fill(vk::SparseImageMemoryRequirements::default());
        count = room;
        query(&mut count, list.as_mut_ptr());
        let lods: Vec<_> = list.iter().map(|one| one.image_mip_tail_first_lod).collect();
        equal!((count, &lods[..written as usize]), (written, &[7, 8, 9][..written as usize]));
        assert!(lods[written as usize..].iter().all(|lod| *lod == 0));
    }
    count = 4;
    ledger.fail(Some(0));
    equal!((query(&mut count, list.as_mut_ptr()).len(), count), (0, 0));
    ledger.fail(None);
}

#[test]
fn memory_is_mapped_and_unmapped() {
    let made = Made::new();
    let memory = handle::<vk::DeviceMemory>(1);
    let mut start = ptr::null_mut();
    unsafe {
        let map = first!(MAP_MEMORY: PFN_vkMapMemory);
        let result = map(made.device, memory, 2, 3, vk::MemoryMapFlags::empty(), &mut start);
        equal!((result, start.addr()), (vk::Result::SUCCESS, 4711));
        assert!(saw([(vk::MemoryMapFlags::empty(), memory, 2u64, 3u64)]));
        first!(UNMAP_MEMORY: PFN_vkUnmapMemory)(made.device, memory);
        equal!(seen::<vk::DeviceMemory>(), [memory]);
    }
}

#[test]
fn queues_and_images_to_present_are_got() {
    let made = Made::new();
    let (mut queue, mut index) = (vk::Queue::null(), 0);
    unsafe {
        first!(GET_DEVICE_QUEUE: PFN_vkGetDeviceQueue)(made.device, 3, 4, &mut queue);
        equal!(queue, handle(5));
        assert!(saw([(vk::DeviceQueueCreateFlags::empty(), 3u32, 4u32)]));
        let acquire = first!(ACQUIRE_NEXT_IMAGE_KHR: PFN_vkAcquireNextImageKHR);
        let (swapchain, semaphore, fence): (vk::SwapchainKHR, vk::Semaphore, vk::Fence) =
            (handle(1), handle(3), handle(4));
        let result = acquire(made.device, swapchain, 2, semaphore, fence, &mut index);
        equal!((result, index), (vk::Result::SUBOPTIMAL_KHR, 6));
        assert!(saw([(swapchain, 2u64, semaphore, fence, 1u32)]));
    }
}
