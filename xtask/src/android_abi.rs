//! `cargo xtask android-abi`: builds Android's libraries for its four ABIs, and checks their interface to the system.
//!
//! They are linked with an installed NDK, or with stand-ins for the system's libraries. The result is the same, since a library records
//! only its dependencies' names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::abi::{self, Check, Expected, end};
use crate::android_link::{System, version_of};
use crate::android_options::{ABIS, DEFAULT, NEWEST, OLDEST, OLDEST_OF_APPLICATIONS, Options};
use crate::command::Run;
use crate::elf::Facts;
use crate::imports::Imports;
use crate::toolchain::{cargo, report_skipped, tool, without_folders};
use crate::workspace::{lines, target_folder};

/// The other levels at which functions were added. None were at the newest one.
const LEVELS: &[u32] = &[OLDEST, 31, 33, 34];

/// The version script with the commands of Vulkan, and their version, which is the same on every level.
const COMMANDS: (&str, &str) = ("platform-android/libvulkan.map.txt", "LIBVULKAN");

/// Bytes of the largest page of any system.
pub(crate) const PAGE: u64 = 16 * 1024;

pub(crate) struct Library {
    pub(crate) package: &'static str,
    pub(crate) soname: &'static str,
    /// The name of its file, which is its SONAME unless that is the system's.
    pub(crate) file: &'static str,
    has_commands: bool,
    exports: &'static str,
    /// The list of system functions that it may use.
    imports: &'static str,
    /// Whether an application brings it: then it runs on every level.
    pub(crate) is_brought: bool,
    /// Bytes of the stripped library for 64-bit Arm.
    largest: u64,
}

/// The stand-ins for system libraries that drivers need. An application's package combines files from many sources, and no two may share a
/// name; hence the long names of the files.
#[rustfmt::skip]
pub(crate) const LIBRARIES: &[Library] = &[
    Library { package: "libvulkan-android", soname: "libvulkan.so", file: "libvulkan.so", has_commands: true, exports: "",
        imports: "platform-android/imports.txt", is_brought: false, largest: 450_000 },
    // Never the system's name, by which the system's is opened.
    Library { package: "libvkload-android", soname: "libvkload.so", file: "libvkload.so", has_commands: true,
        exports: "vkload_configure vkload_get_instance_proc_addr vkload_report vkload_set_log",
        imports: "platform-android/imports-apk.txt", is_brought: true, largest: 720_000 },
    Library { package: JNI, soname: "libvkload_jni.so", file: "libvkload_jni.so", has_commands: false, exports: "JNI_OnLoad",
        imports: "jni/imports.txt", is_brought: true, largest: 16_000 },
    Library { package: JNI, soname: "libcutils.so", file: "libvkload_cutils.so", has_commands: false,
        exports: "atrace_async_begin_body atrace_async_end_body atrace_async_for_track_begin_body atrace_async_for_track_end_body \
            atrace_begin_body atrace_end_body atrace_get_enabled_tags atrace_init atrace_instant_body atrace_instant_for_track_body \
            atrace_int64_body atrace_int_body atrace_set_debuggable atrace_set_tracing_enabled atrace_setup atrace_update_tags \
            property_get property_get_bool property_get_int32 property_get_int64 property_set",
        imports: "jni/imports-cutils.txt", is_brought: true, largest: 8_000 },
    Library { package: JNI, soname: "libhardware.so", file: "libvkload_hardware.so", has_commands: false,
        exports: "hw_get_module hw_get_module_by_class",
        imports: "jni/imports-hardware.txt", is_brought: true, largest: 8_000 },
    Library { package: JNI, soname: "libsync.so", file: "libvkload_sync.so", has_commands: false,
        exports: "sync_file_info sync_file_info_free sync_merge sync_wait",
        imports: "jni/imports-sync.txt", is_brought: true, largest: 8_000 },
];

const JNI: &str = "libvkload-jni";

const CHECKS: &[Check] = &[
    abi::may_be_loaded,
    abi::exports,
    abi::allocations_may_fail,
    abi::imports,
    abi::freestanding,
    versions,
    |_, facts, complaints| complaints.extend(small_pages(facts)),
    backtraces_go_through,
];

/// Functions that some compilers leave out, as nothing that is allocated needs a large alignment.
const OPTIMISED_OUT: &[&str] = &["posix_memalign"];

