//! Windows of an application with several drivers.

use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use android_simulation::{Android, FakeWindow, null_driver};
use ash::{Device, Instance, khr, vk};
use vkload_core::log::Level;

use super::Application;

/// A HAL module, the system's loader, and two drivers with the driver interface: one leaves
/// creating surfaces to the loader. For each the name of its device, and its library.
const DRIVERS: [(&str, &str); 4] = [
    ("null", "/own/module.so"),
    ("system", "libvulkan.so"),
    ("icd", "/own/other.so"),
    ("icd", "/own/icd.so"),
];

const MODULE: usize = 0;
const SYSTEM: usize = 1;
const OTHER: usize = 2;
const ICD: usize = 3;

pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../simulation/modules").join(name)
}

/// Returns the two drivers with the driver interface, compiled once.
fn icds(android: &Android) -> &'static (Vec<u8>, Vec<u8>) {
    static COMPILED: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let compiled = |options: &[&str]| {
            android.compile("/compiled.so", &source("icd.c"), options);
            fs::read(android.host_path("/compiled.so")).unwrap()
        };
        (
            compiled(&["-DNO_HMI", "-DANDROID_SURFACE"]),
            compiled(&["-DNO_HMI", "-DANDROID_SURFACE", "-DLOADERS_SURFACE"]),
        )
    })
}

/// An application with a window, a surface of it, and all these drivers.
struct World {
    window: FakeWindow,
    application: Application,
    instance: Instance,
    surfaces: khr::surface::Instance,
    surface: vk::SurfaceKHR,
}

impl World {
    fn new() -> Self {
        let mut world = Self::without_surface(&["module", "system", "other", "icd"]);
        world.surface = world.make_surface().unwrap();
        let _ = world.logged();
        world
    }

