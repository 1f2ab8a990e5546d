//! Programs that look for the effect of commands of extensions.

use std::ffi::CStr;
use std::mem::transmute_copy;
use std::ptr::{null, with_exposed_provenance};
use std::slice;

use ash::{amd, khr, nv, vk};
use vkload_driver_runtime::types;

use super::{Context, LAYERS, RANGE, Words, image, run, submit, texels};

const COPIES: &[&CStr] = &[
    nv::copy_memory_indirect::NAME,
    c"VK_KHR_copy_memory_indirect",
    c"VK_KHR_device_address_commands",
    amd::buffer_marker::NAME,
];

/// Returns a function of the device.
///
/// # Safety
/// `P` is the type of its pointer.
unsafe fn function<P>(context: &Context, name: &CStr) -> P {
    let found = unsafe { context.instance.get_device_proc_addr(context.device.handle(), name.as_ptr()) };
    let found = found.unwrap_or_else(|| panic!("{name:?} is missing"));
    // SAFETY: the caller vouches for the type.
    unsafe { transmute_copy(&found) }
}

fn range(address: u64, size: u64) -> types::DeviceAddressRangeKHR {
    types::DeviceAddressRangeKHR { address, size }
}

/// Copies, fills, updates and marks memory by addresses.
#[test]
#[ignore = "run by the other tests"]
fn copies_by_address() {
    Context::with_addresses(COPIES).run(|context, _| unsafe {
        let words = Words::new(&context.device, 64);
        let at = |word: u64| words.address + 4 * word;
        words.set(0, &[77, 78, 79]);
        let bytes = |command: &vk::CopyMemoryIndirectCommandNV| {
            slice::from_raw_parts((&raw const *command).cast::<u32>(), 6).to_vec()
        };
        let command = |from, to| vk::CopyMemoryIndirectCommandNV {
            src_address: at(from),
            dst_address: at(to),
            size: 4,
        };
        words.set(8, &[bytes(&command(0, 20)), bytes(&command(1, 22))].concat());
        let copy: types::PFN_vkCmdCopyMemoryIndirectNV = function(context, c"vkCmdCopyMemoryIndirectNV");
        run(&context.device, |commands| copy(commands, at(8), 2, 24));
        assert_eq!(words.get(20, 3), [77, 0, 78]);
        let copy: types::PFN_vkCmdCopyMemoryIndirectKHR = function(context, c"vkCmdCopyMemoryIndirectKHR");
        let info = types::CopyMemoryIndirectInfoKHR {
            s_type: vk::StructureType::from_raw(1_000_549_002),
            p_next: null(),
            src_copy_flags: Default::default(),
            dst_copy_flags: Default::default(),
            copy_count: 1,
            copy_address_range: types::StridedDeviceAddressRangeKHR { address: at(8), size: 24, stride: 24 },
        };
        words.set(0, &[80]);
        run(&context.device, |commands| copy(commands, &info));
        assert_eq!(words.get(20, 3), [80, 0, 78]);
        let copy: types::PFN_vkCmdCopyMemoryKHR = function(context, c"vkCmdCopyMemoryKHR");
        let fill: types::PFN_vkCmdFillMemoryKHR = function(context, c"vkCmdFillMemoryKHR");
        let update: types::PFN_vkCmdUpdateMemoryKHR = function(context, c"vkCmdUpdateMemoryKHR");
        let mark: types::PFN_vkCmdWriteMarkerToMemoryAMD = function(context, c"vkCmdWriteMarkerToMemoryAMD");
        let region = types::DeviceMemoryCopyKHR {
            s_type: vk::StructureType::from_raw(1_000_318_000),
            p_next: null(),
            src_range: range(at(0), 8),
            src_flags: Default::default(),
            dst_range: range(at(30), 8),
            dst_flags: Default::default(),
        };
        let info = types::CopyDeviceMemoryInfoKHR {
            s_type: vk::StructureType::from_raw(1_000_318_001),
            p_next: null(),
            region_count: 1,
            p_regions: &region,
        };
        let marker = types::MemoryMarkerInfoAMD {
            s_type: vk::StructureType::from_raw(1_000_318_014),
            p_next: null(),
            stage: vk::PipelineStageFlags2::BOTTOM_OF_PIPE,
            dst_range: range(at(36), 4),
            dst_flags: Default::default(),
            marker: 9,
        };
        run(&context.device, |commands| {
            copy(commands, &info);
            fill(commands, &range(at(32), 8), Default::default(), 5);
            update(
                commands,
                &range(at(34), 4),
                Default::default(),
                4,
                (&raw const region.src_range.size).cast(),
            );
            mark(commands, &marker);
        });
        assert_eq!(words.get(30, 7), [80, 78, 5, 5, 8, 0, 9]);
        words.end(&context.device);
    });
}

