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
use crate::android_link::{Linker, version_of};
use crate::build::{finish, root, target_folder};
use crate::check_targets::is_available;
use crate::elf::Facts;
use crate::freestanding;
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

/// The other levels at which functions were added.
const LEVELS: &[u32] = &[OLDEST, 28, 31, 33, 34];

/// The version of all functions that the libraries export, on every level.
const VERSION: &str = "LIBVULKAN";

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
    /// What it exports besides the list.
    others: &'static [&'static str],
    /// Bytes of the stripped library for 64-bit Arm.
    largest: u64,
}

const LIBRARIES: &[Library] = &[
    Library {
        package: "libvulkan-android",
        built: "libvulkan_android.a",
        soname: "libvulkan.so",
        exports: "platform-android/libvulkan.map.txt",
        imports: "platform-android/imports.txt",
        others: &[],
        largest: 450_000,
    },
    Library {
        package: "libvkload-android",
        built: "libvkload_android.a",
        // Never the system's name, by which the system's is opened.
        soname: "libvkload.so",
        exports: "platform-android/libvulkan.map.txt",
        imports: "platform-android/imports-apk.txt",
        others: &["vkload_configure", "vkload_get_instance_proc_addr", "vkload_report", "vkload_set_log"],
        largest: 650_000,
    },
];

/// What the command line asks for.
#[derive(Debug, PartialEq)]
struct Options {
    /// The level whose functions the installed libraries export.
    level: u32,
    /// Whether the levels of [`LEVELS`] are checked, too.
    all_levels: bool,
    /// Names and targets.
    abis: Vec<(&'static str, &'static str)>,
}

impl Options {
    fn of(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self { level: NEWEST, all_levels: true, abis: ABIS.to_vec() };
        let mut words = arguments.iter();
        while let Some(option) = words.next() {
            let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
            match option.as_str() {
                "--api" => (options.level, options.all_levels) = (level(value)?, false),
                "--abi" => options.abis = value.split(',').map(abi).collect::<Result<_, _>>()?,
                _ => return Err("the options are --api LEVEL and --abi NAME,NAME".into()),
            }
        }
        Ok(options)
    }
}

fn level(value: &str) -> Result<u32, Failure> {
    let level = value.parse().ok().filter(|level| (OLDEST..=NEWEST).contains(level));
    level.ok_or_else(|| format!("the levels with Vulkan are {OLDEST} to {NEWEST}, not {value}").into())
}

fn abi(name: &str) -> Result<(&'static str, &'static str), Failure> {
    let known: Vec<_> = ABIS.iter().map(|(abi, _)| *abi).collect();
    let found = ABIS.iter().find(|(abi, _)| *abi == name);
    found.copied().ok_or_else(|| format!("the ABIs are {}, not {name}", known.join(", ")).into())
}

/// Builds and checks every library for every ABI for which there is a compiler; names the others.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::of(arguments)?;
    let (mut complaints, mut skipped) = (Vec::new(), BTreeSet::new());
    for library in LIBRARIES {
        let (imports, mut used) = (Imports::of(library.imports)?, BTreeSet::new());
        for (abi, target) in &options.abis {
            if !is_available(target) {
                skipped.insert(*target);
                continue;
            }
            let built = Built { library, abi, target, archive: library.build(target)?, imports: &imports };
            let found = built.check(&options, &mut used)?;
            complaints.extend(found.into_iter().map(|it| format!("{abi}/{}: {it}", library.soname)));
        }
        if skipped.is_empty() && options.abis.len() == ABIS.len() {
            let unused = imports.functions().into_iter().filter(|name| !used.contains(*name));
            complaints.extend(
                unused.map(|name| format!("{} has {name}, which nothing uses any more", library.imports)),
            );
        }
    }
    println!("android-abi: {} of {} ABIs checked", options.abis.len() - skipped.len(), options.abis.len());
    if !skipped.is_empty() {
        let names: Vec<_> = skipped.into_iter().collect();
        println!("android-abi: skipped {} that rustup cannot add: {}", names.len(), names.join(", "));
    }
    end(&complaints)
}

impl Library {
    /// Compiles the library's code, and returns where it is.
    fn build(&self, target: &str) -> Result<PathBuf, Failure> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--quiet", "--release", "--package", self.package]);
        finish(cargo.args(["--target", target]))?;
        Ok(target_folder().join(target).join("release").join(self.built))
    }
}

/// A library's code for an ABI, which becomes a library for each level.
struct Built<'a> {
    library: &'a Library,
    abi: &'a str,
    target: &'a str,
    archive: PathBuf,
    imports: &'a Imports,
}

