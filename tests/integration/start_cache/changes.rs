//! Whatever may make drivers answer otherwise makes the next start open them.
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use vkload_tests::{Device, Driver, Sandbox, Scenario};

use super::{file, learn, opened, scenario, start};

/// Changes something between two starts, and says which drivers are opened then.
struct Change {
    name: &'static str,
    make: fn(Scenario) -> Scenario,
    opened: &'static str,
}

fn rewrite(sandbox: &Sandbox, path: &str, change: fn(String) -> String) {
    let path = sandbox.path(path);
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
}

const CHANGES: &[Change] = &[
    Change { name: "nothing", make: |scenario| scenario, opened: "" },
    Change {
        name: "where it is started from",
        make: |scenario| scenario.env("PWD", "/").env("WINDOWID", "7").env("SHLVL", "3"),
        opened: "",
    },
    Change {
        name: "a variable that some driver may read",
        make: |scenario| scenario.env("ANY_DRIVERS_OVERRIDE", "1"),
        opened: "absent,real,refusing",
    },
    Change {
        name: "a variable of the search",
        make: |scenario| scenario.env("VK_LOADER_DRIVERS_DISABLE", "real*"),
        opened: "absent,refusing",
    },
    Change {
        name: "a driver's library",
        make: |scenario| scenario.driver(Driver::new("absent").device(Device::new("new"))),
        opened: "absent",
    },
    Change {
        name: "a library, in place and at the same time",
        make: |scenario| {
            scenario.with(|sandbox| {
                let path = sandbox.path("lib/libabsent.so");
                let (mut content, time) =
                    (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
                // The end of the section's name table: nothing that runs.
                if let Some(last) = content.last_mut() {
                    *last ^= 1;
                }
                fs::write(&path, content).unwrap();
                fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            })
        },
        opened: "absent",
    },
    Change {
        name: "the version in a manifest",
        make: |scenario| {
            scenario.with(|sandbox| {
                rewrite(sandbox, "data/vulkan/icd.d/absent.json", |text| text.replace("1.3.0", "1.2.0"));
            })
        },
        opened: "absent",
    },
    Change {
        name: "another manifest for the same library",
        make: |scenario| {
            scenario.with(|sandbox| {
                let folder = sandbox.path("data/vulkan/icd.d");
                fs::rename(folder.join("absent.json"), folder.join("other.json")).unwrap();
            })
        },
        opened: "absent",
    },
    Change {
        name: "the program",
        make: |scenario| {
            let path = scenario.sandbox().path("program");
            let copied =
                std::process::Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&path).status();
            assert!(copied.unwrap().success());
            scenario.executable(path)
        },
        opened: "absent,real,refusing",
    },
];

#[test]
fn each_change_opens_the_drivers_that_it_concerns() {
    for change in CHANGES {
        let before = scenario();
        learn(&before, "extensions devices");
        let after = (change.make)(before);
        let run = start(&after, "devices");
        assert_eq!(opened(run.ok()), change.opened, "{}: {run:#?}", change.name);
    }
}

#[test]
fn a_device_that_comes_with_a_library_is_there_at_once_and_known_afterwards() {
    let scenario = scenario();
    learn(&scenario, "devices").says("devices", "gpu");
    let scenario = scenario.driver(Driver::new("absent").device(Device::new("new")));
    for _ in 0..2 {
        let run = start(&scenario, "devices");
        assert_eq!(run.ok().said("devices").split(',').count(), 2, "{run:#?}");
    }
}

#[test]
fn a_variable_that_the_program_sets_between_two_calls_is_noticed() {
    let scenario = scenario();
    learn(&scenario, "extensions devices");
    let run = start(&scenario, "extensions add-variable devices");
    assert_eq!(opened(run.ok().says("devices", "gpu")), "absent,real,refusing");
}

#[test]
fn a_device_that_is_gone_is_lost_and_the_next_start_looks_everywhere() {
    let scenario = scenario();
    learn(&scenario, "devices");
    let path = file(&scenario);
    let run = start(&scenario, "hide device");
    run.ok().says("before", "gpu").says("device", "ERROR_INITIALIZATION_FAILED");
    run.says("after", "ERROR_INITIALIZATION_FAILED");
    run.logs(&["its answers differ from the last start's", "the record is removed"]);
    assert!(!path.exists());
    assert_eq!(opened(start(&scenario, "show devices").ok()), "absent,real,refusing");
}

#[test]
fn a_driver_that_answers_otherwise_is_believed_once_it_is_open() {
    let scenario = scenario();
    learn(&scenario, "devices");
    let path = file(&scenario);
    let configuration = scenario.sandbox().path("lib/libreal.so.cfg");
    let text = fs::read_to_string(&configuration).unwrap();
    fs::write(&configuration, text.replace("gpu", "new")).unwrap();
    let run = start(&scenario, "device");
    run.ok().says("before", "gpu").says("device", "ERROR_INITIALIZATION_FAILED").says("after", "new");
    assert!(!path.exists());
    learn(&scenario, "devices").says("devices", "new");
    start(&scenario, "device").ok().says("before", "new").says("device", "SUCCESS");
}

#[test]
fn another_users_start_has_a_file_of_its_own() {
    // SAFETY: no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("skipped: only root can start a program for another user");
        return;
    }
    const NOBODY: u32 = 65534;
    let this = std::env::current_exe().unwrap();
    if Command::new(&this).uid(NOBODY).gid(NOBODY).arg("--list").output().is_err() {
        eprintln!("skipped: another user may not reach {}", this.display());
        return;
    }
    let scenario = scenario();
    learn(&scenario, "devices");
    let first = fs::metadata(file(&scenario)).unwrap().uid();
    assert_eq!(first, 0);
    let scenario = scenario
        .with(|sandbox| {
            for folder in ["", "out", "lib"] {
                chown(sandbox.path(folder), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        })
        .user(NOBODY);
    let run = start(&scenario, "devices");
    assert_eq!(opened(run.ok()), "absent,real,refusing", "{run:#?}");
    // The folder of the first user is closed.
    run.logs(&["start cache: not used", "system error 13"]);
}
