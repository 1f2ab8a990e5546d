//! The HAL modules that an application has brought.
//!
//! Each has its own driver level on top, which the core sees as a loader. Instances and the objects
//! created from them lead to their module by themselves; commands without an object do not, so each
//! slot has its own functions for these.

use core::ffi::{CStr, c_char};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;
use vkload_core::command_function;
use vkload_core::memory::{Arc, OutOfMemory, Text};
use vkload_core::platform::{Library, Lock};

use super::listening::LISTENING;
use super::policy::TAG;
use platform_android::driver;
use platform_android::hal::{self, DoesNotOpen, ModuleFault, Open, Search, open_untested};
use platform_android::host::Host;
use platform_android::level::ApiLevel;
use platform_android::loader::Loader;
use platform_android::switches::{Switch, Switches};
use platform_android::system::{self, System};

/// The maximum number of modules in a process: an opened one stays open.
pub const MOST: usize = 8;

pub(super) struct Modules([Module; MOST]);

struct Module {
    /// The driver level on top of it.
    loader: Loader,
    /// How it was opened; `None` if this slot has no module.
    opened: Lock<Option<Arc<OpenedModule>>>,
}

/// A module is brought, never searched for; a forked process keeps it.
struct NoSearch;

impl Search for NoSearch {
    fn search(
        &self,
        _: &'static Host,
        open: Option<Open>,
    ) -> (Option<Open>, Result<hal::Driver, DoesNotOpen>) {
        (open, open.map(|open| open.driver).ok_or(DoesNotOpen))
    }

    fn meanwhile(&self) -> Result<hal::Driver, DoesNotOpen> {
        Err(DoesNotOpen)
    }
}

pub(super) struct OpenedModule {
    pub(super) library: Text,
    pub(super) not_apart: Option<Text>,
    pub(super) has_both_interfaces: bool,
}

pub(super) enum ModuleError {
    Unusable(ModuleFault),
    Full,
    OutOfMemory,
}

impl From<OutOfMemory> for ModuleError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl Module {
    /// A driver that an application brings gets every feature of the loader, on every Android.
    const fn new(system: &'static dyn System) -> Self {
        const SWITCHES: Switches =
            Switches::of(ApiLevel::NEWEST).with(Switch::LatestReadyKhr).with(Switch::SuboptimalBySize);
        let host = Host::new(system).at(ApiLevel::NEWEST).with(SWITCHES).tagged(TAG, &LISTENING);
        Self { loader: Loader::new(host, &NoSearch).brought(), opened: Lock::new(None) }
    }

    fn opened(&self) -> Option<Arc<OpenedModule>> {
        self.opened.lock(self.loader.system).clone()
    }
}

impl Modules {
    pub(super) const fn new(system: &'static dyn System) -> Self {
        Self([
            Module::new(system),
            Module::new(system),
            Module::new(system),
            Module::new(system),
            Module::new(system),
            Module::new(system),
            Module::new(system),
            Module::new(system),
        ])
    }

    pub(super) fn find(&self, path: &[u8]) -> Option<(usize, Arc<OpenedModule>)> {
        let all = self.0.iter().enumerate();
        let mut opened = all.filter_map(|(index, module)| Some((index, module.opened()?)));
        opened.find(|(_, opened)| opened.library.as_slice() == path)
    }

    /// Makes the module in this open library one of the process's. Called by one thread at a time.
    ///
    /// # Safety
    /// If the library has the symbol of a HAL module, it has a module's size, its pointers are NULL
    /// or valid, and no other code writes to it.
    pub(super) unsafe fn bring(
        &'static self,
        opened: OpenedModule,
        library: system::Library,
    ) -> Result<(), ModuleError> {
        let free = self.0.iter().enumerate().find(|(_, module)| module.opened().is_none());
        let Some((index, module)) = free else { return Err(ModuleError::Full) };
        let opened = Arc::try_new(opened)?;
        // SAFETY: by this function's `# Safety`, which equals `open_untested`'s.
        let open = unsafe { open_untested(&module.loader, library) }.map_err(ModuleError::Unusable)?;
        module.loader.hal.bring(&module.loader, open);
        if let Some(entered) = LOADERS.get(index) {
            entered.store((&raw const module.loader).cast_mut(), Ordering::Release);
        }
        *module.opened.lock(module.loader.system) = Some(opened);
        Ok(())
    }

