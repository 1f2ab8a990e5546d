//! `cargo xtask driver-abi`: what the null driver's libraries are to the systems that open them.
//!
//! A driver exports what loaders look for and nothing else. On Fuchsia it also needs nothing but the C library and the kernel's
//! functions; where there is no Fuchsia, both are stood in for by libraries that have the names of the functions a driver may
//! use, and nothing behind them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use object::read::elf::{Dyn, ElfFile64};
use object::{Object, ObjectSymbol, elf};

use crate::Failure;
use crate::build::{finish, root, target_folder};
use crate::check_targets::is_available;

/// A library, and what it may be to others.
struct Library {
    package: &'static str,
    /// What cargo calls it.
    built: &'static str,
    /// The target, unless it is this machine.
    target: Option<&'static str>,
    /// Its manifest, which is put beside it.
    manifest: Option<&'static str>,
    /// All that it exports.
    exports: &'static [&'static str],
    /// The libraries that it may need.
    needed: &'static [&'static str],
    /// The functions that it may use of them, if that is limited.
    imports: Option<&'static [Stub]>,
}

/// A system library, and the functions of it that a driver may use.
struct Stub(&'static str, &'static [&'static str]);

const ICD: &[&str] = &[
    "vk_icdGetInstanceProcAddr",
    "vk_icdGetPhysicalDeviceProcAddr",
    "vk_icdNegotiateLoaderICDInterfaceVersion",
];

const FUCHSIA: &[&str] = &[
    "vk_icdGetInstanceProcAddr",
    "vk_icdGetPhysicalDeviceProcAddr",
    "vk_icdInitializeOpenInNamespaceCallback",
    "vk_icdNegotiateLoaderICDInterfaceVersion",
];

const GLIBC: &[&str] = &["libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];

const FUCHSIA_LIBRARIES: &[&str] = &["libc.so", "libzircon.so"];

const FUCHSIA_FUNCTIONS: &[Stub] = &[
    Stub(
        "c",
        &[
            "abort",
            "aligned_alloc",
            "bcmp",
            "free",
            "getenv",
            "memcmp",
            "memcpy",
            "memmove",
            "memset",
            "strlen",
            "thrd_current",
            "write",
        ],
    ),
    Stub("zircon", &["zx_clock_get_monotonic", "zx_nanosleep"]),
];

const LIBRARIES: &[Library] = &[
    Library {
        package: "null-driver-icd",
        built: "libvkload_null.so",
        target: None,
        manifest: Some("driver-runtime/null-driver/icd/vkload_null.json"),
        exports: ICD,
        needed: GLIBC,
        imports: None,
    },
    Library {
        package: "null-driver-hal",
        built: "libvulkan_null.so",
        target: None,
        manifest: None,
        exports: &["HMI"],
        needed: GLIBC,
        imports: None,
    },
    fuchsia("x86_64-unknown-fuchsia"),
    fuchsia("aarch64-unknown-fuchsia"),
];

const fn fuchsia(target: &'static str) -> Library {
    Library {
        package: "null-driver-icd",
        built: "libvkload_null.so",
        target: Some(target),
        manifest: None,
        exports: FUCHSIA,
        needed: FUCHSIA_LIBRARIES,
        imports: Some(FUCHSIA_FUNCTIONS),
    }
}

/// Builds and checks every library for which there is a compiler; names the others.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut complaints = Vec::new();
    for library in LIBRARIES {
        match library.target.filter(|target| !is_available(target)) {
            Some(target) => println!("driver-abi: skipped {target}, which rustup cannot add"),
            None => complaints.extend(library.check()?),
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!("{} complaints\n  {}", complaints.len(), complaints.join("\n  ")).into())
}

impl Library {
    fn check(&self) -> Result<Vec<String>, Failure> {
        let path = self.build()?;
        let facts = Facts::read(&fs::read(&path)?)?;
        println!("{}: {} exports, needs {}", path.display(), facts.exports.len(), facts.needed.join(", "));
        Ok(self.complaints(&facts).into_iter().map(|it| format!("{}: {it}", path.display())).collect())
    }

    fn build(&self) -> Result<PathBuf, Failure> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--quiet", "--release", "--package", self.package]);
        let mut folder = target_folder();
        if let Some(target) = self.target {
            cargo.args(["--target", target]);
            folder.push(target);
            let stubs = folder.join("stubs");
            for stub in self.imports.unwrap_or_default() {
                stub.build(&stubs, target)?;
            }
            let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", target.to_uppercase().replace('-', "_"));
            cargo.env(variable, format!("-L native={}", stubs.display()));
        }
        finish(&mut cargo)?;
        let folder = folder.join("release");
        if let Some(manifest) = self.manifest {
            let name = Path::new(manifest).file_name().unwrap_or_default();
            fs::copy(root().join(manifest), folder.join(name))?;
        }
        Ok(folder.join(self.built))
    }

    fn complaints(&self, facts: &Facts) -> Vec<String> {
        let mut found = Vec::new();
        if facts.exports != self.exports {
            found.push(format!("it exports {:?}, not {:?}", facts.exports, self.exports));
        }
        for needed in facts.needed.iter().filter(|needed| !self.needed.contains(&needed.as_str())) {
            found.push(format!("it needs {needed}"));
        }
        let Some(stubs) = self.imports else { return found };
        let may = |name: &str| stubs.iter().any(|stub| stub.1.contains(&name));
        for name in facts.imports.iter().filter(|name| !may(name)) {
            found.push(format!("it uses {name}, which a driver there may not"));
        }
        found
    }
}

impl Stub {
    /// Makes a library with these functions, which do nothing.
    fn build(&self, folder: &Path, target: &str) -> Result<(), Failure> {
        fs::create_dir_all(folder)?;
        let Self(name, functions) = self;
        let mut text = String::from(
            "#![no_std]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n",
        );
        for function in *functions {
            text += &format!("#[unsafe(no_mangle)] pub extern \"C\" fn {function}() {{}}\n");
        }
        let source = folder.join(format!("{name}.rs"));
        fs::write(&source, text)?;
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.current_dir(root()).args([
            "--edition=2024",
            "--crate-type=cdylib",
            "-Cpanic=abort",
            "--target",
            target,
        ]);
        rustc.arg(format!("-Clink-arg=-soname=lib{name}.so")).arg("-o");
        finish(rustc.arg(folder.join(format!("lib{name}.so"))).arg(source))
    }
}

/// What a library says about itself.
#[derive(Default)]
struct Facts {
    /// In the order of their names.
    exports: Vec<String>,
    needed: Vec<String>,
    imports: Vec<String>,
}

impl Facts {
    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let file = ElfFile64::<object::Endianness>::parse(bytes)?;
        let mut facts = Self::default();
        for symbol in file.dynamic_symbols().filter(|symbol| !symbol.name().is_ok_and(str::is_empty)) {
            let list = if symbol.is_definition() { &mut facts.exports } else { &mut facts.imports };
            list.push(symbol.name()?.to_owned());
        }
        facts.exports.sort_unstable();
        let (endian, sections) = (file.endian(), file.elf_section_table());
        let (entries, index) = sections.dynamic(endian, bytes)?.ok_or("it is no dynamic library")?;
        let strings = sections.strings(endian, bytes, index)?;
        for entry in entries {
            if u32::try_from(entry.d_tag(endian)) == Ok(elf::DT_NEEDED) {
                facts.needed.push(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned());
            }
        }
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn good() -> Facts {
        Facts {
            exports: names(FUCHSIA),
            needed: names(FUCHSIA_LIBRARIES),
            imports: names(&["memcpy", "zx_nanosleep"]),
        }
    }

    fn complaints(facts: &Facts) -> Vec<String> {
        fuchsia("x86_64-unknown-fuchsia").complaints(facts)
    }

    #[test]
    fn a_driver_that_is_as_written_down_passes() {
        assert_eq!(complaints(&good()), [""; 0]);
    }

    #[test]
    fn what_a_driver_on_fuchsia_may_not_have_is_named() {
        let needed = names(&["libc.so", "libfdio.so"]);
        assert_eq!(complaints(&Facts { needed, ..good() }), ["it needs libfdio.so"]);
        let imports = names(&["memcpy", "rust_eh_personality"]);
        let found = complaints(&Facts { imports, ..good() });
        assert_eq!(found, ["it uses rust_eh_personality, which a driver there may not"]);
        let exports = names(&["vk_icdGetInstanceProcAddr", "vkCreateInstance"]);
        assert_eq!(complaints(&Facts { exports, ..good() }).len(), 1);
    }
}
