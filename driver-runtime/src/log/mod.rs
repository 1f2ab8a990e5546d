//! Messages to the application: through the messengers of VK_EXT_debug_utils and the callbacks of VK_EXT_debug_report.
//!
//! [`message!`](crate::message) sends a message about objects, [`failed`] reports why a command fails. All listeners
//! of the objects' instance receive a message; during the instance's creation and destruction, the listeners chained
//! to its create info do. Callbacks are called without a lock, and may call anything.
//!
//! Objects that the application has not got yet are not named. A message about a queue or a command buffer carries the
//! labels that are open there, the innermost first.

#[cfg(test)]
pub(crate) mod tests;

use core::ffi::CStr;
use core::fmt;

use ash::vk;
use vkload_core::logger::severity_and_types;
use vkload_core::memory::{OutOfMemory, Process, Text, TryGrow, Vec, format_into};

use crate::object::{Labels, Listeners, ObjectBase, Root};

pub use crate::object::Label;
pub use vkload_core::log::{Level, Topic};

/// The text of a message that does not fit into memory.
const NO_MEMORY: &CStr = c"(not enough memory for the text of this message)";

/// Sends a message about objects: `message!(Level::Warning, Topic::Performance, [queue.base()], "{} waits", 3)`. The
/// first object determines the instance. `pMessageIdName` is the source location.
#[macro_export]
macro_rules! message {
    ($level:expr, $topic:expr, [$($object:expr),+ $(,)?], $($text:tt)+) => {
        $crate::log::send(&[$($object),+], $level, $topic, $crate::here!(), format_args!($($text)+))
    };
}

/// The location in the source as a C string: `src/queue.rs:12`.
#[doc(hidden)]
#[macro_export]
macro_rules! here {
    () => {
        const {
            match core::ffi::CStr::from_bytes_with_nul(concat!(file!(), ":", line!(), "\0").as_bytes()) {
                Ok(location) => location,
                Err(_) => c"",
            }
        }
    };
}

/// Sends a message about `objects`, the first of which determines the instance. `id` is the value of
/// `pMessageIdName`.
pub fn send(objects: &[&ObjectBase], level: Level, topic: Topic, id: &CStr, text: fmt::Arguments<'_>) {
    if let Some(first) = objects.first() {
        tell(first.listeners(), objects, level, topic, id, text);
    }
}

/// Reports why a command fails, and returns the error. The message names the object that the error concerns: the
/// instance, the physical device or the device of `about`, or `about` itself. The error's name ends its text.
pub fn failed<E: Copy + Into<vk::Result>>(
    error: E,
    about: &ObjectBase,
    id: &CStr,
    text: fmt::Arguments<'_>,
) -> E {
    let code = error.into();
    let object = concerned(code, about);
    send(&[object], Level::Warning, Topic::Driver, id, format_args!("{text} (VK_{code:?})"));
    error
}

/// Does the same as [`failed`] before the first object exists.
pub(crate) fn failed_early<E: Copy + Into<vk::Result>>(
    error: E,
    listeners: &Listeners,
    id: &CStr,
    text: fmt::Arguments<'_>,
) -> E {
    let code = error.into();
    tell(listeners, &[], Level::Warning, Topic::Driver, id, format_args!("{text} (VK_{code:?})"));
    error
}

/// Complains about objects that should have been destroyed before the instance or device of `root`, which `command`
/// destroys.
pub(crate) fn report_left(root: &Root, command: &str, rule: &str) {
    let left = root.children();
    if left != 0 {
        let text = "was not destroyed first, of objects that were created from this one:";
        message!(Level::Error, Topic::Usage, [root.base()], "{command}: {text} {left} ({rule})");
    }
}

fn concerned(code: vk::Result, about: &ObjectBase) -> &ObjectBase {
    match code {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY
        | vk::Result::ERROR_LAYER_NOT_PRESENT
        | vk::Result::ERROR_EXTENSION_NOT_PRESENT
        | vk::Result::ERROR_UNKNOWN => about.instance_root().base(),
        vk::Result::ERROR_FEATURE_NOT_PRESENT => about.physical_device().unwrap_or(about),
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
        | vk::Result::ERROR_MEMORY_MAP_FAILED
        | vk::Result::ERROR_TOO_MANY_OBJECTS => about.device().map_or(about, Root::base),
        _ => about,
    }
}

fn tell(
    listeners: &Listeners,
    objects: &[&ObjectBase],
    level: Level,
    topic: Topic,
    id: &CStr,
    text: fmt::Arguments<'_>,
) {
    if !listeners.want(level, topic) {
        return;
    }
    let mut bytes = Text::new();
    format_into(&mut bytes, text);
    let text = match bytes.try_push(0) {
        Ok(()) => CStr::from_bytes_until_nul(&bytes).unwrap_or(NO_MEMORY),
        Err(OutOfMemory) => NO_MEMORY,
    };
    // Parts that do not fit into memory are left out: a shortened message is better than none.
    let about = About::new(objects).unwrap_or_default();
    let infos = about.infos().unwrap_or_else(|_| Vec::new_in(Process));
    let [of_queue, of_commands] = [&about.queue, &about.commands]
        .map(|labels| open_labels(labels).unwrap_or_else(|_| Vec::new_in(Process)));
    let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
        .message_id_name(id)
        .message(text)
        .queue_labels(&of_queue)
        .cmd_buf_labels(&of_commands)
        .objects(&infos);
    let (severity, types) = severity_and_types(level, topic);
    // SAFETY: the data and everything it points to live until the end of the call.
    unsafe { listeners.submit(severity, types, &data) };
}

/// Converts the labels to the form that callbacks receive.
fn open_labels(labels: &Labels<Process>) -> Result<Vec<vk::DebugUtilsLabelEXT<'_>, Process>, OutOfMemory> {
    let mut list = Vec::new_in(Process);
    for label in labels.iter() {
        list.try_push(vk::DebugUtilsLabelEXT::default().label_name(label.name).color(label.color))?;
    }
    Ok(list)
}

/// The objects of a message: copies of the data that the objects' locks protect.
struct About {
    objects: Vec<(vk::ObjectType, u64, Text), Process>,
    queue: Labels<Process>,
    commands: Labels<Process>,
}

impl Default for About {
    fn default() -> Self {
        let none = || Labels::new(Process);
        Self { objects: Vec::new_in(Process), queue: none(), commands: none() }
    }
}

impl About {
    fn new(objects: &[&ObjectBase]) -> Result<Self, OutOfMemory> {
        let mut about = Self::default();
        for object in objects.iter().filter(|object| object.is_visible()) {
            let mut name = object.name()?;
            if !name.is_empty() {
                name.try_push(0)?;
            }
            about.objects.try_push((object.kind(), object.address(), name))?;
            match object.kind() {
                vk::ObjectType::QUEUE if about.queue.is_empty() => about.queue = object.labels()?,
                vk::ObjectType::COMMAND_BUFFER if about.commands.is_empty() => {
                    about.commands = object.labels()?
                }
                _ => {}
            }
        }
        Ok(about)
    }

    fn infos(&self) -> Result<Vec<vk::DebugUtilsObjectNameInfoEXT<'_>, Process>, OutOfMemory> {
        let mut infos = Vec::new_in(Process);
        for (object_type, object_handle, name) in &self.objects {
            let name = if name.is_empty() { core::ptr::null() } else { name.as_ptr().cast() };
            infos.try_push(vk::DebugUtilsObjectNameInfoEXT {
                object_type: *object_type,
                object_handle: *object_handle,
                p_object_name: name,
                ..Default::default()
            })?;
        }
        Ok(infos)
    }
}
