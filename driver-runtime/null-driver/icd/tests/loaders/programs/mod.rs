//! Programs that the tests run in separate processes. They are not tests; they panic if the driver is wrong.

mod checkpoints;
mod effects;
mod extensions;
mod facts;
mod honest;
mod images;
mod messages;
mod newest;
mod objects;
#[cfg(target_os = "linux")]
mod sharing;
mod surfaces;
mod swapchains;

use std::env;
use std::ffi::{CStr, c_char};

use ash::{Device, Entry, Instance, vk};

use crate::run::{CONTENT, NO_LOADER, library};

#[test]
#[ignore = "run by the other tests"]
fn buffers() {
    Context::new().run(|_, device| unsafe {
        let bytes = copied(device);
        assert!(bytes[..16].iter().all(|byte| *byte == 0x5A), "{bytes:?}");
        assert_eq!(bytes[16..24], *b"updated!");
        assert!(bytes[24..].iter().all(|byte| *byte == 0));
    });
}

/// The common start of all programs.
pub(crate) struct Context {
    pub(crate) entry: Entry,
    pub(crate) instance: Instance,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) device: Device,
}

impl Context {
    pub(crate) fn new() -> Self {
        Self::with(vk::API_VERSION_1_3, &[], &[])
    }

    /// Creates an instance of this version and a device, with these extensions.
    pub(crate) fn with(version: u32, of_instance: &[&CStr], of_device: &[&CStr]) -> Self {
        let pointers = |names: &[&CStr]| names.iter().map(|name| name.as_ptr()).collect::<Vec<_>>();
        let (of_instance, of_device) = (pointers(of_instance), pointers(of_device));
        let app = vk::ApplicationInfo::default().api_version(version);
        let info =
            vk::InstanceCreateInfo::default().application_info(&app).enabled_extension_names(&of_instance);
        // SAFETY: the loaders and the driver keep the specification's promises.
        unsafe {
            let entry = entry();
            let instance = entry.create_instance(&info, None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let device = create_device(&instance, physical, &of_device, &mut Default::default());
            Self { entry, instance, physical, device }
        }
    }

    /// Creates a device of Vulkan 1.3 with these extensions, whose buffers have addresses.
    pub(crate) fn with_addresses(of_device: &[&CStr]) -> Self {
        let mut context = Self::new();
        let names: Vec<_> = of_device.iter().map(|name| name.as_ptr()).collect();
        let mut features = vk::PhysicalDeviceVulkan12Features::default().buffer_device_address(true);
        // SAFETY: valid structures and live handles, and nothing of the first device is left.
        unsafe {
            context.device.destroy_device(None);
            context.device = create_device(&context.instance, context.physical, &names, &mut features);
        }
        context
    }

    /// Runs a program that leaves nothing of the device.
    pub(crate) fn run(self, program: impl FnOnce(&Self, &Device)) {
        program(&self, &self.device);
        // SAFETY: as promised.
        unsafe { self.end() };
    }

    pub(crate) unsafe fn end(self) {
        // SAFETY: nothing of the device is left.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
        println!("{CONTENT}");
    }
}

/// Records commands, submits them and waits.
unsafe fn run(device: &Device, record: impl FnOnce(vk::CommandBuffer)) {
    unsafe {
        let (pool, fence) = submit(device, record);
        device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
    }
}

/// Records commands and submits them. Returns their pool, and the fence that they signal.
unsafe fn submit(device: &Device, record: impl FnOnce(vk::CommandBuffer)) -> (vk::CommandPool, vk::Fence) {
    unsafe {
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let commands = self::record(device, pool, record);
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let work = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(device.get_device_queue(0, 0), &[work], fence).unwrap();
        (pool, fence)
    }
}

/// Records commands into a new command buffer.
unsafe fn record(
    device: &Device,
    pool: vk::CommandPool,
    record: impl FnOnce(vk::CommandBuffer),
) -> [vk::CommandBuffer; 1] {
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    unsafe {
        let commands = device.allocate_command_buffers(&info).unwrap()[0];
        device.begin_command_buffer(commands, &Default::default()).unwrap();
        record(commands);
        device.end_command_buffer(commands).unwrap();
        [commands]
    }
}

/// The first level and layer of a colour image.
const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};
const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// Describes a two-dimensional image of colours that is copied.
fn texels(extent: vk::Extent3D) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(extent)
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST)
}

/// Creates an image with its own memory.
unsafe fn image(device: &Device, info: vk::ImageCreateInfo<'_>) -> (vk::Image, vk::DeviceMemory) {
    unsafe {
        let image = device.create_image(&info, None).unwrap();
        let size = device.get_image_memory_requirements(image).size;
        let info = vk::MemoryAllocateInfo::default().allocation_size(size);
        let memory = device.allocate_memory(&info, None).unwrap();
        device.bind_image_memory(image, memory, 0).unwrap();
        (image, memory)
    }
}

/// Creates a view of an image of [`texels`].
unsafe fn view(device: &Device, image: vk::Image) -> vk::ImageView {
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .subresource_range(RANGE);
    unsafe { device.create_image_view(&info, None) }.unwrap()
}

/// Records a barrier between all earlier and all later commands.
unsafe fn barrier(device: &Device, commands: vk::CommandBuffer) {
    let all = [vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
    unsafe { device.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().memory_barriers(&all)) };
}

/// Returns the loader's functions, or the driver's if no loader is used.
pub(crate) unsafe fn entry() -> Entry {
    let path = env::var("TEST_LOADER").unwrap();
    // SAFETY: the libraries keep their promises.
    unsafe { if path == NO_LOADER { without_loader() } else { Entry::load_from(&path).unwrap() } }
}

