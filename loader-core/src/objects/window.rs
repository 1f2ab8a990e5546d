//! Windows that one driver at a time can draw to: whose turn it is.
//!
//! Some drivers connect to the window when they make a surface, and no other one can until that is destroyed. Where the platform
//! says so ([`Windows`]), a window has the surface of one driver at a time: of the one that was asked about it last, or that has
//! a swapchain on it. Whoever has none gives the window up for another driver.

use core::ffi::c_void;
use core::ptr::NonNull;

use ash::vk::{self, Handle as _};

use super::device::Device;
use super::driver::DriverInstance;
use super::instance::Instance;
use super::presenting::Presenting;
use super::surface::{self, Surface};
use super::surface_kinds::SurfaceKind;
use crate::flavour::FOREIGN_HANDLES;
use crate::log::{Level, Topic};
use crate::memory::{Application, OutOfMemory, Shown};
use crate::platform::{Lock, Turn, Turns, Windows};
use crate::registry::extension;

type CreateInfo = vk::AndroidSurfaceCreateInfoKHR<'static>;

/// The window of a surface.
pub(super) struct Window {
    windows: &'static dyn Windows,
    info: CreateInfo,
    /// What drivers make their surfaces with and destroy them.
    callbacks: Application,
    /// One thread at a time is in a driver with the surface, which another one could destroy otherwise.
    turns: Turns,
    state: Lock<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// The driver whose surface there is, and what it calls it: NULL if it is given the container.
    holder: Option<(usize, vk::SurfaceKHR)>,
    /// The driver that was refused last.
    refused: Option<usize>,
}

/// Why a driver is asked for what it calls a surface.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To say what it can do with it.
    Query,
    /// To make a swapchain.
    Swapchain,
}

impl Window {
    /// The window of a create info, with a reference to it, if drivers take turns at windows of this kind.
    ///
    /// # Safety
    /// The create info is one for this kind.
    pub(super) unsafe fn new(
        instance: &Instance,
        kind: &SurfaceKind,
        info: *const c_void,
        callbacks: Application,
    ) -> Option<Self> {
        let windows = instance.loader.platform.windows.filter(|_| FOREIGN_HANDLES)?;
        if kind.extension != extension::KHR_ANDROID_SURFACE {
            return None;
        }
        // SAFETY: the caller vouches for the create info, and the application for its window.
        let (info, window) = unsafe {
            let given = &*info.cast::<CreateInfo>();
            (CreateInfo { p_next: core::ptr::null(), ..*given }, NonNull::new(given.window.cast::<c_void>())?)
        };
        // SAFETY: as above.
        unsafe { windows.acquire(window) };
        let state = Lock::new(State::default());
        Some(Self { windows, info, callbacks, turns: Turns::new(), state })
    }

