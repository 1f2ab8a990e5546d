//! `cargo xtask android-abi`: builds Android's libraries for its four ABIs, and checks their interface to the system.
//!
//! They are linked with an installed NDK, or with stand-ins for the system's libraries. The result is the same, since a library records
//! only its dependencies' names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::abi::{Expected, end};
use crate::android_link::{Link, System, version_of};
use crate::android_options::{ABIS, DEFAULT, NEWEST, OLDEST, Options};
use crate::command::Run;
use crate::elf::Facts;
use crate::freestanding;
use crate::imports::Imports;
use crate::toolchain::{cargo, report_skipped, tool, without_folders};
use crate::workspace::{root, target_folder};

/// The other levels at which functions were added. None were at the newest one.
const LEVELS: &[u32] = &[OLDEST, 28, 31, 33, 34];

/// The version of the commands of Vulkan that the libraries export, on every level.
const VERSION: &str = "LIBVULKAN";

/// Bytes of the largest page of any system.
pub(crate) const PAGE: u64 = 16 * 1024;

pub(crate) struct Library {
    pub(crate) package: &'static str,
    /// Cargo's name for it.
    pub(crate) built: &'static str,
    pub(crate) soname: &'static str,
    /// The name of its file, which is its SONAME unless that is the system's.
    pub(crate) file: &'static str,
    /// The version script with the commands of Vulkan that it exports, if it does.
    commands: Option<&'static str>,
    /// Its other exports.
    pub(crate) others: &'static [&'static str],
    /// The exported function from which everything is reached.
    entry: &'static str,
    pub(crate) imports: &'static str,
    /// Whether an application brings it: then it runs on every level.
    pub(crate) is_brought: bool,
    /// Bytes of the stripped library for 64-bit Arm.
    largest: u64,
}

pub(crate) const LIBRARIES: &[Library] = &[
    Library {
        package: "libvulkan-android",
        built: "libvulkan_android.a",
        soname: "libvulkan.so",
        file: "libvulkan.so",
        commands: Some("platform-android/libvulkan.map.txt"),
        others: &[],
        entry: "vkGetInstanceProcAddr",
        imports: "platform-android/imports.txt",
        is_brought: false,
        largest: 450_000,
    },
    Library {
        package: "libvkload-android",
        built: "libvkload_android.a",
        // Never the system's name, by which the system's is opened.
        soname: "libvkload.so",
        file: "libvkload.so",
        commands: Some("platform-android/libvulkan.map.txt"),
        others: &["vkload_configure", "vkload_get_instance_proc_addr", "vkload_report", "vkload_set_log"],
        entry: "vkGetInstanceProcAddr",
        imports: "platform-android/imports-apk.txt",
        is_brought: true,
        largest: 700_000,
    },
    Library {
        package: "libvkload-jni",
        built: "libvkload_jni.a",
        soname: "libvkload_jni.so",
        file: "libvkload_jni.so",
        commands: None,
        others: &["JNI_OnLoad"],
        entry: "JNI_OnLoad",
        imports: "jni/native/imports.txt",
        is_brought: true,
        largest: 16_000,
    },
    Library {
        package: STAND_INS,
        built: STAND_INS_BUILT,
        soname: "libcutils.so",
        file: "libvkload_cutils.so",
        commands: None,
        others: &[
            "atrace_async_begin_body",
            "atrace_async_end_body",
            "atrace_async_for_track_begin_body",
            "atrace_async_for_track_end_body",
            "atrace_begin_body",
            "atrace_end_body",
            "atrace_get_enabled_tags",
            "atrace_init",
            "atrace_instant_body",
            "atrace_instant_for_track_body",
            "atrace_int64_body",
            "atrace_int_body",
            "atrace_set_debuggable",
            "atrace_set_tracing_enabled",
            "atrace_setup",
            "atrace_update_tags",
            "property_get",
            "property_get_bool",
            "property_get_int32",
            "property_get_int64",
            "property_set",
        ],
        entry: "property_get",
        imports: "platform-android/stand-ins/imports-cutils.txt",
        is_brought: true,
        largest: 8_000,
    },
    Library {
        package: STAND_INS,
        built: STAND_INS_BUILT,
        soname: "libhardware.so",
        file: "libvkload_hardware.so",
        commands: None,
        others: &["hw_get_module", "hw_get_module_by_class"],
        entry: "hw_get_module",
        imports: "platform-android/stand-ins/imports-hardware.txt",
        is_brought: true,
        largest: 8_000,
    },
    Library {
        package: STAND_INS,
        built: STAND_INS_BUILT,
        soname: "libsync.so",
        file: "libvkload_sync.so",
        commands: None,
        others: &["sync_file_info", "sync_file_info_free", "sync_merge", "sync_wait"],
        entry: "sync_wait",
        imports: "platform-android/stand-ins/imports-sync.txt",
        is_brought: true,
        largest: 8_000,
    },
];

