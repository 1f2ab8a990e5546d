//! The destinations of log lines.

use std::env::current_exe;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Output};

use crate::as_on_fuchsia::programs::draw;
use crate::as_on_fuchsia::{connect, driver, fuchsia, null_driver, open, said_by};
use ash::vk;
use platform_fuchsia::simulation::{LoaderService, Process, Simulation};
use vkload_core::platform::Files;

/// Runs a program of this file in a process of its own.
fn run(program: &str, level: &str) -> Output {
    let mut command = Command::new(current_exe().unwrap());
    command.args(["--ignored", "--exact", &format!("log::{program}"), "--nocapture"]);
    // One of them compiles a driver.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output = command.env_clear().env("PATH", path).env("VK_LOADER_DEBUG", level).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn log_lines_go_to_standard_error_with_the_prefix_and_nothing_to_standard_output() {
    for (program, says) in [
        ("draws", "0-libvkload_null.so"),
        ("draws_without_the_service", "drivers are searched for in folders, since"),
    ] {
        let output = run(program, "all");
        let lines = String::from_utf8(output.stderr).unwrap();
        assert!(lines.contains(says), "{lines}");
        assert!(lines.lines().all(|line| line.starts_with("[Vulkan Loader] ")), "{lines}");
        assert!(lines.ends_with('\n'), "{lines}");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains("0 bytes on standard output"), "{shown}");
    }
}

#[test]
fn a_program_that_asks_for_no_lines_gets_none() {
    assert_eq!(run("draws", "").stderr, b"");
}

#[test]
fn each_feature_that_the_service_lacks_is_in_an_info_line() {
    let output = run("asks_for_manifests_of_every_kind_of_service", "info");
    let lines = String::from_utf8(output.stderr).unwrap();
    let expected = (0..7).map(|features| {
        format!(
            "[Vulkan Loader] INFO | DRIVER:  drivers are searched for in folders, since the loader service lacks the \
             features {:#x}\n",
            7 - features
        )
    });
    assert_eq!(lines, expected.collect::<String>());
}

#[test]
fn without_the_service_a_line_says_what_to_do() {
    let output = run("asks_for_a_device_without_the_service", "info,warn");
    let lines = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        lines,
        "[Vulkan Loader] INFO | DRIVER:  drivers are searched for in folders, since the loader service did not answer: the \
         other end is closed (-24); the component's manifest must use fuchsia.vulkan.loader.Loader\n\
         [Vulkan Loader] WARNING | DRIVER: a driver asked for /loader-gpu-devices/a and cannot have it: not available \
         (-28); what a component may use is in its manifest, and devices need fuchsia.vulkan.loader.Loader\n"
    );
}

#[test]
fn a_driver_whose_initialiser_calls_vulkan_is_opened_once() {
    for program in ["draws_beside_an_initialiser_that_calls_vulkan", "draws_beside_one_in_a_file"] {
        let output = run(program, "error,warn");
        let lines = String::from_utf8(output.stderr).unwrap();
        let words =
            "the initialiser of a library calls Vulkan, which maps no other one until it has returned";
        assert!(
            lines.contains("libcompiled.so: the library does not open") && lines.contains(words),
            "{lines}"
        );
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains("level 27, callback 1"), "{shown}");
    }
}

#[test]
#[ignore = "run by the other tests"]
fn draws_beside_an_initialiser_that_calls_vulkan() {
    draw_beside_an_initialiser(true);
}

#[test]
#[ignore = "run by the other tests"]
fn draws_beside_one_in_a_file() {
    draw_beside_an_initialiser(false);
}

/// Draws with the null driver while another, of the service or in a file, calls Vulkan in its
/// initialiser.
fn draw_beside_an_initialiser(from_service: bool) {
    const FILE: &str = "/elsewhere/lib/libcompiled.so";
    // The function is the same for every process of this program.
    let address = Process::new(Simulation::new(None), &[]).run(|entry| {
        let name = c"vkEnumerateInstanceExtensionProperties";
        // SAFETY: the instance may be NULL for a global command, and the name is a valid C string.
        unsafe { entry.get_instance_proc_addr(vk::Instance::null(), name.as_ptr()) }.unwrap() as usize
    });
    let calling = driver(&[&format!("-DINITIALISER={address:#x}")]);
    let service = || LoaderService::new().with_driver(&calling).with_driver(&null_driver());
    let simulation = with_drivers(from_service.then(service), &["libvkload_null.so", FILE]);
    simulation.add_library(FILE, &calling);
    let process = Process::with_own_variables(simulation);
    process.run(|entry| {
        assert_eq!(draw(entry).unwrap().devices, 1);
        let library = if from_service { "0-libcompiled.so" } else { FILE };
        println!("{}", said_by(process.fuchsia, open(process.fuchsia, library).unwrap()));
    });
}

#[test]
#[ignore = "run by the other tests"]
fn asks_for_a_device_without_the_service() {
    let (fuchsia, simulation) = fuchsia(None);
    let _ = connect(fuchsia, simulation, "/loader-gpu-devices/a");
}

#[test]
#[ignore = "run by the other tests"]
fn asks_for_manifests_of_every_kind_of_service() {
    for features in 0..8 {
        let (fuchsia, _) = fuchsia(Some(LoaderService::new().with_features(features)));
        let _ = fuchsia.exists(b"/svc/fuchsia.vulkan.loader.Loader/manifests");
    }
}

#[test]
#[ignore = "run by the other tests"]
fn draws() {
    draw_quietly(Some(LoaderService::new().with_driver(&null_driver())));
}

#[test]
#[ignore = "run by the other tests"]
fn draws_without_the_service() {
    draw_quietly(None);
}

/// Draws while standard output is a file, and prints how much was written to it.
fn draw_quietly(service: Option<LoaderService>) {
    let simulation = with_drivers(service, &["libvkload_null.so"]);
    let file = tempfile::tempfile().unwrap();
    let terminal = replace_standard_output(&file);
    Process::with_own_variables(simulation).run(draw).unwrap();
    replace_standard_output(&terminal);
    println!("\n{} bytes on standard output", file.metadata().unwrap().len());
}

/// Returns a system with manifests for these drivers, and the null driver in the package.
fn with_drivers(service: Option<LoaderService>, drivers: &[&str]) -> &'static Simulation {
    let simulation = Simulation::new(service);
    simulation.add_library("/pkg/lib/libvkload_null.so", &null_driver());
    for (number, library) in drivers.iter().enumerate() {
        let manifest = format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{library}", "api_version": "1.3.0"}}}}"#
        );
        simulation.add_file(&format!("/pkg/data/vulkan/icd.d/{number}.json"), &manifest);
    }
    simulation
}

/// Redirects standard output to `file`, and returns its previous target.
fn replace_standard_output(file: &File) -> File {
    let before = std::io::stdout().as_fd().try_clone_to_owned().unwrap();
    // SAFETY: both descriptors are open.
    assert!(unsafe { libc::dup2(file.as_raw_fd(), libc::STDOUT_FILENO) } >= 0);
    before.into()
}
