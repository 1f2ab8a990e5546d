//! Surfaces.
//!
//! A surface belongs to the instance and so to all drivers. A driver of interface version 3 or
//! newer may create its own, which a container holds; other drivers get the container itself, which
//! begins with the structure that they expect (section "Handling KHR Surface Objects" of the driver
//! interface document, LDP_LOADER_10, LDP_LOADER_11). Another loader that is a driver
//! ([`DriverKind::is_foreign`](crate::discovery::DriverKind::is_foreign)) always creates its own
//! and never gets the container.
//!
//! A driver creates its own surface when it is first queried about it: only the driver that has a display
//! knows its mode, and one driver's failure does not affect the others.
//!
//! If only one driver at a time can draw to a window, the drivers take turns at it (`window`).

pub(super) mod commands;
mod info;
mod kinds;
mod own_handle;
mod queries;
mod swapchain;
pub(super) mod window;

use core::ffi::c_void;

use ash::vk::{self, Handle as _};

use self::info::SurfaceInfo;
use self::kinds::{KINDS, LARGEST, SurfaceKind};
use self::own_handle::OwnHandle;
use self::window::{Purpose, Window};
use crate::abi::array;
use crate::drivers::log_outcome;
use crate::log::CommandText as _;
use crate::memory::{Application, Box, CopiedCallbacks, Escaped, ObjectCallbacks, OutOfMemory, TryGrow, Vec};
use crate::negotiation::OWN_SURFACE_INTERFACE;
use crate::negotiation::{DriverStatus, VkResult};
use crate::objects::handle;
use crate::objects::instance::Instance;
use crate::objects::instance::driver::DriverInstance;
use crate::platform::Turn;
use crate::registry::{CommandId, command};

type Callbacks = vk::AllocationCallbacks<'static>;
type CreateFn = unsafe extern "system" fn(
    vk::Instance,
    *const c_void,
    *const Callbacks,
    *mut vk::SurfaceKHR,
) -> vk::Result;

#[repr(C)]
pub(super) struct Surface {
    /// The structure that drivers expect at the handle if they do not create surfaces themselves.
    drivers_view: [u64; LARGEST / 8],
    kind: &'static SurfaceKind,
    /// Each driver's handle for its own surface; NULL while it has none. Empty if they take turns
    /// at the window.
    own: Vec<OwnHandle, Application>,
    /// The create info for the drivers' own surfaces.
    info: SurfaceInfo,
    window: Option<Window>,
    /// The callbacks that came down with the creating call, which drivers create their surfaces with.
    created_with: CopiedCallbacks,
    /// The callbacks behind the memory of this. Outlives it.
    callbacks: ObjectCallbacks,
}

/// A driver's handle for a surface, for as long as it may be passed to the driver.
struct DriversSurface<'a> {
    /// NULL if the driver has none although it needs its own.
    handle: vk::SurfaceKHR,
    _turn: Option<Turn<'a>>,
}

impl Surface {
    /// # Safety
    /// `surface` is NULL or a valid handle.
    pub(super) unsafe fn from_handle<'a>(surface: vk::SurfaceKHR) -> Option<&'a Self> {
        let address = usize::try_from(surface.as_raw()).ok()?;
        // SAFETY: by this function's `# Safety` the handle is NULL or valid; then it is the address
        // of a box that `create_kind` leaked and that only `destroy` frees.
        unsafe { core::ptr::with_exposed_provenance::<Self>(address).as_ref() }
    }

    /// Returns the window, if drivers take turns at it: never in libraries without drivers that need that.
    fn window(&self) -> Option<&Window> {
        self.window.as_ref().filter(|_| cfg!(feature = "foreign-handles"))
    }

    /// Returns `driver`'s handle for the surface. The driver creates its own now if it can and has none. NULL
    /// if it cannot use the surface, or reports success without a handle.
    pub(super) fn for_driver(
        &self,
        instance: &Instance,
        driver: &DriverInstance,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let index = driver_index(instance, driver).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        let own = match (self.window(), self.own.get(index)) {
            (Some(window), _) => window.own(instance, index),
            (None, Some(own)) => self.info.with(|info| self.make_once(instance, driver, own, info))?,
            (None, None) => vk::SurfaceKHR::null(),
        };
        Ok(if own.is_null() && gets_container(driver, self.kind) { self.handle() } else { own })
    }

