//! The loader service: the connection, drivers from it, and devices that drivers open through it.

use std::ffi::c_void;
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt;
use std::ptr::{NonNull, null};
use std::sync::Barrier;

use crate::as_on_fuchsia::{connect, driver, fuchsia, open, open_layer, said_by, symbol};
use ash::vk;
use platform_fuchsia::OpenInNamespace;
use platform_fuchsia::simulation::{LoaderService, Process, Simulation};
use vkload_core::platform::{FileError, Files, Libraries};

const MANIFESTS: &[u8] = b"/svc/fuchsia.vulkan.loader.Loader/manifests";
/// A library outside the package.
const ELSEWHERE: &str = "/elsewhere/lib/libdriver.so";
const CONNECTING: [&str; 8] = [
    "channel",
    "connect /svc/fuchsia.vulkan.loader.Loader",
    "call GetSupportedFeatures",
    "channel",
    "write ConnectToDeviceFs",
    "channel",
    "write ConnectToManifestFs",
    "descriptor",
];

#[test]
fn more_handles_than_the_answer_says_are_closed() {
    let service = LoaderService::new().with_driver(&driver(&[])).answering(|method, _, handles| {
        if method == "Get" {
            *handles = 3;
        }
    });
    let (fuchsia, simulation) = fuchsia(Some(service));
    let error = open(fuchsia, "0-libdriver.so").unwrap_err();
    assert!(error.starts_with("the answer has another number of handles than it says"), "{error}");
    assert_eq!(simulation.open_handles(), ["devices", "loader"]);
}

#[test]
fn whatever_the_service_answers_nothing_is_left_open() {
    let changes: [fn(&str, &mut Vec<u8>, &mut usize); 6] = [
        |_, bytes, _| bytes.truncate(8),
        |_, bytes, _| bytes[7] = 9,
        |_, bytes, _| bytes[3] = 0,
        |_, bytes, _| bytes[9] ^= 1,
        |_, bytes, _| bytes[20] = 1,
        |_, bytes, handles| {
            bytes[8..16].fill(255);
            *handles = 2;
        },
    ];
    for change in changes {
        let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().answering(change)));
        assert!(!fuchsia.exists(MANIFESTS));
        assert!(simulation.open_handles().is_empty(), "{:?}", simulation.open_handles());
    }
}

#[test]
fn whatever_the_service_answers_for_a_library_its_handle_is_closed() {
    // The features are answered correctly, and the library comes with its handle.
    let changes: [fn(&str, &mut Vec<u8>, &mut usize); 7] = [
        |method, bytes, _| bytes.truncate(if method == "Get" { 20 } else { 24 }),
        |method, bytes, _| bytes.resize(if method == "Get" { 32 } else { 24 }, 0),
        |method, bytes, _| bytes[7] = if method == "Get" { 9 } else { 1 },
        |method, bytes, _| bytes[3] = if method == "Get" { 0 } else { 0x80 },
        |method, bytes, _| bytes[20] = u8::from(method == "Get"),
        |method, bytes, _| bytes[16] ^= u8::from(method == "Get"),
        |method, bytes, _| bytes[8] ^= u8::from(method == "Get"),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let (fuchsia, simulation) =
            fuchsia(Some(LoaderService::new().with_driver(&driver(&[])).answering(change)));
        assert!(fuchsia.exists(MANIFESTS), "{number}");
        let error = open(fuchsia, "0-libcompiled.so").unwrap_err();
        assert!(error.contains("; not in the package"), "{number}: {error}");
        assert_eq!(simulation.open_handles(), ["devices", "loader"], "{number}");
    }
}

#[test]
fn each_feature_is_needed_and_others_do_no_harm() {
    for features in 0..8 {
        let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().with_features(features | 0x100)));
        assert_eq!(fuchsia.exists(MANIFESTS), features == 7, "{features}");
        let open: &[&str] = if features == 7 { &["devices", "loader"] } else { &[] };
        assert_eq!(simulation.open_handles(), open);
    }
}

#[test]
fn sixteen_threads_connect_once_in_the_right_order() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                start.wait();
                assert!(fuchsia.exists(MANIFESTS));
            });
        }
    });
    let calls = simulation.calls();
    assert_eq!(calls[..CONNECTING.len()], CONNECTING);
    assert_eq!(calls[CONNECTING.len()..], ["faccessat ."; 16]);
}

#[test]
fn a_failure_at_any_step_leaves_nothing_and_a10_is_final() {
    for step in 0..CONNECTING.len() {
        let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
        simulation.fail(step);
        assert!(!fuchsia.exists(MANIFESTS));
        assert_eq!(fuchsia.list(MANIFESTS), Err(FileError::NotFound));
        assert_eq!(simulation.calls(), CONNECTING[..=step], "it is not tried again");
        assert!(simulation.open_handles().is_empty(), "{step}: {:?}", simulation.open_handles());
        assert!(simulation.open_files().is_empty());
    }
}

