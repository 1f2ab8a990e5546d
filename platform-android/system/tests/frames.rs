//! An application draws frames through the whole loader, with the null driver and layers, on a
//! window that things happen to.

#[path = "../examples/frames/application.rs"]
mod application;

use std::ffi::CStr;

use android_simulation::{Packed, Simulation, package};
use application::{Application, system};
use ash::vk;

const NOTHING: [&str; 0] = [];

/// Two layers in the application's package, which the settings enable, and one in the debug folder,
/// which the application enables.
fn layers(simulation: &Simulation) -> [&'static CStr; 1] {
    let android = simulation.android;
    android.change().dumpable = true;
    android.layer("/built/libVkLayer_one.so", &["VK_LAYER_one"], &[]);
    android.layer("/built/libVkLayer_two.so", &["VK_LAYER_two"], &[]);
    android.layer("/data/local/debug/vulkan/libVkLayer_three.so", &["VK_LAYER_three"], &[]);
    let content = ["one", "two"]
        .map(|name| std::fs::read(android.host_path(&format!("/built/libVkLayer_{name}.so"))).unwrap());
    android.file(
        "/data/app/base.apk",
        package(&[
            Packed::stored("lib/x86_64/libVkLayer_one.so", &content[0], 4096),
            Packed::stored("lib/x86_64/libVkLayer_two.so", &content[1], 4096),
        ]),
    );
    let mut world = android.change();
    world.layer_paths = "/data/app/base.apk!/lib/x86_64".into();
    world.debug_layers = "VK_LAYER_one:VK_LAYER_two".into();
    [c"VK_LAYER_three"]
}

#[test]
fn three_hundred_frames_with_three_layers_and_everything_that_happens_to_a_window() {
    let simulation = system();
    let names = layers(&simulation);
    let vulkan = simulation.vulkan();
    let mut application = Application::new(simulation.android, &vulkan, &names);
    let open = simulation.android.open_libraries();
    assert_eq!(open.iter().filter(|path| path.contains("libVkLayer")).count(), 3);
    application.window.watch();
    application.window.change().late_fences = true;
    let mut lost = Vec::new();
    while application.presented < 300 {
        match application.presented {
            60 => application.window.change().size = (20, 10),
            120 => application.window.change().transform_hint = 4,
            // Frames replace each other.
            150 => {
                application.mode = vk::PresentModeKHR::MAILBOX;
                application.window.change().transform_hint = 0;
            }
            180 => simulation.android.change().no_more_descriptors = true,
            210 => simulation.android.change().no_more_descriptors = false,
            240 => {
                lost = application.lose_window();
                application.window.watch();
            }
            _ => {}
        }
        application.frame().unwrap();
    }
    assert_eq!(lost, NOTHING);
    // At first, after the window was rotated and rotated back, and for another window; a resize is
    // not reported.
    assert_eq!(application.made, (4, 2));
    assert_eq!(application.end(), NOTHING);
}

#[test]
fn unseen_frames_replace_each_other() {
    let simulation = system();
    let vulkan = simulation.vulkan();
    let mut application = Application::new(simulation.android, &vulkan, &[]);
    application.mode = vk::PresentModeKHR::MAILBOX;
    for _ in 0..20 {
        application.frame().unwrap();
    }
    assert!(application.window.show());
    assert!(!application.window.show());
    assert_eq!(application.window.change().dropped, 19);
    assert_eq!(application.end(), NOTHING);
}

/// Draws some frames, each of which may fail. Returns whether the last one was shown.
fn some_frames(application: &mut Application) -> bool {
    let mut shown = false;
    for _ in 0..8 {
        shown = application.frame().is_ok();
        application.window.show();
    }
    shown
}

#[test]
fn every_call_of_the_window_fails_once_and_the_application_goes_on() {
    let simulation = system();
    let vulkan = simulation.vulkan();
    for error in [-19, -12, -110] {
        let mut application = Application::new(simulation.android, &vulkan, &[]);
        for call in 0.. {
            application.window.fail(call, error);
            let shown = some_frames(&mut application);
            let calls = application.window.stop_failing();
            assert!(shown || some_frames(&mut application), "call {call}, error {error}");
            application.forget_surface();
            assert_eq!(application.window.leaks(), NOTHING, "call {call}, error {error}");
            if call >= calls {
                break;
            }
        }
        assert_eq!(application.end(), NOTHING);
    }
}

#[test]
fn the_window_is_lost_at_every_call_and_the_application_gets_another() {
    let simulation = system();
    let vulkan = simulation.vulkan();
    let mut application = Application::new(simulation.android, &vulkan, &[]);
    for call in 0.. {
        application.window.lose_at(call);
        some_frames(&mut application);
        let calls = application.window.stop_failing();
        assert_eq!(application.lose_window(), NOTHING, "call {call}");
        if call >= calls {
            break;
        }
    }
    assert!(some_frames(&mut application));
    assert_eq!(application.end(), NOTHING);
}
