//! The process that tries something: `vkload probe`. It says what it does on a pipe of its own, and is expected to die.

use std::ffi::{CStr, CString, c_void};
use std::fs::{self, File};
use std::io::Write;
use std::mem::transmute_copy;
use std::os::fd::{AsRawFd, FromRawFd};
use std::process::ExitCode;

use ash::vk;
use loader_core::abi::layer_interface::{NegotiateFn, Negotiation};
use platform_linux::entry::get_instance_proc_addr;

use super::vulkan::{self, Commands};
use super::{Ending, Line, Stage, Subject, crash};

/// The newest interface version of drivers that is offered.
const DRIVER_INTERFACE: u32 = 7;

type NegotiateDriver = unsafe extern "system" fn(*mut u32) -> vk::Result;

/// Tries what `subject` says, in JSON, and tells of it on the file descriptor `pipe`.
pub(crate) fn run(pipe: i32, subject: &str) -> ExitCode {
    let Ok(subject) = serde_json::from_str(subject) else { return ExitCode::FAILURE };
    // SAFETY: the parent handed the descriptor over, and nobody else uses it.
    let mut lines = unsafe { File::from_raw_fd(pipe) };
    crash::report_to(lines.as_raw_fd());
    let mut tell = |line: Line| {
        // A library may have closed the pipe. Then the parent sees what has come until now.
        let _ = serde_json::to_vec(&line).map(|text| lines.write_all(&[b"\n", &text[..], b"\n"].concat()));
    };
    let ending = try_out(&subject, &mut tell).unwrap_or_else(|ending| ending);
    tell(Line::End { ending });
    // The library's destructors are not what is tried here, and the end has been told.
    // SAFETY: nothing of this process is needed any more.
    unsafe { libc::_exit(0) }
}

fn try_out(subject: &Subject, tell: vulkan::Tell<'_>) -> Result<Ending, Ending> {
    let commands = match subject {
        Subject::Own => Commands { find: get_instance_proc_addr },
        Subject::Loader { library } => loader(library, tell)?,
        Subject::Driver { library } => driver(library, tell)?,
        Subject::Layer { library, negotiate } => return layer(library, negotiate, tell),
        Subject::LayerAlone { name } => return layer_alone(name, tell),
    };
    // SAFETY: the commands are a loader's or a driver's, as far as anybody can tell.
    Ok(unsafe { vulkan::run(commands, tell) })
}

fn loader(library: &str, tell: vulkan::Tell<'_>) -> Result<Commands, Ending> {
    let library = open(library, tell)?;
    let find: vk::PFN_vkGetInstanceProcAddr = symbol(library, c"vkGetInstanceProcAddr").ok_or_else(|| {
        Ending::Failed { words: "has no vkGetInstanceProcAddr, so it is not a Vulkan loader".into() }
    })?;
    Ok(Commands { find })
}

fn driver(library: &str, tell: vulkan::Tell<'_>) -> Result<Commands, Ending> {
    let library = open(library, tell)?;
    tell(Line::Stage { stage: Stage::Negotiate });
    if symbol::<*mut c_void>(library, c"vk_icdGetInstanceProcAddr").is_none()
        && symbol::<*mut c_void>(library, c"vkEnumerateInstanceLayerProperties").is_some()
    {
        return Err(Ending::Failed { words: "is a Vulkan loader and not a driver".into() });
    }
    if let Some(negotiate) = symbol::<NegotiateDriver>(library, c"vk_icdNegotiateLoaderICDInterfaceVersion") {
        let mut version = DRIVER_INTERFACE;
        // SAFETY: the type is that of the driver interface.
        let result = unsafe { negotiate(&raw mut version) };
        if result != vk::Result::SUCCESS {
            return Err(Ending::Result { code: result.as_raw() });
        }
    }
    let names = [c"vk_icdGetInstanceProcAddr", c"vkGetInstanceProcAddr"];
    let find = names.iter().find_map(|name| symbol::<vk::PFN_vkGetInstanceProcAddr>(library, name));
    let find = find.ok_or_else(|| Ending::Failed {
        words: "has no vk_icdGetInstanceProcAddr, so it is not a Vulkan driver".into(),
    })?;
    Ok(Commands { find })
}

