//! `cargo xtask test-arches [PART...]`: the core, the trampolines and the whole library run on every supported processor (including
//! Android's library for 64-bit Arm), or on those with one of these parts in their names. With musl, a C program runs on the library.

use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::command::{Run, command};
use crate::target::Target;
use crate::target_program;
use crate::test;
use crate::toolchain::{cargo, is_available};
use crate::workspace::target_folder;

/// A processor other than the usual x86-64, or that one with another C library.
struct Processor {
    target: &'static str,
    /// The words before the hyphen in the names of its compiler, and the name of the folder with its C library.
    tools: &'static str,
    /// The runner of its programs.
    runs: Runs,
    /// Whether tests in Rust are run. Not with musl: its standard library is for static programs, so they would show nothing.
    tests: bool,
    /// Whether the core's tests are run: once for each pointer width.
    core: bool,
    /// Whether the whole library is built and used.
    library: bool,
}

/// The runner of a program.
enum Runs {
    /// A program, where an x86-64 cannot.
    Emulator(&'static str),
    /// An x86-64, with this dynamic linker.
    Linker(&'static str),
}

/// Thumb is another encoding of the instructions of 32-bit Arm, the one that Android uses.
#[rustfmt::skip]
const PROCESSORS: &[Processor] = &[
    Processor { target: "aarch64-unknown-linux-gnu", tools: "aarch64-linux-gnu", runs: Runs::Emulator("qemu-aarch64"), tests: true, core: true, library: true },
    Processor { target: "armv7-unknown-linux-gnueabihf", tools: "arm-linux-gnueabihf", runs: Runs::Emulator("qemu-arm"), tests: true, core: true, library: true },
    Processor { target: "thumbv7neon-unknown-linux-gnueabihf", tools: "arm-linux-gnueabihf", runs: Runs::Emulator("qemu-arm"), tests: true, core: false, library: false },
    Processor { target: "i686-unknown-linux-gnu", tools: "i686-linux-gnu", runs: Runs::Linker("/lib/ld-linux.so.2"), tests: true, core: false, library: true },
    Processor { target: "riscv64gc-unknown-linux-gnu", tools: "riscv64-linux-gnu", runs: Runs::Emulator("qemu-riscv64"), tests: true, core: false, library: true },
    Processor { target: "x86_64-unknown-linux-musl", tools: "musl", runs: Runs::Linker("/lib/ld-musl-x86_64.so.1"), tests: false, core: false, library: true },
];

/// The processor on which Android's libraries are run.
const ANDROIDS: &str = "aarch64-unknown-linux-gnu";

struct Android {
    /// Their path in the output folder.
    folder: &'static str,
    /// The command that builds them.
    task: &'static str,
    /// The variables that make the test use them.
    variables: &'static [(&'static str, &'static str)],
}

/// Device libraries, and those with landing pads, which the emulator enforces.
const ANDROID: &[Android] = &[
    Android { folder: "android/arm64-v8a", task: "android-abi", variables: &[] },
    Android {
        folder: "landing-pads/arm64-v8a",
        task: "landing-pads",
        variables: &[("VKLOAD_TEST_PADS", "1")],
    },
];

/// Tests on every processor for which compiler and emulator are installed; names the others.
pub(crate) fn run(parts: &[String]) -> Result<(), Failure> {
    let mut skipped = Vec::new();
    let mut failed = Vec::new();
    let is_wanted =
        |target: &str| parts.is_empty() || parts.iter().any(|part| target.contains(part.as_str()));
    let wanted: Vec<_> = PROCESSORS.iter().filter(|processor| is_wanted(processor.target)).collect();
    for processor in &wanted {
        if let Some(reason) = processor.lacks() {
            skipped.push(format!("{} ({reason})", processor.target));
        } else if let Err(error) = processor.test() {
            eprintln!("{}: {error}", processor.target);
            failed.push(processor.target);
        }
    }
    println!("test-arches: {} of {} tested", wanted.len() - skipped.len(), wanted.len());
    if !skipped.is_empty() {
        println!("test-arches: skipped {}: {}", skipped.len(), skipped.join(", "));
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed for {}", failed.join(", ")).into()) }
}

impl Processor {
    /// Returns the missing tools, if any.
    fn lacks(&self) -> Option<String> {
        // A compiler without a C library for the target repeats the bare name of the file.
        let start = command(&self.compiler()).arg("-print-file-name=crt1.o").read();
        if !start.is_ok_and(|start| start.starts_with('/')) {
            return Some(format!("no {} with a C library", self.compiler()));
        }
        let (program, is_there) = match self.runs {
            Runs::Emulator(emulator) => (emulator, command(emulator).arg("--version").succeeds()),
            Runs::Linker(linker) => (linker, Path::new(linker).exists()),
        };
        if !is_there {
            return Some(format!("no {program}"));
        }
        if !target_program::has_headers() {
            return Some("no headers of Vulkan (libvulkan-dev)".to_owned());
        }
        if is_available(self.target) { None } else { Some("rustup has no libraries for it".to_owned()) }
    }

    fn test(&self) -> Result<(), Failure> {
        if self.library {
            let target = Target::named(self.target)?;
            target_program::test(target, &self.compiler(), self.runner().as_deref())?;
        }
        if self.tests {
            self.test_in_rust()?;
        }
        println!("{}: passed", self.target);
        Ok(())
    }

    fn test_in_rust(&self) -> Result<(), Failure> {
        let mut tests = self.cargo("test");
        // Under the emulator, a child that is forked while other threads run can wait for one of them forever.
        tests.env("RUST_TEST_THREADS", "1");
        if self.core {
            tests.args(["--package", "vkload-core", "--package", "vkload-registry"]);
        }
        tests.args(["--package", "vkload-linux", "--lib", "--test", "trampolines"]).finish()?;
        if self.library {
            let library = target_folder().join(self.target).join("release/libvulkan.so");
            let mut test = self.cargo("test");
            test.args(["--package", "vkload-linux", "--test", "reopen"]);
            test.env("VKLOAD_TEST_LIBRARY", library).env("VKLOAD_TEST_CC", self.compiler());
            if let Some(runner) = self.runner() {
                test.env("VKLOAD_TEST_RUNNER", runner);
            }
            test.finish()?;
        }
        if self.target == ANDROIDS {
            ANDROID.iter().try_for_each(|libraries| self.test_android(libraries))?;
        }
        Ok(())
    }

    /// Runs programs with Android's libraries and the null driver. The test itself runs on this machine, and emulates the programs.
    fn test_android(&self, libraries: &Android) -> Result<(), Failure> {
        let Android { folder, task, variables } = libraries;
        if !target_folder().join(folder).exists() {
            println!("{}: skipped Android's libraries that `cargo xtask {task}` makes", self.target);
            return Ok(());
        }
        self.cargo("build").args(["--package", "null-driver-hal"]).finish()?;
        let driver = target_folder().join(self.target).join("debug/libvulkan_null.so");
        let mut test = test::command("platform-android/system/library")?;
        test.args(["--quiet", "--skip", "valgrind", "--skip", "system_tree"]);
        test.env("VKLOAD_TEST_ARTIFACTS", target_folder());
        test.env("VKLOAD_TEST_CC", self.compiler()).env("VKLOAD_TEST_DRIVER", driver);
        test.envs(variables.iter().copied());
        if let Some(runner) = self.runner() {
            test.env("VKLOAD_TEST_RUNNER", runner);
        }
        test.finish()
    }

    /// Returns a cargo command with a subcommand, for this target.
    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = cargo(subcommand);
        cargo.args(["--quiet", "--target", self.target]);
        let variable = self.target.to_uppercase().replace('-', "_");
        cargo.env(format!("CARGO_TARGET_{variable}_LINKER"), self.compiler());
        if let Some(runner) = self.runner() {
            cargo.env(format!("CARGO_TARGET_{variable}_RUNNER"), runner);
        }
        cargo
    }

    fn compiler(&self) -> String {
        format!("{}-gcc", self.tools)
    }

    /// Returns the command line that runs a program of this processor.
    fn runner(&self) -> Option<String> {
        match self.runs {
            Runs::Emulator(emulator) => Some(format!("{emulator} -L /usr/{}", self.tools)),
            Runs::Linker(_) => None,
        }
    }
}
