//! Programs that check the driver's statements: a lost device stays lost, memory runs out, images run out.

use std::{env, fs, slice};

use ash::{Device, ext, vk};

use super::{Context, LAYERS, buffer, image, texels, view};

const NO_FENCE: vk::Fence = vk::Fence::null();

/// The second submission loses the device, which is lost for everything from then on.
#[test]
#[ignore = "run by the other tests"]
fn lost() {
    Context::new().run(|_, device| unsafe {
        let queue = device.get_device_queue(0, 0);
        let fence = device.create_fence(&Default::default(), None).unwrap();
        device.queue_submit(queue, &[], NO_FENCE).unwrap();
        let lost = Err(vk::Result::ERROR_DEVICE_LOST);
        assert_eq!(device.queue_submit(queue, &[], fence), lost);
        assert_eq!(device.wait_for_fences(&[fence], true, u64::MAX), lost);
        assert_eq!(device.queue_submit(queue, &[], NO_FENCE), lost);
        assert_eq!((device.queue_wait_idle(queue), device.device_wait_idle()), (lost, lost));
        device.destroy_fence(fence, None);
    });
}

/// Checks that a device without the extension leaves a budget's structure as it is.
#[test]
#[ignore = "run by the other tests"]
fn no_budget() {
    Context::with(vk::API_VERSION_1_3, &[], &[]).run(|context, _| unsafe {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        budget.heap_budget[0] = 7;
        let mut all = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        context.instance.get_physical_device_memory_properties2(context.physical, &mut all);
        assert_eq!(budget.heap_budget[0], 7);
    });
}

/// Checks that a heap of 64 MiB has 64 MiB, and that the driver reports its use.
#[test]
#[ignore = "run by the other tests"]
fn small_heap() {
    const MIB: u64 = 1 << 20;
    Context::with(vk::API_VERSION_1_3, &[], &[ext::memory_budget::NAME]).run(|context, device| unsafe {
        let allocate = |size| {
            device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(size * MIB), None)
        };
        let budget = || {
            let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
            let mut all = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
            context.instance.get_physical_device_memory_properties2(context.physical, &mut all);
            (budget.heap_budget[0] / MIB, budget.heap_usage[0] / MIB, budget.heap_budget[1])
        };
        assert_eq!(budget(), (64, 0, 0));
        let first = allocate(40).unwrap();
        assert_eq!(allocate(25), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        let second = allocate(24).unwrap();
        assert_eq!((budget(), allocate(1)), ((64, 64, 0), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)));
        device.free_memory(first, None);
        assert_eq!(budget(), (64, 24, 0));
        device.free_memory(second, None);
        assert_eq!(budget(), (64, 0, 0));
    });
}

/// The device's clock is among the readable clocks, and timestamps use it.
#[test]
#[ignore = "run by the other tests"]
fn clocks() {
    Context::with(vk::API_VERSION_1_3, &[], &[ext::calibrated_timestamps::NAME]).run(|context, _| unsafe {
        let instance = ext::calibrated_timestamps::Instance::new(&context.entry, &context.instance);
        let domains = instance.get_physical_device_calibrateable_time_domains(context.physical).unwrap();
        assert!(domains.contains(&vk::TimeDomainKHR::DEVICE), "{} domains", domains.len());
        assert!(domains.contains(&vk::TimeDomainKHR::CLOCK_MONOTONIC));
        let read = || {
            let device = ext::calibrated_timestamps::Device::new(&context.instance, &context.device);
            let domains = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC];
            let infos = domains.map(|domain| vk::CalibratedTimestampInfoKHR::default().time_domain(domain));
            device.get_calibrated_timestamps(&infos).unwrap().0
        };
        let (first, then) = (read(), stamp(&context.device));
        let second = read();
        assert!(first[0] <= then && then <= second[0], "{first:?} {then} {second:?}");
    });
}

/// The device's clock goes on by 1,000 nanoseconds with each reading, and only then.
#[test]
#[ignore = "run by the other tests"]
fn clock_of_readings() {
    Context::new().run(|context, _| unsafe {
        let stamps = [stamp(&context.device), stamp(&context.device), stamp(&context.device)];
        assert_eq!(stamps, [1000, 2000, 3000]);
    });
}

/// The device has the queue families of the scenario.
#[test]
#[ignore = "run by the other tests"]
fn families() {
    Context::new().run(|context, _| unsafe {
        let families = context.instance.get_physical_device_queue_family_properties(context.physical);
        let families: Vec<_> = families.iter().map(|it| (it.queue_flags.as_raw(), it.queue_count)).collect();
        let [graphics, compute, transfer] =
            [vk::QueueFlags::GRAPHICS, vk::QueueFlags::COMPUTE, vk::QueueFlags::TRANSFER]
                .map(|it| it.as_raw());
        assert_eq!(families, [(graphics | compute | transfer, 2), (compute, 1), (transfer, 3)]);
    });
}

