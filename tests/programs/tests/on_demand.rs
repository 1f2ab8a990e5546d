//! What the start cache answers for a driver that is not open is what the driver answers, byte for byte.
//!
//! A child process makes every query that may be answered from a record, each time with memory that has other contents, and prints the
//! bytes that it finds afterwards.
#[path = "on_demand/dump.rs"]
mod dump;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, fs, thread};

use ash::vk;
use vkload_programs::{
    DEVICE_SELECT, GFXRECONSTRUCT, Library, MANGOHUD, MESA_OVERLAY, Machine, Need, RENDERDOC, VALIDATION,
    VKBASALT, example_driver, lavapipe, run,
};

use dump::Dump;

/// The variable that makes a process a child.
const CHILD: &str = "ON_DEMAND_CHILD";
/// The file, in the folder where a child runs, with the number of threads on which it creates devices. A variable would make it another
/// program to the start cache.
const THREADS: &str = "threads";
/// What a child prints before its answers, and between them and whether a driver is open.
const BEGIN: &str = "\nanswers\n";
const END: &str = "opened ";

/// Held by the tests that start programs, so that 200 of them do not keep the other tests' programs waiting.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Words for the null driver.
const DEVICES: &[(&str, &str)] = &[
    ("null driver", ""),
    ("Vulkan 1.1", "api=1.1"),
    ("Vulkan 1.2", "api=1.2 name=old"),
    ("Vulkan 1.3", "api=1.3 surfaces=loader"),
    ("two devices", "devices=2 name=gpu"),
    ("all extensions", "extension=all surfaces=driver"),
    ("a large heap", "heap=8G"),
    ("a processor", "type=cpu"),
    ("queues", "queues=graphics+compute:2 queues=transfer:1"),
    ("three devices with all extensions", "devices=3 extension=all api=1.3"),
];

/// Returns what a child answers, and whether it opened a driver.
fn answers(command: &mut Command) -> (String, bool) {
    let output = run(command).success();
    let (_, text) = output.split_once(BEGIN).unwrap_or_else(|| panic!("no answers: {output}"));
    let (answers, opened) = text.rsplit_once(END).unwrap_or_else(|| panic!("no end: {output}"));
    (without_time(answers), opened.starts_with("true"))
}

/// Returns the answers without the time that RenderDoc's layer writes into `pipelineCacheUUID` after its name.
fn without_time(answers: &str) -> String {
    const NAME: &str = "72646f63";
    const TIME: usize = 24;
    let mut parts = answers.split(NAME);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(NAME);
        text.push_str(part.get(TIME..).unwrap_or_default());
    }
    text
}

fn child(machine: &Machine, library: &Library, cache: &str) -> Command {
    let mut command = machine.command(library, env::current_exe().expect("the path of this test"));
    command.args(["--exact", "answers_of_a_child", "--nocapture"]).env(CHILD, "1");
    command.env("VK_LOADER_X_START_CACHE", cache);
    command
}

/// Compares the answers without a record and with one, for programs that `prepare` changes, and after devices have been created by so many
/// threads. Returns whether every start opened a driver.
fn compare(name: &str, machine: &Machine, threads: &str, prepare: &dyn Fn(&mut Command)) -> bool {
    let library = Library::under_test();
    let start = |cache: &str| {
        let mut command = child(machine, &library, cache);
        prepare(&mut command);
        answers(&mut command)
    };
    let (expected, opened) = start("0");
    assert!(opened && expected.lines().count() > 300, "{name}: {} lines", expected.lines().count());
    // Two starts have to agree, and anything that changes on the machine meanwhile makes it two more.
    let mut left_closed = 0;
    for number in 1..=20 {
        let (found, opened) = start("1");
        let difference = expected.lines().zip(found.lines()).find(|(one, other)| one != other);
        assert_eq!(difference, None, "{name}, start {number}");
        assert_eq!(expected.len(), found.len(), "{name}, start {number}");
        assert!(opened || number > 2, "{name}, start {number}: one start is not enough");
        left_closed += usize::from(!opened);
        if left_closed == 2 {
            break;
        }
    }
    // A driver that a call opens answers the same.
    fs::write(machine.work().join(THREADS), threads).expect("the file for the child");
    let (found, opened) = start("1");
    assert!(opened && found == expected, "{name}, with devices");
    left_closed < 2
}

