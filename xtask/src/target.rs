//! The Linux systems that libraries can be built for (`--target TRIPLE`), and their tools.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf::{EM_386, EM_AARCH64, EM_ARM, EM_RISCV, EM_X86_64};

use crate::Failure;
use crate::command::{Run, command};
use crate::toolchain::{host, is_available, rustc, tool};
use crate::workspace::target_folder;

/// A Linux system other than the one that cargo builds for by itself.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// The prefix of its tools' names.
    pub(crate) tools: &'static str,
    /// Debian's package with these tools and their C library.
    package: &'static str,
    /// Musl's dynamic linker, if musl is the C library.
    musl: Option<&'static str>,
    /// The kind of processor in its files (`e_machine`).
    pub(crate) machine: u16,
}

#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target { name: "x86_64-unknown-linux-gnu", tools: "x86_64-linux-gnu", package: "gcc-x86-64-linux-gnu", musl: None, machine: EM_X86_64 },
    Target { name: "aarch64-unknown-linux-gnu", tools: "aarch64-linux-gnu", package: "gcc-aarch64-linux-gnu", musl: None, machine: EM_AARCH64 },
    Target { name: "armv7-unknown-linux-gnueabihf", tools: "arm-linux-gnueabihf", package: "gcc-arm-linux-gnueabihf", musl: None, machine: EM_ARM },
    Target { name: "i686-unknown-linux-gnu", tools: "i686-linux-gnu", package: "gcc-i686-linux-gnu", musl: None, machine: EM_386 },
    Target { name: "riscv64gc-unknown-linux-gnu", tools: "riscv64-linux-gnu", package: "gcc-riscv64-linux-gnu", musl: None, machine: EM_RISCV },
    Target { name: "x86_64-unknown-linux-musl", tools: "x86_64-linux-gnu", package: "gcc-x86-64-linux-gnu", musl: Some("/lib/ld-musl-x86_64.so.1"), machine: EM_X86_64 },
    Target { name: "aarch64-unknown-linux-musl", tools: "aarch64-linux-gnu", package: "gcc-aarch64-linux-gnu", musl: Some("/lib/ld-musl-aarch64.so.1"), machine: EM_AARCH64 },
];