/// The file name of stand-ins for system libraries that drivers need. An application's package combines files from many sources, and no two
/// may share a name; hence the long name.
const STAND_INS: &str = "libvkload-stand-ins";
const STAND_INS_BUILT: &str = "libvkload_stand_ins.a";

/// Functions that some compilers leave out, as nothing that is allocated needs a large alignment.
const OPTIMISED_OUT: &[&str] = &["posix_memalign"];

/// Builds and checks every library for every ABI with a compiler on this machine; names the others.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::of(arguments)?;
    let (abis, skipped) = options.available();
    let imports =
        LIBRARIES.iter().map(|library| Imports::of(library.imports)).collect::<Result<Vec<_>, _>>()?;
    let mut used: Vec<BTreeSet<String>> = LIBRARIES.iter().map(|_| BTreeSet::new()).collect();
    let mut complaints = Vec::new();
    for (abi, target) in &abis {
        let system = System::of(target, &Imports::of_all(&imports))?;
        for ((library, imports), used) in LIBRARIES.iter().zip(&imports).zip(&mut used) {
            let archive = library.build(target, options.level)?;
            let built = Built { library, abi, target, archive, imports, system: &system, flags: &[] };
            let found = built.check(&options, used)?;
            complaints.extend(found.into_iter().map(|it| format!("{abi}/{}: {it}", library.file)));
        }
    }
    if abis.len() == ABIS.len() {
        for ((library, imports), used) in LIBRARIES.iter().zip(&imports).zip(&used) {
            let unused = imports
                .functions()
                .into_iter()
                .filter(|name| !used.contains(*name) && !OPTIMISED_OUT.contains(name));
            complaints.extend(
                unused.map(|name| format!("{} has {name}, which nothing uses any more", library.imports)),
            );
        }
    }
    println!("android-abi: {} of {} ABIs checked", abis.len(), options.abis.len());
    println!("android-abi: {}", levels(&options));
    report_skipped("android-abi", &skipped);
    end(&complaints)
}

/// Returns the levels that were built, for people.
fn levels(options: &Options) -> String {
    let built = format!("libvulkan.so is built for API level {}", options.level);
    if !options.all_levels {
        return built;
    }
    let others = LEVELS.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    format!(
        "{built}, and for {NEWEST} in target/android/levels/{NEWEST}; its exports are also checked at {others}"
    )
}

impl Library {
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
        Ok(target_folder().join(target).join("release").join(self.built))
    }

    /// Whether it has the name of a library of the system, in whose place drivers find it.
    #[cfg(test)]
    pub(crate) fn is_stand_in(&self) -> bool {
        self.file != self.soname
    }

    /// Returns the path of the library to install, without symbols.
    pub(crate) fn installed(&self, abi: &str) -> PathBuf {
        target_folder().join("android").join(abi).join(self.file)
    }
}

/// A library's code for an ABI, which becomes a library for each level.
pub(crate) struct Built<'a> {
    pub(crate) library: &'a Library,
    pub(crate) abi: &'a str,
    pub(crate) target: &'a str,
    pub(crate) archive: PathBuf,
    pub(crate) imports: &'a Imports,
    pub(crate) system: &'a System,
    /// Additional linker flags, which other libraries do not have.
    pub(crate) flags: &'a [&'a str],
}