#[test]
fn the_connection_stays() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().with_driver(&driver(&[]))));
    let name = fuchsia.list(MANIFESTS).unwrap()[0].clone();
    let library = open(fuchsia, name.strip_suffix(b".json").unwrap()).unwrap();
    // SAFETY: `open` returned the library, and nothing of it is used any more.
    unsafe { fuchsia.close(library) };
    assert_eq!(simulation.open_handles(), ["devices", "loader"]);
    assert_eq!(simulation.open_files().len(), 1);
}

#[test]
fn manifests_are_read_in_the_folder_of_the_service() {
    let library = driver(&[]);
    let file = library.file_name().unwrap().as_bytes();
    let (fuchsia, _) = fuchsia(Some(LoaderService::new().with_driver(&library)));
    let names = fuchsia.list(MANIFESTS).unwrap();
    assert_eq!(names.len(), 1);
    assert_eq!(names[0].as_slice(), [b"0-", file, b".json"].concat());
    let path = [MANIFESTS, b"/", names[0].as_slice()].concat();
    assert!(fuchsia.read(&path, 1000).unwrap().windows(file.len()).any(|window| window == file));
    assert_eq!(fuchsia.read(&path, 10), Err(FileError::TooLarge));
    assert_eq!(fuchsia.read(MANIFESTS, 1000), Err(FileError::NotAFile));
    assert!(fuchsia.exists(&path) && !fuchsia.exists(b"/svc/fuchsia.vulkan.loader.Loader/manifests/none"));
    assert_eq!(fuchsia.fingerprint(&path), None, "drivers come and go without a trace");
}

#[test]
fn a_driver_comes_as_memory_and_is_kept() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().with_driver(&driver(&[]))));
    let name = fuchsia.list(MANIFESTS).unwrap()[0].clone();
    let name = name.strip_suffix(b".json").unwrap();
    simulation.fail(usize::MAX);
    let first = open(fuchsia, name).unwrap();
    let introduced = ["dlsym vk_icdSetFuchsiaApiLevel", "dlsym vk_icdInitializeOpenInNamespaceCallback"];
    assert_eq!(simulation.calls()[..2], ["call Get", "dlopen-memory"]);
    assert_eq!(simulation.calls()[2..], introduced);
    assert_eq!(simulation.open_handles(), ["devices", "loader"], "the memory is given back");
    let second = open(fuchsia, name).unwrap();
    assert_eq!(first, second);
    assert_eq!(simulation.calls().len(), 4, "nothing is asked again");
}

#[test]
fn threads_that_open_a_driver_at_once_share_it() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().with_driver(&driver(&[]))));
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                start.wait();
                open(fuchsia, "0-libcompiled.so").unwrap();
            });
        }
    });
    let calls = simulation.calls();
    let count = |call: &str| calls.iter().filter(|other| *other == call).count();
    assert_eq!((count("call Get"), count("dlopen-memory")), (1, 1), "{calls:?}");
}

#[test]
fn memory_that_is_not_a_library_fails_without_another_try() {
    let (fuchsia, simulation) =
        fuchsia(Some(LoaderService::new().with_driver(std::path::Path::new("/proc/self/status"))));
    let error = open(fuchsia, "0-status").unwrap_err();
    assert!(!error.is_empty());
    assert_eq!(simulation.calls().last().unwrap(), "dlopen-memory");
    assert!(!simulation.calls().iter().any(|call| call.starts_with("dlopen ")));
    assert_eq!(simulation.open_handles(), ["devices", "loader"]);
}

#[test]
fn without_the_service_the_file_is_opened_for_execution() {
    let library = driver(&[]);
    for service in [None, Some(LoaderService::new())] {
        let (fuchsia, simulation) = fuchsia(service);
        simulation.add_library(ELSEWHERE, &library);
        fuchsia.exists(MANIFESTS);
        simulation.fail(usize::MAX);
        open(fuchsia, ELSEWHERE).unwrap();
        let calls = simulation.calls();
        let by_file = calls.iter().position(|call| call.starts_with("dlopen ")).unwrap();
        assert!(calls[by_file..].join(", ").contains("so, memory, dlopen-memory, dlsym"), "{calls:?}");
        assert!(!simulation.open_handles().contains(&"memory"));
        assert!(!simulation.open_files().iter().any(|file| file == ELSEWHERE), "the descriptor is closed");
    }
}

