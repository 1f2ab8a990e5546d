//! Repository tasks, run as `cargo xtask NAME`.

mod aar;
mod abi;
mod android_abi;
mod android_link;
mod android_options;
mod android_sizes;
mod android_tree;
mod asan;
mod book;
mod build;
mod check_targets;
mod dist;
mod driver_abi;
mod elf;
mod freestanding;
mod fuchsia_abi;
mod r#gen;
mod gn;
mod imports;
mod landing_pads;
mod layers;
mod miri;
mod prose;
mod target;
mod target_program;
mod test_arches;
mod tsan;
mod workspace;
mod yocto;

use std::process::ExitCode;

/// The error, for the person at the terminal.
type Failure = Box<dyn std::error::Error>;

/// A task: its name, its description, and its function, which gets the arguments after the name.
struct Chore(&'static str, &'static str, fn(&[String]) -> Result<(), Failure>);

const CHORES: &[Chore] = &[
    Chore(
        "build",
        "build the shared libraries, each alone, into target/release [--debug] [--target TRIPLE] [--fixed-drivers LIST]",
        build::run,
    ),
    Chore("abi", "check what the built libraries export, need and contain [FILE]", abi::run),
    Chore(
        "dist",
        "install everything [--prefix DIR --libdir DIR --destdir DIR], or --deb: make Debian packages",
        dist::run,
    ),
    Chore(
        "driver-abi",
        "build the null driver for Linux, Android's HAL and Fuchsia, and check what it exports and needs",
        driver_abi::run,
    ),
    Chore(
        "fuchsia-abi",
        "build Fuchsia's libvulkan.so and check it [--api LEVEL: what drivers are told] [--libraries DIR:DIR TARGET: link with the ones of an SDK, not with stand-ins]",
        fuchsia_abi::run,
    ),
    Chore(
        "android-abi",
        "build Android's libraries for four ABIs, and check what they export, need and contain [--api LEVEL] [--abi NAME,NAME]",
        android_abi::run,
    ),
    Chore(
        "aar",
        "pack what android-abi has built for applications, and the Java API, as an Android archive and a Maven repository, and check them [--abi NAME,NAME]",
        aar::run,
    ),
    Chore(
        "android-sizes",
        "write sizes, exports and needs of what ./ndk-build.sh has built to docs/android-apk.md, and print them",
        android_sizes::run,
    ),
    Chore(
        "android-tree",
        "put what an Android system tree needs for libvulkan.so into a folder, and compile that as its build system does",
        android_tree::run,
    ),
    Chore("gen", "write the tables made from vk.xml: --registry PATH [--check] [--handles]", r#gen::run),
    Chore(
        "gn",
        "print the sources of Fuchsia's library as lists for GN, as `fuchsia-abi` has built it",
        gn::run,
    ),
    Chore(
        "asan",
        "run the library's tests under AddressSanitizer, or the files named: finds memory used after its end [TEST...]",
        asan::run,
    ),
    Chore(
        "book",
        "write the pages made from rules, check links and summary, and build the book if mdBook is installed [--check: build and write nothing]",
        book::run,
    ),
    Chore(
        "check-targets",
        "compile the crates without an operating system for other targets [PART...: those with one of these in their names]",
        check_targets::run,
    ),
    Chore(
        "landing-pads",
        "build Android's libraries with branch protection, and check where indirect branches may land [FILE: check this one]",
        landing_pads::run,
    ),
    Chore("layers", "print the order of each crate's rooms, and what runs against it", layers::run),
    Chore("miri", "interpret the tests of what reads foreign bytes: finds undefined behaviour", miri::run),
    Chore(
        "prose",
        "count the habits that make pages and comments hard to read, and fail where they are many",
        prose::run,
    ),
    Chore(
        "test-arches",
        "run the code of each processor, emulated where it is another one [PART...: those with one of these in their names]",
        test_arches::run,
    ),
    Chore(
        "yocto",
        "list the crates for the recipe of Yocto [--revision COMMIT: and make it build this one]",
        yocto::run,
    ),
    Chore("tsan", "run many threads at once under ThreadSanitizer: finds data races", tsan::run),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chore = arguments.first().and_then(|name| CHORES.iter().find(|chore| chore.0 == name));
    let Some(Chore(name, _, run)) = chore else {
        eprintln!("usage: cargo xtask NAME, where NAME is one of");
        for Chore(name, purpose, _) in CHORES {
            eprintln!("  {name:14} {purpose}");
        }
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
