//! The search for the driver, opening it, and what there is where it is missing. Rows 1 to 17 of docs/android.md.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;

use android_simulation::{Android, Simulation, null_driver};
use ash::vk::{self, Handle as _};
use loader_core::log::Level;
use platform_android::hal::layout::{DISPATCH_MAGIC, Module};
use platform_android::hal::{DoesNotOpen, Driver, Source};
use platform_android::level::ApiLevel;
use platform_android::objects::set_dispatch_word;
use platform_android::system::Statistic;
use platform_android::{Loader, api, driver};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/driver.c");

/// The vendor's driver of this name, with the file in which it traces its calls.
fn vendor_driver(android: &Android, name: &str, options: &[&str]) -> PathBuf {
    driver_in(android, "/vendor/lib64/hw", name, options)
}

fn driver_in(android: &Android, folder: &str, name: &str, options: &[&str]) -> PathBuf {
    let path = format!("{folder}/vulkan.{name}.so");
    let trace = android.place(&path).with_extension("trace");
    let define = format!("-DTRACE=\"{}\"", trace.display());
    android.compile(&path, Path::new(SOURCE), &[&[define.as_str()], options].concat());
    trace
}

/// What a driver has traced since the last time.
fn traced(trace: &Path) -> Vec<String> {
    let text = fs::read_to_string(trace).unwrap_or_default();
    let _ = fs::remove_file(trace);
    text.lines().map(str::to_owned).collect()
}

/// What the last search looked at: source, library, decision.
fn report(loader: &Loader) -> Vec<(Source, String, &'static str)> {
    let report = loader.hal.report(loader).expect("a report");
    let line = |one: &platform_android::hal::Candidate| {
        (one.source, one.file.as_c_str().to_str().unwrap().to_owned(), one.decision.id())
    };
    report.candidates.iter().map(line).collect()
}

/// The libraries whose opening was tried, with the door.
fn opened(android: &Android) -> Vec<String> {
    android.calls().into_iter().filter(|call| call.contains("open")).collect()
}

fn errors(android: &Android) -> Vec<String> {
    let errors = android.logged().into_iter().filter(|(level, _)| *level == Level::Error);
    errors.map(|(_, text)| text).collect()
}

#[test]
fn r01_r10_the_null_driver_opens_and_has_its_librarys_handle() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    android.set("ro.hardware.vulkan", "null");
    let driver = loader.hal.driver(loader).expect("the null driver opens");
    assert!(!driver.is_stub());
    // SAFETY: the driver is open.
    unsafe {
        let module = &*driver.device.as_ref().module.cast::<Module>();
        let known = libloading::os::unix::Library::open(
            Some(android.place("/vendor/lib64/hw/vulkan.null.so")),
            libloading::os::unix::RTLD_NOW,
        );
        assert_eq!(module.dso, known.unwrap().into_raw());
        let version = (driver.get_instance_proc_addr)(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        assert!(version.is_some());
    }
    assert_eq!(report(loader).last().unwrap(), &(Source::Vendor, "vulkan.null.so".into(), "used"));
    assert_eq!(errors(android), [""; 0]);
}

#[test]
fn r01_r10_a_module_written_in_c_opens_with_its_handle_in_place() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "c");
    let trace = vendor_driver(android, "c", &["-DDEBUG_REPORT=9"]);
    let driver = loader.hal.driver(loader).expect("it opens");
    assert_eq!(driver.debug_report, Some(9));
    assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
}

#[test]
fn r03_properties_are_tried_in_order_and_empty_ones_skipped() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "absent");
    android.set("ro.board.platform", "board");
    vendor_driver(android, "board", &[]);
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(opened(android), ["open-vendor vulkan.absent.so", "open-vendor vulkan.board.so"]);
    let found = report(loader);
    assert_eq!(found[found.len() - 2], (Source::Vendor, "vulkan.absent.so".into(), "does-not-open"));
    drop(found);

    android.set("ro.hardware.vulkan", "");
    android.change().process += 1;
    android.change().updatable_driver = Some("gfx".into());
    android.change().namespaces.insert("gfx".into(), "/vendor/lib64/hw".into());
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(opened(android), ["open-in-namespace vulkan.board.so"]);
}

