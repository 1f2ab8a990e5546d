//! Whose allocation callbacks are called (decision 0009 in docs/decisions.md): every pair of commands that creates and
//! destroys something, with another `pUserData` in every call, through layers that pass on, leave out or replace the callbacks.
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::without_provenance_mut;
use std::sync::Mutex;

use ash::{ext, khr, vk};
use vkload_tests::allocator::{self, Owner};
use vkload_tests::layered::{A, B};
use vkload_tests::listening::{EVERYTHING, all_flags, messenger, report};
use vkload_tests::{Ask, Granted, Instance, Layer, Run, Scenario, Vk, ask_for_windows, window_driver};

// ---- callbacks whose pUserData is the number of the call that they were passed to ----

#[derive(Default)]
struct Noted {
    /// The current call with callbacks, 0 if none is under way.
    now: usize,
    calls: usize,
    /// The call that created the instance, the parent of everything.
    instance: usize,
    /// Whether a layer drops the callbacks, so that objects created without any below it belong to the parent's memory.
    left_out: bool,
    blocks: BTreeMap<usize, vk::SystemAllocationScope>,
    faults: Vec<String>,
}

static NOTED: Mutex<Option<Noted>> = Mutex::new(None);

fn noted<R>(look: impl FnOnce(&mut Noted) -> R) -> R {
    look(NOTED.lock().unwrap().get_or_insert_default())
}

impl Noted {
    /// A call of callbacks that were passed to the call `of`, for memory of this scope.
    fn check(&mut self, what: &str, of: usize, scope: vk::SystemAllocationScope) {
        // An instance's records of its objects are its own memory.
        let may_be_parents = self.left_out || scope == vk::SystemAllocationScope::INSTANCE;
        if self.now != 0 && of != self.now && !(of == self.instance && may_be_parents) {
            self.faults.push(format!("{what} of call {of} in call {}, scope {}", self.now, scope.as_raw()));
        }
    }
}

unsafe extern "system" fn allocate(
    of: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: any size may be asked for.
    let block = unsafe { libc::memalign(align.max(16), size) };
    noted(|noted| {
        noted.check("allocation", of.addr(), scope);
        noted.blocks.insert(block.addr(), scope);
    });
    block
}

unsafe extern "system" fn reallocate(
    of: *mut c_void,
    old: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the block came from `allocate`, and at least as many bytes can be read there as `malloc_usable_size` says.
    unsafe {
        let new = allocate(of, size, align, scope);
        if !old.is_null() {
            let length = libc::malloc_usable_size(old).min(size);
            std::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), length);
            free(of, old);
        }
        new
    }
}

unsafe extern "system" fn free(of: *mut c_void, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    noted(|noted| match noted.blocks.remove(&block.addr()) {
        Some(scope) => noted.check("free", of.addr(), scope),
        None => noted.faults.push(format!("call {} frees what nobody allocated", of.addr())),
    });
    // SAFETY: the block came from `allocate`.
    unsafe { libc::free(block) };
}

fn with_callbacks<R>(call: impl FnOnce(Option<&vk::AllocationCallbacks<'_>>) -> R) -> R {
    let number = noted(|noted| {
        noted.calls += 1;
        noted.now = noted.calls;
        noted.calls
    });
    let callbacks = vk::AllocationCallbacks::default()
        .user_data(without_provenance_mut(number))
        .pfn_allocation(Some(allocate))
        .pfn_reallocation(Some(reallocate))
        .pfn_free(Some(free));
    let result = call(Some(&callbacks));
    noted(|noted| noted.now = 0);
    result
}

// ---- the pairs ----

/// The objects that a pair of calls uses.
struct World<'v> {
    vk: &'v Vk,
    instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
}

