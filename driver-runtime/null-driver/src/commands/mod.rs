//! Command buffers: the runtime records them, and commands with an effect run when a queue reaches the command
//! buffer.

mod addresses;
mod transfer;

use core::sync::atomic::Ordering;

use vkload_driver_runtime::command_buffer::{self, CommandBuffer, CommandBuffers, CommandPool, Recording};
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::prelude::CommandBufferError;
use vkload_driver_runtime::{Queue, calls, entry_points, vk};

use crate::dispatchable::mark;
use crate::{Null, checkpoints, events, queries, rendering};

/// The functions that run when a command buffer is executed. Other recorded commands have no effect.
const EFFECTS: EntryPoints<Null> = transfer::COMMANDS
    .and(&addresses::COMMANDS)
    .and(&queries::EFFECTS)
    .and(&events::EFFECTS)
    .and(&rendering::EFFECTS)
    .and(&checkpoints::EFFECTS);

impl CommandBuffers for Null {
    type CommandBuffer = rendering::Current;
    const RECORDING: Recording<Self> = Recording::All(&EFFECTS);

    fn create_command_buffer(
        _: &CommandPool<Self>,
        _: vk::CommandBufferLevel,
    ) -> Result<rendering::Current, CommandBufferError> {
        Ok(rendering::Current::nothing())
    }
}

/// Executes a command buffer's recording on the queue.
///
/// # Safety
/// The handle and all recorded objects are live, and no thread records meanwhile.
pub(crate) unsafe fn execute(queue: &Queue<Null>, commands: vk::CommandBuffer) {
    // SAFETY: the caller vouches for the handle.
    unsafe {
        if let Some(commands) = CommandBuffer::<Null>::from_handle(commands) {
            commands.queue.store(queue.raw(), Ordering::Relaxed);
            commands.replay();
        }
    }
}

static RUNTIME: EntryPoints<Null> = command_buffer::entry_points::<Null>();

/// Allocates as the runtime does, and writes the scenario's first word.
fn allocate_command_buffers(call: &calls::AllocateCommandBuffers<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification: the array has the requested length.
    unsafe {
        let result =
            call.make(|command| RUNTIME.get(command)).unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED);
        if result == vk::Result::SUCCESS {
            let all = list(call.command_buffers, call.allocate_info.command_buffer_count);
            all.iter().for_each(|commands| mark(*commands));
        }
        result
    }
}

/// The commands for command pools and command buffers, and the recording commands.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! { AllocateCommandBuffers = allocate_command_buffers }
}
.or(&command_buffer::entry_points::<Null>());

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::string::{String, ToString};
    use std::vec::Vec;
    use std::{format, fs};

    use vkload_driver_runtime::Tables;
    use vkload_driver_runtime::registry::{Class, CommandId};

    use super::*;
    use crate::extensions::WITHOUT_EFFECT;

    /// The beginnings of commands that draw, run shaders, decode, or only set the state for that.
    const DRAWING: &[&str] = &[
        "BeginConditionalRendering",
        "BeginCustomResolve",
        "BeginPerTile",
        "BeginQuery",
        "BeginTransformFeedback",
        "Bind",
        "BuildAccelerationStructure",
        "BuildMicromaps",
        "ControlVideo",
        "BeginVideo",
        "EndVideo",
        "DecodeVideo",
        "EncodeVideo",
        "CopyAccelerationStructure",
        "CopyMemoryToAccelerationStructure",
        "CopyMicromap",
        "CopyMemoryToMicromap",
        "CuLaunch",
        "CudaLaunch",
        "DebugMarker",
        "Dispatch",
        "Draw",
        "EndConditionalRendering",
        "EndPerTile",
        "EndTransformFeedback",
        "ExecuteGenerated",
        "InitializeGraph",
        "PipelineBarrier",
        "PreprocessGenerated",
        "Push",
        "Set",
        "SubpassShading",
        "TraceRays",
        "UpdatePipelineIndirect",
    ];

    /// Returns a name as the programs write it: `cmd_copy_buffer` for `vkCmdCopyBuffer2`.
    fn snake(name: &str) -> String {
        let name = ["KHR", "EXT", "NV", "AMD"].iter().fold(name, |name, tag| name.trim_end_matches(tag));
        let name = name.trim_start_matches("vk").trim_end_matches('2');
        let spelled = name
            .chars()
            .flat_map(|letter| letter.is_uppercase().then_some('_').into_iter().chain(letter.to_lowercase()));
        spelled.collect::<String>().trim_start_matches('_').to_string()
    }

    /// Returns which of the programs that look for effects use a command.
    fn users(programs: &[(String, String)], name: &str) -> Vec<String> {
        let spelled = snake(name);
        let forms = [format!(".{spelled}("), format!(".{spelled}2("), format!("c\"{name}\"")];
        let uses = |text: &str| forms.iter().any(|form| text.contains(form));
        programs.iter().filter(|(_, text)| uses(text)).map(|(file, _)| file.clone()).collect()
    }

    #[test]
    fn each_claim_has_an_effect_that_a_program_looks_for() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        // The published package has neither the page nor the programs.
        if !folder.join("icd").exists() {
            return;
        }
        let page = fs::read_to_string(folder.join("../../docs/null-driver.md")).unwrap();
        let files = fs::read_dir(folder.join("icd/tests/loaders/programs")).unwrap();
        let mut programs: Vec<_> = files
            .map(|file| file.unwrap().path())
            .map(|path| {
                (path.file_stem().unwrap().to_str().unwrap().into(), fs::read_to_string(path).unwrap())
            })
            .collect();
        programs.sort();
        let mut rows = BTreeMap::<String, Vec<String>>::new();
        let recorded =
            CommandId::all().filter(|id| id.class() == Class::CommandBuffer && id.alias_of().is_none());
        for id in recorded {
            let name = id.name().to_str().unwrap();
            if EFFECTS.get(id).is_some() {
                let users = users(&programs, name);
                let first =
                    users.first().unwrap_or_else(|| panic!("no program looks for the effect of {name}"));
                rows.entry(first.clone()).or_default().push(format!("`{name}`"));
                continue;
            }
            let ignores = |function| core::ptr::fn_addr_eq(function, crate::ignore_command());
            let provided = id.providers().collect::<Vec<_>>();
            let is_claim = !provided.is_empty() && provided.iter().all(|id| WITHOUT_EFFECT.contains(*id));
            let draws = DRAWING.iter().any(|part| name["vkCmd".len()..].starts_with(part));
            let is_ignored = Null::TABLE.get(id).is_none_or(ignores);
            let for_drivers = provided.is_empty()
                || provided.iter().any(|id| crate::extensions::all(4, true, true).contains(*id));
            assert!(!is_ignored || draws || is_claim || !for_drivers, "{name} has no effect");
        }
        for (program, commands) in rows {
            let row = format!("| `{program}` | {} |", commands.join(", "));
            assert!(page.contains(&row), "docs/null-driver.md lacks\n{row}");
        }
        let claims: Vec<_> =
            WITHOUT_EFFECT.iter().map(|id| format!("`{}`", id.name().to_str().unwrap())).collect();
        assert!(page.contains(&claims.join(", ")), "docs/null-driver.md lacks\n{}", claims.join(", "));
    }
}