/// Copies between memory and an image by addresses.
#[test]
#[ignore = "run by the other tests"]
fn images_by_address() {
    Context::with_addresses(COPIES).run(|context, device| unsafe {
        let words = Words::new(device, 64);
        let at = |word: u64| words.address + 4 * word;
        let extent = vk::Extent3D { width: 2, height: 2, depth: 1 };
        let (image, memory) = image(device, texels(extent));
        let command = vk::CopyMemoryToImageIndirectCommandNV {
            src_address: at(20),
            buffer_row_length: 0,
            buffer_image_height: 0,
            image_subresource: LAYERS,
            image_offset: Default::default(),
            image_extent: extent,
        };
        let to_image: types::PFN_vkCmdCopyMemoryToImageIndirectNV =
            function(context, c"vkCmdCopyMemoryToImageIndirectNV");
        let to_image_khr: types::PFN_vkCmdCopyMemoryToImageIndirectKHR =
            function(context, c"vkCmdCopyMemoryToImageIndirectKHR");
        let copy: types::PFN_vkCmdCopyMemoryToImageKHR = function(context, c"vkCmdCopyMemoryToImageKHR");
        let copy_back: types::PFN_vkCmdCopyImageToMemoryKHR = function(context, c"vkCmdCopyImageToMemoryKHR");
        let layout = vk::ImageLayout::GENERAL;
        let stride = size_of_val(&command) as u32;
        let region = |address| types::DeviceMemoryImageCopyKHR {
            s_type: vk::StructureType::from_raw(1_000_318_002),
            p_next: null(),
            address_range: range(address, 16),
            address_flags: Default::default(),
            address_row_length: 0,
            address_image_height: 0,
            image_subresource: LAYERS,
            image_layout: layout,
            image_offset: Default::default(),
            image_extent: extent,
        };
        let (from, to) = (region(at(20)), region(at(40)));
        let info = |region| types::CopyDeviceMemoryImageInfoKHR {
            s_type: vk::StructureType::from_raw(1_000_318_003),
            p_next: null(),
            image,
            region_count: 1,
            p_regions: region,
        };
        let (info_to, info_back) = (info(&raw const from), info(&raw const to));
        let indirect = types::CopyMemoryToImageIndirectInfoKHR {
            s_type: vk::StructureType::from_raw(1_000_549_003),
            p_next: null(),
            src_copy_flags: Default::default(),
            copy_count: 1,
            copy_address_range: types::StridedDeviceAddressRangeKHR {
                address: at(0),
                size: 64,
                stride: stride.into(),
            },
            dst_image: image,
            dst_image_layout: layout,
            p_image_subresources: &LAYERS,
        };
        words.set(0, slice::from_raw_parts((&raw const command).cast::<u32>(), stride as usize / 4));
        let ways: [&dyn Fn(vk::CommandBuffer); 3] = [
            &|commands| to_image(commands, at(0), 1, stride, image, layout, &LAYERS),
            &|commands| to_image_khr(commands, &indirect),
            &|commands| copy(commands, &info_to),
        ];
        for (number, way) in (1..).zip(ways) {
            words.set(20, &[number, 2, 3, 4]);
            run(device, |commands| {
                way(commands);
                copy_back(commands, &info_back);
            });
            assert_eq!(words.get(40, 4), [number, 2, 3, 4]);
        }
        device.destroy_image(image, None);
        device.free_memory(memory, None);
        words.end(device);
    });
}

/// A type of query, the values of one, and how it is made available.
type Way<'a> = (vk::QueryType, &'a [u64], &'a dyn Fn(vk::CommandBuffer, vk::QueryPool));

