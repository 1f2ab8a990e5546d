//! C programs linked with `-lvulkan` run on our library as on the distribution's.
use std::fs;

use vkload_tests::programs::{
    CProgram, Library, Machine, Need, findings, lavapipe, lavapipe_copies, null_driver, run,
    same_as_distribution,
};
use vkload_tests::skip_unless;
use vkload_tests::target_folder;

const NEEDS: &[Need] = &[Need::Distribution, Need::Lavapipe, Need::Compiler];
const VALGRIND: &[Need] = &[Need::Lavapipe, Need::Compiler, Need::Program("valgrind")];

/// By default, glibc keeps freed blocks for each thread and counts them as used.
const EXACT_MEMORY: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");

/// Runs a program on both loaders; both print the same.
fn same_text(name: &str, machine: &Machine) -> String {
    let ours = Library::under_test();
    let theirs = Library::distribution();
    let program = CProgram::compile(name, &ours, &[]);
    let expected = run(&mut program.command(machine, &theirs)).success();
    let text = run(&mut program.command(machine, &ours)).success();
    same_as_distribution(name, &expected, &text, &ours);
    text
}

fn lavapipe_machine() -> Machine {
    Machine::with_drivers(&[lavapipe()])
}

#[test]
fn everything_is_enumerated() {
    skip_unless!(NEEDS);
    let text = same_text("enumerate", &lavapipe_machine());
    assert!(text.contains("\ndevice llvmpipe") && text.contains("\ndevice VK_KHR_swapchain "), "{text}");
}

#[test]
fn devices_are_made_and_used() {
    skip_unless!(NEEDS);
    assert_eq!(same_text("device", &lavapipe_machine()), "1 devices used\n");
}

#[test]
fn a_triangle_is_drawn() {
    skip_unless!(NEEDS);
    assert_eq!(same_text("draw", &lavapipe_machine()), "a green triangle on red\n");
}

#[test]
fn everything_is_found_through_proc_addr() {
    skip_unless!(NEEDS);
    let text = same_text("probe", &lavapipe_machine());
    assert!(text.contains("compute: 1000 values right") && text.ends_with("devices 1\n"), "{text}");
}

#[test]
fn two_and_three_drivers_at_once() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let copies = lavapipe_copies(folder.path(), 3);
    for count in [2, 3] {
        let machine = Machine::with_drivers(&copies[..count]);
        let text = same_text("probe", &machine);
        assert!(text.ends_with(&format!("devices {count}\n")), "{text}");
        assert_eq!(text.matches("compute: 1000 values right").count(), count, "{text}");
        assert_eq!(same_text("device", &machine), format!("{count} devices used\n"));
        same_text("enumerate", &machine);
    }
}

/// Lavapipe is used, whatever the drivers for hardware that is not there do.
#[test]
fn lavapipe_among_the_drivers_of_the_system() {
    skip_unless!(NEEDS);
    for machine in
        [Machine::with_default_search(), Machine::with_drivers(&["/usr/share/vulkan/icd.d".into()])]
    {
        assert!(same_text("probe", &machine).contains("device llvmpipe"));
    }
}

#[test]
fn threads_do_everything_at_once() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let library = Library::under_test();
    let program = CProgram::compile("stress", &library, &[]);
    let copies = lavapipe_copies(folder.path(), 2);
    for (drivers, devices) in [(&copies[..1], 1), (&copies[..], 2)] {
        let machine = Machine::with_drivers(drivers);
        let text = run(program.command(&machine, &library).args(["12", "8"])).success();
        assert!(text.starts_with(&format!("12 threads, 8 rounds of 9 actions, {devices} devices")), "{text}");
    }
}

/// Each run ends at another moment, by `exit` while other threads call Vulkan or with the library closed by all.
#[test]
fn threads_end_the_process_or_close_the_library_at_any_moment() {
    skip_unless!(&[Need::Compiler]);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let machine = Machine::with_drivers(&[null_driver(folder.path(), 2)]);
    let library = Library::under_test();
    let program = CProgram::compile("storm", &library, &[]);
    for seed in 1..=60 {
        let mut command = program.command(&machine, &library);
        let _ = run(command.arg(library.file()).args(["16", &seed.to_string()])).success();
    }
}

/// A call in which a library is being opened stops no other thread's call, no child, and nothing is closed under it.
#[test]
fn a_library_is_being_opened() {
    skip_unless!(&[Need::Compiler]);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let library = Library::under_test();
    let program = CProgram::compile("while_opening", &library, &[]);
    let [first, second] = [1, 2].map(|devices| null_driver(folder.path(), devices).display().to_string());
    let both = format!("{first}:{second}");
    for meanwhile in ["call", "end", "fork"] {
        let machine = Machine::with_drivers(&[first.clone().into()]);
        let _ = run(program.command(&machine, &library).args([meanwhile, &first, &both])).success();
    }
}