    /// Returns the surface of `driver` recorded in `own`; the driver creates it if necessary.
    fn make_once(
        &self,
        instance: &Instance,
        driver: &DriverInstance,
        own: &OwnHandle,
        info: *const c_void,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        if !own.get().is_null() || !makes_own(driver, self.kind) {
            return Ok(own.get());
        }
        // Several threads may query at once.
        let _turn = driver.driver.turn();
        if own.get().is_null() {
            // SAFETY: the info is one of this kind; the objects that it points to and the callbacks
            // live as long as the surface, which valid usage obliges the application to ensure.
            let made = unsafe { drivers_own(instance, driver, self.kind, info, self.created_with.as_ptr()) }?;
            if !made.is_null() {
                own.set(made);
            }
        }
        Ok(own.get())
    }

    /// Returns `driver`'s handle for the surface. If drivers take turns at the window, the driver gets it
    /// first.
    fn ask_driver(
        &self,
        instance: &Instance,
        driver: &DriverInstance,
        purpose: Purpose,
    ) -> Result<DriversSurface<'_>, vk::Result> {
        let Some(window) = self.window().filter(|_| driver.enabled.contains(self.kind.extension)) else {
            return Ok(DriversSurface { handle: self.for_driver(instance, driver)?, _turn: None });
        };
        let index = driver_index(instance, driver).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        let turn = window.turn(instance);
        let handle = window.claim(instance, self, index, purpose)?;
        Ok(DriversSurface { handle, _turn: Some(turn) })
    }

    pub(super) fn concerns(&self, driver: &DriverInstance, own: vk::SurfaceKHR) -> bool {
        driver.enabled.contains(self.kind.extension) && !(driver.driver.kind.is_foreign() && own.is_null())
    }

    fn handle(&self) -> vk::SurfaceKHR {
        vk::SurfaceKHR::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }
}

impl DriversSurface<'_> {
    /// Returns a handle that is passed on unchanged.
    const fn unknown(handle: vk::SurfaceKHR) -> Self {
        Self { handle, _turn: None }
    }
}

fn driver_index(instance: &Instance, driver: &DriverInstance) -> Option<usize> {
    instance.drivers.iter().position(|other| core::ptr::eq(&raw const **other, driver))
}

/// Terminator of the commands that create surfaces; `KIND` is an index in [`KINDS`].
unsafe extern "system" fn create<const KIND: usize>(
    handle: vk::Instance,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    // SAFETY: the layer above passes the parameters of a valid call of the command that creates
    // this kind.
    unsafe { create_kind(handle, info, callbacks, out, KIND) }
}

