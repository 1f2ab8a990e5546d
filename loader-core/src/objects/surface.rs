//! Surfaces.
//!
//! A surface belongs to the instance and so to all drivers. A driver of interface version 3 or newer may make its own,
//! which is kept in a container; other drivers are given the container itself, which begins with the structure that
//! they expect (section "Handling KHR Surface Objects" of the driver interface document, LDP_LOADER_10, LDP_LOADER_11).
//! Another loader that is a driver ([`DriverKind::is_foreign`](crate::discovery::DriverKind::is_foreign)) always makes its own
//! and is never given the container.
//!
//! A driver makes its own when it is first asked about the surface: a display's mode is known only to the driver that has the
//! display, and what one driver cannot do is nothing to the others.
//!
//! Where one driver at a time can draw to a window, the drivers take turns at it (`window`).

use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};

use ash::vk::{self, Handle as _};

use super::driver::DriverInstance;
use super::handle;
use super::instance::Instance;
use super::surface_info::SurfaceInfo;
use super::surface_kinds::{KINDS, LARGEST, SurfaceKind};
use super::terminator::Terminator;
use super::window::{Purpose, Window};
use crate::abi::{array, function};
use crate::dispatch::{Command, Table as _};
use crate::flavour::FOREIGN_HANDLES;
use crate::log::{Level, Topic};
use crate::memory::{Application, Box, OutOfMemory, Shown, TryGrow, Vec};
use crate::negotiation::OWN_SURFACE_INTERFACE;
use crate::negotiation::{Outcome, VkResult};
use crate::platform::Turn;
use crate::registry::{CommandId, command};

type Callbacks = vk::AllocationCallbacks<'static>;
type CreateFn = unsafe extern "system" fn(
    vk::Instance,
    *const c_void,
    *const Callbacks,
    *mut vk::SurfaceKHR,
) -> vk::Result;

/// Makes the row of `TERMINATORS` for the kinds with these places in [`KINDS`].
macro_rules! creators {
    ($($place:literal)*) => {
        &[
            $((KINDS[$place].command, function!(create::<$place>)),)*
            (command::DESTROY_SURFACE_KHR, function!(destroy)),
        ]
    };
}

/// The commands of this file.
pub(super) const TERMINATORS: &[Terminator] = creators!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);

/// What a `VkSurfaceKHR` points to.
#[repr(C)]
pub(super) struct Surface {
    /// What drivers that do not make surfaces expect at the handle.
    drivers_view: [u64; LARGEST / 8],
    pub(super) kind: &'static SurfaceKind,
    /// What each driver of the instance calls its own surface; NULL as long as it has none. Empty if they take turns at the window.
    own: Vec<AtomicU64, Application>,
    /// What drivers make theirs from.
    info: SurfaceInfo,
    window: Option<Window>,
}

/// What a driver calls a surface, as long as it may be passed to it.
pub(super) struct DriversSurface<'a> {
    /// NULL if the driver has none although it must have its own.
    pub(super) handle: vk::SurfaceKHR,
    _turn: Option<Turn<'a>>,
}

impl Surface {
    /// # Safety
    /// `surface` is NULL or a valid handle.
    pub(super) unsafe fn from_handle<'a>(surface: vk::SurfaceKHR) -> Option<&'a Self> {
        let address = usize::try_from(surface.as_raw()).ok()?;
        // SAFETY: the caller vouches for the handle, which `create` made from a leaked box.
        unsafe { core::ptr::with_exposed_provenance::<Self>(address).as_ref() }
    }

    /// The window, if drivers take turns at it: never in libraries without drivers that need that.
    pub(super) fn window(&self) -> Option<&Window> {
        self.window.as_ref().filter(|_| FOREIGN_HANDLES)
    }

    /// What `driver` calls the surface, of which it makes its own now if it wants to and has none. NULL if it cannot do anything with
    /// it, or says that it made one and gave none.
    ///
    /// # Errors
    /// What the driver returned, which is logged.
    pub(super) fn for_driver(
        &self,
        instance: &Instance,
        driver: &DriverInstance,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let place = place_of(instance, driver).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        let own = match (self.window(), self.own.get(place)) {
            (Some(window), _) => window.own(instance, place),
            (None, Some(own)) => self.info.with(|info| self.make_once(instance, driver, own, info))?,
            (None, None) => vk::SurfaceKHR::null(),
        };
        Ok(if own.is_null() && gets_container(driver, self.kind) { self.handle() } else { own })
    }

    /// The surface of `driver` that is noted in `own`, which it makes if there is none.
    fn make_once(
        &self,
        instance: &Instance,
        driver: &DriverInstance,
        own: &AtomicU64,
        info: *const c_void,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let noted = || vk::SurfaceKHR::from_raw(own.load(Ordering::Acquire));
        if !noted().is_null() || !makes_own(driver, self.kind) {
            return Ok(noted());
        }
        // Queries may come from several threads at once.
        let _turn = driver.driver.turn();
        if noted().is_null() {
            // SAFETY: the info was made for this kind; what it leads to and the callbacks live as long as the surface.
            let made =
                unsafe { drivers_own(instance, driver, self.kind, info, self.own.allocator().as_ptr()) }?;
            own.store(made.as_raw(), Ordering::Release);
        }
        Ok(noted())
    }

