//! The driver with every extension of the registry, as programs and the validation layer meet it.

use std::path::Path;
use std::process::Command;

use vkload_tests::programs::{Need, Screen, VALIDATION};
use vkload_tests::skip_unless;

use crate::run::{NO_LOADER, Run, distribution, ours, with_loader};
use crate::scenarios::everywhere;

const EVERYTHING: &str = "extension=all surfaces=driver";

#[test]
fn every_extension_has_its_commands_and_its_features() {
    Run::new(Path::new(NO_LOADER)).content("all_commands", EVERYTHING);
    Run::new(Path::new(NO_LOADER)).content("all_commands", "extension=all-provisional surfaces=driver");
}

#[test]
fn acceleration_structures_come_and_go() {
    everywhere(|run| run.content("acceleration_structures", "extension=VK_KHR_ray_tracing_pipeline"));
}

#[test]
fn a_command_of_an_extension_fails_when_the_scenario_says_so() {
    everywhere(|run| {
        let scenario = "extension=VK_KHR_ray_tracing_pipeline \
                        fails=vkCreateAccelerationStructureKHR:VK_ERROR_OUT_OF_DEVICE_MEMORY";
        let shown = run.failure("acceleration_structures", scenario);
        assert!(shown.contains("ERROR_OUT_OF_DEVICE_MEMORY"), "{shown}");
    });
}

/// Returns the output of `program` under the validation layer with every extension. The loader's log shows that the
/// layer is loaded.
fn validated(run: &Run, screen: &Screen, program: &mut dyn FnMut(&Run) -> Command) -> String {
    let mut command = program(run);
    command
        .env("DISPLAY", screen.display())
        .env("VKLOAD_NULL_DRIVER", EVERYTHING)
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LOADER_DEBUG", "layer");
    let shown = run.output(&mut command);
    // As each loader says it.
    let signs = ["libVkLayer_khronos_validation.so", "layer VK_LAYER_KHRONOS_validation is active"];
    assert!(signs.iter().any(|sign| shown.contains(sign)), "it is not there: {shown}");
    for word in ["Validation Error", "Validation Warning", "VUID-", "UNASSIGNED-"] {
        assert!(!shown.contains(word), "{shown}");
    }
    shown
}

#[test]
fn validation_has_nothing_to_say_about_programs_with_every_extension() {
    let needs = [
        Need::Layer(&VALIDATION),
        Need::Distribution,
        Need::Program("Xvfb"),
        Need::Program("vkcube"),
        Need::Program("vulkaninfo"),
    ];
    skip_unless!(&needs);
    let screen = Screen::start();
    for loader in [ours(), distribution()] {
        with_loader(loader, |run| {
            let shown = validated(run, &screen, &mut |run| {
                let mut vkcube = run.command("vkcube");
                vkcube.args(["--c", "10"]);
                vkcube
            });
            assert!(shown.contains("Selected GPU 0: null"), "{shown}");
            let shown = validated(run, &screen, &mut |run| run.command("vulkaninfo"));
            for part in ["VK_KHR_xcb_surface", "VkPhysicalDeviceAccelerationStructureFeaturesKHR"] {
                assert!(shown.contains(part), "{shown}");
            }
        });
    }
}

#[test]
fn a_program_draws_as_many_frames_as_it_is_told() {
    skip_unless!(&[Need::Distribution, Need::Program("Xvfb"), Need::Program("vkcube")]);
    let screen = Screen::start();
    with_loader(distribution(), |run| {
        for (frame, succeeds) in [(10, false), (11, true)] {
            let fails = format!("{EVERYTHING} fails=vkQueuePresentKHR@{frame}:VK_ERROR_DEVICE_LOST");
            let mut vkcube = run.command("vkcube");
            vkcube.args(["--c", "10"]).env("DISPLAY", screen.display()).env("VKLOAD_NULL_DRIVER", fails);
            assert_eq!(run.start(&mut vkcube).status.success(), succeeds, "{frame}");
        }
    });
}