#[test]
fn every_answer_is_the_drivers_and_no_driver_is_opened() {
    let _turn = turn();
    for (name, words) in DEVICES {
        let opened = compare(name, &Machine::with_null_driver(), "16", &|command| {
            command.env("VKLOAD_NULL_DRIVER", words);
        });
        assert!(!opened, "{name}: the driver is opened in each start");
    }
    if !Need::missing(&[Need::Lavapipe]) {
        let opened = compare("lavapipe", &Machine::with_drivers(&[lavapipe()]), "16", &|_| ());
        assert!(!opened, "lavapipe is opened in each start");
    }
}

/// The archive of Khronos' profiles, if it exists, and the folder in it with devices from the database of GPUs.
const KHRONOS: &str = "../shared/data/vulkan-profiles.tar.xz";
const GPUS: &str = "profiles/LunarG/VP_LUNARG_desktop_max_2024 profiles/LunarG/VP_LUNARG_desktop_max_2026";

#[test]
fn every_answer_of_devices_that_khronos_describes_is_the_drivers() {
    let _turn = turn();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = env::var_os("VK_PROFILES").map_or(root.join(KHRONOS), PathBuf::from);
    if !archive.exists() {
        eprintln!("skipped: {} does not exist", archive.display());
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let unpacked = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(folder.path()).status();
    assert!(unpacked.is_ok_and(|status| status.success()), "{} is an archive", archive.display());
    let mut files = Vec::new();
    for gpus in GPUS.split(' ') {
        let entries = fs::read_dir(folder.path().join(gpus)).expect("the folder");
        files.extend(entries.map(|entry| entry.expect("a file").path()));
    }
    assert!(files.len() >= 10, "{files:?}");
    for file in files {
        let name = file.file_stem().unwrap_or_default().display().to_string();
        let opened = compare(&name, &Machine::with_null_driver(), "16", &|command| {
            command.env("VKLOAD_NULL_DRIVER", format!("profile={}", file.display()));
        });
        assert!(!opened, "{name}: the driver is opened in each start");
    }
}

#[test]
fn programs_see_the_same_under_each_layer() {
    let _turn = turn();
    let layers =
        [&VALIDATION, &MESA_OVERLAY, &DEVICE_SELECT, &MANGOHUD, &VKBASALT, &RENDERDOC, &GFXRECONSTRUCT];
    let needs: Vec<Need> = std::iter::once(Need::Lavapipe).chain(layers.map(Need::Layer)).collect();
    if Need::missing(&needs) {
        return;
    }
    // RenderDoc's layer fails if several threads create devices.
    for layer in layers {
        let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&[layer]);
        let opened = compare(layer.name, &machine, "1", &|command| {
            match layer.switch {
                Some(_) => layer.switch(command, true),
                None => _ = command.env("VK_INSTANCE_LAYERS", layer.name),
            }
            command.env("MANGOHUD_CONFIG", "no_display");
        });
        println!("{} opens the driver: {opened}", layer.name);
        // The capture layer records every device's memory budget.
        assert_eq!(opened, *layer == GFXRECONSTRUCT, "{}", layer.name);
    }
}

