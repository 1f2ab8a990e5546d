//! Windows that only one driver at a time can draw to, and the drivers' turns.
//!
//! Some drivers connect to the window when they create a surface, and no other driver can until that surface
//! is destroyed. If the platform says so ([`Windows`]), a window has only one driver surface at a time. It
//! belongs to the driver that was last queried about the window, or that has a swapchain on it. A driver
//! without a swapchain gives the window up for another driver.

use core::ffi::c_void;
use core::ptr::NonNull;

use ash::vk::{self, Handle as _};

use super::kinds::SurfaceKind;
use super::{Surface, destroy_drivers, drivers_own, makes_own};
use crate::memory::{CopiedCallbacks, Escaped, OutOfMemory};
use crate::objects::device::Device;
use crate::objects::instance::Instance;
use crate::objects::instance::driver::DriverInstance;
use crate::platform::{Lock, Turn, Turns, Windows};
use crate::registry::extension;

type CreateInfo = vk::AndroidSurfaceCreateInfoKHR<'static>;

pub(super) struct Window {
    windows: &'static dyn Windows,
    info: CreateInfo,
    /// The callbacks with which drivers create and destroy their surfaces.
    callbacks: CopiedCallbacks,
    /// Only one thread at a time is in a driver with the surface: another one could otherwise
    /// destroy it.
    turns: Turns,
    state: Lock<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// The driver that has a surface, and its handle: NULL if the driver gets the container.
    holder: Option<(usize, vk::SurfaceKHR)>,
    refused: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To query the driver's capabilities for it.
    Query,
    Swapchain,
}

impl Window {
    /// Creates the window of a create info, with a reference to it, if drivers take turns at windows of
    /// this kind.
    ///
    /// # Safety
    /// `info` is a valid create info of this kind.
    pub(super) unsafe fn new(
        instance: &Instance,
        kind: &SurfaceKind,
        info: *const c_void,
        callbacks: CopiedCallbacks,
    ) -> Option<Self> {
        let windows =
            instance.loader.platform.windows.filter(|_| instance.loader.flavour.handles.are_looked_up())?;
        if kind.extension != extension::KHR_ANDROID_SURFACE {
            return None;
        }
        // SAFETY: by this function's `# Safety` `info` is a valid create info of this kind, which
        // is Android's.
        let (info, window) = unsafe {
            let given = &*info.cast::<CreateInfo>();
            (CreateInfo { p_next: core::ptr::null(), ..*given }, NonNull::new(given.window.cast::<c_void>())?)
        };
        // SAFETY: by this function's `# Safety` `info` is a valid create info of this kind; valid
        // usage obliges the application to hold a reference to its window.
        unsafe { windows.acquire(window) };
        let state = Lock::new(State::default());
        Some(Self { windows, info, callbacks, turns: Turns::new(), state })
    }