/// Nothing of the library remains once it is closed: no mapping, file, thread or byte. A real driver or the C library may keep memory, with
/// any loader.
#[test]
fn a_thousand_cycles_of_opening_and_closing() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let null = Machine::with_drivers(&[null_driver(folder.path(), 2)]);
    let library = Library::under_test();
    let program = CProgram::compile("reopen", &library, &[]);
    let cycles = |machine: &Machine, library: &Library, every: &str| {
        let mut command = program.command(machine, library);
        run(command.env(EXACT_MEMORY.0, EXACT_MEMORY.1).args(["1000", every])).success()
    };
    for every in ["0", "1"] {
        assert_eq!(cycles(&null, &library, every), "1000 cycles: 0 bytes more in use\n");
    }
    // Which block the C library splits is chance. A block of ours in each of the 20 instances would be 480 bytes.
    let kept = |library: &Library| -> u32 {
        let text = cycles(&lavapipe_machine(), library, "50");
        text.split_whitespace().nth(2).and_then(|bytes| bytes.parse().ok()).expect("a number of bytes")
    };
    let (ours, theirs) = (kept(&library), kept(&Library::distribution()));
    assert!(ours <= theirs + 256, "{ours} bytes, {theirs} with the distribution's loader");
}

/// Programs open the library by either name, some by one after the other: vulkaninfo and ncnn begin with `libvulkan.so`.
#[test]
fn both_names_lead_to_the_library_that_was_built() {
    skip_unless!(NEEDS);
    let library = Library::under_test();
    let program = CProgram::compile("by_name", &library, &[]);
    let machine = lavapipe_machine();
    let built = target_folder().join("release");
    for folder in [built.clone(), built.join("stripped")] {
        let file = fs::canonicalize(folder.join("libvulkan.so.1")).expect("run `cargo xtask build` first");
        for names in [["libvulkan.so", "libvulkan.so.1"], ["libvulkan.so.1", "libvulkan.so"]] {
            let mut command = program.command(&machine, &library);
            let opened = run(command.env("LD_LIBRARY_PATH", &folder).args(names)).success();
            assert_eq!(
                opened,
                format!("{0}\n{0}\n", file.display()),
                "{names:?}; `cargo xtask build` makes the links"
            );
        }
    }
}

#[test]
fn valgrind_blames_the_library_for_nothing() {
    skip_unless!(VALGRIND);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let null = Machine::with_drivers(&[null_driver(folder.path(), 2)]);
    let lavapipe = lavapipe_machine();
    let library = Library::under_test();
    let file = library.file().to_str().expect("a path of letters");
    let runs: [(&str, &Machine, &[&str]); 9] = [
        ("enumerate", &lavapipe, &[]),
        ("device", &lavapipe, &[]),
        ("draw", &lavapipe, &[]),
        ("probe", &lavapipe, &[]),
        ("threads", &null, &["4", "3"]),
        ("stress", &lavapipe, &["3", "2"]),
        ("reopen", &null, &["5", "1"]),
        ("storm", &null, &[file, "16", "1"]),
        ("storm", &null, &[file, "16", "2"]),
    ];
    for (name, machine, arguments) in runs {
        let program = CProgram::compile(name, &library, &[]);
        let all = findings(machine, &library, &program.path(), arguments);
        let blamed: Vec<_> = all.iter().filter(|finding| finding.is_of(library.file())).collect();
        assert!(blamed.is_empty(), "{name}: {blamed:#?}");
    }
}

/// A loader that is linked without `-Bsymbolic`, like Khronos', refers to its own functions by name, and first finds the functions of the
/// loader that the program is linked with.
#[test]
fn a_second_loader_works_if_its_functions_are_its_own() {
    skip_unless!(NEEDS);
    let (ours, theirs) = (Library::under_test(), Library::distribution());
    let program = CProgram::compile("second_loader", &ours, &[]);
    let with = |first: &Library, how: &str, second: &str| {
        run(program.command(&lavapipe_machine(), first).args([how, second])).success()
    };
    let (our_file, their_file) = (ours.file().to_str().unwrap(), theirs.file().to_str().unwrap());
    for how in ["deepbind", "dlmopen"] {
        assert_eq!(with(&ours, how, their_file), "a device was used\n", "{how}");
    }
    // The name leads to the loader that is already loaded.
    assert_eq!(with(&ours, "name", "libvulkan.so.1"), "a device was used\n");
    assert_eq!(with(&ours, "local", their_file), "the first one's\n");
    // Our own refers to its functions by their addresses.
    assert_eq!(with(&theirs, "local", our_file), "a device was used\n");
}
