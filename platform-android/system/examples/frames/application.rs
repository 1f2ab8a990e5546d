//! An application that clears its window repeatedly, and copes with whatever happens to it.

use std::ffi::CStr;

use android_simulation::{Android, FakeWindow, Simulation, null_driver};
use ash::{Device, Entry, Instance, khr, vk};

/// Returns a system with the null driver and three layers: two in the application's package, one in
/// the debug folder.
pub(crate) fn system() -> Simulation {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    android.set("ro.hardware.vulkan", "null");
    simulation
}

/// Returns a window that is quickly cleared.
fn small_window(android: &'static Android) -> FakeWindow {
    let window = FakeWindow::new(android);
    window.change().size = (16, 12);
    window
}

pub(crate) struct Application {
    android: &'static Android,
    instance: Instance,
    device: Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    acquired: vk::Semaphore,
    drawn: vk::Semaphore,
    done: vk::Fence,
    android_surface: khr::android_surface::Instance,
    surfaces: khr::surface::Instance,
    swapchains: khr::swapchain::Device,
    pub(crate) window: FakeWindow,
    pub(crate) mode: vk::PresentModeKHR,
    surface: vk::SurfaceKHR,
    swapchain: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    pub(crate) presented: usize,
    /// How often the swapchain was created, and how often the surface.
    pub(crate) made: (usize, usize),
}

