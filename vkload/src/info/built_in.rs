//! This program's built-in driver: if the machine has no driver, it shows that the loader itself works.
//!
//! The driver is passed to the loader through `VK_LUNARG_direct_driver_loading`, then used as an application would.

use ash::{Device, Entry, Instance, vk};

use super::devices::describe;
use super::report::{BuiltIn, Report};

/// Bytes that are filled and copied.
const SIZE: u64 = 4096;
const WORD: u32 = 0x5EED_F00D;

/// Tries a device of the built-in driver.
pub(crate) fn try_out(report: &mut Report, entry: &Entry) {
    // SAFETY: this loader and the driver keep the specification's promises, and so does what follows.
    report.built_in = Some(match unsafe { with_instance(entry) } {
        Ok(built_in) => built_in,
        Err(error) => BuiltIn { failure: Some(format!("it gives {error:?}")), ..BuiltIn::default() },
    });
}

/// # Safety
/// `entry` is a loader's.
unsafe fn with_instance(entry: &Entry) -> Result<BuiltIn, vk::Result> {
    let app = vk::ApplicationInfo::default().application_name(c"vkload").api_version(vk::API_VERSION_1_1);
    let drivers = [vk::DirectDriverLoadingInfoLUNARG::default()
        .pfn_get_instance_proc_addr(Some(vkload_null_driver::get_instance_proc_addr))];
    let mut list = vk::DirectDriverLoadingListLUNARG::default()
        .mode(vk::DirectDriverLoadingModeLUNARG::EXCLUSIVE)
        .drivers(&drivers);
    let names = [c"VK_LUNARG_direct_driver_loading".as_ptr()];
    let info = vk::InstanceCreateInfo::default()
        .application_info(&app)
        .enabled_extension_names(&names)
        .push_next(&mut list);
    // SAFETY: the create info and everything that it refers to are valid; the instance is destroyed below and used only here.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        let result = with_device(&instance);
        instance.destroy_instance(None);
        result
    }
}

/// # Safety
/// The instance lives.
unsafe fn with_device(instance: &Instance) -> Result<BuiltIn, vk::Result> {
    // SAFETY: the structures are valid; the objects are destroyed at the end.
    unsafe {
        let Some(physical) = instance.enumerate_physical_devices()?.first().copied() else {
            return Ok(BuiltIn { failure: Some("it has no device".into()), ..BuiltIn::default() });
        };
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical, &info, None)?;
        let copied = copied(&device);
        device.destroy_device(None);
        let failure = (copied? != WORD.to_le_bytes().repeat(SIZE as usize / 4))
            .then(|| "a buffer that was filled and copied has other bytes".to_owned());
        Ok(BuiltIn { device: Some(describe(instance, physical)), bytes: SIZE, failure })
    }
}

/// Fills a buffer, copies it to another, and returns the copy. After an error, objects remain until their device is destroyed, which the
/// caller does next.
///
/// # Safety
/// The device has a queue.
unsafe fn copied(device: &Device) -> Result<Vec<u8>, vk::Result> {
    // SAFETY: valid structures and live handles; the memory is as large as it is read.
    unsafe {
        let (source, of_source) = buffer(device)?;
        let (target, of_target) = buffer(device)?;
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info)?;
        for recorder in &commands {
            device.begin_command_buffer(*recorder, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_fill_buffer(*recorder, source, 0, SIZE, WORD);
            let written = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
            let stage = vk::PipelineStageFlags::TRANSFER;
            let flags = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(*recorder, stage, stage, flags, &written, &[], &[]);
            device.cmd_copy_buffer(*recorder, source, target, &[vk::BufferCopy::default().size(SIZE)]);
            device.end_command_buffer(*recorder)?;
        }
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
        let work = vk::SubmitInfo::default().command_buffers(&commands);
        device.queue_submit(device.get_device_queue(0, 0), &[work], fence)?;
        device.wait_for_fences(&[fence], true, u64::MAX)?;
        let start = device.map_memory(of_target, 0, SIZE, vk::MemoryMapFlags::empty())?;
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), SIZE as usize).to_vec();
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        for (buffer, memory) in [(source, of_source), (target, of_target)] {
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
        Ok(bytes)
    }
}

/// Returns a buffer in memory of its own, which on this driver can always be mapped.
///
/// # Safety
/// The device lives.
unsafe fn buffer(device: &Device) -> Result<(vk::Buffer, vk::DeviceMemory), vk::Result> {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    // SAFETY: valid structures and live handles.
    unsafe {
        let buffer = device.create_buffer(&vk::BufferCreateInfo::default().size(SIZE).usage(usage), None)?;
        let required = device.get_buffer_memory_requirements(buffer);
        let info = vk::MemoryAllocateInfo::default().allocation_size(required.size);
        let memory = device.allocate_memory(&info, None)?;
        device.bind_buffer_memory(buffer, memory, 0)?;
        Ok((buffer, memory))
    }
}