#[test]
fn r03_the_first_property_wins() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "first");
    android.set("ro.board.platform", "second");
    let first = vendor_driver(android, "first", &[]);
    let second = vendor_driver(android, "second", &[]);
    loader.hal.driver(loader).unwrap();
    assert_eq!(traced(&first), ["load", "open", "extensions", "extensions"]);
    assert_eq!(traced(&second), [""; 0]);
}

#[test]
fn r05_a_library_that_is_no_driver_is_closed_and_ends_the_search() {
    for option in ["-DMODULE_ID=\"gralloc\"", "-DMODULE_ID=0", "-DNO_HMI"] {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "bad");
        android.set("ro.board.platform", "good");
        let bad = vendor_driver(android, "bad", &[option]);
        let good = vendor_driver(android, "good", &[]);
        android.change().hardware_module = Some("/vendor/lib64/hw/vulkan.good.so".into());
        assert!(loader.hal.driver(loader).unwrap().is_stub(), "{option}");
        assert_eq!(traced(&bad), ["load", "unload"], "{option}");
        assert_eq!(traced(&good), [""; 0], "{option}");
        assert_eq!(android.open_libraries(), [""; 0]);
        let errors = errors(android);
        assert!(errors[0].contains("vulkan.bad.so (named by ro.hardware.vulkan)"), "{errors:?}");
        assert!(errors[1].contains("there is no Vulkan driver"), "{errors:?}");
    }
}

#[test]
fn r05_a_bad_library_of_an_apex_leaves_nothing_to_the_vendor() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    android.set("ro.vulkan.apex", "gpu");
    android.change().namespaces.insert("gpu".into(), "/apex/gpu/lib64".into());
    driver_in(android, "/apex/gpu/lib64", "x", &["-DNO_HMI"]);
    let vendor = vendor_driver(android, "x", &[]);
    assert!(loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(traced(&vendor), [""; 0]);
}

#[test]
fn r06_sources_without_a_library_fall_through_to_the_next() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    android.set("ro.vulkan.apex", "gpu");
    android.change().namespaces.insert("gpu".into(), "/apex/gpu/lib64".into());
    vendor_driver(android, "x", &[]);
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(
        report(loader),
        [
            (Source::Updatable, String::new(), "no-source"),
            (Source::Apex, "vulkan.x.so".into(), "does-not-open"),
            (Source::Apex, String::new(), "property-not-set"),
            (Source::Vendor, "vulkan.x.so".into(), "used"),
        ]
    );
}

#[test]
fn r06_libhardware_is_asked_last() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "absent");
    let trace = vendor_driver(android, "default", &[]);
    android.change().hardware_module = Some("/vendor/lib64/hw/vulkan.default.so".into());
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
    assert_eq!(report(loader).last().unwrap(), &(Source::Hardware, String::new(), "used"));
    assert_eq!(android.calls().last().unwrap(), "hw_get_module vulkan");
}

#[test]
fn r08_dots_of_an_apex_are_underscores_in_its_namespace() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    android.set("ro.vulkan.apex", "com.google.cf.vulkan");
    android.change().namespaces.insert("com_google_cf_vulkan".into(), "/apex/vulkan/lib64".into());
    driver_in(android, "/apex/vulkan/lib64", "x", &[]);
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(report(loader).last().unwrap().0, Source::Apex);
}

#[test]
fn r07_an_updatable_driver_that_does_not_load_ends_the_process() {
    if env::var_os("VKLOAD_CHILD").is_some() {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "x");
        vendor_driver(android, "x", &[]);
        android.change().namespaces.insert("gfx".into(), "/data/app/driver".into());
        android.change().updatable_driver = Some("gfx".into());
        let _ = loader.hal.driver(loader);
        return;
    }
    let (signal, output) = ended("r07_an_updatable_driver_that_does_not_load_ends_the_process");
    assert_eq!(signal, Some(libc::SIGABRT));
    assert!(output.contains("updatable driver"), "{output}");
}

