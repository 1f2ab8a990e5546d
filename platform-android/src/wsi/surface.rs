//! Surfaces: an application's window, connected to Vulkan as long as the surface lives.

use core::ptr::NonNull;

use ash::vk::{self, Handle};
use vkload_core::abi::name;
use vkload_core::log::{Level, Topic};
use vkload_core::memory::{Box, CopiedCallbacks};
use vkload_core::platform::Lock;

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
    /// The usage of the buffers on the consumer's side.
    pub consumer_usage: u64,
    pub loader: &'static Loader,
    state: Lock<State>,
}

struct State {
    /// The swapchain that presents to the window.
    active: vk::SwapchainKHR,
    /// Whether buffers have been taken from the window since it was connected.
    used: bool,
}

impl Surface {
    /// Returns the surface of a handle.
    ///
    /// # Safety
    /// `handle` is NULL or a valid surface that lives as long as `'a`.
    pub unsafe fn from_handle<'a>(handle: vk::SurfaceKHR) -> Option<&'a Self> {
        // SAFETY: by this function's `# Safety` the handle is NULL or valid; a valid one is the
        // address of a `Surface`.
        unsafe { core::ptr::with_exposed_provenance::<Self>(handle.as_raw() as usize).as_ref() }
    }

    /// Returns the swapchain that presents to the window; NULL if none does.
    pub fn active(&self) -> vk::SwapchainKHR {
        self.state.lock(self.loader.system).active
    }

    /// Makes that swapchain the one that presents to the window.
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

/// `vkCreateAndroidSurfaceKHR`
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn create_android_surface(
    instance: vk::Instance,
    info: *const vk::AndroidSurfaceCreateInfoKHR<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    let _slice = slice(c"CreateAndroidSurfaceKHR");
    // SAFETY: by this function's `# Safety` the instance is a valid handle, `info` and `out` are
    // valid pointers, the callbacks NULL or valid, and the window is a live `ANativeWindow`.
    unsafe {
        let instance = instance_of(instance.as_raw());
        let memory = instance.allocator.or(callbacks, vk::SystemAllocationScope::OBJECT);
        let Some(window) = NonNull::new((*info).window.cast()) else {
            return vk::Result::ERROR_SURFACE_LOST_KHR;
        };
        match create(instance, memory, || Window::new(window)) {
            Ok(surface) => {
                out.write(surface);
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

fn create(
    instance: &Instance,
    memory: CopiedCallbacks,
    window: impl FnOnce() -> Window,
) -> Result<vk::SurfaceKHR, vk::Result> {
    let room =
        Box::<Surface, _>::try_new_uninit_in(memory).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    let window = window();
    let consumer_usage = window.consumer_usage()?;
    let loader = instance.logger.loader;
    let calls = WindowCalls::connect(loader, &window).map_err(|WindowError(number)| {
        instance.logger.log(
            Level::Error,
            Topic::Driver,
            format_args!(
                "vkCreateAndroidSurfaceKHR: something else draws to the window already (error {number}): destroy its EGL \
                 surface or the other VkSurfaceKHR first"
            ),
        );
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

/// `vkDestroySurfaceKHR`
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn destroy_surface(
    instance: vk::Instance,
    surface: vk::SurfaceKHR,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    let _slice = slice(c"DestroySurfaceKHR");
    // SAFETY: by this function's `# Safety` the instance is valid, the surface is NULL or valid and
    // externally synchronised, and the callbacks are compatible with the callbacks of its creation.
    // `create` leaked the box; only this function frees it.
    unsafe {
        let memory =
            instance_of(instance.as_raw()).allocator.or(callbacks, vk::SystemAllocationScope::OBJECT);
        let Some(surface) =
            NonNull::new(core::ptr::with_exposed_provenance_mut::<Surface>(surface.as_raw() as usize))
        else {
            return;
        };
        let surface = Box::from_non_null_in(surface, memory);
        // A window that is gone cannot be disconnected and need not be.
        let _ = surface.window.disconnect();
        surface.listener.end(surface.loader.system);
    }
}

/// `vkGetPhysicalDeviceSurfaceSupportKHR`: every queue can present. A driver that an application
/// brings may lack what swapchains need, which is logged.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_surface_support(
    physical_device: vk::PhysicalDevice,
    _queue_family: u32,
    _: vk::SurfaceKHR,
    out: *mut vk::Bool32,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the physical device is a valid handle and `out` valid
    // for a write.
    unsafe {
        let instance = instance_of(physical_device.as_raw());
        let can = !instance.logger.loader.is_brought || can_present(instance, physical_device);
        out.write(can.into());
    }
    vk::Result::SUCCESS
}

/// Returns whether the driver supports swapchains. Logs the reason if not.
fn can_present(instance: &Instance, device: vk::PhysicalDevice) -> bool {
    let drivers = driver_extensions(instance, device).unwrap_or_default();
    let can = drivers.iter().any(|extension| name::is(extension, native_buffer::NAME));
    if !can {
        instance.logger.log(
            Level::Warning,
            Topic::Driver,
            format_args!(
                "the driver's device does not have {}, by which Android's windows are drawn to, so that it has no \
                 VK_KHR_swapchain: get a build of the driver for Android",
                native_buffer::NAME.to_str().unwrap_or_default()
            ),
        );
    }
    can
}