#[test]
fn every_failure_of_a_step_leaves_nothing_open() {
    let library = driver(&[]);
    let connected = || {
        let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
        simulation.add_library(ELSEWHERE, &library);
        fuchsia.exists(MANIFESTS);
        (fuchsia, simulation)
    };
    let (fuchsia, simulation) = connected();
    simulation.fail(usize::MAX);
    open(fuchsia, ELSEWHERE).unwrap();
    for step in 0..simulation.calls().len() {
        let (fuchsia, simulation) = connected();
        simulation.fail(step);
        if let Err(error) = open(fuchsia, ELSEWHERE) {
            assert!(!error.is_empty(), "{step}");
        }
        assert_eq!(simulation.open_handles(), ["devices", "loader"], "{step}");
        assert_eq!(simulation.open_files().len(), 1, "{step}");
    }
}

#[test]
fn a_driver_that_the_service_lacks_comes_from_the_package() {
    let library = driver(&[]);
    for status in [-4, -10, -11, -20, -21, -24, -25, -30] {
        let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().with_driver(&library)));
        simulation.add_library("/pkg/lib/0-libcompiled.so", &library);
        fuchsia.exists(MANIFESTS);
        simulation.fail_with(0, status);
        open(fuchsia, "0-libcompiled.so").unwrap();
        assert_eq!(simulation.calls()[..2], ["call Get", "dlopen 0-libcompiled.so"], "{status}");
        assert_eq!(simulation.open_handles(), ["devices", "loader"], "{status}");
    }
}

#[test]
fn a_layer_is_not_asked_of_the_service() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
    simulation.add_library(ELSEWHERE, &driver(&[]));
    let layer = open_layer(fuchsia, ELSEWHERE).unwrap();
    assert!(!simulation.calls().iter().any(|call| call.starts_with("call")), "{:?}", simulation.calls());
    assert_eq!(said_by(fuchsia, layer), "", "nor is it told what drivers are told");
}

#[test]
fn closing_leaves_drivers_of_the_service_and_takes_others() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new().with_driver(&driver(&[]))));
    let name = fuchsia.list(MANIFESTS).unwrap()[0].clone();
    let kept = open(fuchsia, name.strip_suffix(b".json").unwrap()).unwrap();
    simulation.add_library(ELSEWHERE, &driver(&[]));
    let other = open_layer(fuchsia, ELSEWHERE).unwrap();
    simulation.fail(usize::MAX);
    // SAFETY: `open` returned both libraries. The first stays; the second is not used any more.
    unsafe {
        fuchsia.close(kept);
        assert!(simulation.calls().is_empty());
        fuchsia.close(other);
    }
    assert_eq!(simulation.calls(), ["dlclose"]);
    assert_eq!(said_by(fuchsia, kept), "level 27, callback 1", "it is still there");
}

#[test]
fn reasons_come_in_order_and_have_bounds() {
    let (fuchsia, _) = fuchsia(None);
    let error = open(fuchsia, "libnone.so").unwrap_err();
    assert_eq!(
        error,
        "the loader service does not exist; not in the package; the file cannot be opened for execution: not found (-25)"
    );
    assert_eq!(open(fuchsia, "libnone.so").unwrap_err(), error, "it begins anew");
    assert!(open(fuchsia, "x".repeat(4000)).unwrap_err().len() <= 256);
    assert!(open(fuchsia, "x".repeat(5000)).unwrap_err().contains("not a path"));
    assert!(open(fuchsia, "a\0b").unwrap_err().contains("not a path"));
}

#[test]
fn a_name_that_the_protocol_has_no_room_for_is_not_sent() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
    fuchsia.exists(MANIFESTS);
    simulation.fail(usize::MAX);
    let error = open(fuchsia, "x".repeat(65)).unwrap_err();
    assert!(error.starts_with("the name is longer than the 64 bytes"), "{error}");
    assert!(!simulation.calls().iter().any(|call| call == "call Get"));
}

#[test]
fn a_driver_gets_the_api_level_and_the_callback_once() {
    let (fuchsia, _) =
        fuchsia(Some(LoaderService::new().with_driver(&driver(&[])).with_driver(&driver(&["-DPLAIN"]))));
    let mut names = fuchsia.list(MANIFESTS).unwrap();
    names.sort_by(|one, other| one.as_slice().cmp(other.as_slice()));
    let libraries = names.iter().map(|name| open(fuchsia, name.strip_suffix(b".json").unwrap()).unwrap());
    let said: Vec<String> = libraries.map(|library| said_by(fuchsia, library)).collect();
    assert_eq!(said, ["level 27, callback 1", ""]);
    let again = open(fuchsia, names[0].strip_suffix(b".json").unwrap()).unwrap();
    assert_eq!(said_by(fuchsia, again), "level 27, callback 1");
}

