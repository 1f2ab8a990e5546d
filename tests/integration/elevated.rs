//! Programs that have rights which their user may lack: by set-user-id, by set-group-id, by file capabilities. They are
//! started with every variable of the loader's table, which is honoured or not as the table says.
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ash::vk;
use vkload_core::platform::{Reader, Variable, variables};
use vkload_tests::{Ask, Device, Driver, Layer, Run, Sandbox, Scenario, Vk, library_under_test};

/// A user who owns nothing.
const NOBODY: u32 = 65534;

/// How a program comes to more rights than its user has.
#[derive(Clone, Copy, Debug)]
enum Elevation {
    SetUser,
    SetGroup,
    Capabilities,
}

/// The evidence that a variable was honoured.
#[derive(Clone, Copy)]
enum Shown {
    /// The driver with this name was opened.
    Driver(&'static str),
    /// The layer with this name was listed.
    Layer(&'static str),
    /// Checks only that the log does not call it ignored. Other tests check its effect.
    NotIgnored,
    /// The log has these words.
    Log(&'static [&'static str]),
    /// The body said so.
    Says(&'static str, &'static str),
    /// Nothing was said about there being no driver.
    Silence,
}

/// A variable, a value in which `SANDBOX` is a folder that belongs to the user, what shows that it is honoured.
type Case = (Variable, &'static str, Shown);

static CASES: &[Case] = &[
    (variables::VK_DRIVER_FILES, "SANDBOX/files", Shown::Driver("files")),
    (variables::VK_ICD_FILENAMES, "SANDBOX/icd", Shown::Driver("icd")),
    (variables::VK_ADD_DRIVER_FILES, "SANDBOX/added", Shown::Driver("added")),
    (variables::VK_LOADER_DRIVERS_SELECT, "no*", Shown::NotIgnored),
    (variables::VK_LOADER_DRIVERS_DISABLE, "no*", Shown::NotIgnored),
    (variables::XDG_CONFIG_HOME, "SANDBOX/config-home", Shown::Driver("config-home")),
    (variables::XDG_CONFIG_DIRS, "SANDBOX/config", Shown::Driver("config")),
    (variables::XDG_DATA_HOME, "SANDBOX/data-home", Shown::Driver("data-home")),
    (variables::XDG_DATA_DIRS, "SANDBOX/data", Shown::Driver("data")),
    (variables::HOME, "SANDBOX/home", Shown::Driver("home")),
    (variables::VK_LOADER_X_SOFTWARE_DEVICES_LAST, "1", Shown::Says("devices", "one")),
    (variables::VK_LAYER_PATH, "SANDBOX/layers", Shown::Layer("VK_LAYER_TEST_layers")),
    (variables::VK_ADD_LAYER_PATH, "SANDBOX/more", Shown::Layer("VK_LAYER_TEST_more")),
    (variables::VK_IMPLICIT_LAYER_PATH, "SANDBOX/implicit", Shown::Layer("VK_LAYER_TEST_implicit")),
    (variables::VK_ADD_IMPLICIT_LAYER_PATH, "SANDBOX/also", Shown::Layer("VK_LAYER_TEST_also")),
    (variables::VK_INSTANCE_LAYERS, "VK_LAYER_TEST_x", Shown::Log(&["VK_LAYER_TEST_x", "not installed"])),
    (variables::VK_LOADER_LAYERS_ENABLE, "no*", Shown::NotIgnored),
    (variables::VK_LOADER_LAYERS_DISABLE, "no*", Shown::NotIgnored),
    (variables::VK_LOADER_LAYERS_ALLOW, "no*", Shown::NotIgnored),
    (variables::VK_LOADER_DEVICE_ID_FILTER, "9", Shown::Says("devices", "nine")),
    (variables::VK_LOADER_VENDOR_ID_FILTER, "9", Shown::Says("devices", "nine")),
    (variables::VK_LOADER_DRIVER_ID_FILTER, "9", Shown::Says("devices", "nine")),
    (variables::VK_DEVICE_LAYERS, "VK_LAYER_TEST_x", Shown::Log(&["VK_DEVICE_LAYERS", "no effect"])),
    (variables::VK_LOADER_DEVICE_SELECT, "9:9", Shown::Says("devices", "nine,one")),
    (variables::VK_LOADER_DISABLE_SELECT, "1", Shown::Says("devices", "nine,one")),
    (variables::VK_LOADER_DISABLE_INST_EXT_FILTER, "1", Shown::NotIgnored),
    (variables::VK_LOADER_DEBUG, "all", Shown::Log(&["[Vulkan Loader]", "DEBUG"])),
    (variables::VK_LOADER_X_QUIET, "1", Shown::Silence),
    (variables::VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING, "1", Shown::Says("stays", "true")),
];

#[test]
fn every_variable_has_a_case() {
    for variable in variables::ALL {
        assert_eq!(CASES.iter().filter(|case| case.0 == *variable).count(), 1, "{:?}", variable.name);
    }
}

#[test]
fn every_variable_is_honoured_otherwise() {
    for case in CASES {
        let run = scenario(case).run(body);
        assert_eq!(run.ok().said("elevated"), "0");
        assert!(honoured(case, &run), "{:?} is not honoured: {run:#?}", case.0);
        if case.0 == variables::HOME {
            assert!(run.loaded("settings"), "the settings file in the user's folder counts");
        }
    }
}

#[test]
fn ldp_loader_13_set_user_id_programs_follow_the_table() {
    everything_as_the_table_says(Elevation::SetUser);
}

#[test]
fn ldp_loader_13_set_group_id_programs_follow_the_table() {
    everything_as_the_table_says(Elevation::SetGroup);
}

#[test]
fn ldp_loader_13_programs_with_file_capabilities_follow_the_table() {
    everything_as_the_table_says(Elevation::Capabilities);
}

fn everything_as_the_table_says(elevation: Elevation) {
    let place = Sandbox::new();
    let Some((program, user)) = program(&place, elevation) else { return };
    // The checkout may be closed to others.
    let library = place.path("libvulkan.so.1");
    fs::copy(library_under_test(), &library).unwrap();
    for case in CASES {
        let scenario = scenario(case).executable(program.clone()).library(&library);
        let scenario = if let Some(user) = user { reachable(scenario, user) } else { scenario };
        let run = scenario.run(body);
        if run.ok().said("elevated") == "0" {
            eprintln!("skipped: the file system of {} does not give rights to programs", program.display());
            return;
        }
        let name = case.0.name.to_str().unwrap();
        let secure = case.0.reader == Reader::Secure;
        assert_eq!(honoured(case, &run), !secure, "{name}, {elevation:?}: {run:#?}");
        if secure && name.starts_with("VK_") && !name.ends_with("_ID_FILTER") {
            run.logs(&[&format!("{name} is ignored because this process is elevated")]);
        }
        for (_, _, shown) in CASES {
            if let Shown::Driver(driver) = shown {
                assert!(!run.loaded(driver), "{driver} of the user is used: {name}, {elevation:?}");
            }
        }
        assert!(!run.loaded("settings"), "the user's settings file is used: {name}, {elevation:?}");
        assert!(!run.said("layers").contains("VK_LAYER_TEST"), "{name}, {elevation:?}: {run:#?}");
    }
}

/// Returns whether the run shows that the variable was honoured.
fn honoured((variable, _, shown): &Case, run: &Run) -> bool {
    let logs = |words: &[&str]| run.stderr.lines().any(|line| words.iter().all(|word| line.contains(word)));
    match shown {
        Shown::Driver(name) => run.loaded(name),
        Shown::Layer(name) => run.list("layers").contains(name),
        Shown::NotIgnored => !logs(&[variable.name.to_str().unwrap(), "is ignored"]),
        Shown::Log(words) => logs(words),
        Shown::Says(key, value) => run.said(key) == *value,
        Shown::Silence => !run.stderr.contains("wants only the drivers that it gave"),
    }
}

/// Returns a machine for the case. The driver `direct` is the program's own. Each of the others, and each layer, is in one variable's
/// folder; the last one is named by the user's settings file.
fn scenario((variable, value, _): &Case) -> Scenario {
    let direct = Driver::new("direct")
        .folder("nowhere")
        .interface(7)
        .device(Device::new("nine").id(9, 9).kind(vk::PhysicalDeviceType::CPU))
        .device(Device::new("one").id(1, 1).kind(vk::PhysicalDeviceType::DISCRETE_GPU));
    let folders = [
        ("files", "files"),
        ("icd", "icd"),
        ("added", "added"),
        ("config-home", "config-home/vulkan/icd.d"),
        ("config", "config/vulkan/icd.d"),
        ("data-home", "data-home/vulkan/icd.d"),
        ("data", "data/vulkan/icd.d"),
        ("home", "home/.local/share/vulkan/icd.d"),
    ];
    let with_driver = |scenario: Scenario, (name, folder): (&str, &str)| {
        scenario.driver(Driver::new(name).folder(folder).device(Device::new(name)))
    };
    let with_layer = |scenario: Scenario, folder: &str| {
        let layer = Layer::new(&format!("VK_LAYER_TEST_{folder}")).folder(folder);
        scenario.layer(if ["implicit", "also"].contains(&folder) { layer.implicit() } else { layer })
    };
    let scenario = folders.into_iter().fold(Scenario::new().driver(direct), with_driver);
    let scenario = ["layers", "more", "implicit", "also"].into_iter().fold(scenario, with_layer);
    let settings = format!(
        r#"{{"file_format_version": "1.0.0", "settings": {{"additional_drivers": [{{"path": "{}"}}]}}}}"#,
        scenario.sandbox().path("elsewhere/settings.json").display()
    );
    let scenario = scenario
        .driver(Driver::new("settings").folder("elsewhere").device(Device::new("settings")))
        .file("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", settings);
    let quiet = *variable == variables::VK_LOADER_X_QUIET || *variable == variables::VK_LOADER_DEBUG;
    let scenario = if quiet { scenario } else { scenario.log() };
    // Mesa's layer, which elevated programs find, has an order of its own.
    scenario.env("NODEVICE_SELECT", "1").env(variable.name.to_str().unwrap(), value)
}

/// Lets another user into the scenario's folder.
fn reachable(scenario: Scenario, user: u32) -> Scenario {
    scenario
        .with(|sandbox| {
            for folder in ["", "out", "lib"] {
                chown(sandbox.path(folder), Some(user), Some(user)).unwrap();
            }
        })
        .user(user)
}

// ---- the program ----

fn body(vk: &Vk) {
    // SAFETY: AT_SECURE is a number that the kernel gives to each process.
    vk.say("elevated", unsafe { libc::getauxval(libc::AT_SECURE) });
    let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
    let name =
        |layer: &vk::LayerProperties| layer.layer_name_as_c_str().unwrap().to_string_lossy().into_owned();
    vk.say("layers", layers.iter().map(name).collect::<Vec<_>>().join(","));
    _ = unsafe { vk.entry.enumerate_instance_extension_properties(None) };
    direct(vk);
    let ours = |line: &str| line.contains("/libdata.so") || line.contains("/libvulkan_lvp.so");
    vk.close_all();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    vk.say("stays", maps.lines().any(ours));
}

/// Creates instances of a driver that the program provides, since not every case has another one.
fn direct(vk: &Vk) {
    let path = std::ffi::CString::new(vk.path("lib/libdirect.so").to_str().unwrap()).unwrap();
    // SAFETY: a test driver has such a function, and its library stays open.
    let look_up: vk::PFN_vkGetInstanceProcAddrLUNARG = unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null());
        std::mem::transmute(libc::dlsym(library, c"vk_icdGetInstanceProcAddr".as_ptr()))
    };
    let drivers = [vk::DirectDriverLoadingInfoLUNARG::default().pfn_get_instance_proc_addr(look_up)];
    let list = vk::DirectDriverLoadingListLUNARG::default()
        .mode(vk::DirectDriverLoadingModeLUNARG::EXCLUSIVE)
        .drivers(&drivers);
    let ask = || Ask::new().api(1, 1).extension("VK_LUNARG_direct_driver_loading").next(&list);
    vk.say("devices", vk.create(&ask()).unwrap().names().join(","));
    let none = vk::DirectDriverLoadingListLUNARG::default().mode(list.mode);
    let ask = Ask::new().extension("VK_LUNARG_direct_driver_loading").next(&none);
    assert_eq!(vk.create(&ask).err(), Some(vk::Result::ERROR_INCOMPATIBLE_DRIVER));
}