    /// What `driver` calls the surface, for which it gets the window if drivers take turns at that.
    ///
    /// # Errors
    /// Why it does not get the window, or what it returned.
    pub(super) fn ask_driver(
        &self,
        instance: &Instance,
        driver: &DriverInstance,
        purpose: Purpose,
    ) -> Result<DriversSurface<'_>, vk::Result> {
        let Some(window) = self.window().filter(|_| driver.enabled.contains(self.kind.extension)) else {
            return Ok(DriversSurface { handle: self.for_driver(instance, driver)?, _turn: None });
        };
        let place = place_of(instance, driver).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        let turn = window.turn(instance);
        let handle = window.claim(instance, self, place, purpose)?;
        Ok(DriversSurface { handle, _turn: Some(turn) })
    }

    /// Whether `driver` can do anything with the surface, which it calls `own`.
    pub(super) fn concerns(&self, driver: &DriverInstance, own: vk::SurfaceKHR) -> bool {
        driver.enabled.contains(self.kind.extension) && !(driver.driver.kind.is_foreign() && own.is_null())
    }

    pub(super) fn handle(&self) -> vk::SurfaceKHR {
        vk::SurfaceKHR::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }
}

impl DriversSurface<'_> {
    /// A handle that is passed on as it is.
    pub(super) const fn unknown(handle: vk::SurfaceKHR) -> Self {
        Self { handle, _turn: None }
    }
}

fn place_of(instance: &Instance, driver: &DriverInstance) -> Option<usize> {
    instance.drivers.iter().position(|other| core::ptr::eq(&raw const **other, driver))
}

/// Terminator of the commands that make surfaces; `KIND` is a place in [`KINDS`].
unsafe extern "system" fn create<const KIND: usize>(
    handle: vk::Instance,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    // SAFETY: as there.
    unsafe { create_kind(handle, info, callbacks, out, KIND) }
}

