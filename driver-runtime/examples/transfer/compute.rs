//! Descriptor sets of storage buffers, compute pipelines, and dispatches.

use std::sync::Mutex;

use vkload_driver_runtime::command_buffer::CommandBuffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::log::{Level, Topic};
use vkload_driver_runtime::memory::CopiedCallbacks;
use vkload_driver_runtime::object::Members;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::{Device, Object, VkObject, calls, entry_points, message, vk};

use crate::Transfer;
use crate::memory::{Buffer, Range};
use crate::shader::{Module, Resources};

const BINDINGS: usize = 16;

/// What dispatches of a command buffer use.
#[derive(Clone, Copy, Default)]
pub struct State {
    pipeline: vk::Pipeline,
    set: vk::DescriptorSet,
    push_constants: [u32; 32],
}

struct SetLayout;
struct PipelineLayout;
struct ShaderModule(Vec<u32>);
struct DescriptorPool(Mutex<Members<Set>>);

/// A buffer with an offset and a size for each binding.
#[derive(Default)]
struct Set(Mutex<[vk::DescriptorBufferInfo; BINDINGS]>);

macro_rules! objects {
    ($($name:ty: $handle:ident,)*) => {$(
        // SAFETY: no other type is behind such handles.
        unsafe impl VkObject for $name {
            type Handle = vk::$handle;
            type Parent = Device<Transfer>;
        }
    )*};
}
objects! {
    SetLayout: DescriptorSetLayout,
    PipelineLayout: PipelineLayout,
    ShaderModule: ShaderModule,
    DescriptorPool: DescriptorPool,
    Set: DescriptorSet,
    Module: Pipeline,
}

fn allocate_sets(call: &calls::AllocateDescriptorSets<'_>) -> Result<(), vk::Result> {
    let info = &call.allocate_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        let pool =
            Object::<DescriptorPool>::from_handle(info.descriptor_pool).ok_or(vk::Result::ERROR_UNKNOWN)?;
        let mut sets = pool.0.lock().expect("no panic");
        for index in 0..info.descriptor_set_count as usize {
            let set = sets.reuse().map_or_else(|| sets.create(pool.parent(), Set::default()), Ok);
            call.descriptor_sets.add(index).write(set.map_err(vk::Result::from)?);
        }
    }
    Ok(())
}

fn update_sets(call: &calls::UpdateDescriptorSets<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe {
        for write in call.descriptor_writes() {
            let Some(set) = Object::<Set>::from_handle(write.dst_set) else { continue };
            let mut bindings = set.0.lock().expect("no panic");
            let first = write.dst_binding as usize;
            let buffers = list(write.p_buffer_info, write.descriptor_count);
            bindings.iter_mut().skip(first).zip(buffers).for_each(|(binding, buffer)| *binding = *buffer);
        }
    }
}

fn create_pipelines(call: &calls::CreateComputePipelines<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<Transfer>::from_handle(call.device).ok_or(vk::Result::ERROR_UNKNOWN)?;
        for (index, info) in call.create_infos().iter().enumerate() {
            let words = Object::<ShaderModule>::from_handle(info.stage.module);
            let module = Module::read(words.map_or(&[], |words| &words.0)).map_err(|number| {
                let base = vkload_driver_runtime::object::ParentObject::root(device).base();
                message!(Level::Error, Topic::Driver, [base], "instruction {number} of SPIR-V is not known");
                vk::Result::ERROR_UNKNOWN
            })?;
            let out = call.pipelines.add(index);
            Object::create_command(call.device, call.allocator.as_ptr(), out, module).result()?;
        }
    }
    Ok(())
}

/// Changes what later dispatches of a command buffer use.
///
/// # Safety
/// The handle is live.
unsafe fn change(commands: vk::CommandBuffer, change: impl FnOnce(&mut State)) {
    // SAFETY: the caller vouches for the handle.
    if let Some(commands) = unsafe { CommandBuffer::<Transfer>::from_handle(commands) } {
        change(&mut commands.lock().expect("no panic"));
    }
}