/// Builds and checks every library for every ABI with a compiler on this machine; names the others.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (abis, skipped) = options.available();
    let (mut used, mut complaints) = (BTreeSet::new(), Vec::new());
    for (abi, target) in &abis {
        let system = System::of(target, &all_imports()?)?;
        for library in LIBRARIES {
            let found = library.make(&system, abi, options.api, &mut used)?;
            complaints.extend(found.into_iter().map(|it| format!("{abi}/{}: {it}", library.file)));
        }
    }
    for list in LIBRARIES.iter().map(|library| library.imports).filter(|_| abis.len() == ABIS.len()) {
        let imports = Imports::of(list)?;
        let unused = imports
            .functions()
            .filter(|name| !OPTIMISED_OUT.contains(name) && !used.contains(&(list, (*name).to_owned())));
        complaints.extend(unused.map(|name| format!("{list} has {name}, which nothing uses any more")));
    }
    println!("android-abi: {} of {} ABIs checked", abis.len(), abis.len() + skipped.len());
    println!("android-abi: libvulkan.so is built for API level {}", options.api.unwrap_or(DEFAULT));
    if options.api.is_none() {
        println!(
            "    and for {NEWEST} in target/android/levels/{NEWEST}; its exports are also checked at {LEVELS:?}"
        );
    }
    report_skipped("android-abi", &skipped);
    end(&complaints)
}

pub(crate) fn all_imports() -> Result<Imports, Failure> {
    let mut all = Imports::default();
    for library in LIBRARIES {
        all.extend(Imports::of(library.imports)?);
    }
    Ok(all)
}

impl Library {
    /// Makes the library with its symbols, and the one to install, and returns the complaints. Records the system functions used.
    fn make(
        &self,
        system: &System,
        abi: &str,
        only: Option<u32>,
        used: &mut BTreeSet<(&str, String)>,
    ) -> Result<Vec<String>, Failure> {
        let level = only.unwrap_or(DEFAULT);
        let archive = self.build(system.target, level)?;
        let folder = target_folder().join("android");
        let path = self.link(system, &archive, &[], level, &folder.join("symbols").join(abi))?;
        let installed = self.installed(abi);
        fs::create_dir_all(folder.join(abi))?;
        Command::new(tool("rust-objcopy")?).arg("--strip-all").args([&path, &installed]).finish()?;
        let size = fs::metadata(&installed)?.len();
        let facts = Facts::of(&path)?;
        println!("{abi}/{}: {}, {size} bytes stripped", self.file, facts.summary());
        println!("    {}\n    with symbols: {}", installed.display(), path.display());
        let mut found = self.complaints(&facts, level)?;
        if abi == "arm64-v8a" && size > self.largest {
            found.push(format!("{size} bytes stripped, {} is the most", self.largest));
        }
        used.extend(facts.imports.into_iter().map(|name| (self.imports, name)));
        if only.is_some() || self.is_brought {
            return Ok(found);
        }
        // The library exports other functions at the other levels, so it is linked again. It is compiled only for the newest level: the
        // other differences do not affect these checks.
        let mut levels: Vec<_> = LEVELS.iter().map(|level| (*level, archive.clone())).collect();
        levels.push((NEWEST, self.build(system.target, NEWEST)?));
        for (level, archive) in levels {
            let folder = folder.join(format!("levels/{level}")).join(abi);
            let facts = Facts::of(&self.link(system, &archive, &[], level, &folder)?)?;
            let complaints = self.complaints(&facts, level)?;
            found.extend(complaints.into_iter().map(|it| format!("level {level}: {it}")));
        }
        Ok(found)
    }

    /// Compiles the library's code, and returns its path. Some shells can also be shared libraries of the host, which cargo cannot link for
    /// Android.
    fn build(&self, target: &str, level: u32) -> Result<PathBuf, Failure> {
        let mut cargo = cargo("rustc --quiet --release --lib --crate-type staticlib --package");
        cargo.args([self.package, "--target", target]);
        // An application's own library is the same on every level.
        if !self.is_brought && level != DEFAULT {
            cargo.arg(format!("--features=platform-android/api-{level}"));
        }
        cargo.args(without_folders()).finish()?;
        Ok(self.archive(&target_folder().join(target)))
    }

    /// Returns the path of the compiled code in cargo's folder for a target.
    pub(crate) fn archive(&self, folder: &Path) -> PathBuf {
        folder.join("release").join(format!("{}.a", self.package.replace('-', "_")))
    }