/// Runs one of these tests in a process of its own: the signal that ended it, and what it wrote.
fn ended(test: &str) -> (Option<i32>, String) {
    use std::os::unix::process::ExitStatusExt as _;
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("VKLOAD_CHILD", "1")
        .output()
        .unwrap();
    (output.status.signal(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn r11_a_driver_that_fails_to_open_fails_and_is_not_tried_again() {
    for option in ["-DOPEN_RESULT=-19", "-DCREATE_INSTANCE=0"] {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "x");
        let trace = vendor_driver(android, "x", &[option]);
        assert_eq!(loader.hal.driver(loader).err(), Some(DoesNotOpen));
        assert_eq!(loader.hal.driver(loader).err(), Some(DoesNotOpen));
        assert_eq!(traced(&trace), ["load", "open"]);
        let errors = errors(android);
        assert!(errors.len() == 1 && errors[0].contains("vulkan.x.so"), "{errors:?}");

        let (mut instance, mut count) = (vk::Instance::null(), 0);
        let info = vk::InstanceCreateInfo::default();
        // SAFETY: all parameters are valid.
        unsafe {
            let created = api::create_instance(loader, &info, null(), &mut instance);
            assert_eq!(created, vk::Result::ERROR_INITIALIZATION_FAILED);
            let listed = [
                api::enumerate_instance_version(loader, &mut count),
                api::enumerate_instance_layer_properties(loader, &mut count, null_mut()),
                api::enumerate_instance_extension_properties(loader, null(), &mut count, null_mut()),
            ];
            assert_eq!(listed, [vk::Result::ERROR_OUT_OF_HOST_MEMORY; 3]);
        }
    }
}

#[test]
fn r12_without_a_driver_there_are_instances_and_no_devices() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let driver = loader.hal.driver(loader).unwrap();
    assert!(driver.is_stub());
    let errors = errors(android);
    assert!(errors.len() == 1 && errors[0].contains("ro.hardware.vulkan"), "{errors:?}");
    let mut count = 7;
    // SAFETY: called as the specification has it.
    unsafe {
        let none = std::ptr::null();
        let enumerate = driver.enumerate_instance_extension_properties;
        assert_eq!(enumerate(none, &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        assert_eq!(count, 0);
        let instance = create(&driver).unwrap();
        for name in [c"vkEnumeratePhysicalDevices", c"vkEnumeratePhysicalDeviceGroups"] {
            let function = (driver.get_instance_proc_addr)(instance, name.as_ptr()).unwrap();
            let enumerate: vk::PFN_vkEnumeratePhysicalDevices = std::mem::transmute(function);
            count = 7;
            assert_eq!(enumerate(instance, &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
            assert_eq!(count, 0);
        }
        destroy(&driver, instance);

        let mut instance = vk::Instance::null();
        let info = vk::InstanceCreateInfo::default();
        assert_eq!(api::create_instance(loader, &info, null(), &mut instance), vk::Result::SUCCESS);
        let result = driver::enumerate_physical_devices(instance, &mut count, null_mut());
        assert_eq!((result, count), (vk::Result::SUCCESS, 0));
        api::destroy_instance(instance, null());
    }
}

fn create(driver: &Driver) -> Result<vk::Instance, vk::Result> {
    let mut instance = vk::Instance::null();
    let info = vk::InstanceCreateInfo::default();
    // SAFETY: all parameters are valid.
    unsafe { (driver.create_instance)(&info, std::ptr::null(), &mut instance) }.result_with_success(instance)
}

/// # Safety
/// The instance is the driver's.
unsafe fn destroy(driver: &Driver, instance: vk::Instance) {
    // SAFETY: the function has the type of its name.
    unsafe {
        let function = (driver.get_instance_proc_addr)(instance, c"vkDestroyInstance".as_ptr()).unwrap();
        let destroy: vk::PFN_vkDestroyInstance = std::mem::transmute(function);
        destroy(instance, std::ptr::null());
    }
}

#[test]
fn r02_only_the_drivers_mark_or_the_same_value_is_overwritten() {
    let data = [0usize; 2];
    let mut word = DISPATCH_MAGIC;
    let object = (&raw mut word).expose_provenance() as u64;
    // SAFETY: the object is a word, and the data outlive it.
    unsafe {
        assert!(set_dispatch_word(object, &raw const data[0]));
        assert!(set_dispatch_word(object, &raw const data[0]));
        assert!(!set_dispatch_word(object, &raw const data[1]));
        assert_eq!(*std::ptr::with_exposed_provenance::<*const usize>(object as usize), &raw const data[0]);
        *std::ptr::with_exposed_provenance_mut::<usize>(object as usize) = 0;
        assert!(!set_dispatch_word(object, &raw const data[0]), "not even nothing is free");
    }
}

#[test]
fn r02_r13_the_33rd_instance_of_the_stub_fails_and_a_freed_one_is_used_again() {
    let Simulation { loader, .. } = &Simulation::new();
    let driver = loader.hal.driver(loader).unwrap();
    let mut instances: Vec<vk::Instance> = (0..32).map(|_| create(&driver).unwrap()).collect();
    assert_eq!(create(&driver).err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
    let data = [0u64; 2];
    for instance in &instances {
        // SAFETY: the instances are there, and so are the data.
        assert!(unsafe { set_dispatch_word(instance.as_raw(), &raw const data[0]) });
    }
    let freed = instances.swap_remove(17);
    // SAFETY: nobody uses the instance any more.
    unsafe { destroy(&driver, freed) };
    let again = create(&driver).unwrap();
    assert_eq!(again, freed);
    // SAFETY: the first word of an instance can be read.
    let word = unsafe { *std::ptr::with_exposed_provenance::<usize>(again.as_raw() as usize) };
    assert_eq!(word, DISPATCH_MAGIC);
    instances.push(again);
    instances.sort();
    instances.dedup();
    assert_eq!(instances.len(), 32);
    for instance in instances {
        // SAFETY: as above.
        unsafe { destroy(&driver, instance) };
    }
}

#[test]
fn r14_the_stub_finds_six_commands_and_what_needs_a_device_ends_the_process() {
    const KNOWN: [&std::ffi::CStr; 6] = [
        c"vkCreateInstance",
        c"vkDestroyInstance",
        c"vkEnumerateInstanceExtensionProperties",
        c"vkEnumeratePhysicalDevices",
        c"vkEnumeratePhysicalDeviceGroups",
        c"vkGetInstanceProcAddr",
    ];
    let Simulation { loader, .. } = &Simulation::new();
    let driver = loader.hal.driver(loader).unwrap();
    let look_up = driver.get_instance_proc_addr;
    let instance = create(&driver).unwrap();
    // SAFETY: names are C strings, and the instance is the driver's.
    unsafe {
        for name in KNOWN {
            assert!(look_up(vk::Instance::null(), name.as_ptr()).is_some(), "{name:?}");
        }
        let name = c"vkEnumerateInstanceVersion".as_ptr();
        assert!(look_up(vk::Instance::null(), name).is_none(), "drivers for Vulkan 1.0 have none");
        let unknown =
            look_up(instance, c"vkCreateDevice".as_ptr()).expect("a function that ends the process");
        if env::var_os("VKLOAD_CHILD").is_some() {
            unknown();
            return;
        }
        destroy(&driver, instance);
    }
    let (signal, output) = ended("r14_the_stub_finds_six_commands_and_what_needs_a_device_ends_the_process");
    assert_eq!(signal, Some(libc::SIGABRT));
    assert!(output.contains("this system has no Vulkan driver"), "{output}");
}

#[test]
fn r15_the_driver_is_looked_for_once_in_each_process() {
    let Simulation { android, loader, .. } = &Simulation::new();
    let looked = || opened(android).len();
    android.set("ro.hardware.vulkan", "x");
    assert!(loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(looked(), 1);
    vendor_driver(android, "x", &[]);
    assert!(loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(looked(), 0);
    android.change().process += 1;
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(looked(), 1);
    android.change().process += 1;
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(looked(), 0, "what was open before the fork stays so");
}

#[test]
fn r15_threads_that_ask_at_once_open_one_driver() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    let trace = vendor_driver(android, "x", &[]);
    let begin = Barrier::new(8);
    let devices = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                begin.wait();
                let device = loader.hal.driver(loader).unwrap().device.as_ptr().addr();
                devices.lock().unwrap().push(device);
            });
        }
    });
    let mut devices = devices.into_inner().unwrap();
    devices.dedup();
    assert_eq!(devices.len(), 1);
    assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
}

/// What a driver that calls Vulkan while it is opened does.
extern "C" fn ask_again() {
    let loader = platform_android::loader::current().expect("a loader");
    let is_stub = loader.hal.driver(loader).is_ok_and(|driver| driver.is_stub());
    ASKED.store(if is_stub { 1 } else { 2 }, Ordering::SeqCst);
}
static ASKED: AtomicU32 = AtomicU32::new(0);

#[test]
fn r15_a_driver_that_calls_back_while_it_is_opened_finds_the_stub() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    let address = format!("-DCALLBACK={:#x}", ask_again as *const () as usize);
    vendor_driver(android, "x", &[&address]);
    assert!(!loader.hal.driver(loader).unwrap().is_stub());
    assert_eq!(ASKED.load(Ordering::SeqCst), 1);
}

#[test]
fn r16_a_new_driver_namespace_after_a_fork_replaces_the_driver() {
    for (option, end) in [("-DUSUAL", &["close", "unload"] as &[&str]), ("-DNO_CLOSE", &["unload"])] {
        let Simulation { android, loader, .. } = &Simulation::new();
        android.set("ro.hardware.vulkan", "x");
        let vendor = vendor_driver(android, "x", &[option]);
        let updated = driver_in(android, "/data/app/driver", "x", &["-DDEBUG_REPORT=10"]);
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, None);
        assert_eq!(traced(&vendor), ["load", "open", "extensions", "extensions"]);

        android.change().namespaces.insert("gfx".into(), "/data/app/driver".into());
        android.change().updatable_driver = Some("gfx".into());
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, None, "this process has its driver");
        android.change().process += 1;
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, Some(10));
        assert_eq!(traced(&vendor), end);
        assert_eq!(traced(&updated), ["load", "open", "extensions", "extensions"]);
        assert_eq!(report(loader), [(Source::Updatable, "vulkan.x.so".into(), "used")]);

        android.change().process += 1;
        assert_eq!(loader.hal.driver(loader).unwrap().debug_report, Some(10));
        assert_eq!(traced(&updated), [""; 0], "it is the chosen one already");
    }
}

