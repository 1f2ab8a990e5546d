//! `cargo xtask android-abi`: builds the libraries of Android for its four ABIs, and checks what they are to the rest of the system.
//!
//! They are linked with an installed NDK, or with stand-ins that have the names and functions of the system's libraries. The
//! libraries are the same: they have no more of them than names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Failure;
use crate::abi::{Expected, end};
use crate::build::{finish, root, target_folder};
use crate::check_targets::is_available;
use crate::elf::Facts;
use crate::imports::{Imports, tool};

/// Android's name of a processor, and the compiler's.
pub(crate) const ABIS: &[(&str, &str)] = &[
    ("arm64-v8a", "aarch64-linux-android"),
    ("armeabi-v7a", "armv7-linux-androideabi"),
    ("x86_64", "x86_64-linux-android"),
    ("x86", "i686-linux-android"),
];

/// The newest level of Android's API that the list of exports knows.
const NEWEST: u32 = 36;

/// The oldest level that has Vulkan.
const OLDEST: u32 = 24;

/// Bytes of the largest page of any system.
const PAGE: u64 = 16 * 1024;

/// A library that is built.
struct Library {
    package: &'static str,
    /// What cargo calls it.
    built: &'static str,
    soname: &'static str,
    exports: &'static str,
    imports: &'static str,
    /// Bytes of the stripped library for 64-bit Arm.
    largest: u64,
}

const LIBRARIES: &[Library] = &[Library {
    package: "libvulkan-android",
    built: "libvulkan_android.a",
    soname: "libvulkan.so",
    exports: "platform-android/libvulkan.map.txt",
    imports: "platform-android/imports.txt",
    largest: 450_000,
}];

/// Builds and checks every library for every ABI for which there is a compiler; names the others.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let level = match arguments {
        [] => NEWEST,
        [option, level] if option == "--api" => level.parse()?,
        _ => return Err("the only option is --api LEVEL".into()),
    };
    if !(OLDEST..=NEWEST).contains(&level) {
        return Err(format!("the levels with Vulkan are {OLDEST} to {NEWEST}, not {level}").into());
    }
    let (mut complaints, mut skipped) = (Vec::new(), Vec::new());
    for library in LIBRARIES {
        let (imports, mut used) = (Imports::of(library.imports)?, BTreeSet::new());
        for (abi, target) in ABIS {
            if !is_available(target) {
                skipped.push(*target);
                continue;
            }
            let path = library.build(abi, target, level, &imports)?;
            let facts = Facts::of(&path)?;
            let size = library.install(abi, &path)?;
            let (exports, needed) = (facts.exports.len(), facts.needed.join(", "));
            println!("{abi}/{}: {exports} exports, {size} bytes stripped, needs {needed}", library.soname);
            let found = library.complaints(&facts, abi, level, size, &imports)?;
            complaints.extend(found.into_iter().map(|it| format!("{abi}/{}: {it}", library.soname)));
            used.extend(facts.imports);
        }
        if skipped.is_empty() {
            let unused = imports.functions().into_iter().filter(|name| !used.contains(*name));
            complaints.extend(
                unused.map(|name| format!("{} has {name}, which nothing uses any more", library.imports)),
            );
        }
    }
    println!("android-abi: {} of {} ABIs checked", ABIS.len() - skipped.len(), ABIS.len());
    if !skipped.is_empty() {
        println!("android-abi: skipped {} that rustup cannot add: {}", skipped.len(), skipped.join(", "));
    }
    end(&complaints)
}

/// What every library is linked with: read-only relocations, bound when the library is loaded; no undefined symbols; no relocations
/// in code; nothing that is not used; a build id for debuggers; segments that can be mapped on systems with pages of 16 KiB. The
/// library's own look-ups lead to its own functions, whatever else in the process has their names.
const LINKER_FLAGS: &[&str] = &[
    "-zrelro",
    "-znow",
    "-zdefs",
    "-ztext",
    "--gc-sections",
    "--as-needed",
    "--build-id=sha1",
    "-Bsymbolic-functions",
    "-zmax-page-size=16384",
    "--no-rosegment",
];

/// What links.
enum Linker {
    /// The compiler of an NDK, which knows where the system's libraries are.
    Ndk(PathBuf),
    /// The linker that comes with the compiler, and the folder of the stand-ins.
    StandIns(PathBuf),
}

impl Linker {
    fn new(target: &str, level: u32, imports: &Imports) -> Result<Self, Failure> {
        let Some(ndk) = env::var_os("ANDROID_NDK_HOME").map(PathBuf::from) else {
            return Ok(Self::StandIns(imports.stand_ins(target, Some("LIBC"))?));
        };
        // The compiler of 32-bit Arm is called by another name than its target.
        let name = format!("{}{level}-clang", target.replace("armv7-", "armv7a-"));
        let compiler = ndk.join("toolchains/llvm/prebuilt/linux-x86_64/bin").join(name);
        if !compiler.is_file() {
            return Err(format!("ANDROID_NDK_HOME has no {}", compiler.display()).into());
        }
        Ok(Self::Ndk(compiler))
    }