/// Queries of every kind become available, so waiting for them ends.
#[test]
#[ignore = "run by the other tests"]
fn queries_of_extensions() {
    let names = [
        khr::acceleration_structure::NAME,
        khr::deferred_host_operations::NAME,
        nv::ray_tracing::NAME,
        ash::ext::opacity_micromap::NAME,
        ash::ext::transform_feedback::NAME,
        nv::low_latency2::NAME,
        c"VK_KHR_device_address_commands",
    ];
    Context::with_addresses(&names).run(|context, device| unsafe {
        let words = Words::new(device, 16);
        let structures: types::PFN_vkCmdWriteAccelerationStructuresPropertiesKHR =
            function(context, c"vkCmdWriteAccelerationStructuresPropertiesKHR");
        let structures_nv: types::PFN_vkCmdWriteAccelerationStructuresPropertiesNV =
            function(context, c"vkCmdWriteAccelerationStructuresPropertiesNV");
        let micromaps: types::PFN_vkCmdWriteMicromapsPropertiesEXT =
            function(context, c"vkCmdWriteMicromapsPropertiesEXT");
        let begin: types::PFN_vkCmdBeginQueryIndexedEXT = function(context, c"vkCmdBeginQueryIndexedEXT");
        let end: types::PFN_vkCmdEndQueryIndexedEXT = function(context, c"vkCmdEndQueryIndexedEXT");
        let copy: types::PFN_vkCmdCopyQueryPoolResultsToMemoryKHR =
            function(context, c"vkCmdCopyQueryPoolResultsToMemoryKHR");
        let (one, one_nv, micromap) = (
            vk::AccelerationStructureKHR::null(),
            vk::AccelerationStructureNV::null(),
            vk::MicromapEXT::null(),
        );
        let compacted = vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR;
        let compacted_nv = vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_NV;
        let of_micromap = vk::QueryType::MICROMAP_COMPACTED_SIZE_EXT;
        let stream = vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT;
        let ways: [Way<'_>; 4] = [
            (compacted, &[256], &|commands, pool| structures(commands, 1, &one, compacted, pool, 0)),
            (compacted_nv, &[256], &|commands, pool| {
                structures_nv(commands, 1, &one_nv, compacted_nv, pool, 0)
            }),
            (of_micromap, &[256], &|commands, pool| micromaps(commands, 1, &micromap, of_micromap, pool, 0)),
            (stream, &[0, 0], &|commands, pool| {
                begin(commands, pool, 0, vk::QueryControlFlags::empty(), 0);
                end(commands, pool, 0, 0);
            }),
        ];
        for (kind, expected, way) in ways {
            let info = vk::QueryPoolCreateInfo::default().query_type(kind).query_count(1);
            let pool = device.create_query_pool(&info, None).unwrap();
            let to = types::StridedDeviceAddressRangeKHR { address: words.address, size: 16, stride: 16 };
            words.set(0, &[7; 4]);
            run(device, |commands| {
                device.cmd_reset_query_pool(commands, pool, 0, 1);
                way(commands, pool);
                copy(commands, pool, 0, 1, &to, Default::default(), vk::QueryResultFlags::TYPE_64);
            });
            let mut values = vec![9_u64; expected.len()];
            let wait = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            let get = device.fp_v1_0().get_query_pool_results;
            let size = size_of_val(&values[..]);
            let result =
                get(device.handle(), pool, 0, 1, size, values.as_mut_ptr().cast(), size as u64, wait);
            assert_eq!((result, &values[..]), (vk::Result::SUCCESS, expected), "{}", kind.as_raw());
            assert_eq!(u64::from(words.get(0, 1)[0]), expected[0], "{}", kind.as_raw());
            device.destroy_query_pool(pool, None);
        }
        sleeps(context);
        words.end(device);
    });
}

/// A wait for the semaphore of `vkLatencySleepNV` ends.
unsafe fn sleeps(context: &Context) {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    unsafe {
        let semaphore = context
            .device
            .create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None)
            .unwrap();
        let sleep: vk::PFN_vkLatencySleepNV = function(context, c"vkLatencySleepNV");
        let info = vk::LatencySleepInfoNV::default().signal_semaphore(semaphore).value(3);
        assert_eq!(sleep(context.device.handle(), vk::SwapchainKHR::null(), &info), vk::Result::SUCCESS);
        let (semaphores, values) = ([semaphore], [3]);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        context.device.wait_semaphores(&wait, u64::MAX).unwrap();
        context.device.destroy_semaphore(semaphore, None);
    }
}

