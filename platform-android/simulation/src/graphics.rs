//! A configurable driver's side of a window system: images of graphics buffers, fences, usage.
//!
//! [`Graphics::take_over`] replaces a device's own functions with these.

mod commands;

use std::collections::BTreeMap;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;
use platform_android::native_buffer::NativeBuffer;
use platform_android::objects::{
    Device, DeviceCommands, DeviceData, Instance, InstanceCommands, InstanceData,
};

use crate::{Android, SignalledLater};

/// The driver's side of a window system. A process has only one; see [`Graphics::change`].
#[derive(Default)]
pub struct Graphics {
    android: Option<&'static Android>,
    pub images: BTreeMap<u64, Image>,
    created: u64,
    pub calls: Vec<String>,
    /// Calls that are to fail: the name, which of its calls, counting from 0, and the result.
    pub fail: BTreeMap<&'static str, (usize, vk::Result)>,
    counted: BTreeMap<&'static str, usize>,
    pub releases: Releases,
    /// Whether a release that waits for no semaphore has no fence: such images are idle.
    pub idle_without_semaphores: bool,
    later: Vec<SignalledLater>,
    /// Every acquisition: the image, whether there was a fence of the window's, the semaphore and
    /// the fence.
    pub acquired: Vec<(u64, bool, u64, u64)>,
    /// Every release: the number of semaphores waited for, and the image.
    pub released: Vec<(u32, u64)>,
    /// The fences of applications to which a fence was imported, and whether there was a descriptor.
    pub imported: Vec<(u64, bool)>,
    /// Every binding: the image, the types of the structures chained to it, and the buffer's handle.
    pub bound: Vec<(u64, Vec<i32>, usize)>,
    pub hardware_buffer_usage: u64,
    /// The types of the structures chained to the last `VkGrallocUsageInfo`s.
    pub usage_chain: Vec<i32>,
    /// The queries: format, usage, the types of the chained structures, and the images' creation
    /// flags.
    pub asked: Vec<(vk::Format, vk::ImageUsageFlags, Vec<i32>, vk::ImageCreateFlags)>,
    /// Whether images can be shown while being drawn to.
    pub shared_image: bool,
    pub extensions: Vec<&'static str>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Releases {
    /// A signalled fence.
    #[default]
    Signalled,
    /// No fence: the image is idle.
    Idle,
    /// A fence that is signalled by [`Graphics::finish`].
    Later,
}

#[derive(Clone)]
pub struct Image {
    pub info: vk::ImageCreateInfo<'static>,
    pub chain: Vec<i32>,
    pub buffer: Option<NativeBuffer>,
    /// `VkSwapchainImageCreateInfoANDROID::usage`
    pub swapchain_usage: Option<u32>,
}

static GRAPHICS: Mutex<Option<Graphics>> = Mutex::new(None);

// SAFETY: the pointers in it come from structures that were only inspected, and are never followed.
unsafe impl Send for Graphics {}

/// The only one, locked for reading or changing it.
pub struct Changing(MutexGuard<'static, Option<Graphics>>);

impl std::ops::Deref for Changing {
    type Target = Graphics;
    fn deref(&self) -> &Graphics {
        self.0.as_ref().expect("a driver's graphics were taken over")
    }
}

impl std::ops::DerefMut for Changing {
    fn deref_mut(&mut self) -> &mut Graphics {
        self.0.as_mut().expect("a driver's graphics were taken over")
    }
}

impl Graphics {
    /// Locks the current state for reading or changing it. Nothing of the loader may be called
    /// while it is held.
    pub fn change() -> Changing {
        Changing(GRAPHICS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts over, and replaces the instance's and the device's own functions with these.
    ///
    /// # Safety
    /// Nothing uses instance or device at the same time.
    pub unsafe fn take_over(android: &'static Android, instance: &Instance, device: &Device) {
        *GRAPHICS.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Self { android: Some(android), hardware_buffer_usage: 0x200, ..Self::default() });
        let (instance, device): (&InstanceData, &DeviceData) = (instance, device);
        // SAFETY: by this function's `# Safety` no other code uses instance and device meanwhile.
        unsafe {
            let instance = &mut (*ptr::from_ref(instance).cast_mut()).driver;
            *instance = InstanceCommands {
                get_physical_device_properties2: Some(commands::get_properties),
                get_physical_device_image_format_properties2: Some(commands::get_image_format_properties),
                get_physical_device_image_format_properties2_khr: None,
                enumerate_device_extension_properties: Some(commands::enumerate_extensions),
                ..*instance
            };
            let device = Self::commands(device);
            *device = DeviceCommands {
                create_image: Some(commands::create_image),
                destroy_image: Some(commands::destroy_image),
                bind_image_memory2: Some(commands::bind_image_memory),
                bind_image_memory2_khr: None,
                import_fence_fd: Some(commands::import_fence),
                get_swapchain_gralloc_usage: Some(commands::get_usage),
                get_swapchain_gralloc_usage2: Some(commands::get_usage2),
                get_swapchain_gralloc_usage3: Some(commands::get_usage3),
                get_swapchain_gralloc_usage4: Some(commands::get_usage4),
                acquire_image: Some(commands::acquire_image),
                queue_signal_release_image: Some(commands::release_image),
                ..*device
            };
        }
    }

    /// Returns a device's functions, to be changed.
    ///
    /// # Safety
    /// Nothing uses the device at the same time.
    #[expect(clippy::mut_from_ref, reason = "the device is somebody else's, who does not look")]
    pub unsafe fn commands(device: &DeviceData) -> &mut DeviceCommands {
        // SAFETY: by this function's `# Safety` no other code uses the device meanwhile.
        unsafe { &mut (*ptr::from_ref(device).cast_mut()).driver }
    }

    pub fn finish(&mut self) {
        self.later.clear();
    }

    /// Makes the `number`th call of this name from now on fail, counting from 0.
    pub fn fail_at(&mut self, call: &'static str, number: usize, result: vk::Result) {
        self.counted.remove(call);
        self.fail.insert(call, (number, result));
    }

    fn android(&self) -> &'static Android {
        self.android.expect("a system")
    }

    fn call(&mut self, name: &'static str) -> vk::Result {
        self.calls.push(name.to_owned());
        let count = self.counted.entry(name).or_default();
        *count += 1;
        match self.fail.get(name) {
            Some((number, result)) if number + 1 == *count => *result,
            _ => vk::Result::SUCCESS,
        }
    }
}