    /// Makes a shared library of `archive`, which exports what `script` lets out.
    fn link(
        &self,
        soname: &str,
        archive: &Path,
        script: &Path,
        imports: &Imports,
        out: &Path,
    ) -> Result<(), Failure> {
        let mut flags: Vec<String> = LINKER_FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("-soname={soname}"));
        flags.push(format!("--version-script={}", script.display()));
        // Everything else is reached from here.
        let parts = ["--undefined=vkGetInstanceProcAddr".into(), archive.display().to_string()];
        let names = imports.libraries();
        match self {
            Self::Ndk(compiler) => {
                let mut compiler = Command::new(compiler);
                compiler.args(["-shared", "-nostdlib", "-o"]).arg(out);
                compiler.args(flags.iter().chain(&parts).map(|flag| format!("-Wl,{flag}")));
                let short =
                    |name: &&str| format!("-l{}", name.trim_start_matches("lib").trim_end_matches(".so"));
                finish(compiler.args(names.iter().map(short)))
            }
            Self::StandIns(folder) => {
                let mut linker = Command::new(tool("rust-lld")?);
                linker.args(["-flavor", "gnu", "-shared", "-o"]).arg(out).args(flags).args(parts);
                finish(linker.args(names.iter().map(|name| folder.join(name))))
            }
        }
    }
}

impl Library {
    /// Builds the library, with symbols, and returns where it is.
    fn build(&self, abi: &str, target: &str, level: u32, imports: &Imports) -> Result<PathBuf, Failure> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--quiet", "--release", "--package", self.package]);
        finish(cargo.args(["--target", target]))?;
        let archive = target_folder().join(target).join("release").join(self.built);
        let folder = target_folder().join("android/symbols").join(abi);
        fs::create_dir_all(&folder)?;
        let script = folder.join("exports.map");
        let names = exported_at(&fs::read_to_string(root().join(self.exports))?, level)?.replace('\n', ";\n");
        fs::write(&script, format!("LIBVULKAN {{\nglobal:\n{names}local:\n*;\n}};\n"))?;
        let library = folder.join(self.soname);
        Linker::new(target, level, imports)?.link(self.soname, &archive, &script, imports, &library)?;
        Ok(library)
    }

    /// Puts the library without symbols where it is taken from, and returns its size.
    fn install(&self, abi: &str, library: &Path) -> Result<u64, Failure> {
        let folder = target_folder().join("android").join(abi);
        fs::create_dir_all(&folder)?;
        let stripped = folder.join(self.soname);
        finish(Command::new(tool("rust-objcopy")?).arg("--strip-all").args([library, &stripped]))?;
        Ok(fs::metadata(stripped)?.len())
    }

    fn complaints(
        &self,
        facts: &Facts,
        abi: &str,
        level: u32,
        size: u64,
        imports: &Imports,
    ) -> Result<Vec<String>, Failure> {
        let list = fs::read_to_string(root().join(self.exports))?;
        let listed = exported_at(&list, level)?;
        let mut found =
            Expected::with(self.soname, &imports.libraries(), self.exports, listed).complaints(facts);
        let functions = imports.functions();
        for name in facts.imports.iter().filter(|name| !functions.contains(name.as_str())) {
            found.push(format!("it uses {name}, which is not in {}", self.imports));
        }
        for segment in facts.segments.iter().filter(|segment| segment.align < PAGE) {
            found
                .push(format!("the segment at {:#x} cannot be mapped with pages of 16 KiB", segment.address));
        }
        if abi == "arm64-v8a" && size > self.largest {
            found.push(format!("{size} bytes stripped, {} is the most", self.largest));
        }
        Ok(found)
    }
}

/// The names of a version script up to `level`, a line each. What came after level 24 says so in a comment.
fn exported_at(script: &str, level: u32) -> Result<String, Failure> {
    let mut names = String::new();
    for line in script.lines().filter(|line| line.trim_start().starts_with("vk")) {
        let (name, comment) = line.trim().split_once(';').ok_or_else(|| format!("{line}: no semicolon"))?;
        let since = comment.split_once("introduced=").map_or(Ok(OLDEST), |(_, since)| since.parse())?;
        if since <= level {
            names += name;
            names.push('\n');
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r87_each_level_has_as_many_names_as_the_system_of_that_level() {
        let script = fs::read_to_string(root().join(LIBRARIES[0].exports)).unwrap();
        let count = |level| exported_at(&script, level).unwrap().lines().count();
        assert_eq!([24, 27, 28, 31, 33, 34, 35, 36].map(count), [148, 148, 182, 195, 232, 233, 233, 252]);
    }
}
