//! The whole loader as on Fuchsia, over the null driver, which the service provides as memory.

use std::ffi::c_int;
use std::ops::RangeInclusive;
use std::path::Path;

use crate::as_on_fuchsia::programs::{Drawn, SIZE, draw};
use crate::as_on_fuchsia::{layer, null_driver};
use ash::vk;
use platform_fuchsia::simulation::{LoaderService, Process, Simulation};

/// Returns a process with the null driver everywhere: twice in the service, in the package, and in
/// a folder that the linker does not know. Such a folder also contains an implicit layer.
fn process(layer: &Path) -> Process {
    let library = null_driver();
    let simulation = Simulation::new(Some(LoaderService::new().with_driver(&library).with_driver(&library)));
    let elsewhere = "/elsewhere/libvkload_null.so";
    for (manifest, path, named) in [
        ("/pkg/data/vulkan/icd.d/null.json", "/pkg/lib/libvkload_null.so", "libvkload_null.so"),
        ("/elsewhere/null.json", elsewhere, elsewhere),
    ] {
        simulation.add_library(path, &library);
        simulation.add_file(
            manifest,
            &format!(
                r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{named}", "api_version": "1.3.0"}}}}"#
            ),
        );
    }
    simulation.add_library("/elsewhere/liblayer.so", layer);
    simulation.add_file(
        "/pkg/data/vulkan/implicit_layer.d/layer.json",
        r#"{"file_format_version": "1.0.0", "layer": {"name": "VK_LAYER_test", "type": "GLOBAL",
        "library_path": "/elsewhere/liblayer.so", "api_version": "1.3.0", "implementation_version": "1",
        "description": "", "disable_environment": {"NO_LAYER": "1"}}}"#,
    );
    let quiet = ("VK_LOADER_X_QUIET", "1");
    Process::new(simulation, &[("VK_ADD_DRIVER_FILES", "/elsewhere/null.json"), quiet])
}

#[test]
fn a_program_draws_with_a_driver_that_came_as_memory() {
    let simulation = Simulation::new(Some(LoaderService::new().with_driver(&null_driver())));
    let drawn = Process::new(simulation, &[]).run(draw).unwrap();
    assert_eq!(drawn.devices, 1);
    assert_right(&drawn);
    let calls = simulation.calls();
    let count = |call: &str| calls.iter().filter(|other| *other == call).count();
    assert_eq!((count("call Get"), count("dlopen-memory")), (1, 1), "{calls:#?}");
    assert!(!calls.iter().any(|call| call.starts_with("dlopen ") || call.starts_with("open ")), "{calls:#?}");
    assert_eq!(simulation.open_handles(), ["devices", "loader"]);
    assert_eq!(simulation.open_files(), ["manifests"]);
}

#[test]
fn whatever_call_fails_in_whatever_way_good_drivers_work_and_nothing_is_left() {
    let layer = layer();
    let whole = process(&layer);
    assert_eq!(whole.run(draw).unwrap().devices, 3);
    let calls = whole.simulation.calls();
    let opens_layer = |call: &String| call == "open /elsewhere/liblayer.so";
    assert!(calls.iter().any(opens_layer), "{calls:#?}");
    let connecting = connecting(&calls);
    for (number, call) in calls.iter().enumerate() {
        for code in codes(call) {
            let process = process(&layer);
            process.simulation.fail_with(number, *code);
            let what = format!("{call} ({number}) fails with {code}");
            check_first_run(&what, process.run(draw), *code);
            assert!(process.simulation.calls().len() > number, "{what}: it is not reached");
            check_next_run(&what, process, !connecting.contains(&number));
        }
    }
}

#[test]
fn when_every_call_fails_from_one_on_nothing_is_left_and_better_times_are_used() {
    let layer = layer();
    let whole = process(&layer);
    whole.run(draw).unwrap();
    let calls = whole.simulation.calls();
    for number in 0..calls.len() {
        let process = process(&layer);
        process.simulation.fail_all(number..usize::MAX, 0);
        let what = format!("from {} ({number}) on", calls[number]);
        if let Ok(drawn) = process.run(draw) {
            assert_right(&drawn);
        }
        check_next_run(&what, process, number > *connecting(&calls).end());
    }
}

/// Returns the numbers of the calls that connect the process to the service.
fn connecting(calls: &[String]) -> RangeInclusive<usize> {
    let position = |call: &str| calls.iter().position(|other| other == call).unwrap();
    position("channel")..=position("descriptor")
}

/// Checks that, once no call fails any more, the program has every driver, or those that do not
/// need the connection if that failed; and nothing but the connection is open.
fn check_next_run(what: &str, process: Process, connected: bool) {
    process.simulation.fail(usize::MAX);
    let drawn = process.run(draw).unwrap_or_else(|error| panic!("{what}: {error:?} for good"));
    assert_right(&drawn);
    let (devices, handles, files): (usize, &[&str], &[&str]) =
        if connected { (3, &["devices", "loader"], &["manifests"]) } else { (2, &[], &[]) };
    assert_eq!(drawn.devices, devices, "{what}");
    assert_eq!(process.simulation.open_handles(), handles, "{what}");
    assert_eq!(process.simulation.open_files(), files, "{what}");
}

/// Checks that the program works, unless memory ran out. At most one driver is lost; if that is the
/// whole service, the package's replaces its two.
fn check_first_run(what: &str, result: Result<Drawn, vk::Result>, code: c_int) {
    match result {
        Ok(drawn) => {
            assert!(drawn.devices >= 2, "{what}: {}", drawn.devices);
            assert_right(&drawn);
        }
        Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY) if code == libc::ENOMEM => {}
        Err(error) => panic!("{what}: {error:?}"),
    }
}

/// Returns the codes that a call may plausibly fail with: statuses of the kernel and libfdio, error
/// numbers of file calls. The linker only has messages.
fn codes(call: &str) -> &'static [c_int] {
    match call.split(' ').next().unwrap_or_default() {
        "channel" => &[-3, -4],
        "write" => &[-4, -10, -11, -20, -24, -30],
        "call" => &[-3, -4, -10, -11, -15, -20, -21, -24, -30, -40],
        "connect" | "descriptor" | "open" | "memory" => &[-2, -4, -10, -11, -24, -25, -30, -40, -50],
        "dlopen" | "dlopen-memory" | "dlsym" => &[0],
        _ => &[
            libc::ENOENT,
            libc::EACCES,
            libc::EBADF,
            libc::EINVAL,
            libc::EIO,
            libc::EMFILE,
            libc::ENAMETOOLONG,
            libc::ENOMEM,
            libc::ENOTDIR,
            libc::EPIPE,
            libc::ETIMEDOUT,
        ],
    }
}

/// Checks that every texel has the clear colour, except the last, which was overwritten.
fn assert_right(drawn: &Drawn) {
    let (texels, end) = drawn.bytes.split_at(SIZE - 4);
    assert!(texels.chunks(4).all(|texel| texel == [255, 128, 0, 255]), "{texels:?}");
    assert_eq!(end, b"end.");
}