impl Application {
    pub(crate) fn new(android: &'static Android, vulkan: &Entry, layers: &[&CStr]) -> Self {
        let layers: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
        let extensions = [khr::surface::NAME.as_ptr(), khr::android_surface::NAME.as_ptr()];
        let info = vk::InstanceCreateInfo::default()
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let extensions = [khr::swapchain::NAME.as_ptr()];
        let of_device =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        // SAFETY: every structure is valid, and every handle lives as long as the application.
        unsafe {
            let instance = vulkan.create_instance(&info, None).expect("an instance");
            let physical = instance.enumerate_physical_devices().expect("physical devices")[0];
            let device = instance.create_device(physical, &of_device, None).expect("a device");
            let pool =
                vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            let pool = device.create_command_pool(&pool, None).expect("a pool");
            let buffers = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&buffers).expect("a command buffer")[0];
            let semaphore = || device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None);
            let done = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            let (acquired, drawn) = (semaphore().expect("a semaphore"), semaphore().expect("a semaphore"));
            Self {
                android,
                queue: device.get_device_queue(0, 0),
                pool,
                commands,
                acquired,
                drawn,
                done,
                android_surface: khr::android_surface::Instance::new(vulkan, &instance),
                surfaces: khr::surface::Instance::new(vulkan, &instance),
                swapchains: khr::swapchain::Device::new(&instance, &device),
                instance,
                device,
                window: small_window(android),
                mode: vk::PresentModeKHR::FIFO,
                surface: vk::SurfaceKHR::null(),
                swapchain: vk::SwapchainKHR::null(),
                images: Vec::new(),
                presented: 0,
                made: (0, 0),
            }
        }
    }

    /// Draws and shows one frame, and creates whatever that needs again. If that fails, returns the
    /// reason.
    pub(crate) fn frame(&mut self) -> Result<(), vk::Result> {
        let outcome = self.try_frame();
        match outcome {
            Ok(()) => self.presented += 1,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.forget_swapchain(),
            Err(vk::Result::NOT_READY | vk::Result::TIMEOUT) => {}
            Err(_) => self.forget_surface(),
        }
        outcome
    }

    fn try_frame(&mut self) -> Result<(), vk::Result> {
        self.make()?;
        // SAFETY: every structure and handle is valid, and earlier submissions are done.
        unsafe {
            let (swapchain, soon) = (self.swapchain, 1_000_000_000);
            let (image, _) =
                self.swapchains.acquire_next_image(swapchain, soon, self.acquired, vk::Fence::null())?;
            self.draw(self.images[image as usize])?;
            let (swapchains, images, waits) = ([swapchain], [image], [self.drawn]);
            let info = vk::PresentInfoKHR::default()
                .wait_semaphores(&waits)
                .swapchains(&swapchains)
                .image_indices(&images);
            let suboptimal = self.swapchains.queue_present(self.queue, &info)?;
            if suboptimal {
                self.remake()?;
            }
            Ok(())
        }
    }

    /// Clears the image.
    ///
    /// # Safety
    /// The image was acquired, and its semaphore will be signalled.
    unsafe fn draw(&self, image: vk::Image) -> Result<(), vk::Result> {
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let shade = (self.presented % 256) as f32 / 255.0;
        let colour = vk::ClearColorValue { float32: [shade, 0.5, 0.0, 1.0] };
        let (waits, signals, commands) = ([self.acquired], [self.drawn], [self.commands]);
        let work = vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&[vk::PipelineStageFlags::TRANSFER])
            .command_buffers(&commands)
            .signal_semaphores(&signals);
        // SAFETY: the image was acquired by this function's `# Safety`; everything else belongs to
        // the application.
        unsafe {
            let device = &self.device;
            device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())?;
            let layout = vk::ImageLayout::GENERAL;
            device.cmd_clear_color_image(self.commands, image, layout, &colour, &[range]);
            device.end_command_buffer(self.commands)?;
            device.queue_submit(self.queue, &[work], self.done)?;
            device.wait_for_fences(&[self.done], true, u64::MAX)?;
            device.reset_fences(&[self.done])
        }
    }

    fn make(&mut self) -> Result<(), vk::Result> {
        if self.surface == vk::SurfaceKHR::null() {
            let info = vk::AndroidSurfaceCreateInfoKHR::default().window(self.window.pointer().cast());
            // SAFETY: the window is valid.
            self.surface = unsafe { self.android_surface.create_android_surface(&info, None) }?;
            self.made.1 += 1;
        }
        if self.swapchain == vk::SwapchainKHR::null() { self.remake() } else { Ok(()) }
    }

    /// Creates a swapchain that replaces the existing one, if any.
    fn remake(&mut self) -> Result<(), vk::Result> {
        // SAFETY: every handle is valid; nothing uses the old images once their semaphores are
        // done.
        unsafe {
            let physical = self.instance.enumerate_physical_devices()?[0];
            let can = self.surfaces.get_physical_device_surface_capabilities(physical, self.surface)?;
            let format = self.surfaces.get_physical_device_surface_formats(physical, self.surface)?[0];
            let old = self.swapchain;
            let info = vk::SwapchainCreateInfoKHR::default()
                .surface(self.surface)
                .min_image_count(can.min_image_count)
                .image_format(format.format)
                .image_color_space(format.color_space)
                .image_extent(can.current_extent)
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
                .pre_transform(can.current_transform)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::INHERIT)
                .present_mode(self.mode)
                .old_swapchain(old);
            let made = self.swapchains.create_swapchain(&info, None);
            self.forget_swapchain();
            self.swapchain = made?;
            self.images = self.swapchains.get_swapchain_images(self.swapchain)?;
        }
        self.made.0 += 1;
        Ok(())
    }

    /// Destroys the swapchain, and the semaphores that might still be waited for.
    fn forget_swapchain(&mut self) {
        // SAFETY: nothing is being drawn, and presenting waits for drawing.
        unsafe {
            self.swapchains.destroy_swapchain(self.swapchain, None);
            self.swapchain = vk::SwapchainKHR::null();
            let semaphore = || self.device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None);
            let fresh = (semaphore().expect("a semaphore"), semaphore().expect("a semaphore"));
            for old in [self.acquired, self.drawn] {
                self.device.destroy_semaphore(old, None);
            }
            (self.acquired, self.drawn) = fresh;
        }
    }

    /// Destroys the surface; if its window was lost, replaces the window.
    pub(crate) fn forget_surface(&mut self) {
        self.forget_swapchain();
        // SAFETY: the surface has no swapchain any more.
        unsafe { self.surfaces.destroy_surface(self.surface, None) };
        self.surface = vk::SurfaceKHR::null();
    }

    /// Loses the window and gets another one. Returns the leaks of the old one.
    pub(crate) fn lose_window(&mut self) -> Vec<String> {
        self.window.lose();
        while self.frame().is_ok() {}
        self.forget_surface();
        let lost = std::mem::replace(&mut self.window, small_window(self.android));
        lost.leaks()
    }

    /// Destroys everything, and returns the leaks.
    pub(crate) fn end(mut self) -> Vec<String> {
        self.forget_surface();
        let mut leaks = self.window.leaks();
        self.window.forget();
        // SAFETY: the application has ended: no code uses the handles any more.
        unsafe {
            for semaphore in [self.acquired, self.drawn] {
                self.device.destroy_semaphore(semaphore, None);
            }
            self.device.destroy_fence(self.done, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
        drop(self.window);
        let fences = self.android.open_fences();
        if fences > 0 {
            leaks.push(format!("{fences} fences"));
        }
        leaks.extend(self.android.open_libraries().into_iter().filter(|path| path.contains("libVkLayer")));
        leaks
    }
}
