//! Repository tasks, run as `cargo xtask NAME`.

mod aar;
mod abi;
mod android_abi;
mod android_link;
mod android_options;
mod android_tree;
mod build;
mod command;
mod driver_abi;
mod elf;
mod fuchsia_abi;
mod r#gen;
mod imports;
mod landing_pads;
mod layers;
mod links;
mod pages;
mod rules;
mod shell;
mod target;
mod test;
mod toolchain;
mod tools;
mod workspace;

use std::process::ExitCode;

/// The error, for the person at the terminal.
type Failure = Box<dyn std::error::Error>;

/// A task: its name, its description, and its function, which gets the arguments after the name.
type Task = (&'static str, &'static str, fn(&[String]) -> Result<(), Failure>);

#[rustfmt::skip]
const TASKS: &[Task] = &[
    ("build", "build the shared libraries, each alone, into target/release [--debug] [--target TRIPLE] [--fixed-drivers LIST] [--null-driver: also the driver for tests]", build::run),
    ("abi", "check what the built libraries export, need and contain [FILE]", abi::run),
    ("driver-abi", "build the null driver for Linux, Android's HAL and Fuchsia, and check what it exports and needs", driver_abi::run),
    ("fuchsia-abi", "build Fuchsia's libvulkan.so and check it [--api LEVEL: the level that drivers get] [--libraries DIR:DIR TARGET: link with the ones of an SDK, not with stand-ins]", fuchsia_abi::run),
    ("android-abi", "build Android's libraries for four ABIs, and check what they export, need and contain [--api LEVEL] [--abi NAME,NAME]", android_abi::run),
    ("aar", "pack what android-abi has built for applications, and the Java API, as an Android archive and a Maven repository [--abi NAME,NAME]", aar::run),
    ("android-tree", "put what an Android system tree needs for libvulkan.so into a folder, and compile that as its build system does", android_tree::run),
    ("gen", "write the tables made from vk.xml: --registry PATH [--check]", r#gen::run),
    ("landing-pads", "build Android's libraries with branch protection, and check where indirect branches may land [FILE: check this one]", landing_pads::run),
    ("layers", "print the order of each crate's modules, and what runs against it", layers::run),
    ("pages", "write the manual pages of vkload and the completions of shells: FOLDER", pages::run),
    ("rules", "check that each rule in docs/rules has a test, and the links and the summary of all pages", rules::run),
    ("test", "compile the tests of the workspace once, and run their programs side by side [PART...: those with one of these in their names] [--compile: do not run them] [--doc: run examples in documentation]", test::run),
    ("tools", "print the tools and flags for another target as shell variables: TRIPLE", tools::run),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let task = arguments.first().and_then(|name| TASKS.iter().find(|task| task.0 == name));
    let Some((name, _, run)) = task else {
        eprintln!("usage: cargo xtask NAME, where NAME is one of");
        TASKS.iter().for_each(|(name, purpose, _)| eprintln!("  {name:14} {purpose}"));
        return ExitCode::from(2);
    };
    match run(arguments.get(1..).unwrap_or_default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error}");
            ExitCode::FAILURE
        }
    }
}
