//! Draws 300 frames through the loader, with the null driver, on a simulated window, and reports
//! leftovers: `cargo run --example frames`. `tests/frames.rs` does the same with layers, and with
//! every event that can happen to windows.

mod application;

use application::{Application, system};

fn main() {
    let simulation = system();
    let vulkan = simulation.vulkan();
    let mut application = Application::new(simulation.android, &vulkan, &[]);
    application.window.watch();
    while application.presented < 300 {
        match application.presented {
            100 => application.window.change().size = (20, 10),
            200 => assert!(application.lose_window().is_empty()),
            _ => {}
        }
        if application.frame().is_err() {
            break;
        }
        application.window.show();
    }
    let (frames, (swapchains, surfaces)) = (application.presented, application.made);
    println!(
        "{frames} frames, {swapchains} swapchains, {surfaces} surfaces; left over: {:?}",
        application.end()
    );
}
