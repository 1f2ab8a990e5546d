//! Files that the last start of this program did not leave: they are ignored, and the reason is logged.
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use ash::vk;
use vkload_core::drivers::last_start::last_line;
use vkload_tests::{Ask, Scenario, Vk, code};

use super::{file, learn, opened, scenario, start};

/// A change to the file, and the log's message about it.
struct Attack {
    name: &'static str,
    make: fn(&Path),
    says: &'static str,
    /// Whether only root can do it.
    as_root: bool,
}

/// The line of a driver with a device.
const PRESENT: &str = "devices 1\n";
const DAMAGED: &str = "the file is damaged or has another format";

/// Changes the file's content, and corrects its checksum.
pub(super) fn forge(path: &Path, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let (body, _) = text.rsplit_once("end ").unwrap();
    let mut forged = change(body).into_bytes();
    assert_ne!(forged, body.as_bytes(), "the change changes something");
    let end = last_line(&forged);
    forged.extend_from_slice(&end);
    fs::write(path, forged).unwrap();
}

/// The same circumstances, but for the kernel. They are as long as before, so that nothing else is wrong.
fn of_another_machine(text: &str) -> String {
    let (before, after) = text.split_once("kernel ").unwrap();
    let (kernel, after) = after.split_once('\n').unwrap();
    let kernel: String = kernel.chars().map(|letter| if letter == '6' { '5' } else { '6' }).collect();
    format!("{before}kernel {kernel}\n{after}")
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

const ATTACKS: &[Attack] = &[
    Attack {
        name: "cut short",
        make: |path| {
            let content = fs::read(path).unwrap();
            fs::write(path, &content[..content.len() / 2]).unwrap();
        },
        says: DAMAGED,
        as_root: false,
    },
    Attack { name: "empty", make: |path| fs::write(path, "").unwrap(), says: DAMAGED, as_root: false },
    Attack {
        name: "a byte changed",
        make: |path| {
            let mut content = fs::read(path).unwrap();
            let middle = content.len() / 2;
            content[middle] ^= 0x20;
            fs::write(path, content).unwrap();
        },
        says: DAMAGED,
        as_root: false,
    },
    Attack {
        name: "of another loader",
        make: |path| forge(path, |text| text.replace("start cache 4", "start cache 7")),
        says: DAMAGED,
        as_root: false,
    },
    Attack {
        name: "of another machine",
        make: |path| forge(path, of_another_machine),
        says: "\"kernel\" differs",
        as_root: false,
    },
    Attack {
        name: "too large",
        make: |path| fs::write(path, vec![b'x'; 1_100_000]).unwrap(),
        says: "the file is too large",
        as_root: false,
    },
    Attack {
        name: "writable by the group",
        make: |path| mode(path, 0o660),
        says: "other users have permission to write",
        as_root: false,
    },
    Attack {
        name: "in a folder writable by others",
        make: |path| mode(path.parent().unwrap(), 0o777),
        says: "other users have permission to write",
        as_root: false,
    },
    Attack {
        name: "a symbolic link",
        make: |path| {
            let elsewhere = path.with_extension("elsewhere");
            fs::rename(path, &elsewhere).unwrap();
            symlink(elsewhere, path).unwrap();
        },
        says: "a link or not a regular file",
        as_root: false,
    },
    Attack {
        name: "a hard link",
        make: |path| fs::hard_link(path, path.with_extension("elsewhere")).unwrap(),
        says: "a link or not a regular file",
        as_root: false,
    },
    Attack {
        name: "a folder",
        make: |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        },
        says: "a link or not a regular file",
        as_root: false,
    },
    Attack {
        name: "a pipe that nobody writes to",
        make: |path| {
            fs::remove_file(path).unwrap();
            let path = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
            // SAFETY: the path is a C string.
            assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        },
        says: "a link or not a regular file",
        as_root: false,
    },
    Attack {
        name: "in a folder that is a link",
        make: |path| {
            let folder = path.parent().unwrap();
            let elsewhere = folder.with_extension("elsewhere");
            fs::rename(folder, &elsewhere).unwrap();
            symlink(elsewhere, folder).unwrap();
        },
        says: "a link or not a regular file",
        as_root: false,
    },
    Attack {
        name: "of another user",
        make: |path| chown(path, Some(65534), None).unwrap(),
        says: "belongs to another user",
        as_root: true,
    },
    Attack {
        name: "in another user's folder",
        make: |path| chown(path.parent().unwrap(), Some(65534), None).unwrap(),
        says: "belongs to another user",
        as_root: true,
    },
];

fn learnt() -> Scenario {
    let scenario = scenario();
    learn(&scenario, "devices");
    scenario
}

#[test]
fn a_file_that_this_user_did_not_leave_on_this_machine_is_ignored_with_a_reason() {
    // SAFETY: no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    for attack in ATTACKS {
        if attack.as_root && !is_root {
            eprintln!("skipped: {}: only root can do that", attack.name);
            continue;
        }
        let scenario = learnt();
        (attack.make)(&file(&scenario));
        let run = start(&scenario, "extensions devices");
        let name = attack.name;
        assert_eq!(opened(run.ok().says("devices", "gpu")), "absent,real,refusing", "{name}: {run:#?}");
        let logged = run
            .stderr
            .lines()
            .any(|line| line.contains("start cache: not used: ") && line.contains(attack.says));
        assert!(logged, "{name}: {}", run.stderr);
    }
}