impl Built<'_> {
    /// Makes the library with its symbols, and the one to install. Records the system functions used.
    fn check(&self, options: &Options, used: &mut BTreeSet<String>) -> Result<Vec<String>, Failure> {
        let (abi, file) = (self.abi, self.library.file);
        let path = self.link(options.level, &target_folder().join("android/symbols").join(abi))?;
        let (size, installed) = self.install(&path)?;
        let facts = Facts::of(&path)?;
        let (exports, needed) = (facts.exports.len(), facts.needed.join(", "));
        println!("{abi}/{file}: {exports} exports, {size} bytes stripped, needs {needed}");
        println!("    {}\n    with symbols: {}", installed.display(), path.display());
        let mut found = self.complaints(&facts, options.level)?;
        if abi == "arm64-v8a" && size > self.library.largest {
            found.push(format!("{size} bytes stripped, {} is the most", self.library.largest));
        }
        used.extend(facts.imports);
        if options.all_levels && self.library.commands.is_some() {
            found.extend(self.check_levels()?);
        }
        Ok(found)
    }

    /// Checks the other levels. The library exports other functions there, so it is linked again. It is compiled only for the newest level:
    /// the other differences do not affect these checks.
    fn check_levels(&self) -> Result<Vec<String>, Failure> {
        let mut found = Vec::new();
        for level in LEVELS {
            found.extend(self.check_level(*level)?);
        }
        if !self.library.is_brought {
            let archive = self.library.build(self.target, NEWEST)?;
            found.extend(Built { archive, ..*self }.check_level(NEWEST)?);
        }
        Ok(found)
    }

    fn check_level(&self, level: u32) -> Result<Vec<String>, Failure> {
        let folder = target_folder().join(format!("android/levels/{level}")).join(self.abi);
        let facts = Facts::of(&self.link(level, &folder)?)?;
        let complaints = self.complaints(&facts, level)?;
        Ok(complaints.into_iter().map(|it| format!("level {level}: {it}")).collect())
    }

    /// Makes the library with its symbols in this folder.
    pub(crate) fn link(&self, level: u32, folder: &Path) -> Result<PathBuf, Failure> {
        fs::create_dir_all(folder)?;
        let library = self.library;
        let path = folder.join(library.file);
        let script = path.with_extension("map");
        let names = library.exported(level)?.replace('\n', ";\n");
        let version = library.version().unwrap_or_default();
        fs::write(&script, format!("{version} {{\nglobal:\n{names}local:\n*;\n}};\n"))?;
        // A library in an application must find its functions even on the oldest system.
        let level = if library.is_brought { OLDEST } else { level };
        let link = Link {
            soname: library.soname,
            entries: &[library.others, &[library.entry]].concat(),
            archive: &self.archive,
            script: &script,
            needed: &self.imports.libraries(),
            flags: self.flags,
        };
        self.system.link(&link, level, &path)?;
        Ok(path)
    }

    /// Installs the library without symbols. Returns its size in bytes, and its path.
    fn install(&self, library: &Path) -> Result<(u64, PathBuf), Failure> {
        let stripped = self.library.installed(self.abi);
        fs::create_dir_all(stripped.parent().unwrap_or(&stripped))?;
        Command::new(tool("rust-objcopy")?).arg("--strip-all").args([library, &stripped]).finish()?;
        Ok((fs::metadata(&stripped)?.len(), stripped))
    }

    fn complaints(&self, facts: &Facts, level: u32) -> Result<Vec<String>, Failure> {
        Ok(self.library.complaints(facts, self.library.exported(level)?, self.imports))
    }
}

impl Library {
    fn version(&self) -> Option<&'static str> {
        self.commands.map(|_| VERSION)
    }

    /// Returns the names that it exports, a line each.
    fn exported(&self, level: u32) -> Result<String, Failure> {
        let script = self.commands.map(|commands| fs::read_to_string(root().join(commands))).transpose()?;
        let mut names = exported_at(&script.unwrap_or_default(), level)?;
        self.others.iter().for_each(|name| names += &format!("{name}\n"));
        Ok(names)
    }

    /// Returns the problems of a library that must export exactly the `listed` names.
    fn complaints(&self, facts: &Facts, listed: String, imports: &Imports) -> Vec<String> {
        let list = self.commands.unwrap_or("xtask/src/android_abi.rs");
        let expected = Expected::with(self.soname, &imports.libraries(), list, listed);
        // The addresses of Vulkan commands must differ, since programs may compare them.
        let expected = if self.commands.is_some() { expected } else { expected.with_aliases() };
        let mut found = expected.complaints(facts);
        found.extend(freestanding::unwinder(facts));
        found.extend(freestanding::standard_library(facts));
        for name in &facts.imports {
            match imports.library_of(name) {
                Some(library) => found.extend(asks_for(facts, name, version_of(library))),
                None => found.push(format!("it uses {name}, which is not in {}", self.imports)),
            }
        }
        for name in facts.exports.keys() {
            match (facts.versions.get(name).map(String::as_str), self.version()) {
                (has, expected) if has == expected => {}
                (_, Some(version)) => found.push(format!("{name} does not have the version {version}")),
                (_, None) => found.push(format!("{name} has a version")),
            }
        }
        found.extend(small_pages(facts));
        if !facts.has_unwind_table {
            found.push("no backtrace goes through it: it lacks PT_GNU_EH_FRAME".into());
        }
        found
    }
}

/// Complaints about segments that systems with pages of 16 KiB cannot map.
pub(crate) fn small_pages(facts: &Facts) -> Vec<String> {
    let small = facts.segments.iter().filter(|segment| segment.align < PAGE);
    small
        .map(|segment| format!("the segment at {:#x} cannot be mapped with pages of 16 KiB", segment.address))
        .collect()
}

/// Returns a complaint if a function of the system is asked for in a version that its library does not give it.
fn asks_for(facts: &Facts, name: &str, given: Option<&str>) -> Option<String> {
    let asked = facts.versions.get(name)?;
    (Some(asked.as_str()) != given)
        .then(|| format!("it asks for {name} in the version {asked}, which it does not have"))
}

/// Returns the names of a version script up to `level`, one per line. Names added after level 24 have their level in a comment.
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
mod tests;
