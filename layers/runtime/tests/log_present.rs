//! The layer of few lines.

mod common;
#[path = "../examples/log_present.rs"]
mod layer;

#[test]
fn it_works_with_other_layers_on_many_threads() {
    common::storm("log_present");
}

#[test]
fn it_logs_what_vkcube_presents() {
    for lines in common::vkcube("log_present") {
        for frame in 1..=4 {
            let line = format!("VK_LAYER_EXAMPLE_log_present: frame {frame} in 1 swapchain(s): SUCCESS");
            assert!(lines.lines().any(|known| known == line), "{lines}");
        }
    }
}
