//! Links archives into Android shared libraries, with an installed NDK or with stand-ins for the system's libraries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Failure;
use crate::command::Run;
use crate::imports::Imports;
use crate::toolchain::tool;

/// The symbol versions of the system libraries (their `.map.txt` files). The dynamic linker finds a function only under its library's
/// version.
const VERSIONS: &[(&str, &str)] = &[("libc.so", "LIBC"), ("libdl.so", "LIBC"), ("liblog.so", "LIBLOG")];

/// Linker flags of every library: read-only relocations, bound when the library is loaded; no undefined symbols; no relocations in code;
/// the table for unwinders; no unused code; a build ID for debuggers; one export table, in the format that every level with Vulkan can
/// read; segments that can be mapped on systems with 16 KiB pages. The library's own references bind to its own functions, even if other
/// libraries export the same names.
const FLAGS: &[&str] = &[
    "-zrelro",
    "-znow",
    "-zdefs",
    "-ztext",
    "--eh-frame-hdr",
    "--gc-sections",
    "--as-needed",
    "--build-id=sha1",
    "--hash-style=gnu",
    "-Bsymbolic-functions",
    "-zmax-page-size=16384",
    "--no-rosegment",
];

/// Returns the symbol version of a system library.
pub(crate) fn version_of(library: &str) -> Option<&'static str> {
    VERSIONS.iter().find(|(name, _)| *name == library).map(|(_, version)| *version)
}

/// A shared library to be made.
pub(crate) struct Link<'a> {
    pub(crate) soname: &'a str,
    /// The functions from which everything else is reached.
    pub(crate) entries: &'a [&'a str],
    pub(crate) archive: &'a Path,
    /// The version script, which lists the exports.
    pub(crate) script: &'a Path,
    /// The system libraries that it may need.
    pub(crate) needed: &'a [&'a str],
    /// Additional linker flags, which other libraries do not have.
    pub(crate) flags: &'a [&'a str],
}

pub(crate) enum System {
    /// In an NDK, whose compilers know where.
    Ndk { folder: PathBuf, target: String },
    /// Stand-ins, in this folder, for the linker that comes with the compiler.
    StandIns(PathBuf),
}

impl System {
    /// Returns the NDK in `ANDROID_NDK_HOME`, or else stand-ins with the functions in `imports`.
    pub(crate) fn of(target: &str, imports: &Imports) -> Result<Self, Failure> {
        match env::var_os("ANDROID_NDK_HOME") {
            Some(folder) => Ok(Self::Ndk { folder: folder.into(), target: target.to_owned() }),
            None => Ok(Self::StandIns(imports.stand_ins(target, version_of)?)),
        }
    }

    /// Makes the shared library `out` for systems from `level` on.
    pub(crate) fn link(&self, link: &Link<'_>, level: u32, out: &Path) -> Result<(), Failure> {
        let mut flags: Vec<String> = FLAGS.iter().chain(link.flags).map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("-soname={}", link.soname));
        flags.push(format!("--version-script={}", link.script.display()));
        flags.extend(link.entries.iter().map(|entry| format!("--undefined={entry}")));
        flags.push(link.archive.display().to_string());
        match self {
            Self::Ndk { folder, target } => {
                let mut compiler = Command::new(compiler_of_ndk(folder, target, level)?);
                compiler.args(["-shared", "-nostdlib", "-o"]).arg(out);
                compiler.args(flags.iter().map(|flag| format!("-Wl,{flag}")));
                let short =
                    |name: &&str| format!("-l{}", name.trim_start_matches("lib").trim_end_matches(".so"));
                compiler.args(link.needed.iter().map(short)).finish()
            }
            Self::StandIns(folder) => {
                let mut linker = Command::new(tool("rust-lld")?);
                linker.args(["-flavor", "gnu", "-shared", "-o"]).arg(out).args(flags);
                linker.args(link.needed.iter().map(|name| folder.join(name))).finish()
            }
        }
    }
}

/// Returns the NDK's compiler for the newest level up to this one: an NDK may be older than the newest system, and the loader uses only
/// functions that the oldest system has.
fn compiler_of_ndk(ndk: &Path, target: &str, level: u32) -> Result<PathBuf, Failure> {
    let next_step = "unset ANDROID_NDK_HOME to link with stand-ins, or set it to the folder of an NDK, \
                     the one with the file source.properties";
    let hosts = ndk.join("toolchains/llvm/prebuilt");
    let host = fs::read_dir(&hosts).ok().and_then(|mut hosts| hosts.next()?.ok());
    let host =
        host.ok_or_else(|| format!("ANDROID_NDK_HOME: there is no {}; {next_step}", hosts.display()))?;
    // The compiler of 32-bit Arm is called by another name than its target.
    let target = target.replace("armv7-", "armv7a-");
    let folder = host.path().join("bin");
    let mut levels = (1..=level).rev().map(|level| folder.join(format!("{target}{level}-clang")));
    let missing =
        || format!("{} has no {target}LEVEL-clang up to level {level}; {next_step}", folder.display());
    levels.find(|compiler| compiler.is_file()).ok_or_else(|| missing().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_ndk_is_good_for_a_newer_level() {
        let ndk = env::temp_dir().join(format!("vkload-ndk-{}", std::process::id()));
        let folder = ndk.join("toolchains/llvm/prebuilt/linux-x86_64/bin");
        fs::create_dir_all(&folder).unwrap();
        for name in ["armv7a-linux-androideabi24-clang", "armv7a-linux-androideabi35-clang"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let found = |level| compiler_of_ndk(&ndk, "armv7-linux-androideabi", level);
        assert!(found(36).unwrap().ends_with("armv7a-linux-androideabi35-clang"));
        assert!(found(34).unwrap().ends_with("armv7a-linux-androideabi24-clang"));
        assert!(found(23).unwrap_err().to_string().contains("unset ANDROID_NDK_HOME"));
        let other = compiler_of_ndk(&ndk, "x86_64-linux-android", 36).unwrap_err().to_string();
        assert!(other.contains("has no x86_64-linux-androidLEVEL-clang up to level 36"), "{other}");
        fs::remove_dir_all(&ndk).unwrap();
        assert!(found(36).unwrap_err().to_string().contains("source.properties"));
    }
}
