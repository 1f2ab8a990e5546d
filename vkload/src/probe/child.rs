//! The process that runs a trial. It notes each step, and is expected to crash.

use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::mem::transmute_copy;
use std::time::Instant;

use ash::vk;
use vkload_core::manifest::{LayerFunctions, Symbol};
use vkload_core::memory::OutOfMemory;
use vkload_core::negotiation::{LayerOpenError, with_layer};
use vkload_core::platform::LibraryKind;

use super::vulkan::{self, Commands};
use super::{Cause, Ending, Line, Stage, Subject, crash, notes};
use crate::lossless;
use crate::own_loader::{self, LOADER, PLATFORM};

/// The newest interface version of drivers that is offered.
const DRIVER_INTERFACE: u32 = 7;

type NegotiateDriver = unsafe extern "system" fn(*mut u32) -> vk::Result;

/// Tries what `subject` says, in JSON, and notes it.
pub(super) fn run(subject: &str) -> i32 {
    let Ok(subject) = serde_json::from_str(subject) else { return libc::EXIT_FAILURE };
    crash::report();
    // An exception of C++ that reaches this program makes it panic, and the words for that would be taken for the library's.
    std::panic::set_hook(Box::new(|_| {}));
    let mut tell = |line: Line| {
        if !notes::is_writer() {
            // A library made a copy of this process, which came back out of it: one is enough.
            // SAFETY: nothing of the copy is needed.
            unsafe { libc::_exit(0) }
        }
        if let Ok(text) = serde_json::to_vec(&line) {
            notes::write(&[&text]);
        }
    };
    let start = Instant::now();
    let result = try_out(&subject, &mut tell);
    tell(Line::Took(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)));
    let (ending, opened) = match result {
        Ok(opened) => (Ending::Finished, opened),
        Err(ending) => (ending, None),
    };
    let failed = ending != Ending::Finished;
    tell(Line::End(ending));
    if failed {
        // Exit here, since a later failure would say nothing about the trial. SAFETY: nothing in this process is needed any more.
        unsafe { libc::_exit(0) }
    }
    if let Some(library) = opened {
        tell(Line::Stage(Stage::Unload));
        // The loader in this program keeps layers open.
        vkload_core::entry::unload(&LOADER);
        // SAFETY: nothing in the library is used any more. Running its destructors is part of the trial.
        unsafe { libc::dlclose(library) };
    }
    tell(Line::Stage(Stage::Exit));
    // SAFETY: as at the end of every program.
    unsafe { libc::exit(0) }
}

/// Returns the library that is to be unloaded, as loaders do with drivers and layers.
fn try_out(subject: &Subject, tell: vulkan::Tell<'_>) -> Result<Option<*mut c_void>, Ending> {
    let own = Commands { find: own_loader::own(), layer: None };
    // SAFETY: the commands are a loader's or a driver's, as far as can be known.
    unsafe {
        match subject {
            Subject::Own => vulkan::run(own, tell).map(|()| None),
            Subject::Loader { library } => vulkan::run(loader(library, tell)?, tell).map(|()| None),
            Subject::Driver { library } => {
                let library = open(library, tell)?;
                vulkan::run(driver(library, tell)?, tell)?;
                Ok(Some(library))
            }
            Subject::Layer {
                name,
                library,
                negotiate,
                get_instance_proc_addr: instance,
                get_device_proc_addr: device,
                alone,
            } => {
                let library = layer(name, library, [negotiate, instance, device], tell)?;
                if *alone {
                    let name = CString::new(lossless::bytes(name)).unwrap_or_default();
                    vulkan::run(Commands { layer: Some(&name), ..own }, tell)?;
                }
                Ok(Some(library))
            }
            Subject::DeviceFile { path } => device_file(path, tell).map(|()| None),
        }
    }
}

fn wrong_kind(words: &str) -> Ending {
    Ending::Failed { words: words.to_owned(), cause: Cause::WrongKind }
}

fn device_file(path: &str, tell: vulkan::Tell<'_>) -> Result<(), Ending> {
    tell(Line::Stage(Stage::Open));
    let opened = fs::File::options().read(true).write(true).open(lossless::path(path));
    opened.map(drop).map_err(|error| {
        let cause = match error.raw_os_error() {
            Some(libc::EPERM) => Cause::NotPermitted,
            Some(libc::EACCES) => Cause::Denied,
            _ => Cause::Other,
        };
        Ending::Failed { words: error.to_string(), cause }
    })
}

