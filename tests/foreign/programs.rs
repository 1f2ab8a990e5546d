//! C programs do real work on Mesa's lavapipe through Khronos' loader as the driver: that loader stores its own words at the start of
//! handles, and fails if they change.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;

use vkload_tests::programs::{CProgram, Library, Machine, Need, lavapipe, run};
use vkload_tests::skip_unless;

use crate::above::{SYSTEM_LOADER, loader};

const NEEDS: &[Need] = &[Need::Distribution, Need::Lavapipe, Need::Compiler];
const PROGRAM: &str = "VKLOAD_TEST_PROGRAM";

/// Calls `main` of the program that the variable names, if it does, and ends. The program is a library that is opened, as an
/// Android application's code is, so that Khronos' loader does not find our functions in the place of its own.
fn inside(arguments: &[&CStr]) {
    let Some(path) = std::env::var_os(PROGRAM) else { return };
    let path = CString::new(path.into_encoded_bytes()).unwrap();
    let mut arguments: Vec<*const c_char> =
        [path.as_c_str()].iter().chain(arguments).map(|it| it.as_ptr()).collect();
    arguments.push(std::ptr::null());
    // SAFETY: the library has this function, which is of this type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null(), "{:?}", CStr::from_ptr(libc::dlerror()));
        let main = libc::dlsym(library, c"main".as_ptr());
        assert!(!main.is_null());
        let main: unsafe extern "C" fn(c_int, *const *const c_char) -> c_int = std::mem::transmute(main);
        std::process::exit(main(c_int::try_from(arguments.len() - 1).unwrap(), arguments.as_ptr()));
    }
}

/// Runs the test `name` again as a process in which [`inside`] runs the program, with lavapipe below Khronos' loader and these drivers
/// added; returns the program's output.
fn above_khronos(name: &str, program: &str, beside: &[PathBuf]) -> String {
    let tests = std::env::current_exe().unwrap();
    let library = Library::at(&loader());
    let program = CProgram::compile_to_open(program, &library);
    let machine = Machine::with_drivers(&[lavapipe()]);
    let mut command = program_of(&machine, &library, &tests);
    command.env(PROGRAM, program.path()).args(["--exact", name, "--nocapture"]);
    command.env("VKLOAD_TEST_DRIVERS", std::env::join_paths(beside).unwrap());
    let said = run(&mut command).success();
    said.split_once("running 1 test\n").unwrap().1.to_owned()
}

fn program_of(machine: &Machine, library: &Library, tests: &std::path::Path) -> std::process::Command {
    let mut command = machine.command(library, tests);
    let loader = Library::distribution();
    command.env(SYSTEM_LOADER, loader.file());
    command
}

#[test]
fn a_triangle_is_drawn_through_khronos_loader() {
    inside(&[]);
    skip_unless!(NEEDS);
    let name = "programs::a_triangle_is_drawn_through_khronos_loader";
    assert_eq!(above_khronos(name, "draw", &[]), "a green triangle on red\n");
}

#[test]
fn devices_are_used_through_khronos_loader_and_beside_it() {
    inside(&[]);
    skip_unless!(NEEDS);
    let name = "programs::devices_are_used_through_khronos_loader_and_beside_it";
    assert_eq!(above_khronos(name, "device", &[]), "1 devices used\n");
    assert_eq!(above_khronos(name, "device", &[lavapipe()]), "2 devices used\n");
}

#[test]
fn everything_that_khronos_loader_enumerates_is_enumerated() {
    inside(&[]);
    skip_unless!(NEEDS);
    let name = "programs::everything_that_khronos_loader_enumerates_is_enumerated";
    let text = above_khronos(name, "enumerate", &[]);
    assert!(text.contains("\ndevice llvmpipe") && text.contains("\ndevice VK_KHR_swapchain "), "{text}");
}

#[test]
fn threads_do_everything_at_once_through_khronos_loader() {
    inside(&[c"6", c"4"]);
    skip_unless!(NEEDS);
    let name = "programs::threads_do_everything_at_once_through_khronos_loader";
    let text = above_khronos(name, "stress", &[lavapipe()]);
    assert!(text.starts_with("6 threads, 4 rounds of 9 actions, 2 devices"), "{text}");
}