/// Allocations of more than a MiB fail, and so do waits for the fence named "bad", beginning with the second.
#[test]
#[ignore = "run by the other tests"]
fn some_failures() {
    Context::with(vk::API_VERSION_1_3, &[ext::debug_utils::NAME], &[]).run(|context, device| unsafe {
        let allocate = |size| {
            let info = vk::MemoryAllocateInfo::default().allocation_size(size);
            device.allocate_memory(&info, None).map(|memory| device.free_memory(memory, None))
        };
        assert_eq!(allocate(1 << 20), Ok(()));
        assert_eq!(allocate((1 << 20) + 1), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        let signaled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
        let [good, bad] = [(); 2].map(|()| device.create_fence(&signaled, None).unwrap());
        let names = ext::debug_utils::Device::new(&context.instance, device);
        let name = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(bad).object_name(c"bad");
        names.set_debug_utils_object_name(&name).unwrap();
        let status = |fence| [(); 2].map(|()| device.get_fence_status(fence));
        assert_eq!(status(good), [Ok(true), Ok(true)]);
        assert_eq!(status(bad), [Ok(true), Err(vk::Result::ERROR_DEVICE_LOST)]);
        [good, bad].iter().for_each(|fence| device.destroy_fence(*fence, None));
    });
}

/// Descriptors in buffers have sizes, and a set's layout holds all of its descriptors.
#[test]
#[ignore = "run by the other tests"]
fn descriptor_buffers() {
    Context::with(vk::API_VERSION_1_3, &[], &[ext::descriptor_buffer::NAME]).run(|context, _| unsafe {
        let mut sizes = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes);
        context.instance.get_physical_device_properties2(context.physical, &mut properties);
        let size = sizes.storage_buffer_descriptor_size as u64;
        assert!(size > 0 && sizes.max_resource_descriptor_buffer_range >= 1 << 27);
        let binding = |number, kind, count| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(kind)
                .descriptor_count(count)
        };
        let bindings = [
            binding(3, vk::DescriptorType::STORAGE_BUFFER, 100),
            binding(1, vk::DescriptorType::UNIFORM_BUFFER, 4),
        ];
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT)
            .bindings(&bindings);
        let layout = context.device.create_descriptor_set_layout(&info, None).unwrap();
        let descriptors = ext::descriptor_buffer::Device::new(&context.instance, &context.device);
        let offset = |binding| descriptors.get_descriptor_set_layout_binding_offset(layout, binding);
        assert!(offset(3) >= offset(1) + 4 * sizes.uniform_buffer_descriptor_size as u64);
        assert!(descriptors.get_descriptor_set_layout_size(layout) >= offset(3) + 100 * size);
        context.device.destroy_descriptor_set_layout(layout, None);
    });
}

unsafe fn stamp(device: &Device) -> u64 {
    unsafe {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(1);
        let queries = device.create_query_pool(&info, None).unwrap();
        super::run(device, |commands| {
            device.cmd_reset_query_pool(commands, queries, 0, 1);
            device.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, queries, 0);
        });
        let mut stamp = [0u64];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        device.get_query_pool_results(queries, 0, &mut stamp, flags).unwrap();
        device.destroy_query_pool(queries, None);
        stamp[0]
    }
}

/// A program that forgets to wait sees the earlier contents.
#[test]
#[ignore = "run by the other tests"]
fn forgotten_wait() {
    const SIZE: u64 = 64;
    Context::new().run(|_, device| unsafe {
        let (target, memory) = buffer(device, SIZE);
        let start = device.map_memory(memory, 0, SIZE, vk::MemoryMapFlags::empty()).unwrap();
        let bytes = || slice::from_raw_parts(start.cast::<u8>(), SIZE as usize).to_vec();
        let (pool, fence) = super::submit(device, |commands| {
            device.cmd_fill_buffer(commands, target, 0, SIZE, 0x5A5A_5A5A);
        });
        assert_eq!((device.get_fence_status(fence), bytes()[0]), (Ok(false), 0), "it is not done yet");
        // The scenario holds the queue until the pipe is opened.
        let scenario = env::var("VKLOAD_NULL_DRIVER").unwrap();
        drop(fs::File::create(scenario.rsplit(':').next().unwrap()).unwrap());
        device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        assert_eq!(bytes(), [0x5A; SIZE as usize]);
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        device.destroy_buffer(target, None);
        device.free_memory(memory, None);
    });
}

const SIDE: u32 = 4;
const EXTENT: vk::Extent3D = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };

/// A colour image of 4 by 4 texels with a view, and a buffer large enough for its texels.
struct Target {
    image: vk::Image,
    view: vk::ImageView,
    memory: vk::DeviceMemory,
    bytes: (vk::Buffer, vk::DeviceMemory),
}

impl Target {
    unsafe fn new(device: &Device) -> Self {
        unsafe {
            let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
            let (image, memory) = image(device, texels(EXTENT).usage(usage));
            let view = view(device, image);
            Self { image, view, memory, bytes: buffer(device, u64::from(4 * SIDE * SIDE)) }
        }
    }

