//! Command buffers as a driver and an application use them.

mod driver;

use std::ptr::null;
use std::string::String;
use std::vec::Vec;

use ash::vk::{self, Handle};
use vkload_core::registry::command;

use super::{BufferState, CommandBuffer, State, entry_points};
use crate::device::tests::{MadeDevice, make};
use crate::dispatch::EntryPoints;
use crate::log::Label;
use crate::object::{LOADER_MAGIC, Object};
use crate::testing::{Fail, Ledger, TestDriver, commands, failing};
use driver::{CREATED, calls};

static COMMANDS: EntryPoints<TestDriver> = entry_points::<TestDriver>();

macro_rules! call {
    ($command:ident: $kind:ident($($argument:expr),*)) => {
        (commands::typed::<vk::$kind>(COMMANDS.get(command::$command.canonical())))($($argument),*)
    };
}

struct Pool<'a>(vk::CommandPool, &'a MadeDevice);

impl<'a> Pool<'a> {
    fn new(made: &'a MadeDevice) -> Self {
        let mut pool = vk::CommandPool::null();
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(3);
        // SAFETY: a live handle and valid structures.
        let result =
            unsafe { call!(CREATE_COMMAND_POOL: PFN_vkCreateCommandPool(made.0, &info, null(), &mut pool)) };
        assert_eq!(result, vk::Result::SUCCESS);
        Self(pool, made)
    }

    fn allocate(&self, level: vk::CommandBufferLevel, count: usize) -> Vec<vk::CommandBuffer> {
        let mut buffers = std::vec![vk::CommandBuffer::null(); count];
        let info = self.info(level, count as u32);
        // SAFETY: live handles and space for the requested number.
        let result = unsafe {
            call!(ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers(self.1.0, &info, buffers.as_mut_ptr()))
        };
        assert_eq!(result, vk::Result::SUCCESS);
        buffers
    }

    fn info(&self, level: vk::CommandBufferLevel, count: u32) -> vk::CommandBufferAllocateInfo<'static> {
        vk::CommandBufferAllocateInfo::default().command_pool(self.0).level(level).command_buffer_count(count)
    }

    fn free(&self, buffers: &[vk::CommandBuffer]) {
        // SAFETY: live handles in a counted array.
        unsafe {
            call!(FREE_COMMAND_BUFFERS:
                PFN_vkFreeCommandBuffers(self.1.0, self.0, buffers.len() as u32, buffers.as_ptr()));
        }
    }
}

impl Drop for Pool<'_> {
    fn drop(&mut self) {
        // SAFETY: the pool is no longer in use.
        unsafe { call!(DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool(self.1.0, self.0, null())) };
    }
}

fn get<'a>(commands: vk::CommandBuffer) -> &'a CommandBuffer<TestDriver> {
    // SAFETY: the tests use live handles.
    unsafe { Object::<BufferState<TestDriver>>::from_handle(commands) }.unwrap()
}

fn begin(commands: vk::CommandBuffer) {
    let info = vk::CommandBufferBeginInfo::default();
    // SAFETY: a live handle.
    let result = unsafe { call!(BEGIN_COMMAND_BUFFER: PFN_vkBeginCommandBuffer(commands, &info)) };
    assert_eq!(result, vk::Result::SUCCESS);
}

fn end(commands: vk::CommandBuffer) -> vk::Result {
    // SAFETY: a live handle.
    unsafe { call!(END_COMMAND_BUFFER: PFN_vkEndCommandBuffer(commands)) }
}

const PRIMARY: vk::CommandBufferLevel = vk::CommandBufferLevel::PRIMARY;
const SECONDARY: vk::CommandBufferLevel = vk::CommandBufferLevel::SECONDARY;