impl Target {
    /// Returns the target with this name, if a compiler and a linker for it are installed.
    pub(crate) fn named(name: &str) -> Result<&'static Self, Failure> {
        let found = TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            format!("--target {name}: the targets are {}", names.join(", "))
        })?;
        if !is_available(name) {
            return Err(format!("rustup has no libraries for {name}: try `rustup target add {name}`").into());
        }
        Ok(found)
    }

    /// Returns cargo's output folder for this target, below the folder for all targets.
    pub(crate) fn folder(&self, all: &Path, profile: &str) -> PathBuf {
        all.join(self.name).join(profile)
    }

    /// Returns the libraries that a loader for this target needs.
    pub(crate) fn needed(&self) -> &'static [&'static str] {
        if self.musl.is_some() { &["libc.so"] } else { &["libc.so.6"] }
    }

    /// Makes cargo build for this target, with its linker.
    pub(crate) fn choose(&self, cargo: &mut Command) -> Result<(), Failure> {
        cargo.args(["--target", self.name]);
        self.set_linker(cargo)?;
        let flags = self.flags()?;
        if flags.is_empty() {
            return Ok(());
        }
        // Flags in the variable replace those in configuration files.
        match env::var("RUSTFLAGS") {
            Err(_) => cargo.args(["--config", &format!("build.rustflags={flags:?}")]),
            Ok(given) => cargo.env("RUSTFLAGS", format!("{given} {}", flags.join(" "))),
        };
        Ok(())
    }

    /// Names the linker, unless cargo's own variable does.
    pub(crate) fn set_linker(&self, cargo: &mut Command) -> Result<(), Failure> {
        let variable = self.variable("LINKER");
        let is_this_machine = host().is_ok_and(|host| host == self.name);
        if env::var_os(&variable).is_some() || self.musl.is_none() && is_this_machine {
            return Ok(());
        }
        cargo.env(&variable, self.tool("gcc", "cc", &variable)?);
        Ok(())
    }

    /// Returns the first that runs of a tool for this target, the machine's own if that is for the same processor, and LLVM's.
    fn tool(&self, name: &str, own: &str, variable: &str) -> Result<String, Failure> {
        let (tools, package) = (self.tools, self.package);
        let processor = |name: &str| name.split('-').next().unwrap_or_default().to_owned();
        let is_this_processor = host().is_ok_and(|host| processor(host) == processor(self.name));
        // LLVM's tools support every processor, but its linkers need a C library or cannot combine several objects into one.
        let llvm = (!["gcc", "ld"].contains(&name)).then(|| format!("llvm-{name}"));
        let own = is_this_processor.then(|| own.to_owned());
        let mut candidates = [Some(format!("{tools}-{name}")), own, llvm.clone()].into_iter().flatten();
        let found = candidates.find(|program| command(program).arg("--version").succeeds());
        let or_llvm = llvm.map(|llvm| format!(", and no {llvm}")).unwrap_or_default();
        found.ok_or_else(|| {
            let target = self.name;
            format!("for {target}, there is no {tools}-{name} (Debian: {package}){or_llvm}; or name one in {variable}").into()
        })
    }

    /// Returns the compiler flags that the target needs. The standard library's own target for musl only makes static programs; a shared
    /// library, and a program that opens one, get musl from the system that they run on.
    pub(crate) fn flags(&self) -> Result<Vec<String>, Failure> {
        let Some(dynamic_linker) = self.musl else { return Ok(Vec::new()) };
        Ok(vec![
            "-Ctarget-feature=-crt-static".into(),
            "-Clink-self-contained=yes".into(),
            format!("-Lnative={}", self.musl_libraries()?.display()),
            // The library has references to the compiler's own, which the real one has inside.
            format!("-Clink-arg=-Wl,--dynamic-linker={dynamic_linker},--allow-shlib-undefined"),
        ])
    }

    /// Returns the folder with musl to link with, so that no compiler of musl is needed: the static library that comes with Rust, as a
    /// shared one under the name by which musl's dynamic linker knows itself. The unwinder is linked in.
    fn musl_libraries(&self) -> Result<PathBuf, Failure> {
        let folder = target_folder().join(self.name).join("musl");
        fs::create_dir_all(&folder)?;
        let rust = rustc("--print target-libdir --target").arg(self.name).read()?;
        let rust = Path::new(&rust).join("self-contained");
        let (library, new) = (folder.join("libc.so"), folder.join(format!("libc.{}", std::process::id())));
        let mut link = Command::new(tool("rust-lld")?);
        link.args(["-flavor", "gnu", "-shared", "-soname", "libc.so", "-o"]).arg(&new);
        link.arg("--whole-archive").arg(rust.join("libc.a")).finish()?;
        fs::rename(&new, &library)?;
        let unwinder = format!("INPUT({})\n", rust.join("libunwind.a").display());
        fs::write(&new, unwinder)?;
        fs::rename(&new, folder.join("libgcc_s.so"))?;
        Ok(folder)
    }

    pub(crate) fn variable(&self, what: &str) -> String {
        format!("CARGO_TARGET_{}_{what}", self.name.to_uppercase().replace('-', "_"))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Binutils(pub(crate) Option<&'static Target>);

impl Binutils {
    /// Returns a tool, which a variable with its name in capitals may replace (`STRIP`, `OBJCOPY`, `LD`, `AR`).
    pub(crate) fn command(self, name: &'static str) -> Result<Command, Failure> {
        if let Some(program) = env::var_os(name.to_uppercase()).filter(|program| !program.is_empty()) {
            return Ok(Command::new(program));
        }
        let Some(target) = self.0 else { return Ok(Command::new(name)) };
        Ok(Command::new(target.tool(name, name, &name.to_uppercase())?))
    }

    /// Copies a library or program without the symbols that only debuggers need.
    pub(crate) fn strip(self, from: &Path, to: &Path) -> Result<(), Failure> {
        let mut strip = self.command("strip")?;
        strip.args(["--strip-all", "--remove-section=.comment", "-o"]).args([to, from]).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_is_not_known_is_answered_with_those_that_are() {
        let error = Target::named("sparc64-unknown-linux-gnu").unwrap_err().to_string();
        assert!(error.contains("riscv64gc-unknown-linux-gnu, x86_64-unknown-linux-musl"), "{error}");
    }

    #[test]
    fn without_a_linker_the_error_names_a_package_and_a_variable() {
        let absent = Target {
            name: "mips-unknown-linux-gnu",
            tools: "mips-none",
            package: "gcc-mips-linux-gnu",
            musl: None,
            machine: 8,
        };
        let error = absent.set_linker(&mut Command::new("cargo")).unwrap_err().to_string();
        assert!(error.contains("mips-none-gcc (Debian: gcc-mips-linux-gnu)"), "{error}");
        assert!(error.contains("CARGO_TARGET_MIPS_UNKNOWN_LINUX_GNU_LINKER"), "{error}");
        let absent: &'static Target = Box::leak(Box::new(absent));
        let error = Binutils(Some(absent)).command("ld").unwrap_err().to_string();
        assert!(
            error.contains("mips-none-ld (Debian: gcc-mips-linux-gnu)") && error.contains("LD"),
            "{error}"
        );
    }
}