    /// Returns the core's handle of the module in this slot: it sees the driver level on top, as a
    /// loader.
    pub(super) fn as_loader(&self, index: usize) -> Option<Library> {
        self.0.get(index).map(|module| Library(NonNull::from(module).cast()))
    }

    /// Returns the lookup function of the module with this handle; `None` if it is not a module's.
    pub(super) fn get_instance_proc_addr(&self, library: Library) -> Option<vk::PFN_vkGetInstanceProcAddr> {
        let index = (0..MOST).find(|index| self.as_loader(*index) == Some(library))?;
        FIND.get(index).copied()
    }
}

/// The driver levels on top of the modules, for functions with no parameter that leads to one.
static LOADERS: [AtomicPtr<Loader>; MOST] = [const { AtomicPtr::new(core::ptr::null_mut()) }; MOST];

fn loader(index: usize) -> Option<&'static Loader> {
    // SAFETY: each pointer is NULL or was stored by `bring`, from a `&'static self`.
    unsafe { LOADERS.get(index)?.load(Ordering::Acquire).as_ref() }
}

macro_rules! at_each_index {
    ($function:ident) => {
        [
            $function::<0>,
            $function::<1>,
            $function::<2>,
            $function::<3>,
            $function::<4>,
            $function::<5>,
            $function::<6>,
            $function::<7>,
        ]
    };
}

const FIND: [vk::PFN_vkGetInstanceProcAddr; MOST] = at_each_index!(find);
const CREATE: [vk::PFN_vkCreateInstance; MOST] = at_each_index!(create_instance);
const EXTENSIONS: [vk::PFN_vkEnumerateInstanceExtensionProperties; MOST] = at_each_index!(extensions);

/// vkGetInstanceProcAddr of a module.
///
/// # Safety
/// The parameters are the command's; the instance is NULL or belongs to the driver level.
unsafe extern "system" fn find<const INDEX: usize>(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if instance != vk::Instance::null() || name.is_null() {
        // SAFETY: by this function's `# Safety` the instance is NULL or one of the driver level's,
        // and the name is NULL or a valid C string.
        return unsafe { driver::get_instance_proc_addr(instance, name) };
    }
    // SAFETY: by this function's `# Safety` the name is a valid C string; NULL was handled above.
    without_instance(INDEX, unsafe { CStr::from_ptr(name) })
}

/// Looks a name up without an instance. Not inlined: all slots share it.
#[inline(never)]
fn without_instance(index: usize, name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkCreateInstance" => {
            let create = *CREATE.get(index)?;
            Some(command_function!(create))
        }
        b"vkEnumerateInstanceExtensionProperties" => {
            let extensions = *EXTENSIONS.get(index)?;
            Some(command_function!(extensions))
        }
        _ => driver::without_instance(loader(index)?, name),
    }
}

unsafe extern "system" fn create_instance<const INDEX: usize>(
    info: *const vk::InstanceCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let Some(loader) = loader(INDEX) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: `create_instance_of` requires valid usage of vkCreateInstance, which the core
    // upholds.
    unsafe { driver::create_instance_of(loader, info, callbacks, out) }
}

unsafe extern "system" fn extensions<const INDEX: usize>(
    _layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let Some(loader) = loader(INDEX) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: valid usage of the command, which the core upholds, makes `count` and `out` a counted
    // out-array.
    unsafe { driver::instance_extensions_of(loader, count, out) }
}