fn layer(library: &str, negotiate: &str, tell: vulkan::Tell<'_>) -> Result<Ending, Ending> {
    let library = open(library, tell)?;
    tell(Line::Stage { stage: Stage::Negotiate });
    let name = CString::new(negotiate).unwrap_or_default();
    let Some(negotiate) = symbol::<NegotiateFn>(library, &name) else { return Ok(Ending::Finished) };
    let mut offer = Negotiation {
        s_type: 1,
        p_next: std::ptr::null_mut(),
        version: 2,
        get_instance_proc_addr: None,
        get_device_proc_addr: None,
        get_physical_device_proc_addr: None,
    };
    // SAFETY: the type is that of the layer interface, and the structure is valid.
    match unsafe { negotiate(&raw mut offer) } {
        vk::Result::SUCCESS => Ok(Ending::Finished),
        result => Err(Ending::Result { code: result.as_raw() }),
    }
}

/// Above the built-in driver, by the loader of this program. The parent has set the variables that leave this layer alone in the chain.
fn layer_alone(name: &str, tell: vulkan::Tell<'_>) -> Result<Ending, Ending> {
    let name = CString::new(name).unwrap_or_default();
    let entry = ash::StaticFn { get_instance_proc_addr };
    // SAFETY: this is the loader's own vkGetInstanceProcAddr.
    let entry = unsafe { ash::Entry::from_static_fn(entry) };
    let drivers = [vk::DirectDriverLoadingInfoLUNARG::default()
        .pfn_get_instance_proc_addr(Some(null_driver::get_instance_proc_addr))];
    let mut list = vk::DirectDriverLoadingListLUNARG::default()
        .mode(vk::DirectDriverLoadingModeLUNARG::EXCLUSIVE)
        .drivers(&drivers);
    let (extensions, layers) = ([c"VK_LUNARG_direct_driver_loading".as_ptr()], [name.as_ptr()]);
    let application =
        vk::ApplicationInfo::default().application_name(c"vkload doctor").api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(&extensions)
        .enabled_layer_names(&layers)
        .push_next(&mut list);
    tell(Line::Stage { stage: Stage::CreateInstance });
    // SAFETY: valid structures; the instance is destroyed below and used only here.
    unsafe {
        let result = |result: vk::Result| Ending::Result { code: result.as_raw() };
        let instance = entry.create_instance(&info, None).map_err(result)?;
        tell(Line::Stage { stage: Stage::EnumerateDevices });
        for physical in instance.enumerate_physical_devices().map_err(result)? {
            tell(Line::Stage { stage: Stage::CreateDevice });
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = instance.create_device(physical, &info, None).map_err(result)?;
            device.destroy_device(None);
        }
        tell(Line::Stage { stage: Stage::Destroy });
        instance.destroy_instance(None);
    }
    Ok(Ending::Finished)
}

/// Loads a library, and tells from which file it came.
fn open(library: &str, tell: vulkan::Tell<'_>) -> Result<*mut c_void, Ending> {
    tell(Line::Stage { stage: Stage::Open });
    let name =
        CString::new(library).map_err(|_| Ending::Failed { words: "has a NUL byte in its path".into() })?;
    // SAFETY: a valid string. What the library's constructors do is what is tried.
    let opened = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if opened.is_null() {
        return Err(Ending::Failed { words: linker_words() });
    }
    let known =
        [c"vk_icdGetInstanceProcAddr", c"vkGetInstanceProcAddr", c"vkNegotiateLoaderLayerInterfaceVersion"];
    let address = known.iter().find_map(|name| symbol::<usize>(opened, name));
    if let Some(path) = address.and_then(mapped_file) {
        tell(Line::File { path });
    }
    Ok(opened)
}

fn linker_words() -> String {
    // SAFETY: `dlerror` returns a string that lives until the next call, or null.
    unsafe { libc::dlerror().as_ref() }
        // SAFETY: as above.
        .map(|words| unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned())
        .unwrap_or_else(|| "the dynamic linker gives no reason".to_owned())
}

/// The symbol, as a pointer of type `F`.
fn symbol<F: Copy>(library: *mut c_void, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the library is open, and the name a string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: a pointer to a function or to data, as large as `F`.
    (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, F>(&address) })
}

/// The file that is mapped at this address.
fn mapped_file(address: usize) -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let number = |digits| usize::from_str_radix(digits, 16).ok();
        let inside = (number(from)?..number(to)?).contains(&address);
        inside.then(|| rest.find('/').and_then(|at| rest.get(at..)).map(str::to_owned))?
    })
}
