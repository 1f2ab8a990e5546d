//! Android's `libvulkan.so` itself, in a process of this machine, on libraries with the names and
//! symbol versions of Android's, which forward to this machine's. The libraries under test are
//! those that `cargo xtask android-abi` has built for devices, byte for byte.
//!
//! Another processor is emulated if `VKLOAD_TEST_CC` names its C compiler, `VKLOAD_TEST_RUNNER` is
//! the command line of the emulator, and `VKLOAD_TEST_DRIVER` is the null driver for it (`tests/run.sh
//! arches`). That processor is a 64-bit Arm. With `VKLOAD_TEST_PADS` the libraries come
//! from `cargo xtask landing-pads`; the emulator then enforces landing pads.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use android_simulation::{Packed, null_driver, package};
use tempfile::TempDir;
use vkload_tests::artifact;

#[path = "library/pads.rs"]
mod pads;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library");
const MODULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules");

/// The system's libraries: the source, and the symbol version of its functions, if any.
const SYSTEM: &[(&str, &str)] = &[("libc", "LIBC"), ("libdl", "LIBC"), ("liblog", "LIBLOG")];
/// Libraries that the loader opens only when needed.
const LATE: &[&str] = &["libcutils", "libdl_android", "libvndksupport"];

const VENDOR: &str = "vendor/lib64/hw/vulkan.null.so";
const DEBUG_FOLDER: &str = "data/local/debug/vulkan";
/// The folder in which the library of the newest Android is built.
const NEWEST: &str = "android/levels/37";
const DRAWN: &str = "devices: 1\nwords: 1234abcd 1234abcd\ndone\n";

/// Returns the processor's name for the compiler, and for Android.
fn processor() -> (&'static str, &'static str) {
    match env::var_os("VKLOAD_TEST_RUNNER") {
        Some(_) => ("aarch64-linux-android", "arm64-v8a"),
        None => ("x86_64-linux-android", "x86_64"),
    }
}

fn has_pads() -> bool {
    env::var_os("VKLOAD_TEST_PADS").is_some()
}

fn library(name: &str) -> Option<PathBuf> {
    let folder = if has_pads() { "landing-pads" } else { "android" };
    built(&format!("{folder}/{}/{name}", processor().1))
}

/// Returns a build's output, by its path in cargo's output folder.
fn built(path: &str) -> Option<PathBuf> {
    artifact(path, if has_pads() { "cargo xtask landing-pads" } else { "cargo xtask android-abi" })
}

struct System {
    folder: TempDir,
}

impl System {
    /// Creates a system with the loader's library, an application, and no driver.
    fn new() -> Option<Self> {
        Self::of(if has_pads() { "landing-pads" } else { "android" })
    }

    /// Returns a system with the loader's library in this folder of the build.
    fn of(folder: &str) -> Option<Self> {
        let library = built(&format!("{folder}/{}/libvulkan.so", processor().1))?;
        let system = Self { folder: tempfile::tempdir().unwrap() };
        for (name, version) in SYSTEM {
            let script = system.file(&format!("{name}.map"), format!("{version} {{}};\n"));
            let script = format!("-Wl,--version-script={}", script.display());
            system.compile(&format!("system/lib64/{name}.so"), &format!("{SOURCES}/{name}.c"), &[&script]);
        }
        for name in LATE {
            system.compile(&format!("system/lib64/{name}.so"), &format!("{SOURCES}/{name}.c"), &[]);
        }
        fs::copy(library, system.path("system/lib64/libvulkan.so")).unwrap();
        let status = compiler("cc")
            .arg(format!("{SOURCES}/program.c"))
            .args(["-idirafter", "/usr/include", "-o"])
            .arg(system.path("program"))
            .status();
        assert!(status.unwrap().success());
        Some(system)
    }

    /// Returns a system with the null driver, which properties name.
    fn with_driver() -> Option<Self> {
        Self::new()?.driven()
    }

