//! Command buffers of a driver that executes them later.

use std::cell::RefCell;
use std::ptr::null;
use std::string::String;
use std::thread;
use std::vec::Vec;

use ash::vk;
use vkload_core::registry::command;

use super::{
    CommandBuffer, CommandBuffers, CommandPool, ExclusiveCommandBuffer, Recording, State, entry_points,
};
use crate::dispatch::EntryPoints;
use crate::prelude::*;
use crate::testing::{Ledger, commands, no_parts, plain_driver};

std::thread_local! {
    /// The calls executed on this thread, each with its command buffer.
    static EXECUTED: RefCell<Vec<(vk::CommandBuffer, String)>> = const { RefCell::new(Vec::new()) };
}

fn executed() -> Vec<(vk::CommandBuffer, String)> {
    EXECUTED.take()
}

fn note(commands: vk::CommandBuffer, what: String) {
    EXECUTED.with_borrow_mut(|list| list.push((commands, what)));
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
const EXECUTE: EntryPoints<Later> = unsafe {
    crate::entry_points! {
        CmdFillBuffer = |call| {
            note(call.command_buffer, std::format!("fill {} {} {}", call.dst_offset, call.size, call.data));
        },
        CmdUpdateBuffer = |call| {
            let data = core::slice::from_raw_parts(call.data.cast::<u8>(), call.data_size as usize);
            note(call.command_buffer, std::format!("update {data:?}"));
        },
        // The driver records this command itself, since the runtime does not know that the data has three bytes.
        CmdPushDescriptorSetWithTemplateKHR = |call| {
            let own = |commands, (set, data): &(u32, [u8; 3])| {
                note(commands, std::format!("push {set} {data:?}"));
            };
            let mut commands = ExclusiveCommandBuffer::<Later>::from_handle(call.command_buffer).unwrap();
            commands.record(own, (call.set, call.data.cast::<[u8; 3]>().read()));
        },
    }
};

struct Later;

impl CommandBuffers for Later {
    type CommandBuffer = ();
    const RECORDING: Recording<Self> = Recording::All(&EXECUTE);
    fn create_command_buffer(
        _: &CommandPool<Self>,
        _: vk::CommandBufferLevel,
    ) -> Result<(), CommandBufferError> {
        Ok(())
    }
}

plain_driver!(Later, entry_points::<Self>(), || ());

macro_rules! call {
    ($command:ident: $kind:ident($($argument:expr),*)) => {
        (commands::typed::<vk::$kind>(Later::COMMANDS.get(command::$command.canonical())))($($argument),*)
    };
}

/// An instance, a device and a pool, which go with the test.
struct Made {
    instance: vk::Instance,
    device: vk::Device,
    pool: vk::CommandPool,
}

impl Made {
    fn new(callbacks: *const vk::AllocationCallbacks<'_>) -> Self {
        let (mut instance, mut physical) = (vk::Instance::null(), vk::PhysicalDevice::null());
        let (mut device, mut pool) = (vk::Device::null(), vk::CommandPool::null());
        // SAFETY: live handles and valid structures.
        unsafe {
            let info = vk::InstanceCreateInfo::default();
            assert_eq!(
                commands::create_instance::<Later>()(&info, null(), &mut instance),
                vk::Result::SUCCESS
            );
            let result = commands::enumerate_physical_devices::<Later>()(instance, &mut 1, &mut physical);
            assert_eq!(result, vk::Result::SUCCESS);
            let info = vk::DeviceCreateInfo::default();
            assert_eq!(
                commands::create_device::<Later>()(physical, &info, null(), &mut device),
                vk::Result::SUCCESS
            );
            let info = vk::CommandPoolCreateInfo::default();
            let result =
                call!(CREATE_COMMAND_POOL: PFN_vkCreateCommandPool(device, &info, callbacks, &mut pool));
            assert_eq!(result, vk::Result::SUCCESS);
        }
        Self { instance, device, pool }
    }

    fn allocate(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        let mut commands = vk::CommandBuffer::null();
        // SAFETY: live handles and space for one.
        let result = unsafe {
            call!(ALLOCATE_COMMAND_BUFFERS: PFN_vkAllocateCommandBuffers(self.device, &info, &mut commands))
        };
        assert_eq!(result, vk::Result::SUCCESS);
        commands
    }

    fn free(&self, commands: vk::CommandBuffer) {
        // SAFETY: a live handle of the pool.
        unsafe {
            call!(FREE_COMMAND_BUFFERS: PFN_vkFreeCommandBuffers(self.device, self.pool, 1, &commands))
        };
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: nothing is used any more. A test with callbacks has destroyed the pool.
        unsafe {
            call!(DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool(self.device, self.pool, null()));
            commands::destroy_device::<Later>()(self.device, null());
            commands::destroy_instance::<Later>()(self.instance, null());
        }
    }
}

fn get<'a>(commands: vk::CommandBuffer) -> &'a CommandBuffer<Later> {
    // SAFETY: the tests use live handles.
    unsafe { CommandBuffer::<Later>::from_handle(commands) }.unwrap()
}

fn record(commands: vk::CommandBuffer, what: impl FnOnce(vk::CommandBuffer)) {
    let info = vk::CommandBufferBeginInfo::default();
    // SAFETY: a live handle.
    unsafe {
        let result = call!(BEGIN_COMMAND_BUFFER: PFN_vkBeginCommandBuffer(commands, &info));
        assert_eq!(result, vk::Result::SUCCESS);
        what(commands);
        assert_eq!(call!(END_COMMAND_BUFFER: PFN_vkEndCommandBuffer(commands)), vk::Result::SUCCESS);
    }
    assert_eq!(get(commands).state(), State::Executable);
}

fn record_fill(commands: vk::CommandBuffer, word: u32) {
    // SAFETY: a live handle of a command buffer that is being recorded.
    unsafe { call!(CMD_FILL_BUFFER: PFN_vkCmdFillBuffer(commands, vk::Buffer::null(), 0, 4, word)) };
}

fn replay(commands: vk::CommandBuffer) {
    // SAFETY: no thread records it.
    unsafe { get(commands).replay() };
}

const PRIMARY: vk::CommandBufferLevel = vk::CommandBufferLevel::PRIMARY;
const SECONDARY: vk::CommandBufferLevel = vk::CommandBufferLevel::SECONDARY;

#[test]
fn primary_command_buffers_are_executed_when_they_are_replayed() {
    let made = Made::new(null());
    let (primary, secondary) = (made.allocate(PRIMARY), made.allocate(SECONDARY));
    record(secondary, |commands| record_fill(commands, 5));
    let mut data = [1u8, 2, 3, 4];
    // SAFETY: live handles and valid parameters.
    record(primary, |commands| unsafe {
        record_fill(commands, 4);
        call!(CMD_UPDATE_BUFFER:
            PFN_vkCmdUpdateBuffer(commands, vk::Buffer::null(), 0, 4, data.as_ptr().cast()));
        call!(CMD_EXECUTE_COMMANDS: PFN_vkCmdExecuteCommands(commands, 1, &secondary));
        record_fill(commands, 6);
    });
    data = [0; 4];
    core::hint::black_box(&data);
    assert!(executed().is_empty(), "nothing is executed before its time");
    let all = ["fill 0 4 4", "update [1, 2, 3, 4]", "fill 0 4 5", "fill 0 4 6"];
    for _ in 0..2 {
        replay(primary);
        assert_eq!(executed(), all.map(|one| (primary, String::from(one))));
    }
    // SAFETY: no thread records it.
    let commands: Vec<_> = unsafe { get(primary).calls() }.map(|call| call.command()).collect();
    let fill = Some(command::CMD_FILL_BUFFER);
    let (update, execute) = (Some(command::CMD_UPDATE_BUFFER), Some(command::CMD_EXECUTE_COMMANDS));
    assert_eq!(commands, [fill, update, execute, fill]);
}

#[test]
fn commands_that_the_runtime_cannot_record_are_recorded_by_the_driver() {
    let made = Made::new(null());
    let primary = made.allocate(PRIMARY);
    // SAFETY: live handles and valid parameters.
    record(primary, |commands| unsafe {
        let (template, layout) = (vk::DescriptorUpdateTemplate::null(), vk::PipelineLayout::null());
        record_fill(commands, 1);
        let data = [7u8, 8, 9];
        call!(CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR(
            commands, template, layout, 3, data.as_ptr().cast()));
        record_fill(commands, 2);
    });
    assert!(executed().is_empty());
    replay(primary);
    let all = ["fill 0 4 1", "push 3 [7, 8, 9]", "fill 0 4 2"];
    assert_eq!(executed(), all.map(|one| (primary, String::from(one))));
    // SAFETY: no thread records it, and the function has the command's type.
    unsafe {
        let other = EXECUTE.get(command::CMD_FILL_BUFFER).unwrap();
        get(primary).calls().for_each(|call| call.make(other, vk::CommandBuffer::null()));
    }
    assert_eq!(executed(), all.map(|one| (vk::CommandBuffer::null(), String::from(one))));
}

#[test]
fn long_recordings_keep_their_order_and_their_memory_serves_again() {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let mut made = Made::new(&callbacks);
    let primary = made.allocate(PRIMARY);
    let before = ledger.live_blocks();
    let mut count = 0;
    for round in 0..3 {
        record(primary, |commands| {
            (0..500).for_each(|word| record_fill(commands, word));
            let data = std::vec![9u8; 65_536];
            // SAFETY: live handles and this many bytes.
            unsafe {
                call!(CMD_UPDATE_BUFFER:
                    PFN_vkCmdUpdateBuffer(commands, vk::Buffer::null(), 0, 65_536, data.as_ptr().cast()));
            }
            (500..1000).for_each(|word| record_fill(commands, word));
        });
        replay(primary);
        let executed = executed();
        let fills = executed.iter().filter(|(_, what)| what.starts_with("fill"));
        assert!(fills.enumerate().all(|(word, (_, what))| *what == std::format!("fill 0 4 {word}")));
        assert_eq!((executed.len(), executed[500].1.len()), (1001, "update []".len() + 3 * 65_536 - 2));
        if round == 0 {
            count = ledger.scopes().len();
        }
        assert_eq!(ledger.scopes().len(), count, "round {round} allocates");
    }
    assert!(ledger.live_blocks() > before);
    // SAFETY: live handles.
    unsafe {
        let release = vk::CommandBufferResetFlags::RELEASE_RESOURCES;
        let _ = call!(RESET_COMMAND_BUFFER: PFN_vkResetCommandBuffer(primary, release));
        assert_eq!(ledger.live_blocks(), before);
        call!(DESTROY_COMMAND_POOL: PFN_vkDestroyCommandPool(made.device, made.pool, &callbacks));
    }
    made.pool = vk::CommandPool::null();
    assert_eq!(ledger.live_blocks(), 0);
}

#[test]
fn a_long_call_follows_a_short_recording() {
    let made = Made::new(null());
    let primary = made.allocate(PRIMARY);
    record(primary, |commands| record_fill(commands, 1));
    // Longer than a block; Miri takes minutes for more.
    const LENGTH: u64 = if cfg!(miri) { 8_192 } else { 65_536 };
    let data = std::vec![7u8; LENGTH as usize];
    for _ in 0..2 {
        // SAFETY: live handles and this many bytes.
        record(primary, |commands| unsafe {
            let (buffer, data) = (vk::Buffer::null(), data.as_ptr().cast());
            call!(CMD_UPDATE_BUFFER: PFN_vkCmdUpdateBuffer(commands, buffer, 0, LENGTH, data));
            record_fill(commands, 2);
        });
        replay(primary);
        let executed = executed();
        assert_eq!(executed[0].1, std::format!("update {data:?}"));
        assert_eq!((executed[1].1.as_str(), executed.len()), ("fill 0 4 2", 2));
    }
}

/// By the specification one thread may use a pool while another executes an earlier recording.
#[test]
fn a_pool_goes_on_while_its_command_buffers_are_executed() {
    let made = Made::new(null());
    let pending = made.allocate(PRIMARY);
    record(pending, |commands| (0..40).for_each(|word| record_fill(commands, word)));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                replay(pending);
                assert_eq!(executed().len(), 40);
                assert_eq!(get(pending).pool().family(), 0);
            });
        }
        for _ in 0..10 {
            let (one, other) = (made.allocate(PRIMARY), made.allocate(SECONDARY));
            record(one, |commands| record_fill(commands, 1));
            made.free(one);
            made.free(other);
        }
    });
}

#[test]
fn freed_command_buffers_serve_again_in_whichever_order_they_were_freed() {
    let made = Made::new(null());
    let first: Vec<_> = (0..60).map(|_| made.allocate(PRIMARY)).collect();
    // Every third, then from the end.
    first.iter().step_by(3).for_each(|commands| made.free(*commands));
    let rest: Vec<_> = first.iter().enumerate().filter(|(index, _)| index % 3 != 0).collect();
    rest.iter().rev().for_each(|(_, commands)| made.free(**commands));
    let again: Vec<_> = (0..60).map(|_| made.allocate(PRIMARY)).collect();
    let sorted = |list: &[vk::CommandBuffer]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    assert_eq!(sorted(&first), sorted(&again));
    for commands in &again {
        record(*commands, |commands| record_fill(commands, 1));
    }
    // SAFETY: live handles.
    unsafe {
        let release = vk::CommandPoolResetFlags::RELEASE_RESOURCES;
        let _ = call!(RESET_COMMAND_POOL: PFN_vkResetCommandPool(made.device, made.pool, release));
    }
    assert!(again.iter().all(|commands| get(*commands).state() == State::Initial));
    replay(again[7]);
    assert!(executed().is_empty());
}