    /// Creates a world with these drivers.
    fn without_surface(drivers: &[&str]) -> Self {
        let (application, android) = Application::start();
        android.library("/own/module.so", &null_driver());
        let (icd, other) = icds(android);
        android.file("/own/icd.so", icd);
        android.file("/own/other.so", other);
        let all = drivers.iter().rev().map(|name| match *name {
            "system" => r#"{"name": "system", "system": true}"#.to_owned(),
            name => format!(r#"{{"name": "{name}", "library": "/own/{name}.so"}}"#),
        });
        let all: Vec<String> = all.collect();
        application.configure(&format!(r#"{{"drivers": [{}]}}"#, all.join(", "))).unwrap();
        let window = FakeWindow::new(android);
        let (instance, surfaces) = instance(&application);
        let surface = vk::SurfaceKHR::null();
        Self { window, application, instance, surfaces, surface }
    }

    fn make_surface(&self) -> Result<vk::SurfaceKHR, vk::Result> {
        let maker = khr::android_surface::Instance::new(&self.application.vulkan(), &self.instance);
        let info = vk::AndroidSurfaceCreateInfoKHR::default().window(self.window.pointer().cast());
        // SAFETY: the window is valid.
        unsafe { maker.create_android_surface(&info, None) }
    }

    /// Returns the physical devices, in the order of [`DRIVERS`].
    fn physical(&self) -> Vec<vk::PhysicalDevice> {
        self.physical_of(&DRIVERS.map(|(device, _)| device))
    }

    /// Returns the physical devices, which must have these names.
    fn physical_of(&self, expected: &[&str]) -> Vec<vk::PhysicalDevice> {
        unsafe {
            let all = self.instance.enumerate_physical_devices().unwrap();
            let name = |device: &vk::PhysicalDevice| {
                let properties = self.instance.get_physical_device_properties(*device);
                properties.device_name_as_c_str().unwrap().to_str().unwrap().to_owned()
            };
            let names: Vec<String> = all.iter().map(name).collect();
            assert_eq!(names, expected);
            all
        }
    }

    /// Returns whether each driver can present to the window.
    fn support(&self) -> Vec<bool> {
        let ask = |device: &vk::PhysicalDevice| unsafe {
            self.surfaces.get_physical_device_surface_support(*device, 0, self.surface).unwrap()
        };
        self.physical().iter().map(ask).collect()
    }

    /// Returns a device of the driver with this index.
    fn device(&self, index: usize) -> Drawing<'_> {
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let extensions = [khr::swapchain::NAME.as_ptr()];
        let info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        let device = unsafe { self.instance.create_device(self.physical()[index], &info, None).unwrap() };
        let swapchains = khr::swapchain::Device::new(&self.instance, &device);
        Drawing { world: self, device, swapchains }
    }

    /// Destroys everything, and checks that no part of the drawing to the window is left.
    fn end(self) {
        unsafe {
            self.surfaces.destroy_surface(self.surface, None);
            assert_eq!(self.window.leaks(), [""; 0]);
            self.instance.destroy_instance(None);
        }
        self.window.forget();
        assert_eq!(self.application.android().open_fences(), 0);
    }

    /// Returns the log since the last time, warnings and errors only.
    fn logged(&self) -> Vec<String> {
        let all = self.application.android().logged().into_iter();
        all.filter(|(level, _)| *level <= Level::Warning).map(|(_, text)| text).collect()
    }
}

pub(crate) fn instance(application: &Application) -> (Instance, khr::surface::Instance) {
    let extensions = [khr::surface::NAME.as_ptr(), khr::android_surface::NAME.as_ptr()];
    let info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
    let instance = unsafe { application.vulkan().create_instance(&info, None).unwrap() };
    let surfaces = khr::surface::Instance::new(&application.vulkan(), &instance);
    (instance, surfaces)
}

struct Drawing<'a> {
    world: &'a World,
    device: Device,
    swapchains: khr::swapchain::Device,
}

impl Drawing<'_> {
    fn swapchain_of(&self, images: u32, old: vk::SwapchainKHR) -> Result<vk::SwapchainKHR, vk::Result> {
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.world.surface)
            .min_image_count(images)
            .image_format(vk::Format::R8G8B8A8_UNORM)
            .image_extent(vk::Extent2D { width: 640, height: 480 })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::INHERIT)
            .present_mode(vk::PresentModeKHR::FIFO)
            .old_swapchain(old);
        unsafe { self.swapchains.create_swapchain(&info, None) }
    }

    fn swapchain(&self) -> Result<vk::SwapchainKHR, vk::Result> {
        self.swapchain_of(2, vk::SwapchainKHR::null())
    }

    fn destroy(&self, swapchain: vk::SwapchainKHR) {
        // SAFETY: a live handle that no code uses.
        unsafe { self.swapchains.destroy_swapchain(swapchain, None) };
    }

    fn end(self) {
        unsafe { self.device.destroy_device(None) };
    }
}

#[test]
fn every_driver_answers_and_then_any_of_them_presents() {
    let world = World::new();
    for _ in 0..2 {
        assert_eq!(world.support(), [true; 4]);
    }
    for index in (0..DRIVERS.len()).chain((0..DRIVERS.len()).rev()) {
        let device = world.device(index);
        let swapchain = device.swapchain().unwrap();
        let connected = world.window.leaks().iter().any(|leak| leak == "somebody is connected");
        assert!(connected, "{index}");
        device.destroy(swapchain);
        device.end();
        assert_eq!(world.support(), [true; 4], "{index}");
    }
    assert_eq!(world.logged(), [""; 0]);
    world.end();
}

#[test]
fn a_released_window_stays() {
    let world = World::new();
    world.window.change().was_freed = false;
    assert_eq!(world.support(), [true; 4]);
    assert!(!world.window.change().was_freed, "nobody had a reference when a driver gave the window up");
    world.end();
}