    /// Waits until no other thread is in a driver with the surface.
    pub(super) fn turn(&self, instance: &Instance) -> Turn<'_> {
        self.turns.take(instance.loader.platform.waiting)
    }

    /// Has the first driver that can make its surface, so that an application hears at once of a window that nobody can draw to.
    ///
    /// # Errors
    /// What the first driver returned, if none can.
    pub(super) fn begin(&self, instance: &Instance, surface: &Surface) -> Result<(), vk::Result> {
        let mut first_error = None;
        for (place, driver) in instance.drivers.iter().enumerate() {
            if !driver.enabled.contains(surface.kind.extension) {
                let (path, name) = (Shown(&driver.driver.library_path), surface.kind.extension.name());
                let message = format_args!(
                    "{path}: the driver does not have {}, so it cannot draw to the window",
                    name.to_str().unwrap_or_default()
                );
                instance.logger.log(Level::Warning, Topic::Driver, message);
            }
            if !surface::makes_own(driver, surface.kind) {
                continue;
            }
            match self.make(instance, surface, place, driver) {
                Ok(_) => return Ok(()),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    /// What the driver at `place` calls its surface of this window, which is made for it if it has none; the container if it makes none.
    /// The caller has its turn.
    ///
    /// # Errors
    /// `ERROR_NATIVE_WINDOW_IN_USE_KHR` if another driver presents to the window, which is logged; what the driver returned.
    pub(super) fn claim(
        &self,
        instance: &Instance,
        surface: &Surface,
        place: usize,
        purpose: Purpose,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let Some(driver) = instance.drivers.get(place) else {
            return Err(vk::Result::ERROR_SURFACE_LOST_KHR);
        };
        let makes_own = surface::makes_own(driver, surface.kind);
        let holder = self.state.lock(instance.loader.platform.waiting).holder;
        if let Some((_, own)) = holder.filter(|(holder, _)| *holder == place) {
            return Ok(if makes_own { own } else { surface.handle() });
        }
        if !makes_own && purpose == Purpose::Query {
            return Ok(surface.handle());
        }
        let swapchains = instance.swapchains_of(surface.handle());
        if let Some((holder, _)) = holder.filter(|_| swapchains > 0) {
            self.refuse(instance, holder, place, swapchains, purpose);
            return Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
        }
        self.give_up(instance);
        if makes_own {
            return self.make(instance, surface, place, driver);
        }
        self.set_holder(instance, Some((place, vk::SurfaceKHR::null())));
        Ok(surface.handle())
    }

    /// What the driver at `place` calls its surface, if it has one now.
    pub(super) fn own(&self, instance: &Instance, place: usize) -> vk::SurfaceKHR {
        let holder = self.state.lock(instance.loader.platform.waiting).holder;
        holder.filter(|(holder, _)| *holder == place).map_or(vk::SurfaceKHR::null(), |(_, own)| own)
    }

    /// Destroys the surface of the driver that has the window.
    pub(super) fn give_up(&self, instance: &Instance) {
        let Some((place, own)) = self.set_holder(instance, None) else { return };
        let Some(driver) = instance.drivers.get(place).filter(|_| !own.is_null()) else { return };
        let path = Shown(&driver.driver.library_path);
        instance.logger.log(Level::Debug, Topic::Driver, format_args!("{path}: gives the window up"));
        // SAFETY: the driver made the surface with these callbacks, and the turn keeps others from using it.
        unsafe { surface::destroy_drivers(driver, own, self.callbacks.as_ptr()) };
    }

    fn make(
        &self,
        instance: &Instance,
        surface: &Surface,
        place: usize,
        driver: &DriverInstance,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let info = (&raw const self.info).cast();
        // SAFETY: the application's window is there, as there is a reference to it.
        let own =
            unsafe { surface::drivers_own(instance, driver, surface.kind, info, self.callbacks.as_ptr()) }?;
        self.set_holder(instance, Some((place, own)));
        Ok(own)
    }

    fn set_holder(
        &self,
        instance: &Instance,
        holder: Option<(usize, vk::SurfaceKHR)>,
    ) -> Option<(usize, vk::SurfaceKHR)> {
        let mut state = self.state.lock(instance.loader.platform.waiting);
        core::mem::replace(&mut *state, State { holder, refused: None }).holder
    }

    /// Says who has the window: each time to who wants a swapchain, and once to a driver that is asked questions.
    fn refuse(&self, instance: &Instance, holder: usize, place: usize, swapchains: usize, purpose: Purpose) {
        let before = self.state.lock(instance.loader.platform.waiting).refused.replace(place);
        let (Some(holder), Some(driver)) = (instance.drivers.get(holder), instance.drivers.get(place)) else {
            return;
        };
        let (path, holder) = (Shown(&driver.driver.library_path), Shown(&holder.driver.library_path));
        match purpose {
            Purpose::Swapchain => instance.logger.log(
                Level::Error,
                Topic::Usage,
                format_args!(
                    "{path}: vkCreateSwapchainKHR: {holder} has the window, with swapchains that are not destroyed \
                     ({swapchains}); destroy them first, the retired ones too"
                ),
            ),
            Purpose::Query if before == Some(place) => {}
            Purpose::Query => instance.logger.log(
                Level::Warning,
                Topic::Driver,
                format_args!(
                    "{path}: {holder} has the window, with swapchains that are not destroyed ({swapchains}): until they are, \
                     this driver supports nothing on it"
                ),
            ),
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(window) = NonNull::new(self.info.window.cast::<c_void>()) {
            // SAFETY: the reference was taken by `new`.
            unsafe { self.windows.release(window) };
        }
    }
}

/// The note of a swapchain that is being made.
pub(super) struct Noted<'a> {
    device: &'a Device,
    note: Presenting,
}

impl<'a> Noted<'a> {
    /// Notes that a swapchain is going to be made.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn new(device: &'a Device, surface: &Surface) -> Result<Option<Self>, OutOfMemory> {
        if surface.window().is_none() {
            return Ok(None);
        }
        let note = Presenting {
            surface: surface.handle(),
            device: device.handle,
            swapchain: vk::SwapchainKHR::null(),
        };
        device.instance().presenting.insert(device.instance().loader.platform.waiting, note)?;
        Ok(Some(Self { device, note }))
    }

    /// Notes what has become of it: NULL if it could not be made.
    pub(super) fn finish(self, swapchain: vk::SwapchainKHR) {
        let instance = self.device.instance();
        let waiting = instance.loader.platform.waiting;
        let is_it = |noted: &Presenting| *noted == self.note;
        if swapchain.is_null() {
            instance.presenting.remove(waiting, is_it);
        } else {
            instance.presenting.replace(waiting, Presenting { swapchain, ..self.note }, is_it);
        }
    }
}

impl Instance {
    fn swapchains_of(&self, surface: vk::SurfaceKHR) -> usize {
        let waiting = self.loader.platform.waiting;
        self.presenting.read(waiting, |all| all.iter().filter(|noted| noted.surface == surface).count())
    }

    /// The note of a swapchain, if its window is one that drivers take turns at.
    #[cfg(feature = "foreign-handles")]
    pub(super) fn noted(&self, device: vk::Device, swapchain: vk::SwapchainKHR) -> Option<Presenting> {
        let is_it = |noted: &&Presenting| noted.device == device && noted.swapchain == swapchain;
        self.presenting.read(self.loader.platform.waiting, |all| all.iter().find(is_it).copied())
    }

    /// Forgets a swapchain that was destroyed.
    #[cfg(feature = "foreign-handles")]
    pub(super) fn forget_swapchain(&self, gone: Presenting) {
        self.presenting.remove(self.loader.platform.waiting, |noted| *noted == gone);
    }

    /// Forgets the swapchains of a device that was destroyed before them.
    pub(super) fn forget_swapchains_of_device(&self, device: vk::Device) {
        while self.presenting.remove(self.loader.platform.waiting, |noted| noted.device == device).is_some() {
        }
    }

    /// Forgets the swapchains of a surface that was destroyed before them.
    pub(super) fn forget_swapchains_of_surface(&self, surface: vk::SurfaceKHR) {
        while self.presenting.remove(self.loader.platform.waiting, |noted| noted.surface == surface).is_some()
        {
        }
    }
}