#[test]
fn a_damaged_file_is_replaced() {
    let scenario = learnt();
    let path = file(&scenario);
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    learn(&scenario, "devices");
    assert!(fs::read(&path).unwrap().ends_with(b"\n"));
    assert_eq!(opened(start(&scenario, "devices").ok()), "");
}

/// Users can write anything into their own file. Even then a program gets its devices, at the latest in the next start.
#[test]
fn a_file_that_lies_about_devices_is_found_out() {
    let scenario = learnt();
    let path = file(&scenario);
    // "gpu" and "lie", as the bytes of the name.
    forge(&path, |text| text.replace("677075", "6c6965"));
    let run = start(&scenario, "device");
    run.ok().says("before", "lie").says("device", "ERROR_INITIALIZATION_FAILED").says("after", "gpu");
    run.logs(&["its answers differ from the last start's", "the record is removed"]);
    assert_eq!(opened(start(&scenario, "devices").ok().says("devices", "gpu")), "absent,real,refusing");
}

/// A line that cannot be read is no answer, and the driver is opened.
#[test]
fn answers_that_cannot_be_read_open_the_driver() {
    for change in [
        |text: &str| text.replace("answer properties 0 0 ", "answer properties 0 x "),
        |text: &str| text.replace("answer properties 0 0 ", "answer nothing 0 0 "),
        |text: &str| text.replace("answer properties 0 0 ", "properties 0 0 "),
        |text: &str| text.replace("\napi ", "\nversion_of_api "),
    ] {
        let scenario = learnt();
        forge(&file(&scenario), change);
        assert_eq!(opened(start(&scenario, "devices").ok().says("devices", "gpu")), "real");
    }
}

/// Makes every recorded query and creates a device, whatever the file says.
pub(super) fn query_everything(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
    for device in instance.try_devices().unwrap_or_default() {
        // SAFETY: valid use of Vulkan, whatever the answers are.
        unsafe {
            let _ = instance.name(device);
            let _ = instance.get_physical_device_features(device);
            let _ = instance.get_physical_device_memory_properties(device);
            let _ = instance.get_physical_device_queue_family_properties(device);
            let _ = instance.get_physical_device_format_properties(device, vk::Format::R8G8B8A8_UNORM);
            let _ = instance.enumerate_device_extension_properties(device);
        }
        vk.say("device", code(&instance.try_device(device, &[])));
    }
    vk.say("after", code(&instance.try_devices()));
}

/// The changes that [`changed`] makes to a line.
const CHANGES: usize = 6;

/// Changes a line: its end is cut, a digit differs, a number is too large, or it is missing, doubled or swapped with the next one.
fn changed(lines: &[&str], number: usize, change: usize) -> String {
    let mut lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let line = lines[number].clone();
    match change {
        0 => _ = lines.remove(number),
        1 => lines.insert(number, line),
        2 => lines.swap(number, number + 1),
        3 => lines[number] = format!("{}\n", &line[..line.len() / 2]),
        4 => {
            lines[number] =
                line.replacen(|letter: char| letter.is_ascii_digit(), "7", 1).replacen('0', "9", 1)
        }
        _ => lines[number] = line.trim_end().to_owned() + "99999999999999999999\n",
    }
    lines.concat()
}

/// Whatever the answers are, the program runs to its end, and the next start has the truth.
#[test]
fn changed_answers_neither_stop_a_program_nor_outlive_it() {
    let scenario = scenario();
    learn(&scenario, "attack");
    let path = file(&scenario);
    let good = fs::read(&path).unwrap();
    let text = String::from_utf8(good.clone()).unwrap();
    let (body, _) = text.rsplit_once("end ").unwrap();
    let lines: Vec<&str> = body.lines().collect();
    let first = lines.iter().position(|line| format!("{line}\n") == PRESENT).unwrap();
    let last = lines.iter().rposition(|line| line.starts_with("answer ")).unwrap();
    // A few dozen of all lines and changes, the same ones each time.
    let all = (first..last).flat_map(|line| (0..CHANGES).map(move |change| (line, change)));
    for (line, change) in all.step_by(53 * CHANGES + 1) {
        fs::write(&path, &good).unwrap();
        let forged = changed(&lines, line, change);
        if forged == body {
            continue;
        }
        forge(&path, |_| forged.clone());
        let run = start(&scenario, "attack");
        run.ok();
        let next = start(&scenario, "attack devices");
        next.ok().says("device", "SUCCESS").says("after", "SUCCESS").says("devices", "gpu");
    }
}

#[test]
fn a_file_that_says_that_no_driver_has_a_device_is_found_out_at_once() {
    let scenario = learnt();
    forge(&file(&scenario), |text| text.replace(PRESENT, "absent 0\n"));
    let run = start(&scenario, "devices");
    assert_eq!(opened(run.ok().says("devices", "gpu")), "absent,real,refusing", "{run:#?}");
}

#[test]
fn a_program_starts_if_nothing_can_be_recorded() {
    let scenario = scenario();
    scenario.sandbox().write("home/.cache", "a file in place of the folder");
    for _ in 0..2 {
        assert_eq!(
            opened(start(&scenario, "extensions devices").ok().says("devices", "gpu")),
            "absent,real,refusing"
        );
    }
    let scenario = scenario.env("HOME", "relative").env("XDG_CACHE_HOME", "relative");
    let run = start(&scenario, "devices");
    run.ok().logs(&["start cache: not used: neither XDG_CACHE_HOME nor HOME names a folder"]);
}