impl Built<'_> {
    /// Makes the library with its symbols, and the one to install. Notes which functions of the system are used.
    fn check(&self, options: &Options, used: &mut BTreeSet<String>) -> Result<Vec<String>, Failure> {
        let (abi, soname) = (self.abi, self.library.soname);
        let path = self.link(options.level, &target_folder().join("android/symbols").join(abi))?;
        let (size, installed) = self.install(&path)?;
        let facts = Facts::of(&path)?;
        let (exports, needed) = (facts.exports.len(), facts.needed.join(", "));
        println!("{abi}/{soname}: {exports} exports, {size} bytes stripped, needs {needed}");
        println!("    {}\n    with symbols: {}", installed.display(), path.display());
        let mut found = self.complaints(&facts, options.level)?;
        if abi == "arm64-v8a" && size > self.library.largest {
            found.push(format!("{size} bytes stripped, {} is the most", self.library.largest));
        }
        used.extend(facts.imports);
        if options.all_levels {
            found.extend(self.check_levels()?);
        }
        Ok(found)
    }

    /// The libraries of other levels differ in what they export: they are linked again, not compiled.
    fn check_levels(&self) -> Result<Vec<String>, Failure> {
        let mut found = Vec::new();
        for level in LEVELS {
            let folder = target_folder().join(format!("android/levels/{level}")).join(self.abi);
            let facts = Facts::of(&self.link(*level, &folder)?)?;
            let complaints = self.complaints(&facts, *level)?;
            found.extend(complaints.into_iter().map(|it| format!("level {level}: {it}")));
        }
        Ok(found)
    }

    /// Makes the library with its symbols in this folder.
    fn link(&self, level: u32, folder: &Path) -> Result<PathBuf, Failure> {
        fs::create_dir_all(folder)?;
        let script = folder.join("exports.map");
        let names = self.library.exported(level)?.replace('\n', ";\n");
        fs::write(&script, format!("{VERSION} {{\nglobal:\n{names}local:\n*;\n}};\n"))?;
        let (soname, path) = (self.library.soname, folder.join(self.library.soname));
        let linker = Linker::new(self.target, level, self.imports)?;
        linker.link(soname, &self.archive, &script, self.imports, &path)?;
        Ok(path)
    }

    /// Puts the library without symbols where it is taken from. Returns its size in bytes, and where it is.
    fn install(&self, library: &Path) -> Result<(u64, PathBuf), Failure> {
        let folder = target_folder().join("android").join(self.abi);
        fs::create_dir_all(&folder)?;
        let stripped = folder.join(self.library.soname);
        finish(Command::new(tool("rust-objcopy")?).arg("--strip-all").args([library, &stripped]))?;
        Ok((fs::metadata(&stripped)?.len(), stripped))
    }

    fn complaints(&self, facts: &Facts, level: u32) -> Result<Vec<String>, Failure> {
        Ok(self.library.complaints(facts, self.library.exported(level)?, self.imports))
    }
}

impl Library {
    /// The names that it exports, a line each.
    fn exported(&self, level: u32) -> Result<String, Failure> {
        let mut names = exported_at(&fs::read_to_string(root().join(self.exports))?, level)?;
        self.others.iter().for_each(|name| names += &format!("{name}\n"));
        Ok(names)
    }

    /// What is wrong with a library that is to export what is `listed`, and nothing else.
    fn complaints(&self, facts: &Facts, listed: String, imports: &Imports) -> Vec<String> {
        let mut found =
            Expected::with(self.soname, &imports.libraries(), self.exports, listed).complaints(facts);
        found.extend(freestanding::unwinder(facts));
        found.extend(freestanding::standard_library(facts));
        for name in &facts.imports {
            match imports.library_of(name) {
                Some(library) => found.extend(asks_for(facts, name, version_of(library))),
                None => found.push(format!("it uses {name}, which is not in {}", self.imports)),
            }
        }
        for name in
            facts.exports.keys().filter(|name| facts.versions.get(*name).is_none_or(|it| it != VERSION))
        {
            found.push(format!("{name} does not have the version {VERSION}"));
        }
        for segment in facts.segments.iter().filter(|segment| segment.align < PAGE) {
            found
                .push(format!("the segment at {:#x} cannot be mapped with pages of 16 KiB", segment.address));
        }
        found
    }
}