    /// Makes the library with its symbols in this folder.
    pub(crate) fn link(
        &self,
        system: &System,
        archive: &Path,
        flags: &[&str],
        level: u32,
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        fs::create_dir_all(folder)?;
        let path = folder.join(self.file);
        let script = path.with_extension("map");
        let names: String = self.exported(level)?.iter().map(|name| format!("{name};\n")).collect();
        let version = self.version().unwrap_or_default();
        fs::write(&script, format!("{version} {{\nglobal:\n{names}local:\n*;\n}};\n"))?;
        let mut all: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        all.push(format!("-soname={}", self.soname));
        all.push(format!("--version-script={}", script.display()));
        // Everything else is reached from these.
        let commands = self.has_commands.then_some("vkGetInstanceProcAddr");
        let entries = self.exports.split_whitespace().chain(commands);
        all.extend(entries.map(|entry| format!("--undefined={entry}")));
        all.push(archive.display().to_string());
        // A library in an application must find its functions even on the oldest system.
        let level = if self.is_brought { OLDEST_OF_APPLICATIONS } else { level };
        system.link(&all, &Imports::of(self.imports)?.libraries(), level, &path)?;
        Ok(path)
    }

    /// Returns the path of the library to install, without symbols.
    pub(crate) fn installed(&self, abi: &str) -> PathBuf {
        target_folder().join("android").join(abi).join(self.file)
    }

    fn version(&self) -> Option<&'static str> {
        self.has_commands.then_some(COMMANDS.1)
    }

    fn exported(&self, level: u32) -> Result<BTreeSet<String>, Failure> {
        // A library in an application has everything, whatever the system's level is.
        let level = if self.is_brought { NEWEST } else { level };
        let mut names = if self.has_commands { commands(level)? } else { BTreeSet::new() };
        names.extend(self.exports.split_whitespace().map(str::to_owned));
        Ok(names)
    }

    /// Returns the problems of a library for systems of this level.
    fn complaints(&self, facts: &Facts, level: u32) -> Result<Vec<String>, Failure> {
        let imports = Imports::of(self.imports)?;
        let expected = Expected {
            soname: self.soname,
            needed: imports.libraries(),
            exports: self.exported(level)?,
            list: if self.has_commands { COMMANDS.0 } else { "xtask/src/android_abi.rs" },
            version: self.version(),
            imports: imports.clone(),
        };
        let of_commands: &[Check] = if self.has_commands { &[abi::addresses_differ] } else { &[] };
        Ok(expected.complaints(facts, &[CHECKS, of_commands].concat()))
    }
}

/// Returns the commands of Vulkan up to `level`. Names added after level 24 have their level in a comment.
fn commands(level: u32) -> Result<BTreeSet<String>, Failure> {
    let mut names = BTreeSet::new();
    for line in lines(COMMANDS.0)?.iter().map(|line| line.trim()).filter(|line| line.starts_with("vk")) {
        let (name, comment) = line.split_once(';').ok_or_else(|| format!("{line}: no semicolon"))?;
        let since = comment.split_once("introduced=").map_or(Ok(0), |(_, since)| since.parse())?;
        if since <= level {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

fn versions(expected: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    let version_in = |name: &str| facts.versions.get(name).map(String::as_str);
    for name in facts.exports.keys().filter(|name| version_in(name) != expected.version) {
        complaints.push(match expected.version {
            Some(version) => format!("{name} does not have the version {version}"),
            None => format!("{name} has a version"),
        });
    }
    for name in &facts.imports {
        let (asked, given) = (version_in(name), expected.imports.library_of(name).and_then(version_of));
        if let Some(asked) = asked.filter(|_| asked != given) {
            complaints.push(format!("it asks for {name} in the version {asked}, which it does not have"));
        }
    }
}

/// Returns complaints about segments that systems with pages of 16 KiB cannot map.
pub(crate) fn small_pages(facts: &Facts) -> Vec<String> {
    let small = facts.segments.iter().filter(|segment| segment.align < PAGE);
    small
        .map(|segment| format!("the segment at {:#x} cannot be mapped with pages of 16 KiB", segment.address))
        .collect()
}

fn backtraces_go_through(_: &Expected<'_>, facts: &Facts, complaints: &mut Vec<String>) {
    if !facts.has_unwind_table {
        complaints.push("no backtrace goes through it: it lacks PT_GNU_EH_FRAME".into());
    }
}

#[cfg(test)]
mod tests;
