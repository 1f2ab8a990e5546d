//! Threads make and destroy instances and devices through the layers that Debian packages.
//!
//! `VKLOAD_STORM_ROUNDS` is how many rounds each thread does with the null driver, and `VKLOAD_STORM_RUNS` how often each layer
//! is run.
use std::{env, iter};

use vkload_tests::programs::{
    CProgram, DEVICE_SELECT, GFXRECONSTRUCT, Library, MANGOHUD, MESA_OVERLAY, Machine, Need, RENDERDOC,
    RealLayer, VALIDATION, VKBASALT, lavapipe, null_driver, run,
};
use vkload_tests::skip_unless;

const THREADS: &str = "16";

fn number(variable: &str, otherwise: u32) -> u32 {
    env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// No thread crashes or waits for ever, with a driver that costs nothing and with Mesa's.
fn storm(layer: &RealLayer) {
    skip_unless!(&[Need::Lavapipe, Need::Compiler]);
    assert!(layer.is_installed(), "install the Debian package of {}", layer.name);
    let library = Library::under_test();
    let program = CProgram::compile("layer_storm", &library, &[]);
    let runs = number("VKLOAD_STORM_RUNS", 1) as usize;
    let folder = tempfile::tempdir().expect("a folder for a driver");
    let all = [
        (Machine::with_drivers(&[null_driver(folder.path(), 1)]), number("VKLOAD_STORM_ROUNDS", 4)),
        (Machine::with_drivers(&[lavapipe()]), number("VKLOAD_STORM_ROUNDS", 4).div_ceil(20)),
    ];
    // These ask for more than the null driver has, such as memory types, and crash there with any loader, even on one thread.
    let needs_more = *layer == RENDERDOC || *layer == GFXRECONSTRUCT;
    for (machine, rounds) in all.into_iter().skip(usize::from(needs_more)) {
        let machine = machine.with_layers(&[layer]);
        for shared in iter::repeat_n([None, Some("shared")], runs).flatten() {
            let mut command = program.command(&machine, &library);
            match layer.switch {
                Some(_) => layer.switch(&mut command, true),
                None => _ = command.env("VK_INSTANCE_LAYERS", layer.name),
            }
            command.env("GFXRECON_CAPTURE_FILE", machine.work().join("capture.gfxr"));
            command.env("GFXRECON_CAPTURE_FILE_TIMESTAMP", "false");
            let text = run(command.args([THREADS, &rounds.to_string()]).args(shared)).success();
            assert!(text.contains(&format!("{THREADS} threads, {rounds} rounds")), "{text}");
        }
    }
}

#[test]
fn device_select() {
    storm(&DEVICE_SELECT);
}

#[test]
fn mesa_overlay() {
    storm(&MESA_OVERLAY);
}

#[test]
fn mangohud() {
    storm(&MANGOHUD);
}

#[test]
fn vkbasalt() {
    storm(&VKBASALT);
}

#[test]
fn renderdoc() {
    storm(&RENDERDOC);
}

#[test]
fn validation() {
    storm(&VALIDATION);
}

#[test]
fn gfxreconstruct() {
    storm(&GFXRECONSTRUCT);
}
