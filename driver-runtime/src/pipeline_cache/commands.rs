//! The commands of pipeline caches.

use ash::vk;
use vkload_core::memory::OutOfMemory;

use super::{Cache, PipelineCaches};
use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::object::{Object, ParentObject};
use crate::{calls, entry_points};

fn create<D: PipelineCaches>(call: &calls::CreatePipelineCache<'_>) -> Result<(), OutOfMemory> {
    let info = &call.create_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let memory = device.root().memory().or(call.allocator.as_ptr(), vk::SystemAllocationScope::CACHE);
        let cache = Cache::new(memory);
        if info.initial_data_size != 0 && !info.p_initial_data.is_null() {
            let data = core::slice::from_raw_parts(info.p_initial_data.cast(), info.initial_data_size);
            cache.import(device, data)?;
        }
        call.pipeline_cache.write(Object::create(device, call.allocator.as_ptr(), cache)?.into_handle());
    }
    Ok(())
}

/// Writes as many whole entries as fit.
fn get_data<D: PipelineCaches>(call: &calls::GetPipelineCacheData<'_>) -> Result<vk::Result, OutOfMemory> {
    let (size, out) = (call.data_size.as_ptr(), call.data.cast::<u8>());
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let cache = Object::<Cache<D>>::from_handle(call.pipeline_cache).ok_or(OutOfMemory)?;
        let room = if out.is_null() { usize::MAX } else { size.read() };
        let (mut used, mut is_whole) = (0usize, true);
        let memory = device.root().memory().scoped(vk::SystemAllocationScope::COMMAND);
        let done = cache.for_each_part(device, memory, |part| {
            let end = used.saturating_add(part.len());
            if end > room {
                is_whole = false;
                return false;
            }
            if !out.is_null() {
                out.add(used).copy_from(part.as_ptr(), part.len());
            }
            used = end;
            true
        });
        size.write(used);
        done.map(|()| if is_whole { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    }
}

fn merge<D: PipelineCaches>(call: &calls::MergePipelineCaches<'_>) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let Some(target) = Object::<Cache<D>>::from_handle(call.dst_cache) else { return Ok(()) };
        let mut sources =
            call.src_caches().iter().filter_map(|source| Object::<Cache<D>>::from_handle(*source));
        sources.try_for_each(|source| target.merge(source))
    }
}

/// Returns the commands, for [`Driver::COMMANDS`](crate::Driver::COMMANDS): `entry_points! { ...
/// }.and(&pipeline_cache::entry_points::<Self>())`.
pub const fn entry_points<D: PipelineCaches>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CreatePipelineCache = create::<D>,
            DestroyPipelineCache = |call| {
                Object::<Cache<D>>::destroy(call.pipeline_cache, call.allocator.as_ptr());
            },
            GetPipelineCacheData = get_data::<D>,
            MergePipelineCaches = merge::<D>,
        }
    }
}
