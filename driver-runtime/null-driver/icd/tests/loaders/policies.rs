//! The policies for drivers (LoaderDriverInterface, "Requirements of a Well-Behaved Driver"), as far as a driver can show
//! them.

use std::path::Path;

use vkload_driver_runtime::{icd, vk};

use crate::run::{NO_LOADER, Run, distribution, exists, library, ours, with_loader};
use crate::scenarios::everywhere;

/// Debian's software driver (package mesa-vulkan-drivers).
const OTHER: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

#[test]
fn ldp_driver_1_a_driver_that_fails_does_not_end_the_program() {
    with_loader(ours(), |run| {
        for scenario in [
            "fails=vkCreateInstance",
            "fails=vkEnumeratePhysicalDevices",
            "fails=vkCreateDevice",
            "devices=0",
        ] {
            let output = run.start(&mut run.command_of("buffers", scenario));
            assert_eq!(output.status.code(), Some(101), "{scenario}: {output:?}");
        }
    });
}

#[test]
fn ldp_driver_1_other_drivers_go_on_working() {
    if !exists("vulkaninfo") || !Path::new(OTHER).exists() {
        println!("skipped: there is no {OTHER}");
        return;
    }
    for loader in [ours(), distribution()] {
        with_loader(loader, |run| {
            let null = run.folder.path().join("null.json");
            let both = format!("{}:{OTHER}", null.display());
            for (scenario, there) in [("", true), ("fails=vkCreateInstance", false), ("devices=0", false)] {
                let mut command = run.command("vulkaninfo");
                command.arg("--summary").env("VKLOAD_NULL_DRIVER", scenario);
                let shown = run.output(command.env("VK_DRIVER_FILES", &both).env("VK_ICD_FILENAMES", &both));
                assert!(shown.contains("llvmpipe"), "{scenario}: {shown}");
                assert_eq!(shown.contains("= null\n"), there, "{scenario}: {shown}");
            }
        });
    }
}

#[test]
fn ldp_driver_2_without_devices_every_query_answers() {
    let run = Run::new(Path::new(NO_LOADER));
    let shown = run.output(&mut run.command_of("groups", "devices=0"));
    assert!(shown.contains("groups []"), "{shown}");
}

#[test]
fn ldp_driver_3_a_driver_may_refuse_to_negotiate() {
    for loader in [ours(), distribution()] {
        with_loader(loader, |run| {
            let scenario = "fails=vk_icdNegotiateLoaderICDInterfaceVersion:VK_ERROR_INCOMPATIBLE_DRIVER";
            assert!(run.failure("buffers", scenario).contains("ERROR_INCOMPATIBLE_DRIVER"));
        });
    }
}

#[test]
fn ldp_driver_3_drivers_of_every_interface_version_work() {
    for loader in [ours(), distribution()] {
        with_loader(loader, |run| {
            for version in 2..=7 {
                run.content("buffers", &format!("interface={version}"));
            }
        });
    }
}

#[test]
fn ldp_driver_4_the_manifest_leads_to_the_library_beside_it() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("vkload_null.json");
    for loader in [ours(), distribution()] {
        with_loader(loader, |run| {
            std::fs::copy(&manifest, run.folder.path().join("null.json")).unwrap();
            std::os::unix::fs::symlink(library(), run.folder.path().join("libvkload_null.so")).unwrap();
            run.content("buffers", "");
        });
    }
}

#[test]
fn ldp_driver_7_vulkan_1_1_comes_with_interface_5() {
    let mut version = icd::INTERFACE_VERSION;
    // SAFETY: a valid pointer.
    let result = unsafe { vkload_null_driver::negotiate(&mut version) };
    assert_eq!(result, vk::Result::SUCCESS);
    assert!(vkload_null_driver::scenario::get().api_version < vk::API_VERSION_1_1 || version >= 5);
}

#[test]
fn ldp_driver_8_a_driver_may_make_surfaces_itself() {
    everywhere(|run| run.content("surfaces", "surfaces=driver"));
    // A failure shows that the driver's function is called.
    everywhere(|run| {
        let scenario = "surfaces=driver fails=vkCreateHeadlessSurfaceEXT:VK_ERROR_OUT_OF_DEVICE_MEMORY";
        assert!(run.failure("surfaces", scenario).contains("ERROR_OUT_OF_DEVICE_MEMORY"));
    });
}

#[test]
fn ldp_driver_8_or_leave_them_to_the_loader() {
    for loader in [ours(), distribution()] {
        with_loader(loader, |run| {
            run.content("surfaces", "surfaces=loader fails=vkCreateHeadlessSurfaceEXT");
            // Below version 3 of the interface they are the loader's in any case.
            run.content("surfaces", "surfaces=loader interface=2 api=1.0 extension=VK_KHR_device_group");
        });
    }
}