fn dispatch(call: &calls::CmdDispatchBase<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification: its objects live until it is executed.
    unsafe {
        let state = *CommandBuffer::<Transfer>::from_handle(call.command_buffer)?.lock().expect("no panic");
        let module = Object::<Module>::from_handle(state.pipeline)?;
        let bindings = *Object::<Set>::from_handle(state.set)?.0.lock().expect("no panic");
        let buffer = |binding: u32| -> Option<Range> {
            let info = bindings.get(binding as usize)?;
            Buffer::range(info.buffer, info.offset, info.range)
        };
        let resources = Resources { buffer: &buffer, push_constants: &state.push_constants };
        let first = [call.base_group_x, call.base_group_y, call.base_group_z];
        let groups = [call.group_count_x, call.group_count_y, call.group_count_z];
        let [xs, ys, zs] = [0, 1, 2].map(|axis| {
            let size = module.local_size[axis];
            first[axis] * size..(first[axis] + groups[axis]) * size
        });
        for z in zs {
            for y in ys.clone() {
                xs.clone().try_for_each(|x| module.run([x, y, z], &resources))?;
            }
        }
    }
    Some(())
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Transfer> = unsafe {
    entry_points! {
        CreateDescriptorSetLayout = |call| {
            Object::create_command(call.device, call.allocator.as_ptr(), call.set_layout.as_ptr(), SetLayout)
        },
        DestroyDescriptorSetLayout = |call| {
            Object::<SetLayout>::destroy(call.descriptor_set_layout, call.allocator.as_ptr());
        },
        CreatePipelineLayout = |call| {
            let out = call.pipeline_layout.as_ptr();
            Object::create_command(call.device, call.allocator.as_ptr(), out, PipelineLayout)
        },
        DestroyPipelineLayout = |call| {
            Object::<PipelineLayout>::destroy(call.pipeline_layout, call.allocator.as_ptr());
        },
        CreateShaderModule = |call| {
            let words = list(call.create_info.p_code, (call.create_info.code_size / 4) as u32);
            let module = ShaderModule(words.to_vec());
            Object::create_command(call.device, call.allocator.as_ptr(), call.shader_module.as_ptr(), module)
        },
        DestroyShaderModule = |call| {
            Object::<ShaderModule>::destroy(call.shader_module, call.allocator.as_ptr());
        },
        CreateDescriptorPool = |call| {
            let pool = DescriptorPool(Mutex::new(Members::new(CopiedCallbacks::process())));
            Object::create_command(call.device, call.allocator.as_ptr(), call.descriptor_pool.as_ptr(), pool)
        },
        DestroyDescriptorPool = |call| {
            Object::<DescriptorPool>::destroy(call.descriptor_pool, call.allocator.as_ptr());
        },
        ResetDescriptorPool = |call| {
            if let Some(pool) = Object::<DescriptorPool>::from_handle(call.descriptor_pool) {
                pool.0.lock().expect("no panic").free_all();
            }
            vk::Result::SUCCESS
        },
        AllocateDescriptorSets = allocate_sets,
        FreeDescriptorSets = |call| {
            if let Some(pool) = Object::<DescriptorPool>::from_handle(call.descriptor_pool) {
                let mut sets = pool.0.lock().expect("no panic");
                call.descriptor_sets().iter().for_each(|set| sets.free(*set));
            }
            vk::Result::SUCCESS
        },
        UpdateDescriptorSets = update_sets,
        CreateComputePipelines = create_pipelines,
        DestroyPipeline = |call| Object::<Module>::destroy(call.pipeline, call.allocator.as_ptr()),
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const RECORDED: EntryPoints<Transfer> = unsafe {
    entry_points! {
        CmdBindPipeline = |call| change(call.command_buffer, |state| state.pipeline = call.pipeline),
        CmdBindDescriptorSets2 = |call| {
            let info = &call.bind_descriptor_sets_info;
            if let (0, [set, ..]) = (info.first_set, list(info.p_descriptor_sets, info.descriptor_set_count)) {
                change(call.command_buffer, |state| state.set = *set);
            }
        },
        CmdPushConstants2 = |call| {
            let info = &call.push_constants_info;
            let (first, words) = (info.offset as usize / 4, list(info.p_values.cast::<u32>(), info.size / 4));
            change(call.command_buffer, |state| {
                let constants = state.push_constants.iter_mut().skip(first);
                constants.zip(words).for_each(|(constant, word)| *constant = *word);
            });
        },
        CmdDispatchBase = dispatch,
    }
};
