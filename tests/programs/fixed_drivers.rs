//! The library whose drivers were chosen when it was built (`cargo xtask build --fixed-drivers LIST`).
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use vkload_tests::artifact;
use vkload_tests::programs::{CProgram, Library, Machine, Need, compile_null_driver, lavapipe, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Compiler, Need::Lavapipe];

/// The driver paths built into the library.
const LIST: &str = concat!(
    env!("CARGO_TARGET_TMPDIR"),
    "/libnull1.so:",
    env!("CARGO_TARGET_TMPDIR"),
    "/libnull2.so:",
    env!("CARGO_TARGET_TMPDIR"),
    "/libabsent.so"
);

const FIRST_DRIVER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/libnull1.so");

/// Returns the library with its drivers, and the drivers.
fn fixed() -> Option<PathBuf> {
    static DRIVERS: LazyLock<()> = LazyLock::new(|| {
        for devices in [1, 2] {
            for (name, kind) in [("null", "OTHER"), ("soft", "CPU")] {
                let library = format!("{}/lib{name}{devices}.so", env!("CARGO_TARGET_TMPDIR"));
                let options =
                    [format!("-DDEVICES={devices}"), format!("-DTYPE=VK_PHYSICAL_DEVICE_TYPE_{kind}")];
                compile_null_driver(Path::new(&library), &options.each_ref().map(|option| &**option));
            }
        }
    });
    LazyLock::force(&DRIVERS);
    let command = format!("VKLOAD_REFUSE_SOFTWARE_DEVICES=1 cargo xtask build --fixed-drivers {LIST}");
    artifact("fixed-drivers/release/libvulkan.so.1", &command)
}

/// Returns a machine that would offer much to a loader that looks around, and the program that lists devices.
fn machine_with_drivers() -> Option<(Machine, Library, CProgram)> {
    let machine = Machine::with_default_search();
    let library = Library::at(&fixed()?);
    let program = CProgram::compile("enumerate", &library, &[]);
    Some((machine, library, program))
}

fn with_every_variable(command: &mut Command) -> &mut Command {
    let manifest = lavapipe();
    command
        .env("VK_DRIVER_FILES", &manifest)
        .env("VK_ADD_DRIVER_FILES", &manifest)
        .env("VK_LOADER_DRIVERS_DISABLE", "*")
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LOADER_LAYERS_ENABLE", "*")
        .env("VK_LOADER_DISABLE_SELECT", "1")
        .env("VK_LOADER_DEBUG", "all")
}

#[test]
fn only_the_drivers_of_the_list_are_used_whatever_the_environment_says() {
    skip_unless!(NEEDS);
    let Some((machine, library, program)) = machine_with_drivers() else { return };
    let output = run(with_every_variable(&mut program.command(&machine, &library)));
    assert_eq!(output.stderr.lines().count(), 1, "VK_LOADER_DEBUG is a variable, too: {}", output.stderr);
    assert!(
        output.stderr.contains("libabsent.so: ") && output.stderr.contains("cannot open"),
        "{}",
        output.stderr
    );
    let said = output.success();
    assert_eq!(said.matches("device null driver").count(), 3, "{said}");
    assert!(!said.contains("llvmpipe"), "{said}");
    assert!(!said.contains("VK_LAYER"), "{said}");
}

/// Both libraries of an install tree: the program is linked with each.
#[test]
fn an_install_tree_with_fixed_drivers_has_a_shared_and_a_static_library() {
    skip_unless!(NEEDS);
    skip_unless!(&[Need::Program("strace")]);
    let command = format!(
        "VKLOAD_REFUSE_SOFTWARE_DEVICES=1 packaging/install.sh --fixed-drivers {LIST} --destdir target/trees/fixed"
    );
    let Some(tree) = artifact("trees/fixed", &command) else { return };
    let libraries = tree.join("usr/local/lib");
    assert!(!tree.join("usr/local/bin").exists(), "the tool would judge manifests that this library ignores");

    let Some((machine, library, _)) = machine_with_drivers() else { return };
    for linked in ["-l:libvulkan.so.1", "-l:libvkload.a"] {
        let program = machine.work().join(&linked[2..]);
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-D_GNU_SOURCE", "-o"]).arg(&program);
        compiler
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/c/enumerate.c"))
            .arg("-L")
            .arg(&libraries);
        let _ = run(compiler.args([linked, "-ldl", "-lpthread"])).success();
        let log = machine.work().join("calls");
        let mut strace = machine.command(&library, "strace");
        strace.args(["--trace=file", "--output"]).arg(&log).arg(&program).env("LD_LIBRARY_PATH", &libraries);
        let output = run(with_every_variable(&mut strace));
        assert_eq!(output.stderr.lines().count(), 1, "{linked}: VK_LOADER_DEBUG is a variable, too");
        let said = output.success();
        assert_eq!(said.matches("device null driver").count(), 3, "{linked}: {said}");
        assert!(!said.contains("llvmpipe") && !said.contains("VK_LAYER"), "{linked}: {said}");
        let calls = fs::read_to_string(&log).expect("the calls");
        assert!(calls.contains(FIRST_DRIVER), "{linked}: {calls}");
        assert!(!calls.contains(".json") && !calls.contains("O_DIRECTORY"), "{linked}: {calls}");
    }
}