/// Returns a copy of this executable that runs with more rights than its user, and the user who has to start it.
fn program(place: &Sandbox, elevation: Elevation) -> Option<(PathBuf, Option<u32>)> {
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("skipped: only root can make such a program");
        return None;
    }
    let path = place.path("program");
    // Not copied by this process: a file that some thread has open for writing cannot be started, and a child that another
    // thread starts meanwhile keeps it open a little longer.
    run(Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&path));
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    match elevation {
        Elevation::SetUser => mode(0o4755),
        Elevation::SetGroup => {
            chown(&path, None, Some(NOBODY)).unwrap();
            mode(0o2755);
            return Some((path, None));
        }
        Elevation::Capabilities => {
            mode(0o755);
            if !in_path("setcap") {
                let complete = std::env::var_os("VKLOAD_TESTS_COMPLETE").is_some_and(|value| value == "1");
                assert!(!complete, "missing: setcap");
                eprintln!("skipped: missing setcap (Debian's libcap2-bin)");
                return None;
            }
            if !Command::new("setcap").arg("cap_net_raw+ep").arg(&path).status().unwrap().success() {
                eprintln!("skipped: the file system of {} takes no capabilities", path.display());
                return None;
            }
        }
    }
    // Folders above may be closed to others.
    let started = Command::new(&path).uid(NOBODY).gid(NOBODY).arg("--list").output();
    if started.is_err() {
        eprintln!("skipped: another user may not reach {}", path.display());
        return None;
    }
    Some((path, Some(NOBODY)))
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

fn in_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .chain([Path::new("/usr/sbin").into()])
        .any(|folder| folder.join(program).exists())
}
