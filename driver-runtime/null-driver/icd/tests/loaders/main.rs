//! The null driver as a shared library: under our loader, under the distribution's, and without any.
//!
//! The program that uses it runs in processes of its own, since a loader reads its variables once.
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]
mod every_extension;
mod honest;
mod policies;
mod profiles;
mod programs;
mod run;
mod scenarios;
#[cfg(target_os = "linux")]
mod sharing;

use std::path::Path;
use std::process::Command;

use run::{CONTENT, NO_LOADER, Run, distribution, exists, library, ours, shim, with_loader};

/// Programs of Vulkan 1.3 and below, which every loader here can run.
const PROGRAMS: [&str; 3] = ["buffers", "images", "objects"];

#[test]
fn a_program_gets_the_right_bytes_under_our_loader() {
    with_loader(ours(), |run| {
        PROGRAMS.iter().chain(&["newest"]).for_each(|program| run.content(program, ""))
    });
}

#[test]
fn a_program_gets_the_right_bytes_under_the_distributions_loader() {
    with_loader(distribution(), |run| PROGRAMS.iter().for_each(|program| run.content(program, "")));
}

#[test]
fn a_program_gets_the_right_bytes_from_the_driver_itself() {
    let run = Run::new(Path::new(NO_LOADER));
    PROGRAMS.iter().chain(&["newest"]).for_each(|program| run.content(program, ""));
}

#[test]
fn every_core_command_is_found_from_its_version_on() {
    Run::new(Path::new(NO_LOADER)).content("look_ups", "");
}

#[test]
fn older_drivers_do_the_same() {
    let run = Run::new(Path::new(NO_LOADER));
    PROGRAMS.iter().for_each(|program| run.content(program, "api=1.3 interface=5"));
}

#[test]
fn interface_version_7_needs_one_exported_function_only() {
    if !exists("cc") {
        return;
    }
    // The distribution's loader is older than interface version 7.
    with_loader(ours(), |run| {
        run.use_library(&shim(run.folder.path()));
        run.content("buffers", "");
    });
}

#[test]
fn vulkaninfo_shows_the_driver_with_ldp_driver_5_no_conformance() {
    if !exists("vulkaninfo") {
        return;
    }
    for loader in [ours(), distribution()].into_iter().flatten() {
        let run = Run::new(&loader);
        let shown = run.output(
            run.command("vulkaninfo").arg("--summary").env("VKLOAD_NULL_DRIVER", "devices=2 name=gpu"),
        );
        for line in
            ["deviceName         = gpu\n", "deviceName         = gpu 2\n", "conformanceVersion = 0.0.0.0"]
        {
            assert!(shown.contains(line), "{loader:?}: {shown}");
        }
        assert!(run.output(&mut run.command("vulkaninfo")).contains("timelineSemaphore"), "{loader:?}");
    }
}

#[test]
fn validation_has_nothing_to_say() {
    let layer = Path::new("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json");
    if !layer.exists() {
        println!("skipped: Debian's vulkan-validationlayers is not installed");
        return;
    }
    with_loader(distribution(), |run| {
        for program in PROGRAMS.iter().chain(&["surfaces"]) {
            let mut command = run.command_of(program, "surfaces=driver");
            command.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation").env("VK_LOADER_DEBUG", "layer");
            let shown = run.output(&mut command);
            let speaks = shown.contains("Validation Error") || shown.contains("VUID");
            assert!(shown.contains(CONTENT) && !speaks, "{program}: {shown}");
            assert!(shown.contains("libVkLayer_khronos_validation.so"), "it is not there: {shown}");
        }
    });
}

#[test]
fn the_library_exports_what_an_icd_may_and_nothing_else() {
    if !exists("nm") {
        return;
    }
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "--format=just-symbols"])
        .arg(library())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<_> = text.lines().collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            // Android's loader looks for this.
            "HMI",
            "vk_icdGetInstanceProcAddr",
            "vk_icdGetPhysicalDeviceProcAddr",
            "vk_icdNegotiateLoaderICDInterfaceVersion"
        ]
    );
}