    /// Returns a system with the null driver and the library of the newest Android.
    fn newest() -> Option<Self> {
        Self::of(NEWEST)?.driven()
    }

    fn driven(self) -> Option<Self> {
        let driver = env::var_os("VKLOAD_TEST_DRIVER").map_or_else(null_driver, PathBuf::from);
        self.file(VENDOR, "");
        fs::copy(driver, self.path(VENDOR)).unwrap();
        self.set(&["ro.hardware.vulkan=null"]);
        Some(self)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn set(&self, properties: &[&str]) {
        self.file("properties", properties.join("\n"));
    }

    fn compile(&self, name: &str, source: &str, options: &[&str]) {
        let library = self.file(name, "");
        let soname = format!("-Wl,-soname,{}", library.file_name().unwrap().display());
        let status = compiler("cc")
            .args([
                "-shared",
                "-fPIC",
                "-O1",
                "-fno-builtin",
                "-Wall",
                "-Werror",
                "-idirafter",
                "/usr/include",
            ])
            .args([source, &soname, "-o"])
            .arg(&library)
            .args(options)
            .status();
        assert!(status.expect("a C compiler (package gcc)").success(), "{source}");
    }

    /// Adds a layer, which records its calls in the file `trace`.
    fn layer(&self, name: &str, layer: &str) {
        let trace = format!("-DTRACE=\"{}\"", self.path("trace").display());
        self.compile(
            name,
            &format!("{MODULES}/layer.c"),
            &[&format!("-DLAYER_0={layer}"), &trace, "-fvisibility=hidden"],
        );
    }

    /// Returns the content of a file that the system writes.
    fn said(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Runs the application with this command line; it enables these layers.
    fn run(&self, runner: &[&str], layers: &[&str]) -> Output {
        self.command(runner).args(layers).output().unwrap()
    }

    /// Returns the application, to be run with this command line.
    fn command(&self, runner: &[&str]) -> Command {
        let variable = format!("LD_LIBRARY_PATH={}", self.path("system/lib64").display());
        let emulator = env::var("VKLOAD_TEST_RUNNER");
        let mut words = vec!["env"];
        match &emulator {
            // The emulator is a program of this machine with its own libraries.
            Ok(emulator) => words.extend(emulator.split_whitespace().chain(["-E", &variable])),
            Err(_) => words.push(&variable),
        }
        words.extend(runner);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(self.path("program")).env("ANDROID_HERE", self.folder.path());
        command
    }

    /// Returns the output of the application, which must succeed.
    fn output(&self, layers: &[&str]) -> String {
        said_by(&self.run(&[], layers))
    }
}

fn said_by(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compiler(usual: &str) -> Command {
    Command::new(env::var("VKLOAD_TEST_CC").unwrap_or_else(|_| usual.to_owned()))
}

#[test]
fn the_library_itself_draws_through_a_layer_and_a_hal_module() {
    let Some(system) = System::with_driver() else { return };
    system.layer(&format!("{DEBUG_FOLDER}/libVkLayer_debug.so"), "VK_LAYER_debug");
    system.layer(&format!("{DEBUG_FOLDER}/libVkLayer_own.so"), "VK_LAYER_own");
    system.set(&["ro.hardware.vulkan=null", "debug.vulkan.layers=VK_LAYER_debug"]);
    let said = system.output(&["VK_LAYER_own"]);
    // Layers are listed in the order in which the folder lists their libraries.
    assert_eq!(said.matches("layer: VK_LAYER_").count(), 2, "{said}");
    assert!(said.ends_with(DRAWN), "{said}");
    let trace = system.said("trace");
    let created: Vec<_> = trace.lines().filter(|line| line.ends_with(" vkCreateDevice")).collect();
    assert_eq!(created, ["VK_LAYER_debug vkCreateDevice", "VK_LAYER_own vkCreateDevice"]);
    assert!(!system.said("log").contains("E vulkan"), "{}", system.said("log"));
}

#[test]
fn the_built_library_has_instances_without_devices_if_no_driver_exists() {
    let Some(system) = System::new() else { return };
    system.set(&["ro.board.platform=missing"]);
    assert_eq!(system.output(&[]), "version: 1.4\ndevices: 0\ndone\n");
    let log = system.said("log");
    assert!(log.starts_with("W vulkan: ") && log.contains("vulkan.missing.so"), "{log}");
}

#[test]
fn the_built_library_reports_a_faulty_driver() {
    let Some(system) = System::new() else { return };
    system.file("empty.c", "");
    system.compile(VENDOR, system.path("empty.c").to_str().unwrap(), &[]);
    system.set(&["ro.hardware.vulkan=null"]);
    assert_eq!(system.output(&[]), "version: 1.4\ndevices: 0\ndone\n");
    let log = system.said("log");
    assert!(log.contains("E vulkan: ") && log.contains("vulkan.null.so") && log.contains("HMI"), "{log}");
}

/// Crash reporters inside a process, and exceptions, find their way as `_Unwind_Backtrace` does.
#[test]
fn a_backtrace_from_a_driver_goes_through_the_library_to_the_program() {
    let Some(system) = System::new() else { return };
    let trace = format!("-DTRACE=\"{}\"", system.path("trace").display());
    system.compile(VENDOR, &format!("{SOURCES}/backtrace.c"), &[&trace]);
    system.set(&["ro.hardware.vulkan=null"]);
    let _ = system.output(&[]);
    let frames = system.said("trace");
    let position = |name: &str| frames.lines().position(|frame| frame.ends_with(name));
    let (library, program) = (position("/libvulkan.so"), position("/program"));
    assert!(library.is_some() && program > library, "{frames}");
}

#[test]
fn the_library_itself_asks_libhardware_where_properties_name_nothing() {
    let Some(system) = System::with_driver() else { return };
    system.compile("system/lib64/libhardware.so", &format!("{SOURCES}/libhardware.c"), &[]);
    fs::rename(system.path(VENDOR), system.path("vendor/lib64/hw/vulkan.default.so")).unwrap();
    system.set(&[]);
    assert_eq!(system.output(&[]), format!("version: 1.4\n{DRAWN}"));
}

#[test]
fn the_library_itself_opens_the_driver_of_an_apex_in_its_namespace() {
    let Some(system) = System::with_driver() else { return };
    fs::create_dir_all(system.path("apex/com.vendor.vulkan/lib64")).unwrap();
    fs::rename(system.path(VENDOR), system.path("apex/com.vendor.vulkan/lib64/vulkan.null.so")).unwrap();
    system.set(&["ro.hardware.vulkan=null", "ro.vulkan.apex=com.vendor.vulkan"]);
    assert_eq!(system.output(&[]), format!("version: 1.4\n{DRAWN}"));
    assert!(system.said("opened").contains("/apex/com.vendor.vulkan/lib64/vulkan.null.so\n"));
}

#[test]
fn the_library_itself_is_of_its_level() {
    for (folder, listed) in [("android", false), (NEWEST, true)] {
        let Some(system) = System::of(folder).and_then(System::driven) else { return };
        let output = system.command(&[]).env("EXTENSIONS", "1").output().unwrap();
        let said = said_by(&output);
        assert!(said.contains("extension: VK_EXT_surface_maintenance1\n"), "{said}");
        assert_eq!(said.contains("extension: VK_KHR_surface_maintenance1\n"), listed, "{folder}: {said}");
        assert!(said.ends_with(DRAWN), "{said}");
    }
}

#[test]
fn the_library_itself_reads_long_properties_whole() {
    let Some(system) = System::newest() else { return };
    system.layer("system/lib64/vulkan/libVkLayer_p.so", "VK_LAYER_p");
    let list = format!("ro.vulkan.layers.platform={}.so:libVkLayer_p.so", "x".repeat(92));
    system.set(&["ro.hardware.vulkan=null", &list]);
    assert!(system.output(&[]).ends_with(DRAWN));
    assert!(system.said("trace").contains("VK_LAYER_p vkCreateDevice\n"), "{}", system.said("log"));
}

#[test]
fn the_library_itself_names_a_layer_that_is_missing() {
    let Some(system) = System::with_driver() else { return };
    let said = system.output(&["VK_LAYER_missing"]);
    assert_eq!(said, "version: 1.4\ninstance: -6\n");
    assert!(system.said("log").contains("VK_LAYER_missing"), "{}", system.said("log"));
}

#[test]
fn valgrind_finds_nothing_in_the_library_itself() {
    let Some(system) = System::with_driver() else { return };
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: no valgrind");
        return;
    }
    system.layer(&format!("{DEBUG_FOLDER}/libVkLayer_own.so"), "VK_LAYER_own");
    let checker = [
        "valgrind",
        "--quiet",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
        "--error-exitcode=9",
    ];
    let output = system.run(&checker, &["VK_LAYER_own"]);
    assert!(said_by(&output).ends_with(DRAWN), "{output:?}");
}

#[test]
fn the_library_itself_opens_a_driver_in_a_namespace_of_its_own() {
    let Some(system) = System::new() else { return };
    let Some(library) = library("libvkload.so") else { return };
    fs::copy(library, system.path("system/lib64/libvkload.so")).unwrap();
    let driver = "/data/app/game/lib/libdriver.so";
    system.file(&driver[1..], "");
    let module = env::var_os("VKLOAD_TEST_DRIVER").map_or_else(null_driver, PathBuf::from);
    fs::copy(module, system.path(&driver[1..])).unwrap();
    let options = format!(r#"{{"driver": {{"library": "{driver}"}}}}"#);
    let run = |variables: &[(&str, &str)]| {
        let mut command = system.command(&[]);
        said_by(&command.env("OPTIONS", &options).envs(variables.iter().copied()).output().unwrap())
    };
    let asked =
        "namespace vkload-driver /data/app/game/lib /data/app/game/lib 2 /data/app/game/lib of the caller\n";

    let said = run(&[("NAMESPACES", "1")]);
    assert!(said.contains(DRAWN), "{said}");
    assert!(said.contains(&format!("{driver}: in a linker namespace of its own\n")), "{said}");
    assert!(system.said("opened").contains(asked), "{}", system.said("opened"));

    let elsewhere = format!("{driver}: in the application's linker namespace: ");
    let said = run(&[]);
    assert!(said.contains(DRAWN) && said.contains(&elsewhere), "{said}");

    fs::remove_file(system.path("system/lib64/libdl_android.so")).unwrap();
    let said = run(&[("NAMESPACES", "1")]);
    let why = "this system lets no application make one (there is no android_create_namespace)";
    assert!(said.contains(DRAWN) && said.contains(&format!("{elsewhere}{why}\n")), "{said}");
}

#[test]
fn layers_beside_the_loader_are_found_and_loaded_once() {
    let Some(system) = System::with_driver() else { return };
    let Some(library) = library("libvkload.so") else { return };
    fs::copy(library, system.path("system/lib64/libvkload.so")).unwrap();
    system.layer("system/lib64/libVkLayer_beside.so", "VK_LAYER_beside");
    for is_below in [false, true] {
        if is_below {
            system.layer(&format!("{DEBUG_FOLDER}/libVkLayer_beside.so"), "VK_LAYER_beside");
            system.set(&["ro.hardware.vulkan=null", "debug.vulkan.layers=VK_LAYER_beside"]);
        }
        system.file("trace", "");
        let mut command = system.command(&[]);
        let said = said_by(&command.env("OPTIONS", r#"{"layers": ["VK_LAYER_beside"]}"#).output().unwrap());
        assert!(said.contains(DRAWN), "{said}");
        assert_eq!(system.said("trace").matches("VK_LAYER_beside vkCreateDevice").count(), 1);
        let log = system.said("log");
        assert_eq!(log.contains("VK_LAYER_beside is active in the loader below"), is_below, "{log}");
    }
}

#[test]
fn the_library_itself_has_slices_if_the_system_records_graphics() {
    let Some(system) = System::with_driver() else { return };
    let draws = |recorded: &str| {
        let output = system.command(&[]).env("RECORDED", recorded).output();
        said_by(&output.expect("it runs")).contains(DRAWN)
    };
    // Graphics are the second bit.
    for (recorded, expected) in [
        (
            "0x7",
            "Open\n LoadDriver\n hwvulkan module open\nDiscoverLayers\ndriver.CreateInstance\n\
             EnumeratePhysicalDevices\ndriver.CreateDevice\n",
        ),
        ("0x5", ""),
    ] {
        system.file("slices", "");
        assert!(draws(recorded));
        assert_eq!(system.said("slices"), expected, "{recorded}");
    }
    // Without that library nothing is recorded.
    fs::remove_file(system.path("system/lib64/libcutils.so")).unwrap();
    assert!(draws("0x7"));
    assert_eq!(system.said("slices"), "");
}

/// A driver finds the stand-ins by the names of the system's libraries.
#[test]
fn a_driver_uses_the_stand_ins_for_libraries_that_applications_cannot_open() {
    let Some(system) = System::new() else { return };
    let mut opened = Vec::new();
    for name in ["cutils", "hardware", "sync"] {
        let file = format!("libvkload_{name}.so");
        let Some(built) = library(&file) else { return };
        fs::copy(built, system.path("system/lib64").join(&file)).unwrap();
        opened.push(file);
    }
    let source = format!("{SOURCES}/stand_ins.c");
    let linked: Vec<_> =
        opened.iter().map(|file| system.path("system/lib64").join(file).display().to_string()).collect();
    let mut options = vec!["-DDRIVER", "-Wl,--no-as-needed"];
    options.extend(linked.iter().map(String::as_str));
    system.compile("system/lib64/libvulkan_freedreno.so", &source, &options);
    let status = compiler("cc").args([&source, "-o"]).arg(system.path("program")).status();
    assert!(status.unwrap().success());
    opened.push("libvulkan_freedreno.so".into());
    let set = ["set=value", "yes=yes", "off=off", "least=-9223372036854775808", "octal=-010"];
    system.set(&[&set[..], &["larger=9223372036854775808", ""]].concat());
    let files: Vec<_> = opened.iter().map(String::as_str).collect();
    assert_eq!(
        system.output(&files),
        "get: 5 value, 5 other, 0, 91\nset: 0 31\nbool: 1 0 7\nint: -9223372036854775808 -8 -7 5 6\ntrace: 0\n\
         module: ENOENT NULL\nwait: -1 ETIME, 0, -1 EINVAL\nmerge: 0 -1\ninfo: 1 2 101 1\n"
    );
    // Without them it does not open.
    let output = system.run(&[], &["libvulkan_freedreno.so"]);
    assert!(!output.status.success(), "{output:?}");
}

/// Links the library as a system tree does: with the framework's functions.
fn link_with_framework(system: &System, definitions: &[&str]) -> Option<()> {
    let target = processor().0;
    let archive = built(&format!("{target}/release/libvulkan_android.a"))?;
    let stand_ins = built(&format!("{target}/stand-ins/libc.so"))?.with_file_name("");
    let exports = built("android/symbols/x86_64/libvulkan.map")?;
    let aosp = Path::new(env!("CARGO_MANIFEST_DIR")).join("../aosp/graphics_env.cpp");
    let framework = system.path("system/lib64/libgraphicsenv.so");
    let cpp = |output: &Path, source: &Path| {
        let mut compiler = Command::new("c++");
        compiler.args(["-shared", "-fPIC", "-O2", "-std=c++17", "-Wall", "-Werror", "-I", SOURCES, "-o"]);
        compiler.args([output, source]).args(definitions);
        compiler
    };
    let source = Path::new(SOURCES).join("libgraphicsenv.cpp");
    let made = cpp(&framework, &source).arg("-Wl,-soname,libgraphicsenv.so").status();
    assert!(made.expect("a C++ compiler (package g++)").success());
    let mut link = cpp(&system.path("system/lib64/libvulkan.so"), &aosp);
    link.args(["-nostdlib", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"])
        .arg(archive)
        .arg(framework);
    link.args(["libc.so", "libdl.so", "liblog.so"].map(|name| stand_ins.join(name)));
    link.args(["-Wl,-zdefs,-znow,-Bsymbolic-functions,--gc-sections,--undefined=vkGetInstanceProcAddr,-soname,libvulkan.so"]);
    let status = link.arg(format!("-Wl,--version-script={}", exports.display())).status();
    assert!(status.unwrap().success());
    Some(())
}

#[test]
fn the_library_of_a_system_tree_has_layers_of_packages_and_counts() {
    let Some(system) = System::with_driver() else { return };
    let Some(()) = link_with_framework(&system, &[]) else { return };
    system.layer("made.so", "VK_LAYER_packed");
    let packed = fs::read(system.path("made.so")).unwrap();
    let files = [Packed::stored("lib/x86_64/libVkLayer_packed.so", &packed, 4096)];
    system.file("data/app/game/base.apk", package(&files));
    let output =
        system.run(&["LAYER_PATHS=/data/app/game/base.apk!/lib/x86_64", "DEBUG_LAYERS=VK_LAYER_packed"], &[]);
    assert_eq!(said_by(&output), format!("version: 1.4\nlayer: VK_LAYER_packed\n{DRAWN}"));
    assert!(system.said("opened").contains("/data/app/game/base.apk!/lib/x86_64/libVkLayer_packed.so\n"));
    assert!(system.said("trace").contains("VK_LAYER_packed vkCreateDevice\n"));
    assert_eq!(
        system.said("counted"),
        "driver to load\ndriver loaded\nversion 1024\nengine of the program\ninstance:\ndevice\ndevice:\n"
    );
}

#[test]
fn the_library_of_an_older_system_tree_counts_no_engines() {
    let Some(system) = System::with_driver() else { return };
    let Some(()) = link_with_framework(&system, &["-DBEFORE_ANDROID_15"]) else { return };
    assert!(said_by(&system.run(&[], &[])).contains(DRAWN));
    let counted = system.said("counted");
    assert!(counted.contains("version 1024\ninstance:\n") && !counted.contains("engine"), "{counted}");
}

#[test]
fn the_library_of_a_system_tree_reaches_layers_through_namespace_and_bridge() {
    let Some(system) = System::with_driver() else { return };
    let Some(()) = link_with_framework(&system, &[]) else { return };
    let linker = system.path("system/lib64/libdl.so");
    let linker = [linker.to_str().unwrap()];
    system.compile("system/lib64/libnativeloader.so", &format!("{SOURCES}/libnativeloader.c"), &linker);
    system.compile("system/lib64/libnativebridge.so", &format!("{SOURCES}/libnativebridge.c"), &[]);
    system.layer("data/app/game/lib/libVkLayer_own.so", "VK_LAYER_own");
    let output = system.run(&["LAYER_PATHS=/data/app/game/lib", "HAS_NAMESPACE=1"], &["VK_LAYER_own"]);
    assert_eq!(said_by(&output), format!("version: 1.4\nlayer: VK_LAYER_own\n{DRAWN}"));
    assert!(system.said("bridged").contains("vkEnumerateInstanceLayerProperties\n"));
    assert!(system.said("opened").contains("libnativeloader.so\n/data/app/game/lib/libVkLayer_own.so\n"));
}
