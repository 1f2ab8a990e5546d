//! A file with a line for each call that returns a result, and the objects that a program leaves.

use std::collections::HashMap;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{LazyLock, Mutex, OnceLock};

use ash::vk;
use vkload_fault_rules::result_name;
use vkload_layer_runtime::handle_array;
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::report_file;

use crate::device::lock;
use crate::{say, settings};

/// Commands whose objects have no command that destroys them, or that keep a log of their own.
const WITHOUT_OBJECT: [CommandId; 4] = [
    command::CREATE_INSTANCE,
    command::CREATE_DEVICE,
    command::CREATE_DISPLAY_MODE_KHR,
    command::CREATE_EXTERNAL_COMPUTE_QUEUE_NV,
];

/// By instance or device and handle, the command that created an object, and how often.
type Objects = HashMap<[u64; 2], (CommandId, u32)>;

static OBJECTS: LazyLock<Mutex<Objects>> = LazyLock::new(Mutex::default);

pub(crate) fn has(command: CommandId) -> bool {
    settings::get().log.is_some() && (command.returns_result() || destroys(command))
}

fn destroys(command: CommandId) -> bool {
    command.name().to_bytes().starts_with(b"vkDestroy") || command == command::FREE_MEMORY
}

/// Adds a call, with its result if it has one.
pub(crate) fn write(command: CommandId, result: Option<vk::Result>, numbers: &[u64]) {
    if settings::get().log.is_none() {
        return;
    }
    let command = command.canonical();
    if let Some(result) = result {
        line(&format!("{} {}", command.name().to_string_lossy(), result_name(result)));
    }
    if command == command::DESTROY_DEVICE || command == command::DESTROY_INSTANCE {
        write_left(numbers.first().copied().unwrap_or(0));
    } else if destroys(command) {
        let [owner, object, ..] = numbers else { return };
        let mut objects = lock(&OBJECTS);
        if let Some((_, count)) = objects.get_mut(&[*owner, *object]) {
            *count = count.saturating_sub(1);
        }
        objects.retain(|_, (_, count)| *count > 0);
    } else if result.is_none_or(|result| result.as_raw() >= 0) {
        let Some(owner) = numbers.first() else { return };
        let mut objects = lock(&OBJECTS);
        // SAFETY: the parameters are a successful call's.
        for object in unsafe { created(command, numbers) } {
            let (_, count) = objects.entry([*owner, *object]).or_insert((command, 0));
            *count = count.saturating_add(1);
        }
    }
}

/// Adds a failure that a rule demands.
pub(crate) fn fault(command: CommandId, result: &str) {
    line(&format!("! {} {result}", command.name().to_string_lossy()));
}

/// Adds the objects that a device or an instance still has when it is destroyed.
fn write_left(owner: u64) {
    let mut left = HashMap::<CommandId, u32>::new();
    lock(&OBJECTS).retain(|[of, _], (command, count)| {
        if *of == owner {
            let total = left.entry(*command).or_default();
            *total = total.saturating_add(*count);
        }
        *of != owner
    });
    for (command, count) in left {
        line(&format!("left {} {count}", command.name().to_string_lossy()));
    }
}

/// Returns the objects that a call created.
///
/// # Safety
/// The parameters come from a successful call of the command.
unsafe fn created(command: CommandId, numbers: &[u64]) -> &[u64] {
    let is_creation =
        command.name().to_bytes().starts_with(b"vkCreate") || command == command::ALLOCATE_MEMORY;
    if !is_creation || WITHOUT_OBJECT.contains(&command) {
        return &[];
    }
    let last = numbers.last().copied().unwrap_or(0) as usize;
    // SAFETY: the caller vouches for the parameters. Without an array, the last one leads to the new handle. Handles of these commands have
    // 64 bits.
    unsafe {
        match handle_array(command, numbers) {
            Some(array) => core::slice::from_raw_parts(array.start.cast(), array.count),
            None => core::slice::from_raw_parts(core::ptr::with_exposed_provenance(last), 1),
        }
    }
}

/// Appends a line with one system call, so that the lines of several threads and processes do not mix.
fn line(text: &str) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let Some(path) = &settings::get().log else { return };
    let file = FILE.get_or_init(|| {
        let opened = CString::new(path.as_str()).map_err(io::Error::from);
        let opened = opened.and_then(|path| report_file(&path, true));
        opened.inspect_err(|error| say(&format!("the log cannot be written: {path}: {error}"))).ok()
    });
    if let Some(mut file) = file.as_ref() {
        let _ = file.write_all(format!("{text}\n").as_bytes());
    }
}