/// Returns the driver's own function instead of a loader's.
unsafe fn without_loader() -> Entry {
    // SAFETY: the library is a driver; it stays loaded.
    unsafe {
        let file = Box::leak(Box::new(libloading::Library::new(library()).unwrap()));
        let function = file.get::<vk::PFN_vkGetInstanceProcAddr>(b"vk_icdGetInstanceProcAddr").unwrap();
        Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: *function })
    }
}

unsafe fn create_device(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    extensions: &[*const c_char],
    features: &mut vk::PhysicalDeviceVulkan12Features<'_>,
) -> Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0, 1.0])];
    let mut timelines = features.timeline_semaphore(true).host_query_reset(true);
    let mut submission = vk::PhysicalDeviceVulkan13Features::default()
        .synchronization2(true)
        .dynamic_rendering(true)
        .private_data(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(extensions)
        .push_next(&mut timelines)
        .push_next(&mut submission);
    unsafe {
        let unsupported = vk::PhysicalDeviceFeatures::default().sparse_binding(true);
        if env::var_os("VK_INSTANCE_LAYERS").is_none() {
            let refused = instance.create_device(physical, &info.enabled_features(&unsupported), None);
            assert_eq!(refused.err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        }
        instance.create_device(physical, &info.enabled_features(&Default::default()), None).unwrap()
    }
}

struct Words {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    start: usize,
    address: u64,
}

impl Words {
    unsafe fn new(device: &Device, count: u64) -> Self {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        unsafe {
            let info = vk::BufferCreateInfo::default().size(4 * count).usage(usage);
            let buffer = device.create_buffer(&info, None).unwrap();
            let mut flags =
                vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let size = device.get_buffer_memory_requirements(buffer).size;
            let info = vk::MemoryAllocateInfo::default().allocation_size(size).push_next(&mut flags);
            let memory = device.allocate_memory(&info, None).unwrap();
            device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let start = device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default()).unwrap();
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            let address = device.get_buffer_device_address(&info);
            Self { buffer, memory, start: start.expose_provenance(), address }
        }
    }

    #[allow(clippy::mut_from_ref, reason = "the memory is the device's")]
    fn all(&self, from: usize, count: usize) -> &mut [u32] {
        let start = std::ptr::with_exposed_provenance_mut::<u32>(self.start);
        // SAFETY: no work uses the buffer, and no other reference is kept.
        unsafe { std::slice::from_raw_parts_mut(start.add(from), count) }
    }

    fn set(&self, from: usize, words: &[u32]) {
        self.all(from, words.len()).copy_from_slice(words);
    }

    fn get(&self, from: usize, count: usize) -> Vec<u32> {
        self.all(from, count).to_vec()
    }

    unsafe fn end(self, device: &Device) {
        // SAFETY: nothing uses them any more.
        unsafe {
            device.destroy_buffer(self.buffer, None);
            device.free_memory(self.memory, None);
        }
    }
}

/// Creates a buffer with its own memory.
unsafe fn buffer(device: &Device, size: u64) -> (vk::Buffer, vk::DeviceMemory) {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    unsafe {
        let buffer =
            device.create_buffer(&vk::BufferCreateInfo::default().size(size).usage(usage), None).unwrap();
        let required = device.get_buffer_memory_requirements(buffer);
        let info = vk::MemoryAllocateInfo::default().allocation_size(required.size);
        let memory = device.allocate_memory(&info, None).unwrap();
        device.bind_buffer_memory(buffer, memory, 0).unwrap();
        (buffer, memory)
    }
}

/// Fills and updates one buffer and copies it to another, on two queues, of which the second is given its work first.
unsafe fn copied(device: &Device) -> Vec<u8> {
    const SIZE: u64 = 64;
    unsafe {
        let (source, target) = (buffer(device, SIZE), buffer(device, SIZE));
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let [filling] = record(device, pool, |commands| {
            device.cmd_fill_buffer(commands, source.0, 0, 16, 0x5A5A_5A5A);
            device.cmd_update_buffer(commands, source.0, 16, b"updated!");
        });
        let [copying] = record(device, pool, |commands| {
            let whole = vk::BufferCopy::default().size(SIZE);
            device.cmd_copy_buffer(commands, source.0, target.0, &[whole]);
        });
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let line =
            device.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None).unwrap();
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let point = [vk::SemaphoreSubmitInfo::default()
            .semaphore(line)
            .value(9)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let work = |commands| [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let (first, second) = (work(filling), work(copying));
        let copying = vk::SubmitInfo2::default().command_buffer_infos(&second).wait_semaphore_infos(&point);
        device.queue_submit2(device.get_device_queue(0, 1), &[copying], fence).unwrap();
        assert_eq!(device.wait_for_fences(&[fence], true, 0), Err(vk::Result::TIMEOUT));
        let filling = vk::SubmitInfo2::default().command_buffer_infos(&first).signal_semaphore_infos(&point);
        device.queue_submit2(device.get_device_queue(0, 0), &[filling], vk::Fence::null()).unwrap();
        device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        device.device_wait_idle().unwrap();
        assert_eq!(device.get_semaphore_counter_value(line), Ok(9));
        let start = device.map_memory(target.1, 0, SIZE, vk::MemoryMapFlags::empty()).unwrap();
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), SIZE as usize).to_vec();
        device.unmap_memory(target.1);
        device.destroy_semaphore(line, None);
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        for (buffer, memory) in [source, target] {
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
        bytes
    }
}