/// A complaint if a function of the system is asked for in a version that its library does not give it.
fn asks_for(facts: &Facts, name: &str, given: Option<&str>) -> Option<String> {
    let asked = facts.versions.get(name)?;
    (Some(asked.as_str()) != given)
        .then(|| format!("it asks for {name} in the version {asked}, which it does not have"))
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
    use crate::elf::Segment;

    #[test]
    fn r124_the_library_of_an_application_has_another_name_than_the_systems() {
        let named = LIBRARIES.iter().map(|library| (library.package, library.soname));
        let expected = [("libvulkan-android", "libvulkan.so"), ("libvkload-android", "libvkload.so")];
        assert_eq!(named.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn r87_each_level_has_as_many_names_as_the_system_of_that_level() {
        let script = fs::read_to_string(root().join(LIBRARIES[0].exports)).unwrap();
        let count = |level| exported_at(&script, level).unwrap().lines().count();
        assert_eq!([24, 27, 28, 31, 33, 34, 35, 36].map(count), [148, 148, 182, 195, 232, 233, 233, 252]);
    }

    /// A library as it should be, which exports the functions of the oldest level.
    fn good() -> Facts {
        let names =
            exported_at(&fs::read_to_string(root().join(LIBRARIES[0].exports)).unwrap(), OLDEST).unwrap();
        let imports: &[&str] = &["memcpy", "dlopen", "__android_log_write"];
        let of_exports = names.lines().map(|name| (name.to_owned(), VERSION.to_owned()));
        let of_imports = imports.iter().zip(["LIBC", "LIBC", "LIBLOG"]);
        Facts {
            soname: "libvulkan.so".into(),
            needed: ["libc.so", "libdl.so", "liblog.so"].map(String::from).into(),
            exports: names.lines().map(str::to_owned).zip((16..).step_by(16)).collect(),
            imports: imports.iter().map(|name| (*name).to_owned()).collect(),
            versions: of_exports
                .chain(of_imports.map(|(name, of)| ((*name).to_owned(), of.to_owned())))
                .collect(),
            symbols: vec!["vkCmdDraw".into()],
            segments: vec![Segment {
                offset: 0,
                address: 0,
                align: PAGE,
                is_readable: true,
                is_executable: true,
            }],
            binds_now: true,
            has_relro: true,
            ..Facts::default()
        }
    }

    fn complaints(facts: &Facts) -> Vec<String> {
        let list = fs::read_to_string(root().join(LIBRARIES[0].exports)).unwrap();
        let imports = Imports::of(LIBRARIES[0].imports).unwrap();
        LIBRARIES[0].complaints(facts, exported_at(&list, OLDEST).unwrap(), &imports)
    }

    #[test]
    fn r87_what_is_not_of_a_level_must_not_be_exported_nor_without_the_version() {
        assert_eq!(complaints(&good()), [""; 0]);
        let mut facts = good();
        facts.exports.insert("vkCmdDrawIndirectCount".into(), 8);
        assert_eq!(complaints(&facts).len(), 2, "neither of this level, nor with a version");
        let mut facts = good();
        facts.versions.insert("vkCmdDraw".into(), "LIBC".into());
        assert_eq!(complaints(&facts), ["vkCmdDraw does not have the version LIBVULKAN"]);
    }

    #[test]
    fn r123_small_pages_and_other_libraries_are_found() {
        let small =
            Segment { offset: 0, address: 0x4000, align: 4096, is_readable: true, is_executable: false };
        let found = complaints(&Facts { segments: vec![small], ..good() });
        assert_eq!(found, ["the segment at 0x4000 cannot be mapped with pages of 16 KiB"]);
        let mut facts = good();
        facts.needed.push("libc++_shared.so".into());
        assert_eq!(complaints(&facts).len(), 1);
        let mut facts = good();
        facts.versions.insert("__android_log_write".into(), "LIBC".into());
        let found = complaints(&facts);
        assert_eq!(found, ["it asks for __android_log_write in the version LIBC, which it does not have"]);
        let mut facts = good();
        facts.imports.push("_Unwind_Resume".into());
        assert_eq!(complaints(&facts).len(), 2, "an unwinder, and not in the list");
    }

    #[test]
    fn r124_the_name_is_the_systems() {
        let soname = "libvkload.so".into();
        assert_eq!(complaints(&Facts { soname, ..good() }), ["SONAME is \"libvkload.so\", not libvulkan.so"]);
    }

    #[test]
    fn options_are_a_level_and_abis() {
        let of =
            |words: &[&str]| Options::of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let all = Options { level: NEWEST, all_levels: true, abis: ABIS.to_vec() };
        assert_eq!(of(&[]).unwrap(), all);
        let some = of(&["--abi", "x86,x86_64", "--api", "28"]).unwrap();
        assert_eq!((some.level, some.all_levels, some.abis), (28, false, vec![ABIS[3], ABIS[2]]));
        for wrong in
            [&["--api", "23"][..], &["--api", "37"], &["--api"], &["--abi", "mips"], &["--level", "28"]]
        {
            assert!(of(wrong).is_err(), "{wrong:?}");
        }
    }
}