/// Creates something, uses it, and destroys it.
type Pair = fn(&World<'_>);

const PAIRS: [(&str, Pair); 6] = [
    ("nothing but the instance", |_| ()),
    ("device", |world| {
        let device = device(world);
        with_callbacks(|callbacks| unsafe { device.destroy_device(callbacks) });
    }),
    ("surface", |world| {
        let surface = surface(world);
        let khr = khr::surface::Instance::new(&world.vk.entry, &world.instance);
        unsafe {
            // The driver makes its own surface now.
            khr.get_physical_device_surface_support(world.physical_device, 0, surface).unwrap();
            with_callbacks(|callbacks| khr.destroy_surface(surface, callbacks));
        }
    }),
    ("messenger", |world| {
        let utils = ext::debug_utils::Instance::new(&world.vk.entry, &world.instance);
        let info = messenger(1, EVERYTHING);
        unsafe {
            let made =
                with_callbacks(|callbacks| utils.create_debug_utils_messenger(&info, callbacks)).unwrap();
            with_callbacks(|callbacks| utils.destroy_debug_utils_messenger(made, callbacks));
        }
    }),
    ("report callback", |world| {
        let reports = ext::debug_report::Instance::new(&world.vk.entry, &world.instance);
        let info = report(1, all_flags());
        unsafe {
            let create = reports.fp().create_debug_report_callback_ext;
            let destroy = reports.fp().destroy_debug_report_callback_ext;
            let mut made = vk::DebugReportCallbackEXT::null();
            let handle = world.instance.handle();
            with_callbacks(|callbacks| create(handle, &info, callbacks.unwrap(), &mut made))
                .result()
                .unwrap();
            with_callbacks(|callbacks| destroy(handle, made, callbacks.unwrap()));
        }
    }),
    ("swapchain", |world| {
        let (device, surface) = (device(world), surface(world));
        let swapchains = khr::swapchain::Device::new(&world.instance, &device);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        let khr = khr::surface::Instance::new(&world.vk.entry, &world.instance);
        unsafe {
            // Otherwise the driver would make its surface in the next call.
            khr.get_physical_device_surface_support(world.physical_device, 0, surface).unwrap();
            let made = with_callbacks(|callbacks| swapchains.create_swapchain(&info, callbacks)).unwrap();
            with_callbacks(|callbacks| swapchains.destroy_swapchain(made, callbacks));
            with_callbacks(|callbacks| khr.destroy_surface(surface, callbacks));
            with_callbacks(|callbacks| device.destroy_device(callbacks));
        }
    }),
];

fn device(world: &World<'_>) -> ash::Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let extensions = [khr::swapchain::NAME.as_ptr()];
    let info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    // SAFETY: the structure and all that it points to are alive.
    with_callbacks(|callbacks| unsafe {
        world.instance.create_device(world.physical_device, &info, callbacks)
    })
    .unwrap()
}

fn surface(world: &World<'_>) -> vk::SurfaceKHR {
    let headless = ext::headless_surface::Instance::new(&world.vk.entry, &world.instance);
    let info = vk::HeadlessSurfaceCreateInfoEXT::default();
    with_callbacks(|callbacks| unsafe { headless.create_headless_surface(&info, callbacks) }).unwrap()
}

fn instance<'v>(vk: &'v Vk, layers: &[&str]) -> World<'v> {
    let names: Vec<_> = layers.iter().map(|name| std::ffi::CString::new(*name).unwrap()).collect();
    let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    let extensions = [
        khr::surface::NAME.as_ptr(),
        ext::headless_surface::NAME.as_ptr(),
        ext::debug_utils::NAME.as_ptr(),
        ext::debug_report::NAME.as_ptr(),
    ];
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(&extensions)
        .enabled_layer_names(&names);
    let made = with_callbacks(|callbacks| {
        noted(|noted| noted.instance = noted.now);
        // SAFETY: the structure and all that it points to are alive.
        unsafe { vk.entry.create_instance(&info, callbacks) }
    });
    let instance = made.unwrap();
    let physical_device = unsafe { instance.enumerate_physical_devices() }.unwrap()[0];
    World { vk, instance, physical_device }
}

fn run(layers: &[Layer], left_out: bool) -> Run {
    let driver = |name| {
        window_driver(name)
            .own_surfaces()
            .uses_callbacks()
            .extension("VK_EXT_debug_utils")
            .extension("VK_EXT_debug_report")
    };
    let scenario = Scenario::new().driver(driver("one")).driver(driver("two"));
    let count = layers.len().to_string();
    let scenario = layers.iter().cloned().fold(scenario, Scenario::layer).argument("layers", &count);
    let scenario = scenario.argument("left out", &left_out.to_string());
    scenario.run(|vk| {
        let layers = &[A, B][..vk.arg("layers").parse().unwrap()];
        noted(|noted| noted.left_out = vk.arg("left out") == "true");
        for (name, pair) in PAIRS {
            let world = instance(vk, layers);
            pair(&world);
            with_callbacks(|callbacks| {
                noted(|noted| noted.instance = 0);
                unsafe { world.instance.destroy_instance(callbacks) };
            });
            let (faults, left) = noted(|noted| (std::mem::take(&mut noted.faults), noted.blocks.len()));
            vk.say(name, format_args!("{left} left {}", faults.join("; ")));
        }
    })
}