#[test]
fn a_driver_knows_level_and_callback_before_it_negotiates_and_reaches_its_device() {
    let simulation = Simulation::new(Some(LoaderService::new().with_driver(&driver(&[]))));
    let process = Process::new(simulation, &[]);
    process.run(|entry| {
        // SAFETY: this global command may be called at any time.
        let _ = unsafe { entry.enumerate_instance_extension_properties(None) };
        let library = open(process.fuchsia, "0-libcompiled.so").unwrap();
        let said = said_by(process.fuchsia, library);
        assert!(said.starts_with("level 27, callback 1, negotiate 1"), "{said}");
        assert_eq!(said.matches("callback").count(), 1, "once: {said}");
        let given = symbol(process.fuchsia, library, c"given_callback");
        // SAFETY: the test driver exports this function with this type. It returns the callback
        // that the loader passed it.
        let given = unsafe { transmute::<NonNull<c_void>, extern "C" fn() -> OpenInNamespace>(given)() };
        let device = c"/loader-gpu-devices/class/gpu/000".as_ptr();
        // SAFETY: the name is a valid C string, and nothing else owns the handle.
        assert_eq!(unsafe { given(device, simulation.channel_of_driver()) }, vk::Result::SUCCESS);
        assert_eq!(simulation.devices_opened(), ["class/gpu/000"]);
    });
}

#[test]
fn devices_are_below_their_folder_and_the_rest_is_in_the_namespace() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
    for (name, reached) in [
        ("/loader-gpu-devices", Some(".")),
        ("/loader-gpu-devices/class/gpu/000", Some("class/gpu/000")),
        ("/loader-gpu-devicesX", None),
        ("/loader-gpu-devices/", Some("/")),
    ] {
        let before = simulation.devices_opened().len();
        let result = connect(fuchsia, simulation, name);
        let expected =
            if reached.is_some() { vk::Result::SUCCESS } else { vk::Result::ERROR_INITIALIZATION_FAILED };
        assert_eq!(result, expected, "{name}");
        assert_eq!(simulation.devices_opened()[before..], reached.as_slice()[..], "{name}");
    }
    assert_eq!(connect(fuchsia, simulation, "/svc/fuchsia.logger.LogSink"), vk::Result::SUCCESS);
    assert_eq!(simulation.calls().last().unwrap(), "connect /svc/fuchsia.logger.LogSink");
    let long = format!("/loader-gpu-devices/{}", "x/".repeat(300));
    assert_eq!(connect(fuchsia, simulation, &long), vk::Result::SUCCESS);
    assert_eq!(
        simulation.devices_opened().last().unwrap(),
        &"x/".repeat(300),
        "the system says what is too long"
    );
}

#[test]
fn no_devices_without_the_service() {
    let (fuchsia, simulation) = fuchsia(None);
    for name in ["/loader-gpu-devices", "/loader-gpu-devices/class/gpu/000"] {
        let result = connect(fuchsia, simulation, name);
        assert_eq!(result, vk::Result::ERROR_INITIALIZATION_FAILED, "{name}");
    }
    assert!(
        !simulation.calls().iter().any(|call| call.starts_with("connect-at")),
        "{:?}",
        simulation.calls()
    );
}

#[test]
fn the_drivers_handle_is_always_gone() {
    for service in [true, false] {
        let (fuchsia, simulation) = fuchsia(service.then(LoaderService::new));
        fuchsia.exists(MANIFESTS);
        let ask = |name| {
            let before = simulation.open_handles().len();
            let _ = connect(fuchsia, simulation, name);
            // The other end of the channel is the driver's own; the loader never had it.
            assert_eq!(simulation.open_handles().len(), before + 1, "{name:?}");
        };
        for name in [
            "/loader-gpu-devices",
            "/loader-gpu-devicesX",
            "/loader-gpu-devices/",
            "/loader-gpu-devices/a",
            "/svc/x",
            "",
        ] {
            ask(name);
            simulation.fail(0);
            ask(name);
            simulation.fail(usize::MAX);
        }
    }
}

#[test]
fn no_name_is_an_error_and_threads_may_ask_at_once() {
    let (fuchsia, simulation) = fuchsia(Some(LoaderService::new()));
    let before = simulation.open_handles().len();
    // SAFETY: the name may be NULL, and nothing else owns the handle.
    let result = unsafe { fuchsia.open_in_namespace(null(), simulation.channel_of_driver()) };
    assert_eq!(result, vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(simulation.open_handles().len(), before + 1, "only the driver's own end is open");
    // SAFETY: the name is a valid C string, and 0 is no handle.
    let result = unsafe { fuchsia.open_in_namespace(c"/svc/x".as_ptr(), 0) };
    assert_eq!(result, vk::Result::ERROR_INITIALIZATION_FAILED);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(connect(fuchsia, simulation, "/loader-gpu-devices/a"), vk::Result::SUCCESS);
                }
            });
        }
    });
    assert_eq!(simulation.devices_opened().len(), 400);
}