fn loader(library: &str, tell: vulkan::Tell<'_>) -> Result<Commands<'static>, Ending> {
    let library = open(library, tell)?;
    let find: vk::PFN_vkGetInstanceProcAddr = symbol(library, c"vkGetInstanceProcAddr")
        .ok_or_else(|| wrong_kind("has no vkGetInstanceProcAddr, so it is not a Vulkan loader"))?;
    Ok(Commands { find, layer: None })
}

fn driver(library: *mut c_void, tell: vulkan::Tell<'_>) -> Result<Commands<'static>, Ending> {
    tell(Line::Stage(Stage::Negotiate));
    if symbol::<*mut c_void>(library, c"vk_icdGetInstanceProcAddr").is_none()
        && symbol::<*mut c_void>(library, c"vkEnumerateInstanceLayerProperties").is_some()
    {
        return Err(wrong_kind("is a Vulkan loader and not a driver"));
    }
    if let Some(negotiate) = symbol::<NegotiateDriver>(library, c"vk_icdNegotiateLoaderICDInterfaceVersion") {
        let mut version = DRIVER_INTERFACE;
        // SAFETY: the type is the one in the driver interface.
        let result = unsafe { negotiate(&raw mut version) };
        if result != vk::Result::SUCCESS {
            return Err(Ending::Result { code: result.as_raw() });
        }
    }
    let names = [c"vk_icdGetInstanceProcAddr", c"vkGetInstanceProcAddr"];
    let find = names.iter().find_map(|name| symbol::<vk::PFN_vkGetInstanceProcAddr>(library, name));
    let find =
        find.ok_or_else(|| wrong_kind("has no vk_icdGetInstanceProcAddr, so it is not a Vulkan driver"))?;
    Ok(Commands { find, layer: None })
}

/// Opens a layer and negotiates with it, as the loader in this program does, and returns its library.
fn layer(
    name: &str,
    library: &str,
    functions: [&str; 3],
    tell: vulkan::Tell<'_>,
) -> Result<*mut c_void, Ending> {
    let libraries = PLATFORM.libraries;
    tell(Line::Stage(Stage::Open));
    let opened = libraries.open(&lossless::bytes(library), LibraryKind::Layer);
    let library = opened.map_err(|error| unusable(&LayerOpenError::DoesNotOpen { error }, tell))?;
    tell_file(library.0.as_ptr(), tell);
    tell(Line::Stage(Stage::Negotiate));
    let agreed = named(functions).and_then(|functions| {
        // SAFETY: a manifest says that the library is a layer. If that is false, the crash is the trial's result.
        unsafe { with_layer(libraries, library, &lossless::bytes(name), &functions) }
    });
    match agreed {
        Ok(Ok(_)) => Ok(library.0.as_ptr()),
        Ok(Err(fault)) => Err(unusable(&fault, tell)),
        Err(OutOfMemory) => Err(Ending::failed("memory ran out")),
    }
}

/// Returns the names of the functions in a layer's manifest, which are empty if it names none.
fn named([negotiate, instance, device]: [&str; 3]) -> Result<LayerFunctions, OutOfMemory> {
    let symbol = |name: &str| (!name.is_empty()).then(|| Symbol::new(&lossless::bytes(name))).transpose();
    Ok(LayerFunctions {
        negotiate: symbol(negotiate)?,
        get_instance_proc_addr: symbol(instance)?,
        get_device_proc_addr: symbol(device)?,
    })
}

/// Notes why the loader leaves the layer out.
fn unusable(fault: &LayerOpenError, tell: vulkan::Tell<'_>) -> Ending {
    tell(Line::Fault(fault.id().to_owned()));
    Ending::failed(fault.to_string())
}

/// Loads a library, and notes its file.
fn open(library: &str, tell: vulkan::Tell<'_>) -> Result<*mut c_void, Ending> {
    tell(Line::Stage(Stage::Open));
    let name =
        CString::new(lossless::bytes(library)).map_err(|_| Ending::failed("has a NUL byte in its path"))?;
    // As in loaders: missing functions are noticed only when they are called. SAFETY: a valid string. Running the library's constructors is
    // part of the trial.
    let opened = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if opened.is_null() {
        return Err(Ending::failed(linker_words()));
    }
    tell_file(opened, tell);
    Ok(opened)
}

/// Notes a library's file, if it has a function that drivers or layers have.
fn tell_file(library: *mut c_void, tell: vulkan::Tell<'_>) {
    let known =
        [c"vk_icdGetInstanceProcAddr", c"vkGetInstanceProcAddr", c"vkNegotiateLoaderLayerInterfaceVersion"];
    let address = known.iter().find_map(|name| symbol::<usize>(library, name));
    let maps = fs::read("/proc/self/maps").unwrap_or_default();
    if let Some(file) = address.and_then(|address| crash::file_at(&maps, address)) {
        tell(Line::File(lossless::text(file)));
    }
}

fn linker_words() -> String {
    // SAFETY: `dlerror` returns a string that lives until the next call, or null.
    unsafe { libc::dlerror().as_ref() }
        // SAFETY: as above.
        .map(|words| lossless::text(unsafe { CStr::from_ptr(words) }.to_bytes()))
        .unwrap_or_else(|| "the dynamic linker gives no reason".to_owned())
}

fn symbol<F: Copy>(library: *mut c_void, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the library is open, and the name a string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: a pointer to a function or to data, as large as `F`.
    (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, F>(&address) })
}
