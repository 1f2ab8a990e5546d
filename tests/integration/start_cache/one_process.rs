//! Shortages in one process, and events while it ran, do not affect the next one.
use std::fs;
use std::path::Path;

use ash::vk;
use vkload_tests::{Device, Driver, Run, Scenario, Vk, no_new_privileges, refuse};

use super::attacks::forge;
use super::{file, learn, opened, start};

/// How many files the driver of the GPU opens at once.
const NEEDED: u32 = 40;

/// Returns a driver with a device that it finds only if it can open files, and one that needs none.
fn scenario() -> Scenario {
    Scenario::new()
        .driver(Driver::new("absent").line("descriptors", NEEDED).device(Device::new("gpu")))
        .driver(Driver::new("real").device(Device::new("software")))
        .env("VK_LOADER_X_START_CACHE", "1")
        .log()
}

/// Applies the words of the file `do` that take something away from the process.
pub(super) fn lack(vk: &Vk, word: &str) {
    let (name, number) = word.split_once('=').unwrap_or((word, "0"));
    let number: u64 = number.parse().unwrap();
    match name {
        "files" => set_limit(libc::RLIMIT_NOFILE, number),
        "memory" => set_limit(libc::RLIMIT_AS, number << 30),
        "memory-lock" => set_limit(libc::RLIMIT_MEMLOCK, number),
        // The limit stays as it is, and so it does if the next process has none of these open.
        "open" => {
            for _ in 0..number {
                // SAFETY: the path is a C string; the file stays open.
                assert!(unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY) } >= 0);
            }
        }
        "no-new-privileges" => no_new_privileges(),
        // Files can be opened for reading or for writing, but not for both, as device nodes are.
        "read-only" => refuse(libc::SYS_openat, Some(libc::O_RDWR), libc::EACCES),
        "capabilities" => drop_capabilities(),
        "own-namespace" => {
            // SAFETY: no preconditions.
            if unsafe { libc::unshare(libc::CLONE_NEWUTS) } != 0 {
                vk.say("impossible", std::io::Error::last_os_error());
            }
        }
        _ => panic!("{word}"),
    }
}

fn set_limit(resource: libc::__rlimit_resource_t, number: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is writable.
    assert_eq!(unsafe { libc::getrlimit(resource, &raw mut limit) }, 0);
    limit.rlim_cur = number;
    // SAFETY: the structure is valid.
    assert_eq!(unsafe { libc::setrlimit(resource, &raw const limit) }, 0);
}

/// Drops the effective capabilities of root.
fn drop_capabilities() {
    // The version of the structures, and the process: this one.
    let header = [0x2008_0522u32, 0];
    let none = [0u32; 6];
    // SAFETY: both have the layout that this version of the call expects.
    assert_eq!(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) }, 0);
}

/// Returns the device names, sorted.
fn devices(run: &Run) -> Vec<&str> {
    let mut names: Vec<_> = run.said("devices").split(',').collect();
    names.sort_unstable();
    names
}

#[test]
fn a_process_that_lacks_descriptors_or_rights_leaves_nothing_for_one_that_has_them() {
    for lack in ["files=30", "files=300 open=270", "files=1000 open=970", "read-only"] {
        let scenario = scenario();
        let what = format!("{lack} extensions devices");
        for _ in 0..3 {
            let run = start(&scenario, &what);
            assert_eq!(devices(run.ok()), ["software"], "{lack}: the driver fails for want of it");
        }
        let run = start(&scenario, "extensions devices");
        assert_eq!(devices(run.ok()), ["gpu", "software"], "{lack}: {run:#?}");
    }
}

#[test]
fn a_process_with_few_descriptors_or_little_memory_says_why_it_keeps_nothing() {
    for lack in ["files=200", "files=1000 open=800", "memory=64"] {
        let scenario = scenario();
        let run = start(&scenario, &format!("{lack} devices"));
        run.ok().logs(&[
            "start cache: nothing is recorded: drivers may fail for lack of file descriptors or memory",
        ]);
        assert!(!scenario.sandbox().path("home/.cache").exists(), "{lack}");
    }
}