#[test]
fn command_buffers_begin_and_end_and_are_reset_with_their_pool() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let pool = Pool::new(&made);
    let [first, second] = pool.allocate(PRIMARY, 2)[..] else { panic!("two") };
    assert_eq!((get(first).state(), get(first).pool().family()), (State::Initial, 3));
    begin(first);
    get(first).base().begin_label(&Label { name: c"x", color: [0.0; 4] });
    assert_eq!(get(first).state(), State::Recording);
    assert_eq!(end(first), vk::Result::SUCCESS);
    assert_eq!((get(first).state(), get(second).state()), (State::Executable, State::Initial));
    begin(first);
    assert!(get(first).base().labels().unwrap().is_empty());
    assert_eq!(calls(), ["begin", "end", "reset false", "begin"]);
    // SAFETY: live handles.
    unsafe {
        let _ = call!(RESET_COMMAND_POOL: PFN_vkResetCommandPool(made.0, pool.0, vk::CommandPoolResetFlags::empty()));
        assert_eq!((get(first).state(), calls()), (State::Initial, std::vec![String::from("reset false")]));
        let _ = call!(RESET_COMMAND_BUFFER:
            PFN_vkResetCommandBuffer(first, vk::CommandBufferResetFlags::RELEASE_RESOURCES));
    }
    assert_eq!(calls(), ["reset true"]);
}

#[test]
fn freed_command_buffers_are_as_new_and_go_when_the_pool_is_trimmed() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let pool = Pool::new(&made);
    let buffers = pool.allocate(PRIMARY, 3);
    get(buffers[0]).base().set_name(Some(b"named")).unwrap();
    // A loader writes into the first word.
    let first = core::ptr::with_exposed_provenance_mut::<usize>(buffers[0].as_raw() as usize);
    // SAFETY: a command buffer begins with a word of the loader's.
    unsafe { first.write(1) };
    pool.free(&[buffers[0], vk::CommandBuffer::null(), buffers[2]]);
    assert_eq!(CREATED.get(), 3);
    let secondary = pool.allocate(SECONDARY, 1);
    assert_eq!(CREATED.get(), 4, "one of the other level does not serve");
    let again = pool.allocate(PRIMARY, 2);
    assert_eq!(CREATED.get(), 4);
    assert!(again.contains(&buffers[0]) && again.contains(&buffers[2]));
    // SAFETY: as above.
    assert_eq!(unsafe { first.read() }, LOADER_MAGIC);
    assert_eq!(get(buffers[0]).base().name().unwrap().len(), 0);
    pool.free(&again);
    pool.free(&secondary);
    // SAFETY: live handles.
    unsafe {
        call!(TRIM_COMMAND_POOL: PFN_vkTrimCommandPool(made.0, pool.0, vk::CommandPoolTrimFlags::empty()));
    }
    assert_eq!(CREATED.get(), 1);
    drop(pool);
    assert_eq!(CREATED.get(), 0);
}

#[test]
fn command_buffers_without_memory() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    for number in 0.. {
        let (result, reached, left) = failing(Fail::Only(number), || {
            let mut pool = vk::CommandPool::null();
            let info = vk::CommandPoolCreateInfo::default();
            let mut buffers = [vk::CommandBuffer::null(); 5];
            // SAFETY: live handles and valid structures; created objects are destroyed.
            unsafe {
                let mut result =
                    call!(CREATE_COMMAND_POOL: PFN_vkCreateCommandPool(made.0, &info, null(), &mut pool));
                if result == vk::Result::SUCCESS {
                    let info =
                        vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(5);
                    result = call!(ALLOCATE_COMMAND_BUFFERS:
                        PFN_vkAllocateCommandBuffers(made.0, &info, buffers.as_mut_ptr()));
                    assert!(result == vk::Result::SUCCESS || buffers.iter().all(|one| one.is_null()));
                }
                call!(DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool(made.0, pool, null()));
                result
            }
        });
        assert_eq!((left, CREATED.get()), (0, 0), "allocation {number}");
        if !reached {
            assert_eq!(result, vk::Result::SUCCESS);
            break;
        }
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "allocation {number}");
    }
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let mut pool = vk::CommandPool::null();
    let info = vk::CommandPoolCreateInfo::default();
    // SAFETY: live handles and valid structures; the callbacks live longer than the pool.
    unsafe {
        let result =
            call!(CREATE_COMMAND_POOL: PFN_vkCreateCommandPool(made.0, &info, &callbacks, &mut pool));
        assert_eq!(result, vk::Result::SUCCESS);
        let pool = core::mem::ManuallyDrop::new(Pool(pool, &made));
        pool.allocate(PRIMARY, 2);
        assert!(ledger.scopes().iter().all(|scope| *scope == vk::SystemAllocationScope::OBJECT.as_raw()));
        assert!(ledger.live_blocks() > 2);
        call!(DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool(made.0, pool.0, &callbacks));
    }
    assert_eq!(ledger.live_blocks(), 0);
}