/// A queue waits for an event that the host sets: what comes after it has not happened when another queue's work is done.
#[test]
#[ignore = "run by the other tests"]
fn host_event() {
    Context::with_addresses(&[]).run(|_, device| unsafe {
        let words = Words::new(device, 16);
        let event = device.create_event(&Default::default(), None).unwrap();
        let (host, transfer) = (vk::PipelineStageFlags::HOST, vk::PipelineStageFlags::TRANSFER);
        let (pool, fence) = submit(device, |commands| {
            device.cmd_fill_buffer(commands, words.buffer, 0, 4, 1);
            device.cmd_wait_events(commands, &[event], host, transfer, &[], &[], &[]);
            device.cmd_fill_buffer(commands, words.buffer, 0, 4, 2);
        });
        let first = with_exposed_provenance::<u32>(words.start).cast_mut();
        while first.read_volatile() == 0 {
            std::thread::yield_now();
        }
        for _ in 0..20 {
            let (other, queue) =
                (device.create_fence(&Default::default(), None).unwrap(), device.get_device_queue(0, 1));
            device.queue_submit(queue, &[], other).unwrap();
            device.wait_for_fences(&[other], true, u64::MAX).unwrap();
            device.destroy_fence(other, None);
        }
        assert_eq!((first.read_volatile(), device.get_fence_status(fence)), (1, Ok(false)));
        device.set_event(event).unwrap();
        device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        assert_eq!(words.get(0, 1), [2]);
        device.destroy_event(event, None);
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        words.end(device);
    });
}

/// Events are reset, markers are written, and a resolve takes a sample of each texel.
#[test]
#[ignore = "run by the other tests"]
fn events_markers_and_resolves() {
    Context::with_addresses(&[amd::buffer_marker::NAME]).run(|context, device| unsafe {
        let words = Words::new(device, 16);
        let event = device.create_event(&Default::default(), None).unwrap();
        device.set_event(event).unwrap();
        let mark: types::PFN_vkCmdWriteBufferMarkerAMD = function(context, c"vkCmdWriteBufferMarkerAMD");
        let mark_2: types::PFN_vkCmdWriteBufferMarker2AMD = function(context, c"vkCmdWriteBufferMarker2AMD");
        let (layout, extent) = (vk::ImageLayout::GENERAL, vk::Extent3D { width: 2, height: 2, depth: 1 });
        let [many, one] = [vk::SampleCountFlags::TYPE_4, vk::SampleCountFlags::TYPE_1]
            .map(|samples| image(device, texels(extent).samples(samples)));
        run(device, |commands| {
            device.cmd_reset_event(commands, event, vk::PipelineStageFlags::ALL_COMMANDS);
            mark(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, words.buffer, 0, 5);
            mark_2(commands, vk::PipelineStageFlags2::TOP_OF_PIPE, words.buffer, 4, 6);
            let value = vk::ClearColorValue { float32: [1.0, 0.0, 0.0, 0.0] };
            device.cmd_clear_color_image(commands, many.0, layout, &value, &[RANGE]);
            let resolve =
                vk::ImageResolve::default().src_subresource(LAYERS).dst_subresource(LAYERS).extent(extent);
            device.cmd_resolve_image(commands, many.0, layout, one.0, layout, &[resolve]);
            let copy = vk::BufferImageCopy::default()
                .buffer_offset(8)
                .image_subresource(LAYERS)
                .image_extent(extent);
            device.cmd_copy_image_to_buffer(commands, one.0, layout, words.buffer, &[copy]);
        });
        assert_eq!(device.get_event_status(event), Ok(false));
        assert_eq!(words.get(0, 6), [5, 6, 255, 255, 255, 255]);
        device.destroy_event(event, None);
        for (image, memory) in [many, one] {
            device.destroy_image(image, None);
            device.free_memory(memory, None);
        }
        words.end(device);
    });
}