/// What these commands have in common, once in the library.
///
/// # Safety
/// As for the command that creates surfaces of this kind.
#[inline(never)]
unsafe extern "system" fn create_kind(
    handle: vk::Instance,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut vk::SurfaceKHR,
    kind: usize,
) -> vk::Result {
    let Some(kind) = KINDS.get(kind) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the chain passes the handle and the parameters that the application vouches for.
    unsafe {
        let instance = handle::instance(handle, kind.command);
        match make(instance, kind, info, callbacks) {
            Ok(surface) => {
                let place = Box::into_non_null(surface);
                *out = vk::SurfaceKHR::from_raw(place.as_ptr().expose_provenance() as u64);
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// Makes the container of a surface.
///
/// # Safety
/// `info` is a create info of this kind, and the callbacks are valid or NULL.
unsafe fn make(
    instance: &Instance,
    kind: &'static SurfaceKind,
    info: *const c_void,
    callbacks: *const Callbacks,
) -> Result<Box<Surface, Application>, vk::Result> {
    let name = kind.command.name().to_str().unwrap_or_default();
    if !instance.extensions.contains(kind.extension) {
        let extension = kind.extension.name().to_str().unwrap_or_default();
        let message = format_args!("{name}: the instance was made without {extension}");
        instance.logger.log(Level::Error, Topic::Loader, message);
        return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    // SAFETY: the application vouches for its callbacks.
    let allocator = unsafe { instance.allocator.or(callbacks, vk::SystemAllocationScope::OBJECT) };
    // SAFETY: the application vouches for the create info.
    let window = unsafe { Window::new(instance, kind, info, allocator) };
    // SAFETY: as above.
    let kept = unsafe { SurfaceInfo::new(kind, info) };
    let mut surface = Box::try_new_in(
        Surface { drivers_view: [0; LARGEST / 8], kind, own: Vec::new_in(allocator), info: kept, window },
        allocator,
    )
    .map_err(OutOfMemory::from)?;
    // SAFETY: the fields lie within the view and the create info (surface_kinds), which do not overlap.
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
    surface.own.try_reserve_exact(instance.drivers.len()).map_err(|_| OutOfMemory)?;
    for _ in &instance.drivers {
        surface.own.try_push(AtomicU64::new(0))?;
    }
    if surface.info.is_cut_short() {
        // What cannot be copied is there only now. Who fails is asked once more, without it, when it is needed.
        for (driver, own) in instance.drivers.iter().zip(&surface.own) {
            let _ = surface.make_once(instance, driver, own, info);
        }
    }
    Ok(surface)
}

/// The commands on surfaces that a driver has to have besides those that make and destroy them.
const NEEDED_FOR_OWN: [CommandId; 4] = [
    command::GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR,
];

/// Why the driver's own surfaces are not used although it has commands to make them.
pub(super) fn fault_of_own_surfaces(driver: &DriverInstance) -> Option<Outcome> {
    // SAFETY: the functions are not called.
    let has = |command: CommandId| unsafe { driver.table.get::<Command>(command) }.is_some();
    let create = KINDS.iter().map(|kind| kind.command).find(|command| has(*command))?;
    if !has(command::DESTROY_SURFACE_KHR) {
        return None;
    }
    let too_old = driver.driver.interface.version < OWN_SURFACE_INTERFACE;
    let name = if too_old { Some(create) } else { NEEDED_FOR_OWN.into_iter().find(|command| !has(*command)) };
    name.map(|command| Outcome::IncompleteSurfaces { name: command.name() })
}

/// Whether the driver makes surfaces of this kind itself.
pub(super) fn makes_own(driver: &DriverInstance, kind: &SurfaceKind) -> bool {
    // SAFETY: the functions are not called.
    let has = |command: CommandId| unsafe { driver.table.get::<Command>(command) }.is_some();
    driver.enabled.contains(kind.extension)
        && has(kind.command)
        && has(command::DESTROY_SURFACE_KHR)
        && fault_of_own_surfaces(driver).is_none()
}

/// Whether the driver is given the container, which is what a driver expects that does not make surfaces of this kind.
pub(super) fn gets_container(driver: &DriverInstance, kind: &SurfaceKind) -> bool {
    !driver.driver.kind.is_foreign() && !makes_own(driver, kind)
}

/// Has the driver make its own surface, if it wants to: NULL if it does not.
///
/// # Errors
/// What the driver returned, which is logged.
///
/// # Safety
/// The create info is one for this kind, and the callbacks are NULL or valid.
pub(super) unsafe fn drivers_own(
    instance: &Instance,
    driver: &DriverInstance,
    kind: &SurfaceKind,
    info: *const c_void,
    callbacks: *const Callbacks,
) -> Result<vk::SurfaceKHR, vk::Result> {
    if !makes_own(driver, kind) {
        return Ok(vk::SurfaceKHR::null());
    }
    // SAFETY: the type is the command's; the driver's own handle goes with its functions.
    unsafe {
        let Some(create) = driver.table.get::<CreateFn>(kind.command) else {
            return Ok(vk::SurfaceKHR::null());
        };
        let mut surface = vk::SurfaceKHR::null();
        let result = create(driver.handle, info, callbacks, &mut surface);
        array::created(result).map(|()| surface).inspect_err(|_| {
            let path = Shown(&driver.driver.library_path);
            let name = kind.command.name().to_str().unwrap_or_default();
            let message = format_args!("{path}: {name} returned {}", VkResult(result.as_raw()));
            instance.logger.log(Level::Error, Topic::Driver, message);
        })
    }
}

/// Terminator of vkDestroySurfaceKHR.
///
/// # Safety
/// The parameters are those that the chain was entered with.
unsafe extern "system" fn destroy(handle: vk::Instance, surface: vk::SurfaceKHR, _: *const Callbacks) {
    // SAFETY: the chain passes the handle; the application vouches for the surface, which is a leaked box, and
    // excludes other users.
    unsafe {
        let instance = handle::instance(handle, command::DESTROY_SURFACE_KHR);
        let Some(found) = Surface::from_handle(surface) else { return };
        destroy_own(instance, found);
        let allocator = *found.own.allocator();
        let place = core::ptr::with_exposed_provenance_mut::<Surface>(surface.as_raw() as usize);
        drop(Box::from_raw_in(place, allocator));
    }
}

/// Destroys what drivers made of the surface, with the callbacks that they made it with.
///
/// # Safety
/// Nobody uses the surface any more.
unsafe fn destroy_own(instance: &Instance, surface: &Surface) {
    if let Some(window) = surface.window() {
        window.give_up(instance);
        instance.forget_swapchains_of_surface(surface.handle());
    }
    for (driver, own) in instance.drivers.iter().zip(&surface.own) {
        let own = vk::SurfaceKHR::from_raw(own.load(Ordering::Acquire));
        if !own.is_null() {
            // SAFETY: the surface is the driver's own, made with these callbacks, and the caller vouches that nobody uses it.
            unsafe { destroy_drivers(driver, own, surface.own.allocator().as_ptr()) };
        }
    }
}

/// Destroys a driver's own surface.
///
/// # Safety
/// The driver made the surface with such callbacks, and nobody uses it any more.
pub(super) unsafe fn destroy_drivers(
    driver: &DriverInstance,
    own: vk::SurfaceKHR,
    callbacks: *const Callbacks,
) {
    // SAFETY: the type is the command's; the caller vouches for the surface.
    unsafe {
        if let Some(destroy) = driver.table.get::<vk::PFN_vkDestroySurfaceKHR>(command::DESTROY_SURFACE_KHR) {
            destroy(driver.handle, own, callbacks);
        }
    }
}