/// Records one of each kind of command, from memory that is overwritten afterwards.
///
/// # Safety
/// `commands` is a live handle of a command buffer that is being recorded.
unsafe fn record(commands: vk::CommandBuffer) {
    let garbage = core::ptr::without_provenance::<vk::DescriptorImageInfo>(8);
    let mut constants = [1.0, 2.5, -3.0, 0.0];
    let mut regions = [5, 6].map(|size| vk::BufferCopy { size, ..Default::default() });
    let mut bytes = [9u8, 8, 7];
    let mut mask = [3u32, 4];
    let mut depth = vk::RenderingAttachmentInfo::default();
    depth.clear_value.depth_stencil.stencil = 77;
    let mut colors =
        [21, 22].map(|view| vk::RenderingAttachmentInfo::default().image_view(vk::ImageView::from_raw(view)));
    let areas = [vk::Rect2D::default(); 3];
    let mut unknown = vk::BaseInStructure {
        s_type: vk::StructureType::from_raw(4711),
        p_next: null(),
        _marker: Default::default(),
    };
    let mut group = vk::DeviceGroupRenderPassBeginInfo::default().device_render_areas(&areas);
    unknown.p_next = (&raw mut group).cast_const().cast();
    let mut rendering =
        vk::RenderingInfo::default().layer_count(2).color_attachments(&colors).depth_attachment(&depth);
    rendering.p_next = (&raw const unknown).cast();
    let mut buffers = [100, 200].map(|range| vk::DescriptorBufferInfo::default().range(range));
    let mut write = vk::WriteDescriptorSet::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .buffer_info(&buffers);
    write.p_image_info = garbage;
    let layout = vk::PipelineLayout::null();
    // SAFETY: the caller vouches for the handle, and parameters are as the specification has them.
    unsafe {
        call!(CMD_DRAW: PFN_vkCmdDraw(commands, 1, 2, 3, 4));
        call!(CMD_DRAW_INDEXED: PFN_vkCmdDrawIndexed(commands, 1, 2, 3, -4, 5));
        call!(CMD_SET_DEPTH_BIAS: PFN_vkCmdSetDepthBias(commands, 0.5, -1.0, 2.0));
        call!(CMD_SET_BLEND_CONSTANTS: PFN_vkCmdSetBlendConstants(commands, &constants));
        let (source, target) = (vk::Buffer::from_raw(u64::MAX), vk::Buffer::from_raw(12));
        call!(CMD_COPY_BUFFER: PFN_vkCmdCopyBuffer(commands, source, target, 2, regions.as_ptr()));
        call!(CMD_PUSH_CONSTANTS: PFN_vkCmdPushConstants(
            commands, layout, vk::ShaderStageFlags::ALL, 4, 3, bytes.as_ptr().cast()));
        let samples = vk::SampleCountFlags::TYPE_64;
        call!(CMD_SET_SAMPLE_MASK_EXT: PFN_vkCmdSetSampleMaskEXT(commands, samples, mask.as_ptr()));
        call!(CMD_BEGIN_RENDERING: PFN_vkCmdBeginRendering(commands, &rendering));
        call!(CMD_PUSH_DESCRIPTOR_SET_KHR: PFN_vkCmdPushDescriptorSetKHR(
            commands, vk::PipelineBindPoint::COMPUTE, layout, 0, 1, &write));
    }
    (constants, bytes, mask) = ([0.0; 4], [0; 3], [0; 2]);
    regions.fill(vk::BufferCopy::default());
    colors.fill(vk::RenderingAttachmentInfo::default());
    buffers.fill(vk::DescriptorBufferInfo::default());
    depth = vk::RenderingAttachmentInfo::default();
    group = vk::DeviceGroupRenderPassBeginInfo::default();
    core::hint::black_box((&constants, &bytes, &mask, &regions, &colors, &buffers, &depth, &group));
}