    /// Waits until no other thread is in a driver with the surface.
    pub(super) fn turn(&self, instance: &Instance) -> Turn<'_> {
        self.turns.take(instance.loader.platform.waiting)
    }

    /// Creates the surface of the first driver that can, so that an application learns at once about a window
    /// that no driver can draw to.
    pub(super) fn begin(&self, instance: &Instance, surface: &Surface) -> Result<(), vk::Result> {
        let mut first_error = None;
        for (index, driver) in instance.drivers.iter().enumerate() {
            if !driver.enabled.contains(surface.kind.extension) {
                let (path, name) = (Escaped(&driver.driver.library_path), surface.kind.extension.name());
                crate::log!(instance.logger, Warning, Driver:
                    "{path}: the driver does not have {}, so it cannot draw to the window",
                    Escaped(name.to_bytes()));
            }
            if !makes_own(driver, surface.kind) {
                continue;
            }
            match self.make(instance, surface, index, driver) {
                Ok(_) => return Ok(()),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Returns the surface handle of the driver at `index` for this window. The driver creates the surface
    /// if it has none; it is the container if the driver creates none. The caller has its turn.
    ///
    /// # Errors
    /// `ERROR_NATIVE_WINDOW_IN_USE_KHR` if another driver presents to the window, which is logged;
    /// the driver's error.
    pub(super) fn claim(
        &self,
        instance: &Instance,
        surface: &Surface,
        index: usize,
        purpose: Purpose,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let Some(driver) = instance.drivers.get(index) else {
            return Err(vk::Result::ERROR_SURFACE_LOST_KHR);
        };
        let makes_own = makes_own(driver, surface.kind);
        let holder = self.state.lock(instance.loader.platform.waiting).holder;
        if let Some((_, own)) = holder.filter(|(holder, _)| *holder == index) {
            return Ok(if makes_own { own } else { surface.handle() });
        }
        if !makes_own && purpose == Purpose::Query {
            return Ok(surface.handle());
        }
        let swapchains = instance.swapchains_of(surface.handle());
        if let Some((holder, _)) = holder.filter(|_| swapchains > 0) {
            self.refuse(instance, holder, index, swapchains, purpose);
            return Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
        }
        self.give_up(instance, self.callbacks.as_ptr());
        if makes_own {
            return self.make(instance, surface, index, driver);
        }
        self.set_holder(instance, Some((index, vk::SurfaceKHR::null())));
        Ok(surface.handle())
    }

    /// Returns the surface handle of the driver at `index`, if it has one now.
    pub(super) fn own(&self, instance: &Instance, index: usize) -> vk::SurfaceKHR {
        let holder = self.state.lock(instance.loader.platform.waiting).holder;
        holder.filter(|(holder, _)| *holder == index).map_or(vk::SurfaceKHR::null(), |(_, own)| own)
    }

    /// Destroys the surface of the driver that has the window, with callbacks that are compatible with the
    /// callbacks of the creating call.
    pub(super) fn give_up(&self, instance: &Instance, callbacks: *const vk::AllocationCallbacks<'static>) {
        let Some((index, own)) = self.set_holder(instance, None) else { return };
        let Some(driver) = instance.drivers.get(index).filter(|_| !own.is_null()) else { return };
        let path = Escaped(&driver.driver.library_path);
        crate::log!(instance.logger, Debug, Driver: "{path}: gives the window up");
        // SAFETY: the driver created the surface with compatible callbacks. It is not in use: the caller has
        // its turn, or the application's vkDestroySurfaceKHR has the surface to itself.
        unsafe { destroy_drivers(driver, own, callbacks) };
    }

    fn make(
        &self,
        instance: &Instance,
        surface: &Surface,
        index: usize,
        driver: &DriverInstance,
    ) -> Result<vk::SurfaceKHR, vk::Result> {
        let info = (&raw const self.info).cast();
        // SAFETY: `info` is a valid create info of this kind, whose window is alive, as `new`
        // acquired a reference; the callbacks are NULL or valid as long as the surface lives.
        let own = unsafe { drivers_own(instance, driver, surface.kind, info, self.callbacks.as_ptr()) }?;
        self.set_holder(instance, Some((index, own)));
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

    /// Logs who has the window: each time for a driver that wants a swapchain, and once for a
    /// driver that is queried.
    fn refuse(&self, instance: &Instance, holder: usize, index: usize, swapchains: usize, purpose: Purpose) {
        let before = self.state.lock(instance.loader.platform.waiting).refused.replace(index);
        let (Some(holder), Some(driver)) = (instance.drivers.get(holder), instance.drivers.get(index)) else {
            return;
        };
        let (path, holder) = (Escaped(&driver.driver.library_path), Escaped(&holder.driver.library_path));
        match purpose {
            Purpose::Swapchain => crate::log!(instance.logger, Error, Usage:
                "{path}: vkCreateSwapchainKHR: {holder} has the window, with swapchains that are not \
                 destroyed ({swapchains}); destroy them first, the retired ones too"),
            Purpose::Query if before == Some(index) => {}
            Purpose::Query => crate::log!(instance.logger, Warning, Driver:
                "{path}: {holder} has the window, with swapchains that are not destroyed ({swapchains}): \
                 until they are, this driver supports nothing on it"),
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if let Some(window) = NonNull::new(self.info.window.cast::<c_void>()) {
            // SAFETY: `new` acquired the reference, and it is released only here.
            unsafe { self.windows.release(window) };
        }
    }
}

/// A swapchain on a window that drivers take turns at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::objects) struct Presenting {
    pub(super) surface: vk::SurfaceKHR,
    pub(super) device: vk::Device,
    /// NULL while it is being created.
    pub(super) swapchain: vk::SwapchainKHR,
}

/// The note of a swapchain that is being created.
pub(super) struct Noted<'a> {
    device: &'a Device,
    note: Presenting,
}

impl<'a> Noted<'a> {
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

    #[cfg(feature = "foreign-handles")]
    pub(super) fn noted(&self, device: vk::Device, swapchain: vk::SwapchainKHR) -> Option<Presenting> {
        let is_it = |noted: &&Presenting| noted.device == device && noted.swapchain == swapchain;
        self.presenting.read(self.loader.platform.waiting, |all| all.iter().find(is_it).copied())
    }

    #[cfg(feature = "foreign-handles")]
    pub(super) fn forget_swapchain(&self, gone: Presenting) {
        self.presenting.remove(self.loader.platform.waiting, |noted| *noted == gone);
    }

    /// Forgets the swapchains of a device that was destroyed before them.
    pub(in crate::objects) fn forget_swapchains_of_device(&self, device: vk::Device) {
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
