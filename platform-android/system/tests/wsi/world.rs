//! An application with a window, a device, and the functions that it calls.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::ptr::{self, null, null_mut};

use android_simulation::graphics::Graphics;
use android_simulation::hal::Hal;
use android_simulation::hook;
use android_simulation::{FakeWindow, Simulation};
use ash::vk::{self, Handle};
use platform_android::objects::{Device, DeviceData, InstanceCommands, InstanceData, device_of, instance_of};
use platform_android::{ApiLevel, driver};
use vkload_core::memory::CopiedCallbacks;

pub(crate) const SUCCESS: vk::Result = vk::Result::SUCCESS;

/// Instance extensions that tests enable unless they say otherwise.
pub(crate) const INSTANCE: &[&CStr] = &[
    c"VK_KHR_surface",
    c"VK_KHR_android_surface",
    c"VK_KHR_get_surface_capabilities2",
    c"VK_EXT_surface_maintenance1",
];

pub(crate) struct World {
    pub(crate) window: FakeWindow,
    pub(crate) simulation: Simulation,
    pub(crate) instance: vk::Instance,
    pub(crate) physical_device: vk::PhysicalDevice,
    pub(crate) device: vk::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) callbacks: *const vk::AllocationCallbacks<'static>,
    /// What the test leaves to the end, which destroys the swapchains first.
    live: RefCell<(Vec<vk::SwapchainKHR>, Vec<vk::SurfaceKHR>)>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(ApiLevel::NEWEST, INSTANCE)
    }

    /// Returns a world with a surface and the usual swapchain.
    pub(crate) fn shown() -> (Self, vk::SurfaceKHR, vk::SwapchainKHR) {
        Self::shown_by(request)
    }

    pub(crate) fn shown_by(
        info: impl FnOnce(vk::SurfaceKHR) -> vk::SwapchainCreateInfoKHR<'static>,
    ) -> (Self, vk::SurfaceKHR, vk::SwapchainKHR) {
        let world = Self::new();
        let surface = world.surface();
        let swapchain = world.swapchain(&info(surface));
        (world, surface, swapchain)
    }

    pub(crate) fn with(level: ApiLevel, extensions: &[&CStr]) -> Self {
        Self::on(Simulation::at(level), extensions)
    }

    pub(crate) fn on(simulation: Simulation, extensions: &[&CStr]) -> Self {
        simulation.android.install(Hal::default());
        simulation.loader.enter();
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info = vk::InstanceCreateInfo::default().enabled_extension_names(&names);
        let mut instance = vk::Instance::null();
        let mut physical_device = vk::PhysicalDevice::null();
        let mut device = vk::Device::null();
        let mut queue = vk::Queue::null();
        let swapchain = [c"VK_KHR_swapchain".as_ptr()];
        let of_device = vk::DeviceCreateInfo::default().enabled_extension_names(&swapchain);
        // SAFETY: valid structures, and memory for the results.
        unsafe {
            assert_eq!(driver::create_instance(&info, null(), &mut instance), SUCCESS);
            let mut count = 1;
            assert_eq!(
                driver::enumerate_physical_devices(instance, &mut count, &mut physical_device),
                SUCCESS
            );
            assert_eq!(driver::create_device(physical_device, &of_device, null(), &mut device), SUCCESS);
            hook!(PFN_vkGetDeviceQueue)(device, 0, 0, &mut queue);
        }
        let window = FakeWindow::new(simulation.android);
        let (callbacks, live) = (null(), RefCell::default());
        let world = Self { window, simulation, instance, physical_device, device, queue, callbacks, live };
        world.take_over();
        world
    }

    fn take_over(&self) {
        // SAFETY: the handles are valid, and no other code uses them.
        unsafe {
            let instance = instance_of(self.instance.as_raw());
            Graphics::take_over(self.simulation.android, instance, self.loaders_device());
        }
    }

    /// Returns the driver's instance commands, to be changed.
    #[expect(clippy::mut_from_ref, reason = "the instance is somebody else's, who does not look")]
    pub(crate) fn instance_commands(&self) -> &mut InstanceCommands {
        // SAFETY: the instance is valid, and no other code uses it.
        unsafe {
            let instance: &InstanceData = instance_of(self.instance.as_raw());
            &mut (*ptr::from_ref(instance).cast_mut()).driver
        }
    }

    /// Returns a second device, with the functions of the first.
    pub(crate) fn another_device(&self) -> vk::Device {
        let swapchain = [c"VK_KHR_swapchain".as_ptr()];
        let info = vk::DeviceCreateInfo::default().enabled_extension_names(&swapchain);
        let mut device = vk::Device::null();
        // SAFETY: a valid structure and memory for the result; no other code uses either device.
        unsafe {
            assert_eq!(driver::create_device(self.physical_device, &info, null(), &mut device), SUCCESS);
            let functions = *Graphics::commands(self.loaders_device());
            *Graphics::commands(device_of(device.as_raw())) = functions;
        }
        device
    }

    /// Gets another window and a fresh driver, after checking that nothing is left of the old ones.
    pub(crate) fn renew(&mut self) {
        self.check();
        self.window = FakeWindow::new(self.simulation.android);
        self.take_over();
    }

    fn check(&self) {
        assert_eq!(self.leaks(), Vec::<String>::new());
        Graphics::change().finish();
        self.window.forget();
        assert_eq!(self.simulation.android.open_fences(), 0, "fences are open");
    }

    pub(crate) fn loaders_device(&self) -> &Device {
        unsafe { device_of(self.device.as_raw()) }
    }

    /// Makes the device allocate with these callbacks, as if it had been created with them.
    pub(crate) fn allocate_with(&self, callbacks: *const vk::AllocationCallbacks<'static>) {
        let device: &DeviceData = self.loaders_device();
        // SAFETY: no other code uses the device, and the callbacks are valid until others are set.
        unsafe {
            let memory = CopiedCallbacks::new(callbacks, vk::SystemAllocationScope::DEVICE);
            (*ptr::from_ref(device).cast_mut()).allocator = memory;
        }
    }

    pub(crate) fn try_surface(&self) -> Result<vk::SurfaceKHR, vk::Result> {
        let info = vk::AndroidSurfaceCreateInfoKHR::default().window(self.window.pointer().cast());
        let mut surface = vk::SurfaceKHR::null();
        let result = unsafe {
            hook!(PFN_vkCreateAndroidSurfaceKHR)(self.instance, &info, self.callbacks, &mut surface)
        };
        if result != SUCCESS {
            return Err(result);
        }
        self.live.borrow_mut().1.push(surface);
        Ok(surface)
    }

    pub(crate) fn surface(&self) -> vk::SurfaceKHR {
        self.try_surface().unwrap()
    }

    pub(crate) fn destroy_surface(&self, surface: vk::SurfaceKHR) {
        self.live.borrow_mut().1.retain(|other| *other != surface);
        // SAFETY: a valid handle that no code uses any more.
        unsafe { hook!(PFN_vkDestroySurfaceKHR)(self.instance, surface, self.callbacks) };
    }

    pub(crate) fn try_swapchain(
        &self,
        info: &vk::SwapchainCreateInfoKHR<'_>,
    ) -> Result<vk::SwapchainKHR, vk::Result> {
        let mut swapchain = vk::SwapchainKHR::null();
        let result =
            unsafe { hook!(PFN_vkCreateSwapchainKHR)(self.device, info, self.callbacks, &mut swapchain) };
        if result != SUCCESS {
            return Err(result);
        }
        self.live.borrow_mut().0.push(swapchain);
        Ok(swapchain)
    }

    pub(crate) fn swapchain(&self, info: &vk::SwapchainCreateInfoKHR<'_>) -> vk::SwapchainKHR {
        self.try_swapchain(info).unwrap()
    }

    pub(crate) fn destroy_swapchain(&self, swapchain: vk::SwapchainKHR) {
        self.live.borrow_mut().0.retain(|other| *other != swapchain);
        // SAFETY: a valid handle that no code uses any more.
        unsafe { hook!(PFN_vkDestroySwapchainKHR)(self.device, swapchain, self.callbacks) };
    }

    pub(crate) fn images(&self, swapchain: vk::SwapchainKHR) -> Vec<vk::Image> {
        let mut count = 0;
        unsafe {
            let get = hook!(PFN_vkGetSwapchainImagesKHR);
            assert_eq!(get(self.device, swapchain, &mut count, null_mut()), SUCCESS);
            let mut images = vec![vk::Image::null(); count as usize];
            assert_eq!(get(self.device, swapchain, &mut count, images.as_mut_ptr()), SUCCESS);
            images
        }
    }

    pub(crate) fn acquire_for(&self, swapchain: vk::SwapchainKHR, timeout: u64) -> Result<u32, vk::Result> {
        let (semaphore, fence) = (vk::Semaphore::from_raw(0x51), vk::Fence::null());
        let mut index = u32::MAX;
        let result = unsafe {
            hook!(PFN_vkAcquireNextImageKHR)(self.device, swapchain, timeout, semaphore, fence, &mut index)
        };
        if result == SUCCESS { Ok(index) } else { Err(result) }
    }

    pub(crate) fn acquire(&self, swapchain: vk::SwapchainKHR) -> u32 {
        self.acquire_for(swapchain, u64::MAX).unwrap()
    }

    /// Presents one image of each swapchain after one semaphore. Returns the result, and each
    /// swapchain's result.
    pub(crate) fn present_all(
        &self,
        swapchains: &[vk::SwapchainKHR],
        images: &[u32],
        chain: *const c_void,
    ) -> (vk::Result, Vec<vk::Result>) {
        let semaphores = [vk::Semaphore::from_raw(0x52)];
        let mut results = vec![vk::Result::ERROR_UNKNOWN; swapchains.len()];
        let mut info = vk::PresentInfoKHR::default()
            .wait_semaphores(&semaphores)
            .swapchains(swapchains)
            .image_indices(images)
            .results(&mut results);
        info.p_next = chain;
        // SAFETY: valid handles, counted arrays and a valid chain.
        let result = unsafe { hook!(PFN_vkQueuePresentKHR)(self.queue, &info) };
        (result, results)
    }

    pub(crate) fn present(&self, swapchain: vk::SwapchainKHR, image: u32) -> vk::Result {
        self.present_with(swapchain, image, null())
    }

    pub(crate) fn present_with(
        &self,
        swapchain: vk::SwapchainKHR,
        image: u32,
        chain: *const c_void,
    ) -> vk::Result {
        let (result, results) = self.present_all(&[swapchain], &[image], chain);
        assert_eq!(results, [result]);
        result
    }

    pub(crate) fn status(&self, swapchain: vk::SwapchainKHR) -> vk::Result {
        unsafe { hook!(PFN_vkGetSwapchainStatusKHR)(self.device, swapchain) }
    }

    pub(crate) fn leaks(&self) -> Vec<String> {
        let mut leaks = self.window.leaks();
        let images = Graphics::change().images.len();
        if images > 0 {
            leaks.push(format!("{images} images"));
        }
        leaks
    }
}

impl Drop for World {
    /// Checks that nothing is left, whatever the test was about.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let (swapchains, surfaces) = self.live.take();
        swapchains.into_iter().for_each(|swapchain| self.destroy_swapchain(swapchain));
        surfaces.into_iter().for_each(|surface| self.destroy_surface(surface));
        self.check();
        unsafe {
            driver::destroy_device(self.device, null());
            driver::destroy_instance(self.instance, null());
        }
    }
}

/// Returns the usual create info of swapchains: three images as large as the window.
pub(crate) fn request(surface: vk::SurfaceKHR) -> vk::SwapchainCreateInfoKHR<'static> {
    vk::SwapchainCreateInfoKHR::default()
        .surface(surface)
        .min_image_count(3)
        .image_format(vk::Format::R8G8B8A8_UNORM)
        .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
        .image_extent(vk::Extent2D { width: 640, height: 480 })
        .image_array_layers(1)
        .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
        .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
        .composite_alpha(vk::CompositeAlphaFlagsKHR::INHERIT)
        .present_mode(vk::PresentModeKHR::FIFO)
}

/// Returns the beginning of a chain.
pub(crate) fn chain<T>(structure: &T) -> *const c_void {
    ptr::from_ref(structure).cast()
}