const RECORDED: [&str; 9] = [
    "draw 1 2 3 4",
    "draw indexed 1 2 3 -4 5",
    "depth bias 0.5 -1 2",
    "blend [1.0, 2.5, -3.0, 0.0]",
    "copy 18446744073709551615 12 [5, 6]",
    "constants 4 [9, 8, 7]",
    "mask [3, 4]",
    "render 2 [21, 22] Some(77) Some(3)",
    "descriptors [100, 200] true",
];

#[test]
fn secondary_command_buffers_are_recorded_and_replayed() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let pool = Pool::new(&made);
    let (primary, secondary) = (pool.allocate(PRIMARY, 1)[0], pool.allocate(SECONDARY, 1)[0]);
    begin(secondary);
    // SAFETY: live handles, in a state to be recorded or executed.
    unsafe {
        record(secondary);
        assert_eq!((end(secondary), calls()), (vk::Result::SUCCESS, Vec::new()));
        begin(primary);
        for _ in 0..2 {
            let execute = [secondary, vk::CommandBuffer::null()];
            call!(CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands(primary, 2, execute.as_ptr()));
        }
        let twice: Vec<_> = ["begin"].iter().chain(&RECORDED).chain(&RECORDED).copied().collect();
        assert_eq!(calls(), twice);
        begin(secondary);
        assert_eq!(end(secondary), vk::Result::SUCCESS);
        call!(CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands(primary, 1, &secondary));
        assert!(calls().is_empty());
    }
}

#[test]
fn commands_into_primary_command_buffers_are_the_drivers() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let pool = Pool::new(&made);
    let primary = pool.allocate(PRIMARY, 1)[0];
    begin(primary);
    // SAFETY: a live handle that is being recorded.
    unsafe {
        call!(CMD_DRAW: PFN_vkCmdDraw(primary, 4, 3, 2, 1));
        let template = vk::DescriptorUpdateTemplate::null();
        call!(CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR(
            primary, template, vk::PipelineLayout::null(), 6, null()));
    }
    assert_eq!(calls(), ["begin", "draw 4 3 2 1", "template 6"]);
    assert!(COMMANDS.get(command::CMD_DISPATCH).is_none(), "and what the driver does not have is not there");
}

#[test]
fn secondary_command_buffers_execute_others() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let pool = Pool::new(&made);
    let (primary, buffers) = (pool.allocate(PRIMARY, 1)[0], pool.allocate(SECONDARY, 2));
    // SAFETY: live handles, in a state to be recorded or executed.
    unsafe {
        begin(buffers[0]);
        call!(CMD_DRAW: PFN_vkCmdDraw(buffers[0], 1, 1, 1, 1));
        assert_eq!(end(buffers[0]), vk::Result::SUCCESS);
        begin(buffers[1]);
        call!(CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands(buffers[1], 1, &buffers[0]));
        call!(CMD_DRAW: PFN_vkCmdDraw(buffers[1], 2, 2, 2, 2));
        assert_eq!(end(buffers[1]), vk::Result::SUCCESS);
        begin(primary);
        call!(CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands(primary, 1, &buffers[1]));
    }
    assert_eq!(calls(), ["begin", "draw 1 1 1 1", "draw 2 2 2 2"]);
}

#[test]
fn recording_without_memory_fails_at_its_end() {
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let pool = Pool::new(&made);
    let secondary = pool.allocate(SECONDARY, 1)[0];
    for number in 0.. {
        let (result, reached, left) = failing(Fail::Only(number), || {
            begin(secondary);
            // SAFETY: a live handle that is being recorded.
            unsafe { record(secondary) };
            let result = end(secondary);
            // SAFETY: a live handle.
            unsafe {
                let _ = call!(RESET_COMMAND_BUFFER:
                    PFN_vkResetCommandBuffer(secondary, vk::CommandBufferResetFlags::RELEASE_RESOURCES));
            }
            result
        });
        assert_eq!(left, 0, "allocation {number}");
        if !reached {
            assert_eq!(result, vk::Result::SUCCESS);
            assert!(number > 0);
            break;
        }
        assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "allocation {number}");
    }
}