    /// Returns the red parts of all texels after these commands.
    unsafe fn reds(&self, device: &Device, record: impl FnOnce(vk::CommandBuffer)) -> Vec<u8> {
        let layout = vk::ImageLayout::GENERAL;
        let region = vk::BufferImageCopy::default().image_subresource(LAYERS).image_extent(EXTENT);
        unsafe {
            super::run(device, |commands| {
                record(commands);
                device.cmd_copy_image_to_buffer(commands, self.image, layout, self.bytes.0, &[region]);
            });
            let start = device.map_memory(self.bytes.1, 0, vk::WHOLE_SIZE, Default::default()).unwrap();
            let texels = slice::from_raw_parts(start.cast::<[u8; 4]>(), (SIDE * SIDE) as usize);
            let reds = texels.iter().map(|texel| texel[0]).collect();
            device.unmap_memory(self.bytes.1);
            reds
        }
    }

    unsafe fn end(self, device: &Device) {
        unsafe {
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
            device.destroy_buffer(self.bytes.0, None);
            [self.memory, self.bytes.1].into_iter().for_each(|memory| device.free_memory(memory, None));
        }
    }
}

fn red(red: f32) -> vk::ClearValue {
    vk::ClearValue { color: vk::ClearColorValue { float32: [red, 0.0, 0.0, 1.0] } }
}

fn area(side: u32) -> vk::Rect2D {
    vk::Rect2D { extent: vk::Extent2D { width: side, height: side }, ..Default::default() }
}

/// Returns texels whose upper left quarter has one value, and the rest another.
fn quarter(inside: u8, outside: u8) -> Vec<u8> {
    (0..SIDE * SIDE).map(|at| if at % SIDE < 2 && at / SIDE < 2 { inside } else { outside }).collect()
}

/// Attachments are cleared when rendering begins, and by `vkCmdClearAttachments`, if requested.
#[test]
#[ignore = "run by the other tests"]
fn cleared() {
    Context::new().run(|_, device| unsafe {
        let target = Target::new(device);
        let attachment = |load, value| {
            [vk::RenderingAttachmentInfo::default()
                .image_view(target.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(load)
                .clear_value(value)]
        };
        let rendering = |commands, side, load, inside: &dyn Fn()| {
            let colours = attachment(load, red(1.0));
            let info = vk::RenderingInfo::default()
                .render_area(area(side))
                .layer_count(1)
                .color_attachments(&colours);
            device.cmd_begin_rendering(commands, &info);
            inside();
            device.cmd_end_rendering(commands);
        };
        let (clear, keep) = (vk::AttachmentLoadOp::CLEAR, vk::AttachmentLoadOp::LOAD);
        let all = target.reds(device, |commands| rendering(commands, SIDE, clear, &|| ()));
        assert_eq!(all, quarter(255, 255));
        let part = target.reds(device, |commands| {
            rendering(commands, SIDE, keep, &|| {
                let cleared = [vk::ClearAttachment {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    color_attachment: 0,
                    clear_value: red(0.2),
                }];
                let areas = [vk::ClearRect { rect: area(2), base_array_layer: 0, layer_count: 1 }];
                device.cmd_clear_attachments(commands, &cleared, &areas);
            });
        });
        assert_eq!(part, quarter(51, 255));
        render_pass(device, &target);
        target.end(device);
    });
}

/// The same in a render pass.
unsafe fn render_pass(device: &Device, target: &Target) {
    unsafe {
        let attachments = [vk::AttachmentDescription::default()
            .format(vk::Format::R8G8B8A8_UNORM)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .final_layout(vk::ImageLayout::GENERAL)];
        let colours = [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::GENERAL }];
        // The attachment belongs to the second subpass alone.
        let subpasses = [Default::default(), vk::SubpassDescription::default().color_attachments(&colours)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        let pass = device.create_render_pass(&info, None).unwrap();
        let views = [target.view];
        let info = vk::FramebufferCreateInfo::default().render_pass(pass).attachments(&views);
        let framebuffer = device.create_framebuffer(&info.width(SIDE).height(SIDE).layers(1), None).unwrap();
        let reds = target.reds(device, |commands| {
            let values = [red(0.4)];
            let info = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(area(SIDE))
                .clear_values(&values);
            device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            device.cmd_next_subpass(commands, vk::SubpassContents::INLINE);
            let cleared = [vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment: 0,
                clear_value: red(0.6),
            }];
            let areas = [vk::ClearRect { rect: area(2), base_array_layer: 0, layer_count: 1 }];
            device.cmd_clear_attachments(commands, &cleared, &areas);
            device.cmd_end_render_pass(commands);
        });
        assert_eq!(reds, quarter(153, 102));
        device.destroy_framebuffer(framebuffer, None);
        device.destroy_render_pass(pass, None);
    }
}
