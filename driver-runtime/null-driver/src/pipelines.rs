//! Shader modules, pipelines and their caches. Nothing is compiled: a number computed from a pipeline's shaders
//! represents the compiled code, and pipeline caches keep it as other drivers keep machine code.

use core::ffi::CStr;

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::memory::OutOfMemory;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::pipeline_cache::{self, Cache, PipelineCaches, Written};
use vkload_driver_runtime::{Device, Object, entry_points, vk};

use crate::Null;
use crate::device::{device, device_objects};

/// A shader module: a number for its code.
struct ShaderModule(u64);

struct Pipeline(#[expect(dead_code, reason = "nothing is drawn")] u64);

device_objects! { ShaderModule = ShaderModule, Pipeline = Pipeline }

/// The only kind of object in a pipeline cache.
const COMPILED: u32 = 0;

impl PipelineCaches for Null {
    type Cached = u64;
    const IMPORTED: &'static [u32] = &[COMPILED];

    fn kind(_: &u64) -> u32 {
        COMPILED
    }

    fn write(compiled: &u64, out: &mut Written<'_>) -> Result<(), OutOfMemory> {
        out.append(&compiled.to_ne_bytes())
    }

    fn read(_: &Device<Self>, kind: u32, bytes: &[u8]) -> Option<u64> {
        bytes.try_into().ok().filter(|_| kind == COMPILED).map(u64::from_ne_bytes)
    }
}

/// Computes FNV-1a, starting from the hash of an earlier part.
fn digest(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// # Safety
/// The code is as long as its size says.
unsafe fn digest_of_code(info: &vk::ShaderModuleCreateInfo<'_>) -> u64 {
    // SAFETY: the caller vouches for the code.
    digest(START, unsafe { list(info.p_code.cast::<u8>(), info.code_size as u32) })
}

/// # Safety
/// The structure is valid.
unsafe fn digest_of_stage(before: u64, stage: &vk::PipelineShaderStageCreateInfo<'_>) -> u64 {
    // SAFETY: the caller vouches for the structure: it has a module, or its code in the chain, and a name.
    unsafe {
        let code = match Object::<ShaderModule>::from_handle(stage.module) {
            Some(module) => module.0,
            None => chain::find::<vk::ShaderModuleCreateInfo<'_>>(stage.p_next)
                .map_or(0, |info| digest_of_code(info)),
        };
        let name = if stage.p_name.is_null() { c"" } else { CStr::from_ptr(stage.p_name) };
        let hash = digest(before, &stage.stage.as_raw().to_ne_bytes());
        digest(digest(hash, &code.to_ne_bytes()), name.to_bytes())
    }
}

trait Stages {
    /// # Safety
    /// The structure is valid.
    unsafe fn stages(&self) -> &[vk::PipelineShaderStageCreateInfo<'_>];
}

impl Stages for vk::GraphicsPipelineCreateInfo<'_> {
    unsafe fn stages(&self) -> &[vk::PipelineShaderStageCreateInfo<'_>] {
        // SAFETY: the caller vouches for the counted array.
        unsafe { list(self.p_stages, self.stage_count) }
    }
}

impl Stages for vk::ComputePipelineCreateInfo<'_> {
    unsafe fn stages(&self) -> &[vk::PipelineShaderStageCreateInfo<'_>] {
        core::slice::from_ref(&self.stage)
    }
}

/// Creates this many pipelines, from the cache if it has them.
///
/// # Safety
/// As specified for `vkCreateGraphicsPipelines`.
unsafe fn create_pipelines<I: Stages>(
    handle: vk::Device,
    cache: vk::PipelineCache,
    infos: &[I],
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller passes live handles, valid structures, and space for as many pipelines.
    unsafe {
        let cache = Object::<Cache<Null>>::from_handle(cache);
        create_each(handle, infos.len(), callbacks, out, |index| {
            let stages = infos[index].stages().iter();
            let key = stages.fold(START, |before, stage| digest_of_stage(before, stage)).to_ne_bytes();
            let compile = || digest(START, &key);
            Pipeline(cache.map_or_else(compile, |cache| {
                let found = cache.find(device(handle), &key);
                found.unwrap_or_else(|| cache.add(&key, compile()))
            }))
        })
    }
}

/// Creates this many pipelines of kinds that are not kept in caches.
///
/// # Safety
/// `device` is a live handle, `callbacks` are valid or NULL, and `out` has space for the handles.
pub(crate) unsafe fn create_others(
    device: vk::Device,
    count: u32,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe { create_each(device, count as usize, callbacks, out, |_| Pipeline(0)) }
}

/// # Safety
/// As for [`create_others`].
unsafe fn create_each(
    device: vk::Device,
    count: usize,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
    pipeline: impl Fn(usize) -> Pipeline,
) -> vk::Result {
    let mut all = vk::Result::SUCCESS;
    for index in 0..count {
        // SAFETY: the caller vouches for handle and pointers.
        unsafe {
            let result = Object::create_command(device, callbacks, out.add(index), pipeline(index));
            if result != vk::Result::SUCCESS {
                out.add(index).write(vk::Pipeline::null());
                all = result;
            }
        }
    }
    all
}

/// The commands of shader modules, pipelines and pipeline caches.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateShaderModule = |call| {
            let module = ShaderModule(digest_of_code(&call.create_info));
            Object::create_command(call.device, call.allocator.as_ptr(), call.shader_module.as_ptr(), module)
        },
        DestroyShaderModule = |call| {
            Object::<ShaderModule>::destroy(call.shader_module, call.allocator.as_ptr());
        },
        CreateGraphicsPipelines = |call| {
            let (infos, callbacks) = (call.create_infos(), call.allocator.as_ptr());
            create_pipelines(call.device, call.pipeline_cache, infos, callbacks, call.pipelines)
        },
        CreateComputePipelines = |call| {
            let (infos, callbacks) = (call.create_infos(), call.allocator.as_ptr());
            create_pipelines(call.device, call.pipeline_cache, infos, callbacks, call.pipelines)
        },
        DestroyPipeline = |call| Object::<Pipeline>::destroy(call.pipeline, call.allocator.as_ptr()),
    }
}
.and(&pipeline_cache::entry_points::<Null>());