/// Creates a surface of any kind. All of these commands share this function, so that the library contains it
/// once.
///
/// # Safety
/// The parameters are valid for the command that creates surfaces of this kind.
#[inline(never)]
unsafe extern "system" fn create_kind(
    handle: vk::Instance,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut vk::SurfaceKHR,
    kind: usize,
) -> vk::Result {
    let Some(kind) = KINDS.get(kind) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: by this function's `# Safety` `info` is a create info of this kind, the callbacks are
    // NULL or valid, and `out` can be written. `handle::instance` aborts for a bad handle.
    unsafe {
        let instance = handle::instance(handle, kind.command);
        match make(instance, kind, info, callbacks) {
            Ok(surface) => {
                let allocation = Box::into_non_null(surface);
                *out = vk::SurfaceKHR::from_raw(allocation.as_ptr().expose_provenance() as u64);
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// # Safety
/// `info` is a valid create info of this kind, and the callbacks are valid or NULL.
unsafe fn make(
    instance: &Instance,
    kind: &'static SurfaceKind,
    info: *const c_void,
    callbacks: *const Callbacks,
) -> Result<Box<Surface, Application>, vk::Result> {
    let name = kind.command.text();
    if !instance.enables(kind.extension) {
        let extension = Escaped(kind.extension.name().to_bytes());
        crate::log!(instance.logger, Error, Loader: "{name}: the instance was made without {extension}");
        return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    note_faults(instance, kind);
    let scope = vk::SystemAllocationScope::OBJECT;
    // SAFETY: by this function's `# Safety` the callbacks are valid or NULL.
    let ((own, memory), created_with) = unsafe {
        (ObjectCallbacks::new(callbacks, instance.allocator, scope)?, CopiedCallbacks::new(callbacks, scope))
    };
    // SAFETY: by this function's `# Safety` `info` is a valid create info of this kind, and the callbacks are its creating
    // call's.
    let mut surface = unsafe { make_in(instance, kind, info, memory, created_with) }?;
    surface.callbacks = own;
    Ok(surface)
}

/// # Safety
/// `info` is a valid create info of this kind, and `created_with` are the callbacks that came with it.
unsafe fn make_in(
    instance: &Instance,
    kind: &'static SurfaceKind,
    info: *const c_void,
    allocator: Application,
    created_with: CopiedCallbacks,
) -> Result<Box<Surface, Application>, vk::Result> {
    // SAFETY: by this function's `# Safety` `info` is a valid create info of this kind.
    let window = unsafe { Window::new(instance, kind, info, created_with) };
    // SAFETY: by this function's `# Safety` `info` is a valid create info of this kind, which
    // begins a pNext chain.
    let kept = unsafe { SurfaceInfo::new(kind, info) };
    let empty = Surface {
        drivers_view: [0; LARGEST / 8],
        kind,
        own: Vec::new_in(allocator),
        info: kept,
        window,
        created_with,
        callbacks: ObjectCallbacks::none(),
    };
    let mut surface = Box::try_new_in(empty, allocator).map_err(OutOfMemory::from)?;
    // SAFETY: every field lies within the view and within the create info (surface_kinds), and
    // these do not overlap.
    unsafe {
        let view = surface.drivers_view.as_mut_ptr().cast::<u8>();
        view.cast::<u32>().write(kind.platform.into());
        for field in kind.fields {
            view.add(field.to).copy_from_nonoverlapping(info.cast::<u8>().add(field.from), field.size);
        }
    }
    if let Some(window) = surface.window() {
        window.begin(instance, &surface)?;
        return Ok(surface);
    }
    surface.own.try_fit(instance.drivers.len())?;
    for _ in &instance.drivers {
        surface.own.try_push(OwnHandle::default())?;
    }
    if surface.info.is_cut_short() {
        // The part that cannot be copied exists only now. A driver that fails is called once more, without
        // that part, when its surface is needed.
        for (driver, own) in instance.drivers.iter().zip(&surface.own) {
            let _ = surface.make_once(instance, driver, own, info);
        }
    }
    Ok(surface)
}

/// The surface commands that a driver must have besides those that create and destroy surfaces.
const NEEDED_FOR_OWN: [CommandId; 4] = [
    command::GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR,
];

/// Returns the fault of a driver that has commands to create surfaces but whose interface is too old for
/// them. Only such a driver is queried for commands that are not enabled.
pub(super) fn fault_of_old_driver(driver: &DriverInstance) -> Option<DriverStatus> {
    if !is_too_old(driver) {
        return None;
    }
    let has = |command: &CommandId| driver.command(command.name()).is_some();
    let create = KINDS.iter().map(|kind| kind.command).find(has)?;
    has(&command::DESTROY_SURFACE_KHR).then(|| DriverStatus::IncompleteSurfaces { name: create.name() })
}

fn is_too_old(driver: &DriverInstance) -> bool {
    driver.driver.interface.version < OWN_SURFACE_INTERFACE
}

fn lacking_for_own(driver: &DriverInstance) -> Option<CommandId> {
    NEEDED_FOR_OWN.into_iter().find(|command| !driver.has(*command))
}

fn creates(driver: &DriverInstance, kind: &SurfaceKind) -> bool {
    !is_too_old(driver)
        && driver.enabled.contains(kind.extension)
        && driver.has(kind.command)
        && driver.has(command::DESTROY_SURFACE_KHR)
}

fn makes_own(driver: &DriverInstance, kind: &SurfaceKind) -> bool {
    creates(driver, kind) && lacking_for_own(driver).is_none()
}

/// Logs which drivers do not create surfaces of this kind although they have commands for that.
fn note_faults(instance: &Instance, kind: &SurfaceKind) {
    for driver in &instance.drivers {
        if creates(driver, kind)
            && let Some(lacking) = lacking_for_own(driver)
        {
            let fault = DriverStatus::IncompleteSurfaces { name: lacking.name() };
            log_outcome(&instance.logger, &driver.driver.library_path, &fault);
        }
    }
}

/// Returns whether the driver gets the container. A driver that does not create surfaces of this kind expects
/// it.
fn gets_container(driver: &DriverInstance, kind: &SurfaceKind) -> bool {
    !driver.driver.kind.is_foreign() && !makes_own(driver, kind)
}

/// Lets the driver create its own surface, if it can: NULL if it cannot.
///
/// # Safety
/// `info` is a valid create info of this kind, and the callbacks are NULL or valid.
unsafe fn drivers_own(
    instance: &Instance,
    driver: &DriverInstance,
    kind: &SurfaceKind,
    info: *const c_void,
    callbacks: *const Callbacks,
) -> Result<vk::SurfaceKHR, vk::Result> {
    if !makes_own(driver, kind) {
        return Ok(vk::SurfaceKHR::null());
    }
    // SAFETY: `CreateFn` is the command's type, and the driver gets its own instance. By this
    // function's `# Safety` the create info and the callbacks are valid.
    unsafe {
        let Some(create) = driver.get::<CreateFn>(kind.command) else {
            return Ok(vk::SurfaceKHR::null());
        };
        let mut surface = vk::SurfaceKHR::null();
        let result = create(driver.handle, info, callbacks, &mut surface);
        array::created(result).map(|()| surface).inspect_err(|_| {
            let path = Escaped(&driver.driver.library_path);
            let name = kind.command.text();
            crate::log!(instance.logger, Error, Driver:
                "{path}: {name} returned {}", VkResult(result.as_raw()));
        })
    }
}

/// Terminator of vkDestroySurfaceKHR.
unsafe extern "system" fn destroy(
    handle: vk::Instance,
    surface: vk::SurfaceKHR,
    callbacks: *const Callbacks,
) {
    // SAFETY: by valid usage of the command the surface is NULL or a box that `create_kind` leaked
    // with this allocator, and no other thread uses it; only this function frees it. `handle::instance`
    // aborts for a bad handle.
    unsafe {
        let instance = handle::instance(handle, command::DESTROY_SURFACE_KHR);
        let Some(found) = Surface::from_handle(surface) else { return };
        destroy_own(instance, found, callbacks);
        let allocation = core::ptr::with_exposed_provenance_mut::<Surface>(surface.as_raw() as usize);
        // Outlives the surface, whose memory it is.
        let _own = (*allocation).callbacks.take(callbacks);
        let allocator = *(*allocation).own.allocator();
        drop(Box::from_raw_in(allocation, allocator));
    }
}

/// Destroys the drivers' own surfaces, with the callbacks that came down with the destroying call.
///
/// # Safety
/// The surface is no longer used; the callbacks are compatible with the callbacks of the creating call.
unsafe fn destroy_own(instance: &Instance, surface: &Surface, callbacks: *const Callbacks) {
    if let Some(window) = surface.window() {
        window.give_up(instance, callbacks);
        instance.forget_swapchains_of_surface(surface.handle());
    }
    for (driver, own) in instance.drivers.iter().zip(&surface.own) {
        let own = own.get();
        if !own.is_null() {
            // SAFETY: by this function's `# Safety` the surface is not in use, and the callbacks are
            // compatible with the callbacks that the driver created it with.
            unsafe { destroy_drivers(driver, own, callbacks) };
        }
    }
}

/// # Safety
/// The driver created the surface with these or compatible callbacks, and it is no longer used.
unsafe fn destroy_drivers(driver: &DriverInstance, own: vk::SurfaceKHR, callbacks: *const Callbacks) {
    // SAFETY: the type matches vkDestroySurfaceKHR. By this function's `# Safety` the surface is the
    // driver's, created with these callbacks, and is not in use.
    unsafe {
        if let Some(destroy) = driver.get::<vk::PFN_vkDestroySurfaceKHR>(command::DESTROY_SURFACE_KHR) {
            destroy(driver.handle, own, callbacks);
        }
    }
}