fn check(layers: &[Layer], left_out: bool) {
    let run = run(layers, left_out);
    run.ok();
    for (name, _) in PAIRS {
        run.says(name, "0 left ");
    }
    for layer in [A, B].iter().take(layers.len()) {
        assert_eq!(run.trace(layer).last("unload").get("blocks"), "0", "{layer}");
    }
}

#[test]
fn every_block_is_freed_with_the_callbacks_of_the_call_under_way() {
    check(&[], false);
}

#[test]
fn through_layers_that_pass_the_callbacks_on() {
    check(&[Layer::new(A).does("callbacks")], false);
}

#[test]
fn through_layers_that_leave_the_callbacks_out() {
    check(&[Layer::new(A).does("callbacks").does("null_callbacks")], true);
}

#[test]
fn through_layers_that_replace_the_callbacks() {
    check(&[Layer::new(A).does("callbacks").does("own_callbacks")], false);
}

#[test]
fn through_a_layer_that_replaces_them_above_one_that_leaves_them_out_and_the_other_way_round() {
    let own = |name| Layer::new(name).does("callbacks").does("own_callbacks");
    let none = |name| Layer::new(name).does("callbacks").does("null_callbacks");
    check(&[own(A), none(B)], true);
    check(&[none(A), own(B)], true);
}

/// The handle for a layer's wrapper is made when the layers have created the instance.
#[test]
fn an_instance_that_the_application_does_not_receive_is_destroyed_by_the_layers() {
    let layers = [Layer::new(A).does("wrap"), Layer::new(B)];
    let scenario = layers.into_iter().fold(Scenario::new().driver(window_driver("good")), Scenario::layer);
    let run = scenario.run(|vk| {
        let (mut failures, mut made): (u32, Option<Instance<'_>>) = (0, None);
        for requests in 0..200 {
            allocator::grant(Some(Granted { requests, once: true }));
            let callbacks = Some(allocator::callbacks(Owner::Instance));
            match vk.create(&ask_for_windows().layer(A).layer(B).callbacks(callbacks)) {
                Ok(instance) => {
                    made = Some(instance);
                    break;
                }
                Err(error) => assert_eq!(error, vk::Result::ERROR_OUT_OF_HOST_MEMORY),
            }
            allocator::grant(None);
            failures += 1;
        }
        allocator::grant(None);
        drop(made.unwrap());
        vk.say("some failed", failures > 3);
        vk.say("left", allocator::live().len());
        vk.say("faults", allocator::faults().join("; "));
    });
    run.ok().says("some failed", true).says("left", 0).says("faults", "");
    for layer in [A, B] {
        for unload in run.trace(layer).calls("unload") {
            assert_eq!(unload.get("instances"), "0", "{layer}");
        }
    }
    assert_eq!(run.trace("good").last("unload").get("instances"), "0");
}

/// Asks for nothing that needs a driver to be there.
#[test]
fn a_driver_that_lacks_a_command_gets_its_instance_back_with_the_callbacks_that_made_it() {
    let lacking = window_driver("lacking").uses_callbacks().without("vkGetPhysicalDeviceFeatures");
    let layer = Layer::new(A).does("callbacks").does("null_callbacks");
    let run = Scenario::new().driver(lacking).driver(window_driver("good")).layer(layer).run(|vk| {
        let callbacks = Some(allocator::callbacks(Owner::Instance));
        drop(vk.create(&Ask::new().api(1, 1).layer(A).callbacks(callbacks)).unwrap());
        vk.say("faults", allocator::faults().join("; "));
    });
    run.ok().says("faults", "");
    assert_eq!(run.trace("lacking").last("unload").get("instances"), "0");
}