#[test]
fn without_a_driver_the_reason_names_the_list() {
    skip_unless!(NEEDS);
    skip_unless!(&[Need::Program("vulkaninfo")]);
    let Some(fixed) = fixed() else { return };
    let machine = Machine::with_default_search();
    let library = machine.work().join("libvulkan.so.1");
    fs::write(&library, renamed(&fs::read(fixed).expect("the library"), b"libnull", b"libnone"))
        .expect("a copy");
    let library = Library::at(&library);
    let mut program = machine.command(&library, "vulkaninfo");
    let output = run(with_every_variable(&mut program));
    assert!(!output.status.success());
    let expected = format!("{}: the library does not open", FIRST_DRIVER.replace("libnull", "libnone"));
    assert!(output.stderr.contains(&expected), "{}", output.stderr);
}

#[test]
fn a_build_may_refuse_software_devices() {
    skip_unless!(NEEDS);
    let Some((machine, fixed, program)) = machine_with_drivers() else { return };
    let bytes = fs::read(fixed.file()).expect("the library");
    let run_with = |from, to| {
        let copy = machine.work().join("libvulkan.so.1");
        fs::write(&copy, renamed(&bytes, from, to)).expect("a copy");
        run(&mut program.command(&machine, &Library::at(&copy)))
    };
    let said = run_with(b"libnull1", b"libsoft1").success();
    assert_eq!(said.matches("device null driver").count(), 2, "{said}");
    let output = run_with(b"libnull", b"libsoft");
    assert!(!output.status.success() && output.stderr.contains("not software"), "{}", output.stderr);
}

/// Returns the library with other paths of drivers.
fn renamed(library: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut changed = library.to_vec();
    for at in 0..library.len() {
        if library[at..].starts_with(from) {
            changed[at..at + to.len()].copy_from_slice(to);
        }
    }
    changed
}

#[test]
fn no_folder_is_opened_and_no_file_looked_for() {
    skip_unless!(NEEDS);
    skip_unless!(&[Need::Program("strace")]);
    let Some((machine, library, program)) = machine_with_drivers() else { return };
    let log = machine.work().join("calls");
    let mut strace = machine.command(&library, "strace");
    strace.args(["--trace=file", "--output"]).arg(&log).arg(program.path());
    let _ = run(with_every_variable(&mut strace)).success();
    let calls = fs::read_to_string(&log).expect("the calls");
    let paths: Vec<_> = calls.lines().filter_map(|call| call.split('"').nth(1)).collect();
    assert!(paths.contains(&FIRST_DRIVER), "{calls}");
    // The remaining paths are the program's libraries, and the drivers.
    for path in paths {
        assert!(!path.ends_with(".json") && !path.contains(".d/") && !path.ends_with(".d"), "{calls}");
    }
    assert!(!calls.contains("O_DIRECTORY"), "{calls}");
}

#[test]
fn the_library_cannot_even_read_variables_and_folders() {
    skip_unless!(&[Need::Program("nm")]);
    let imports = |library: &Path| {
        let names =
            run(Command::new("nm").args(["--dynamic", "--undefined-only", "--format=posix"]).arg(library));
        let names: Vec<_> = names.success().lines().map(|line| line.to_owned()).collect();
        names.iter().filter_map(|line| line.split(['@', ' ']).next().map(str::to_owned)).collect::<Vec<_>>()
    };
    let Some(library) = fixed() else { return };
    let under_test = Library::under_test();
    if under_test.is_distribution() {
        return;
    }
    let (usual, fixed) = (imports(under_test.file()), imports(&library));
    for name in ["getenv", "secure_getenv", "opendir", "readdir", "access", "fopen", "fread", "readlink"] {
        assert!(usual.iter().any(|import| import == name), "{name} is imported by the usual library");
    }
    let page = include_str!("../../docs/embedded.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| import |")).skip(2);
    let listed = rows.take_while(|line| line.starts_with('|')).filter_map(|row| row.split('|').nth(1));
    let mut listed: Vec<_> = listed.flat_map(|names| names.split('`').skip(1).step_by(2)).collect();
    let mut fixed: Vec<_> = fixed.iter().map(String::as_str).collect();
    listed.sort_unstable();
    fixed.sort_unstable();
    assert_eq!(fixed, listed, "the table of imports in docs/embedded.md");
    let size = |library: &Path| fs::metadata(library).expect("a file").len();
    assert!(size(&library) * 100 < size(under_test.file()) * 85, "it is smaller by 15 % and more");
}