#[test]
fn r17_the_version_is_the_loaders_and_asking_for_it_looks_for_the_driver() {
    for (level, version) in [
        (ApiLevel::ANDROID_14, vk::API_VERSION_1_3),
        (ApiLevel::ANDROID_17, vk::make_api_version(0, 1, 4, 0)),
    ] {
        let Simulation { android, .. } = &Simulation::new();
        let loader: &'static Loader = Box::leak(Box::new(Loader::new(*android).at(level)));
        // The driver is one of Vulkan 1.0.
        android.set("ro.hardware.vulkan", "x");
        let trace = vendor_driver(android, "x", &[]);
        let mut answer = 0;
        // SAFETY: the place for the answer is valid.
        let result = unsafe { api::enumerate_instance_version(loader, &mut answer) };
        assert_eq!((result, answer), (vk::Result::SUCCESS, version));
        assert_eq!(traced(&trace), ["load", "open", "extensions", "extensions"]);
    }
}

#[test]
fn r117_instances_and_devices_are_counted() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    vendor_driver(android, "x", &["-DDEBUG_UTILS=2"]);
    loader.enter();
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
    let extensions = [c"VK_EXT_debug_utils".as_ptr()];
    let info =
        vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&extensions);
    let features = vk::PhysicalDeviceFeatures { full_draw_index_uint32: vk::TRUE, ..Default::default() };
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
    let device_info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&features);
    let (mut instance, mut physical, mut device) =
        (vk::Instance::null(), vk::PhysicalDevice::null(), vk::Device::null());
    // SAFETY: all parameters are valid.
    unsafe {
        assert_eq!(driver::create_instance(&info, null(), &mut instance), vk::Result::SUCCESS);
        assert_eq!(driver::enumerate_physical_devices(instance, &mut 1, &mut physical), vk::Result::SUCCESS);
        assert_eq!(driver::create_device(physical, &device_info, null(), &mut device), vk::Result::SUCCESS);
        driver::destroy_device(device, null());
        driver::destroy_instance(instance, null());
    }
    let world = android.change();
    assert!(world.statistics.contains(&Statistic::ApiVersion(vk::API_VERSION_1_2)));
    assert!(world.statistics.contains(&Statistic::Device));
    assert!(world.statistics.contains(&Statistic::CpuInUse));
    assert!(world.statistics.contains(&Statistic::Features(0b10)));
    assert_eq!(world.extensions, [(false, vec!["VK_EXT_debug_utils".to_owned()]), (true, vec![])]);
}

#[test]
fn r117_loading_the_driver_is_counted() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    vendor_driver(android, "x", &[]);
    loader.hal.driver(loader).unwrap();
    let statistics = std::mem::take(&mut android.change().statistics);
    assert_eq!(statistics[0], Statistic::DriverToLoad { updatable: false });
    assert!(matches!(statistics[1], Statistic::DriverLoaded { loaded: true, .. }), "{statistics:?}");
    assert_eq!(statistics.len(), 2);
}