/// A driver's library is replaced by another driver's again and again while programs list its devices: each program sees one of the two.
#[test]
fn two_hundred_programs_at_once_see_one_of_two_drivers() {
    const PROGRAMS: usize = 200;
    let _turn = turn();
    let machine = Machine::with_null_driver();
    let folder = machine.work();
    let transfer = fs::read_to_string(example_driver(&folder)).expect("the manifest");
    let transfer: serde_json::Value = serde_json::from_str(&transfer).expect("JSON");
    let null = env::current_exe().expect("the path of this test").with_file_name("libvkload_null.so");
    let libraries = [null, PathBuf::from(transfer["ICD"]["library_path"].as_str().expect("a path"))];
    let (library, manifest) = (folder.join("libdriver.so"), folder.join("driver.json"));
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library, "api_version": "1.3.0" },
    });
    fs::write(&manifest, text.to_string()).expect("a manifest");
    let copies = [0, 1].map(|number| {
        let copy = folder.join(format!("copy{number}"));
        fs::copy(&libraries[number], &copy).expect("a copy");
        copy
    });
    let replace = |number: usize| {
        let link = folder.join("link");
        fs::hard_link(&copies[number % 2], &link).expect("a second name");
        fs::rename(&link, &library).expect("another driver");
        let _ = fs::remove_file(&link);
    };
    let loader = Library::under_test();
    let start = |cache: &str| {
        let mut command = child(&machine, &loader, cache);
        command.env("VK_DRIVER_FILES", &manifest);
        answers(&mut command)
    };
    let expected = [0, 1].map(|number| {
        replace(number);
        start("0").0
    });
    assert_ne!(expected[0], expected[1], "the drivers differ");
    let storm = |replaces: bool| {
        thread::scope(|scope| {
            let programs: Vec<_> = (0..PROGRAMS).map(|_| scope.spawn(|| start("1"))).collect();
            let mut number = 0;
            while replaces && !programs.iter().all(thread::ScopedJoinHandle::is_finished) {
                replace(number);
                number += 1;
            }
            replace(1);
            programs.into_iter().map(|program| program.join().expect("answers")).collect::<Vec<_>>()
        })
    };
    for (found, _) in storm(true) {
        assert!(expected.contains(&found), "{found}");
    }
    let mut closed = 0;
    for _ in 0..10 {
        for (found, opened) in storm(false) {
            assert!(found == expected[1], "{found}");
            closed += usize::from(!opened);
        }
        if closed > 0 {
            break;
        }
    }
    assert!(closed > 0, "the driver is opened in each of ten rounds");
}

/// Does what the parent says, in a process of its own.
#[test]
fn answers_of_a_child() {
    if env::var_os(CHILD).is_none() {
        return;
    }
    // SAFETY: the loader is the one in the environment; valid use of Vulkan.
    let (text, maps) = unsafe {
        let entry = ash::Entry::load().expect("a loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let available = entry.enumerate_instance_extension_properties(None).expect("the extensions");
        let name = vk::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2_NAME;
        let is_there = available.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
        let extensions: Vec<_> = is_there.then_some(name.as_ptr()).into_iter().collect();
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&extensions);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let devices = instance.enumerate_physical_devices().expect("devices");
        let threads = fs::read_to_string(THREADS).ok().and_then(|number| number.parse().ok());
        if let Some(threads) = threads {
            create_devices(&instance, &devices, threads);
            assert_eq!(instance.enumerate_physical_devices().expect("devices"), devices, "handles stay");
        }
        let mut text = String::new();
        for (number, device) in devices.iter().enumerate() {
            Dump { instance: &instance, device: *device, number, text: &mut text }.all();
        }
        let maps = fs::read_to_string("/proc/self/maps").expect("this process's memory");
        instance.destroy_instance(None);
        (text, maps)
    };
    let opened = ["libvulkan_lvp.so", "libLLVM", "libvkload_null.so", "libdriver.so"]
        .map(|driver| maps.contains(driver));
    println!("{BEGIN}{text}{END}{}", opened.contains(&true));
}

/// Creates devices on threads at once: the first one opens the driver.
unsafe fn create_devices(instance: &ash::Instance, devices: &[vk::PhysicalDevice], threads: usize) {
    let barrier = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let barrier = &barrier;
            scope.spawn(move || {
                let priorities = [1.0];
                let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
                let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
                barrier.wait();
                // SAFETY: valid use of Vulkan.
                unsafe {
                    let device = instance.create_device(devices[thread % devices.len()], &info, None);
                    device.expect("a device").destroy_device(None);
                }
            });
        }
    });
}
