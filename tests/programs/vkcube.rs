//! `vkcube` and programs of our own draw in windows.
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use vkload_tests::programs::{CProgram, Library, Machine, Need, Running, Screen, lavapipe, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Lavapipe, Need::Program("Xvfb"), Need::Program("vkcube"), Need::Compiler];

fn machine_with(screen: &Screen) -> Machine {
    Machine::with_drivers(&[lavapipe()]).with_display(screen.display())
}

#[test]
fn sixty_pictures_and_a_clean_end() {
    skip_unless!(NEEDS);
    let screen = Screen::start();
    let machine = machine_with(&screen);
    let library = Library::under_test();
    for program in ["vkcube", "vkcubepp"] {
        let output = run(machine.command(&library, program).args(["--c", "60"]));
        assert!(output.status.success(), "{program}: {output:?}");
    }
}

#[test]
fn the_cube_is_on_the_screen() {
    skip_unless!(NEEDS);
    for program in ["vkcube", "vkcubepp"] {
        let screen = Screen::start();
        let machine = machine_with(&screen);
        assert_eq!(screen.picture().lit(), 0, "the display starts black");
        let mut cube =
            Running::start(machine.command(&Library::under_test(), program).args(["--c", "100000"]));
        // A grey background over the whole window, and a cube with a lit and textured face.
        cube.wait_for_picture(&screen, |picture| picture.lit() > 100_000 && picture.colours() > 100);
    }
}

/// Checks that the whole display has exactly one colour.
fn presents_its_colour(kind: &str) {
    let screen = Screen::start();
    let machine = machine_with(&screen);
    let library = Library::under_test();
    let program = CProgram::compile("surface", &library, &["xcb", "X11"]);
    let mut command = program.command(&machine, &library);
    let mut running = Running::start(command.arg(kind).stdin(Stdio::piped()).stdout(Stdio::piped()));
    let mut line = String::new();
    let stdout = running.child().stdout.take().expect("its output is piped");
    BufReader::new(stdout).read_line(&mut line).expect("its output");
    assert_eq!(line, "presented\n");
    running.wait_for_picture(&screen, |picture| picture.of_colour(0x0033_6699) == 640 * 480);
    drop(running.child().stdin.take());
    let status = running.child().wait().expect("its end");
    assert!(status.success(), "{status}");
}

#[test]
fn a_swapchain_on_an_xcb_window() {
    skip_unless!(NEEDS);
    presents_its_colour("xcb");
}

#[test]
fn a_swapchain_on_an_xlib_window() {
    skip_unless!(NEEDS);
    presents_its_colour("xlib");
}

/// If no driver has headless surfaces, the program reports that and exits with 77.
#[test]
fn a_swapchain_on_a_headless_surface() {
    skip_unless!(NEEDS);
    let library = Library::under_test();
    let program = CProgram::compile("surface", &library, &["xcb", "X11"]);
    let machine = Machine::with_drivers(&[lavapipe()]);
    let output = run(program.command(&machine, &library).arg("headless"));
    match output.status.code() {
        Some(77) => assert_eq!(output.stdout, "no driver has VK_EXT_headless_surface\n"),
        _ => assert_eq!(output.success(), "presented\n"),
    }
}