#[test]
fn who_presents_has_the_window_until_its_swapchains_are_destroyed_the_retired_ones_too() {
    let world = World::new();
    for (holder, (name, path)) in DRIVERS.into_iter().enumerate() {
        let first = world.device(holder);
        let old = first.swapchain().unwrap();
        let swapchain = first.swapchain_of(2, old);
        // The C driver is connected by each of its swapchains.
        let swapchain = if name == "icd" { old } else { swapchain.unwrap() };
        let _ = world.logged();
        for other in (0..DRIVERS.len()).filter(|other| *other != holder) {
            let second = world.device(other);
            let refused = second.swapchain().unwrap_err();
            assert_eq!(refused, vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR, "{holder} {other}");
            let said = world.logged();
            let words = [DRIVERS[other].1, "vkCreateSwapchainKHR", path, "has the window"];
            assert!(words.iter().all(|word| said.iter().any(|line| line.contains(word))), "{said:?}");
            second.end();
        }
        // Each driver's support is reported as it is, except by the one that is not asked to create
        // a surface beforehand.
        let can = |index: usize| index == holder || index == OTHER;
        assert_eq!(world.support(), [0, 1, 2, 3].map(can), "{holder}");
        let warned = world.logged();
        assert!(warned.iter().all(|line| line.contains(path) && line.contains("supports nothing on it")));
        assert_eq!(warned.len(), (0..DRIVERS.len()).filter(|index| !can(*index)).count(), "{warned:?}");
        if swapchain != old {
            first.destroy(swapchain);
            let second = world.device((holder + 1) % DRIVERS.len());
            assert_eq!(second.swapchain().unwrap_err(), vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
            second.end();
        }
        first.destroy(old);
        assert_eq!(world.support(), [true; 4]);
        first.end();
    }
    world.end();
}

#[test]
fn a_swapchain_that_cannot_be_made_leaves_the_window_to_others() {
    let world = World::new();
    let first = world.device(SYSTEM);
    let failed = first.swapchain_of(0, vk::SwapchainKHR::null()).unwrap_err();
    assert_eq!(failed, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    let second = world.device(MODULE);
    let swapchain = second.swapchain().unwrap();
    second.destroy(swapchain);
    second.end();
    first.end();
    world.end();
}

#[test]
fn every_call_of_the_window_fails_once_while_drivers_take_turns() {
    let world = World::new();
    let (system, module) = (world.device(SYSTEM), world.device(MODULE));
    for call in 0.. {
        let _ = world.window.calls();
        world.window.fail(call, -12);
        let before = world.support();
        let made = module.swapchain();
        let calls = world.window.stop_failing();
        if world.window.calls().get(call).is_some_and(|call| call.starts_with("disconnect")) {
            // A disconnect that fails means that the producer has left, or that the window is gone.
            world.window.change().disconnect();
        }
        if let Ok(swapchain) = made {
            module.destroy(swapchain);
        }
        // Whatever failed, the failure is over.
        assert_eq!(world.support(), [true; 4], "call {call}");
        let swapchain = system.swapchain().unwrap();
        system.destroy(swapchain);
        if call >= calls {
            assert_eq!(before, [true; 4]);
            assert!(calls > 10, "{calls}");
            break;
        }
    }
    system.end();
    module.end();
    world.end();
}

#[test]
fn threads_ask_every_driver_at_once() {
    let world = World::new();
    let physical = world.physical();
    // The tests' system loader aborts the process if it is called with a surface that is gone.
    std::thread::scope(|scope| {
        for device in physical.iter().cycle().take(8) {
            let world = &world;
            scope.spawn(move || {
                for _ in 0..100 {
                    unsafe {
                        let surfaces = &world.surfaces;
                        let support = surfaces.get_physical_device_surface_support(*device, 0, world.surface);
                        assert_eq!(support, Ok(true));
                    }
                }
            });
        }
    });
    world.end();
}

#[test]
fn a_window_in_use_gives_no_surface() {
    let world = World::without_surface(&["module", "system"]);
    world.window.change().reconnect();
    assert_eq!(world.make_surface().unwrap_err(), vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
    assert_eq!(world.window.leaks(), ["somebody is connected"]);
    unsafe { world.instance.destroy_instance(None) };
}

#[test]
fn a_surface_destroyed_before_its_swapchain_and_device_harms_no_other() {
    let world = World::new();
    let device = world.device(ICD);
    let swapchain = device.swapchain().unwrap();
    // SAFETY: not allowed, but some applications do it.
    unsafe { world.surfaces.destroy_surface(world.surface, None) };
    device.destroy(swapchain);
    device.end();
    let mut world = world;
    world.surface = world.make_surface().unwrap();
    assert_eq!(world.support(), [true; 4]);
    // A device destroyed without its swapchain does not keep the window.
    let device = world.device(OTHER);
    device.swapchain().unwrap();
    device.end();
    assert!(!world.support()[SYSTEM], "the driver has not let go of it");
    world.window.change().disconnect();
    assert_eq!(world.support(), [true; 4]);
    // SAFETY: no code uses surface and instance any more; the driver has leaked its part.
    unsafe {
        world.surfaces.destroy_surface(world.surface, None);
        world.instance.destroy_instance(None);
    }
}

/// How many more blocks the callbacks will return, and how many exist.
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "system" fn allocate(
    _: *mut c_void,
    size: usize,
    alignment: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    let one_less = |left: usize| (left > 0).then(|| if left == usize::MAX { left } else { left - 1 });
    if LEFT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_err() {
        return null_mut();
    }
    let mut block = null_mut();
    // SAFETY: `block` is writable, and the alignment is a power of two.
    assert_eq!(unsafe { libc::posix_memalign(&mut block, alignment.max(16), size) }, 0);
    BLOCKS.fetch_add(1, Ordering::SeqCst);
    block
}

unsafe extern "system" fn reallocate(
    data: *mut c_void,
    block: *mut c_void,
    size: usize,
    alignment: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: blocks come from `allocate`; the C library knows their size.
    unsafe {
        let new = allocate(data, size, alignment, scope);
        if !new.is_null() && !block.is_null() {
            new.copy_from_nonoverlapping(block, libc::malloc_usable_size(block).min(size));
            free(data, block);
        }
        new
    }
}

unsafe extern "system" fn free(_: *mut c_void, block: *mut c_void) {
    if !block.is_null() {
        BLOCKS.fetch_sub(1, Ordering::SeqCst);
        // SAFETY: the block came from `allocate`.
        unsafe { libc::free(block) };
    }
}

#[test]
fn memory_runs_out_at_every_allocation_and_nothing_is_left() {
    let world = World::without_surface(&["module", "system"]);
    let callbacks = vk::AllocationCallbacks::default()
        .pfn_allocation(Some(allocate))
        .pfn_reallocation(Some(reallocate))
        .pfn_free(Some(free));
    let maker = khr::android_surface::Instance::new(&world.application.vulkan(), &world.instance);
    let info = vk::AndroidSurfaceCreateInfoKHR::default().window(world.window.pointer().cast());
    let physical = world.physical_of(&["null", "system"]);
    for count in 0.. {
        LEFT.store(count, Ordering::SeqCst);
        // SAFETY: the window is valid, and so are the handles.
        let enough = unsafe {
            match maker.create_android_surface(&info, Some(&callbacks)) {
                Ok(surface) => {
                    let ask = |device: &vk::PhysicalDevice| {
                        world.surfaces.get_physical_device_surface_support(*device, 0, surface).unwrap()
                    };
                    let support: Vec<bool> = physical.iter().map(ask).collect();
                    LEFT.store(usize::MAX, Ordering::SeqCst);
                    assert_eq!(physical.iter().map(ask).collect::<Vec<_>>(), [true; 2], "{count}");
                    world.surfaces.destroy_surface(surface, Some(&callbacks));
                    support == [true; 2]
                }
                Err(error) => {
                    assert_eq!(error, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "{count}");
                    false
                }
            }
        };
        assert_eq!(BLOCKS.load(Ordering::SeqCst), 0, "{count}");
        assert_eq!(world.window.leaks(), [""; 0], "{count}");
        if enough {
            assert!(count > 1, "{count}");
            break;
        }
    }
    unsafe { world.instance.destroy_instance(None) };
}
