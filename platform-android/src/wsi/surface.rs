//! Surfaces: an application's window, connected to Vulkan as long as the surface lives.

use core::ptr::NonNull;

use ash::vk::{self, Handle};
use vkload_core::abi::name;
use vkload_core::memory::{Box, CopiedCallbacks};
use vkload_core::platform::Lock;
use vkload_core::registry::calls::{
    CreateAndroidSurfaceKHR, DestroySurfaceKHR, GetPhysicalDeviceSurfaceSupportKHR,
};

use crate::loader::Loader;
use crate::native_buffer;
use crate::objects::{Instance, driver_extensions, instance_of};
use crate::trace::slice;
use crate::wsi::listener::{self, Listener};
use crate::wsi::window::{Window, WindowError};
use crate::wsi::window_calls::WindowCalls;

/// A surface. Its handle is its address.
pub struct Surface {
    pub window: Window,
    pub calls: WindowCalls,
    pub listener: Listener,
    pub consumer_usage: u64,
    pub loader: &'static Loader,
    state: Lock<State>,
}

struct State {
    active: vk::SwapchainKHR,
    /// Whether buffers have been taken from the window since it was connected.
    used: bool,
}

impl Surface {
    /// # Safety
    /// `handle` is NULL or a valid surface that lives as long as `'a`.
    pub unsafe fn from_handle<'a>(handle: vk::SurfaceKHR) -> Option<&'a Self> {
        // SAFETY: by this function's `# Safety` the handle is NULL or valid; a valid one is the
        // address of a `Surface`.
        unsafe { core::ptr::with_exposed_provenance::<Self>(handle.as_raw() as usize).as_ref() }
    }

    pub fn active(&self) -> vk::SwapchainKHR {
        self.state.lock(self.loader.system).active
    }

    pub fn activate(&self, swapchain: vk::SwapchainKHR) {
        self.state.lock(self.loader.system).active = swapchain;
    }

    /// Stops that swapchain from presenting to the window. Returns whether it did present to it.
    pub fn retire(&self, swapchain: vk::SwapchainKHR) -> bool {
        let system = self.loader.system;
        let was_active = {
            let active = &mut self.state.lock(system).active;
            let was_active = *active == swapchain;
            if was_active {
                *active = vk::SwapchainKHR::null();
            }
            was_active
        };
        if was_active {
            listener::changed(system);
        }
        was_active
    }

    /// Returns whether buffers had been taken from the window before, and records that they have
    /// been now.
    pub fn use_buffers(&self) -> bool {
        core::mem::replace(&mut self.state.lock(self.loader.system).used, true)
    }
}

/// Any failure of the window without a more specific code: the application must create another
/// surface.
impl From<WindowError> for vk::Result {
    fn from(_: WindowError) -> Self {
        Self::ERROR_SURFACE_LOST_KHR
    }
}

pub fn create_android_surface(call: &CreateAndroidSurfaceKHR<'_>) -> Result<(), vk::Result> {
    let _slice = slice(c"CreateAndroidSurfaceKHR");
    // SAFETY: by valid usage of the command the instance is a valid handle, the callbacks are NULL or valid,
    // and the window is a live `ANativeWindow`.
    unsafe {
        let instance = instance_of(call.instance.as_raw());
        let memory = instance.allocator.or(call.allocator.as_ptr(), vk::SystemAllocationScope::OBJECT);
        let window =
            NonNull::new(call.create_info.window.cast()).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        call.surface.write(create(instance, memory, || Window::new(window))?);
    }
    Ok(())
}

fn create(
    instance: &Instance,
    memory: CopiedCallbacks,
    window: impl FnOnce() -> Window,
) -> Result<vk::SurfaceKHR, vk::Result> {
    // Comes before the connection, so that a shortage of memory needs no disconnection.
    let room =
        Box::<Surface, _>::try_new_uninit_in(memory).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    let window = window();
    let consumer_usage = window.consumer_usage()?;
    let loader = instance.logger.loader;
    let calls = WindowCalls::connect(loader, &window).map_err(|WindowError(number)| {
        vkload_core::log!(instance.logger, Error, Driver:
            "vkCreateAndroidSurfaceKHR: something else draws to the window already (error {number}): \
             destroy its EGL surface or the other VkSurfaceKHR first");
        vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR
    })?;
    let state = Lock::new(State { active: vk::SwapchainKHR::null(), used: false });
    let surface = Surface { window, calls, listener: Listener::new(), consumer_usage, loader, state };
    let (block, _) = Box::into_non_null_with_allocator(room);
    let block = block.cast::<Surface>();
    // SAFETY: the block has the layout of a surface, and no other code has it yet.
    unsafe { block.write(surface) };
    Ok(vk::SurfaceKHR::from_raw(block.as_ptr().expose_provenance() as u64))
}

pub fn destroy_surface(call: &DestroySurfaceKHR<'_>) {
    let _slice = slice(c"DestroySurfaceKHR");
    // SAFETY: by valid usage of the command the instance is valid, the surface is NULL or valid and
    // externally synchronised, and the callbacks are compatible with the callbacks of its creation.
    // `create` leaked the box; only this function frees it.
    unsafe {
        let instance = instance_of(call.instance.as_raw());
        let memory = instance.allocator.or(call.allocator.as_ptr(), vk::SystemAllocationScope::OBJECT);
        let surface = core::ptr::with_exposed_provenance_mut::<Surface>(call.surface.as_raw() as usize);
        let Some(surface) = NonNull::new(surface) else { return };
        let surface = Box::from_non_null_in(surface, memory);
        // A window that is gone cannot be disconnected and need not be.
        let _ = surface.window.disconnect();
        surface.listener.end(surface.loader.system);
    }
}

/// Every queue can present. A driver that an application brings may lack what swapchains need, which
/// is logged.
pub fn get_surface_support(call: &GetPhysicalDeviceSurfaceSupportKHR<'_>) -> vk::Result {
    // SAFETY: by valid usage of the command the physical device is a valid handle.
    let instance = unsafe { instance_of(call.physical_device.as_raw()) };
    let can = !instance.logger.loader.is_brought || can_present(instance, call.physical_device);
    call.supported.write(can.into());
    vk::Result::SUCCESS
}

/// Returns whether the driver supports swapchains. Logs the reason if not.
fn can_present(instance: &Instance, device: vk::PhysicalDevice) -> bool {
    let drivers = driver_extensions(instance, device).unwrap_or_default();
    let can = drivers.iter().any(|extension| name::is(extension, native_buffer::NAME));
    if !can {
        vkload_core::log!(instance.logger, Warning, Driver:
            "the driver's device does not have {}, by which Android's windows are drawn to, so that it has \
             no VK_KHR_swapchain: get a build of the driver for Android",
            native_buffer::NAME.to_str().unwrap_or_default());
    }
    can
}
