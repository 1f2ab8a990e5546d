//! The loader in this program: Linux's, whose environment variables a [`Config`](crate::Config) may add to.

use std::ffi::{CStr, OsString};
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Arc, OnceLock};

use ash::{Entry, StaticFn, vk};
use vkload_core::flavour::Flavour;
use vkload_core::loader::Loader;
use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::{Environment, Level, LogSink, Platform, Reader};
use vkload_linux::FLAVOUR;

pub(crate) static PLATFORM: Platform =
    Platform { environment: &ConfiguredEnvironment, log: &ConfiguredLog, ..vkload_linux::PLATFORM };

pub(crate) static LOADER: Loader = Loader::new(&PLATFORM, Flavour { more_about_drivers: hint, ..FLAVOUR });

pub(crate) mod commands {
    vkload_core::global_commands!(super::LOADER);
}

/// How a configured value and the user's variable combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    /// The value follows the user's, after a colon.
    Append,
    /// The user's value is used instead, of this variable or of one with the same meaning.
    Default { unless: Option<&'static CStr> },
}

#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static CStr,
    pub(crate) combine: Combine,
    pub(crate) value: OsString,
}

/// The callback that receives messages.
pub(crate) type OnMessage = Arc<dyn Fn(Level, &str) + Send + Sync>;

pub(crate) struct Applied {
    pub(crate) settings: Vec<Setting>,
    pub(crate) on_message: Option<OnMessage>,
    /// The end of the message that no driver can be used.
    pub(crate) hint: String,
    pub(crate) find: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) is_configured: bool,
}

static APPLIED: OnceLock<Applied> = OnceLock::new();

/// Uses the result of `choose`, unless the loader is in use already: then returns what is used.
pub(crate) fn apply(choose: impl FnOnce() -> Applied) -> Option<&'static Applied> {
    let mut is_new = false;
    let applied = APPLIED.get_or_init(|| {
        is_new = true;
        prepared(choose())
    });
    (!is_new).then_some(applied)
}

/// Returns vkGetInstanceProcAddr. From the first call on, the configuration stays.
pub(crate) fn find() -> vk::PFN_vkGetInstanceProcAddr {
    APPLIED
        .get_or_init(|| {
            let (settings, hint) = (Vec::new(), String::new());
            prepared(Applied { settings, on_message: None, hint, find: own(), is_configured: false })
        })
        .find
}

/// Returns the loader's own vkGetInstanceProcAddr.
pub(crate) fn own() -> vk::PFN_vkGetInstanceProcAddr {
    commands::get_instance_proc_addr
}

fn prepared(applied: Applied) -> Applied {
    LOADER.make_current();
    vkload_linux::prepare();
    applied
}

pub(crate) fn settings() -> &'static [Setting] {
    APPLIED.get().map_or(&[], |applied| &applied.settings)
}

fn hint() -> &'static str {
    APPLIED.get().map_or("", |applied| &applied.hint)
}

/// The program's callback, or standard error.
struct ConfiguredLog;

impl LogSink for ConfiguredLog {
    fn write(&self, level: Level, line: &[u8]) {
        let Some(on_message) = APPLIED.get().and_then(|applied| applied.on_message.as_ref()) else {
            return vkload_linux::PLATFORM.log.write(level, line);
        };
        let line = String::from_utf8_lossy(line);
        // The loader, the kind of the message and blanks are before it.
        on_message(level, line.split_once(':').map_or(&*line, |(_, message)| message).trim());
    }

    fn append(&self, path: &[u8], bytes: &[u8]) -> bool {
        vkload_linux::PLATFORM.log.append(path, bytes)
    }
}

/// The variables of the process, with the settings.
struct ConfiguredEnvironment;

impl Environment for ConfiguredEnvironment {
    fn variable(&self, name: &CStr, reader: Reader) -> Result<Option<Text>, OutOfMemory> {
        let of_user = |name: &CStr| vkload_linux::PLATFORM.environment.variable(name, reader);
        let users = of_user(name)?;
        let Some(setting) = settings().iter().find(|setting| setting.name == name) else { return Ok(users) };
        let value = setting.value.as_bytes();
        match (setting.combine, users) {
            (Combine::Append, Some(users)) if !users.is_empty() => text(&[&users, b":", value]).map(Some),
            (Combine::Default { .. }, Some(users)) => Ok(Some(users)),
            (Combine::Default { unless: Some(other) }, None) if of_user(other)?.is_some() => Ok(None),
            _ => text(&[value]).map(Some),
        }
    }
}

/// A Vulkan loader that the dynamic linker finds, if it is newer than `version`, a version of Vulkan. It stays open.
pub(crate) fn newer_system_loader(version: u32) -> Option<vk::PFN_vkGetInstanceProcAddr> {
    // SAFETY: opening the library runs its constructors, as a program that is linked to it does. It is never closed.
    let library = unsafe { libc::dlopen(c"libvulkan.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the library is open.
    let symbol = unsafe { libc::dlsym(library, c"vkGetInstanceProcAddr".as_ptr()) };
    if symbol.is_null() {
        return None;
    }
    // SAFETY: a library with this name has Vulkan's commands, with their types.
    let find: vk::PFN_vkGetInstanceProcAddr = unsafe { transmute(symbol) };
    // SAFETY: a loader's own vkGetInstanceProcAddr returns every other command with its own type.
    let entry = unsafe { Entry::from_static_fn(StaticFn { get_instance_proc_addr: find }) };
    // SAFETY: this command may be called at any time.
    let found = unsafe { entry.try_enumerate_instance_version() }.ok().flatten();
    // A loader of Vulkan 1.0 has no command for its version.
    (found.unwrap_or(vk::API_VERSION_1_0) > version).then_some(find)
}