#[test]
fn another_limit_or_sandbox_opens_all_drivers() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    for (change, line) in [
        ("files=1000", "limits"),
        ("memory-lock=4096", "limits"),
        ("no-new-privileges", "rights"),
        ("read-only", "rights"),
        ("capabilities", "rights"),
        ("own-namespace", "namespaces"),
    ] {
        if !is_root && change == "capabilities" {
            eprintln!("skipped: only root has capabilities to drop");
            continue;
        }
        let scenario = super::scenario();
        learn(&scenario, "devices");
        assert_eq!(opened(start(&scenario, "devices").ok()), "");
        let run = start(&scenario, &format!("{change} devices"));
        if let Some(why) = run.ok().maybe_said("impossible") {
            eprintln!("skipped: {change}: {why}");
            continue;
        }
        assert_eq!(opened(&run), "absent,real,refusing", "{change}: {run:#?}");
        run.logs(&["start cache: not used: ", &format!("\"{line}\" differs")]);
    }
}

/// Moves the time in the file at `path` by this number of seconds.
fn make_later(path: &Path, seconds: i64) {
    forge(path, |text| {
        let moved = |line: &str| match line.strip_prefix("seconds ") {
            Some(then) => format!("seconds {}\n", then.parse::<i64>().unwrap() + seconds),
            None => format!("{line}\n"),
        };
        text.lines().map(moved).collect()
    });
}

#[test]
fn a_record_from_a_week_ago_or_from_the_future_is_ignored() {
    const WEEK: i64 = 7 * 24 * 60 * 60;
    for (later, expected) in [
        (0, ""),
        (60 - WEEK, ""),
        (-WEEK, "absent,real,refusing"),
        (60, "absent,real,refusing"),
        (10 * WEEK, "absent,real,refusing"),
    ] {
        let scenario = super::scenario();
        learn(&scenario, "devices");
        if later != 0 {
            make_later(&file(&scenario), later);
        }
        let run = start(&scenario, "devices");
        assert_eq!(opened(run.ok().says("devices", "gpu")), expected, "{later} seconds");
        if later != 0 && !expected.is_empty() {
            assert_eq!(opened(start(&scenario, "devices").ok()), expected, "it is recorded again");
            assert_eq!(opened(start(&scenario, "devices").ok()), "");
        }
    }
}

#[test]
fn two_looks_of_one_process_are_not_two_starts() {
    let scenario = super::scenario();
    start(&scenario, "devices add-variable devices remove-variable devices").ok();
    assert_eq!(opened(start(&scenario, "devices").ok()), "absent,real,refusing");
    assert_eq!(opened(start(&scenario, "devices").ok()), "");
}

#[test]
fn a_driver_that_has_a_device_in_one_start_and_none_in_the_next_is_opened() {
    let scenario = scenario();
    for what in ["hide-absent devices", "show-absent devices", "hide-absent devices", "hide-absent devices"] {
        let scenario = &scenario;
        assert!(opened(start(scenario, what).ok()).starts_with("absent"), "{what}");
    }
}

#[test]
fn a_library_that_is_replaced_while_it_is_being_opened_is_not_taken_for_the_new_one() {
    let scenario = Scenario::new()
        .driver(Driver::new("next").device(Device::new("gpu")))
        .driver(Driver::new("real").device(Device::new("software")))
        .driver(Driver::new("absent").line("replaced_by", "@"))
        .env("VK_LOADER_X_START_CACHE", "1")
        .with(|sandbox| {
            // Only the library of the next version is wanted.
            fs::remove_file(sandbox.path("data/vulkan/icd.d/next.json")).unwrap();
            let configuration = sandbox.path("lib/libabsent.so.cfg");
            let next = sandbox.path("lib/libnext.so");
            let text = fs::read_to_string(&configuration).unwrap().replace('@', next.to_str().unwrap());
            fs::write(configuration, text).unwrap();
        });
    assert_eq!(start(&scenario, "devices").ok().said("devices"), "software");
    for _ in 0..3 {
        assert_eq!(devices(start(&scenario, "extensions devices").ok()), ["gpu", "software"]);
    }
}

#[test]
fn a_driver_that_refused_a_version_that_it_claims_is_opened_for_a_lower_one() {
    let scenario = Scenario::new()
        .driver(Driver::new("absent").line("refuses", vk::API_VERSION_1_3).device(Device::new("gpu")))
        .driver(Driver::new("real").device(Device::new("software")))
        .env("VK_LOADER_X_START_CACHE", "1");
    for _ in 0..2 {
        assert_eq!(start(&scenario, "devices").ok().said("devices"), "software");
    }
    assert_eq!(opened(start(&scenario, "devices").ok()), "", "it refuses this version");
    for what in ["devices-1.0", "devices devices-1.0"] {
        let run = start(&scenario, what);
        assert_eq!(devices(run.ok()), ["gpu", "software"], "{what}: {run:#?}");
    }
}
