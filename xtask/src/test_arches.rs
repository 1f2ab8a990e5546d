//! `cargo xtask test-arches`: the core, the trampolines and the whole library run on every processor that they have code
//! for, Android's library for 64-bit Arm too.

use std::env;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::build::{finish, root, target_folder};
use crate::check_targets::is_available;

/// A processor other than the usual x86-64.
struct Processor {
    target: &'static str,
    /// The words before the hyphen in the names of its compiler, and the name of the folder with its C library.
    tools: &'static str,
    /// The program that runs what an x86-64 cannot.
    emulator: Option<&'static str>,
    /// Whether the tests of the core are run, too: once for each width of pointers.
    core: bool,
    /// Whether the whole library is built and used, too.
    library: bool,
}

/// Thumb is another encoding of the instructions of 32-bit Arm, the one that Android uses.
#[rustfmt::skip]
const PROCESSORS: &[Processor] = &[
    Processor { target: "aarch64-unknown-linux-gnu", tools: "aarch64-linux-gnu", emulator: Some("qemu-aarch64"), core: true, library: true },
    Processor { target: "armv7-unknown-linux-gnueabihf", tools: "arm-linux-gnueabihf", emulator: Some("qemu-arm"), core: false, library: true },
    Processor { target: "thumbv7neon-unknown-linux-gnueabihf", tools: "arm-linux-gnueabihf", emulator: Some("qemu-arm"), core: false, library: false },
    Processor { target: "i686-unknown-linux-gnu", tools: "i686-linux-gnu", emulator: None, core: true, library: true },
    Processor { target: "riscv64gc-unknown-linux-gnu", tools: "riscv64-linux-gnu", emulator: Some("qemu-riscv64"), core: false, library: true },
];

/// The dynamic linker of programs for 32-bit x86, which an x86-64 runs itself.
const X86_LINKER: &str = "/lib/ld-linux.so.2";

/// The processor on which Android's libraries are run.
const ANDROIDS: &str = "aarch64-unknown-linux-gnu";

/// Libraries for it.
struct Android {
    /// Where they are, in the folder of what is built.
    folder: &'static str,
    /// What makes them.
    chore: &'static str,
    /// What tells the test to use them.
    variables: &'static [(&'static str, &'static str)],
}

/// Those for devices, and those with landing pads, which the emulator enforces.
const ANDROID: &[Android] = &[
    Android { folder: "android/arm64-v8a", chore: "android-abi", variables: &[] },
    Android {
        folder: "landing-pads/arm64-v8a",
        chore: "landing-pads",
        variables: &[("VKLOAD_TEST_PADS", "1")],
    },
];

/// Tests on every processor for which compiler and emulator are installed; names the others.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut skipped = Vec::new();
    let mut failed = Vec::new();
    for processor in PROCESSORS {
        if let Some(reason) = processor.lacks() {
            skipped.push(format!("{} ({reason})", processor.target));
        } else if let Err(error) = processor.test() {
            eprintln!("{}: {error}", processor.target);
            failed.push(processor.target);
        }
    }
    println!("test-arches: {} of {} tested", PROCESSORS.len() - skipped.len(), PROCESSORS.len());
    if !skipped.is_empty() {
        println!("test-arches: skipped {}: {}", skipped.len(), skipped.join(", "));
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed for {}", failed.join(", ")).into()) }
}

impl Processor {
    /// What is not installed here, if anything is not.
    fn lacks(&self) -> Option<String> {
        // A compiler without a C library for the target repeats the bare name of the file.
        let start = Command::new(self.compiler()).arg("-print-file-name=crt1.o").output();
        if !start.is_ok_and(|output| output.stdout.starts_with(b"/")) {
            return Some(format!("no {} with a C library", self.compiler()));
        }
        let program = self.emulator.unwrap_or(X86_LINKER);
        let mut version = Command::new(program);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        if !version.status().is_ok_and(|status| status.success()) {
            return Some(format!("no {program}"));
        }
        if is_available(self.target) { None } else { Some("rustup has no libraries for it".to_owned()) }
    }

    fn test(&self) -> Result<(), Failure> {
        let mut tests = self.cargo("test");
        if self.core {
            tests.args(["--package", "loader-core"]);
        }
        finish(tests.args(["--package", "platform-linux", "--lib", "--test", "trampolines"]))?;
        if self.library {
            finish(self.cargo("build").args(["--release", "--package", "libvulkan-linux"]))?;
            let library = target_folder().join(self.target).join("release/libvulkan.so");
            let mut test = self.cargo("test");
            test.args(["--package", "platform-linux", "--test", "reopen"]);
            test.env("VKLOAD_TEST_LIBRARY", library).env("VKLOAD_TEST_CC", self.compiler());
            if let Some(runner) = self.runner() {
                test.env("VKLOAD_TEST_RUNNER", runner);
            }
            finish(&mut test)?;
        }
        if self.target == ANDROIDS {
            ANDROID.iter().try_for_each(|libraries| self.test_android(libraries))?;
        }
        println!("{}: passed", self.target);
        Ok(())
    }

    /// Runs programs with Android's libraries and the null driver. The test itself runs on this machine, and emulates the programs.
    fn test_android(&self, libraries: &Android) -> Result<(), Failure> {
        let Android { folder, chore, variables } = libraries;
        if !target_folder().join(folder).exists() {
            println!("{}: skipped Android's libraries that `cargo xtask {chore}` makes", self.target);
            return Ok(());
        }
        finish(self.cargo("build").args(["--release", "--package", "null-driver-hal"]))?;
        let driver = target_folder().join(self.target).join("release/libvulkan_null.so");
        let mut test = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        test.current_dir(root()).args(["test", "--quiet", "--package", "platform-android"]);
        test.args(["--test", "library", "--", "--skip", "valgrind", "--skip", "system_tree"]);
        test.env("VKLOAD_TEST_CC", self.compiler()).env("VKLOAD_TEST_DRIVER", driver);
        test.envs(variables.iter().copied());
        if let Some(runner) = self.runner() {
            test.env("VKLOAD_TEST_RUNNER", runner);
        }
        finish(&mut test)
    }

    /// Cargo with a subcommand, for this target.
    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args([subcommand, "--quiet", "--target", self.target]);
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

    /// The command line that runs a program of this processor.
    fn runner(&self) -> Option<String> {
        self.emulator.map(|emulator| format!("{emulator} -L /usr/{}", self.tools))
    }
}
