//! Links archives into Android shared libraries, with an installed NDK or with stand-ins for the system's libraries.

use std::collections::BTreeSet;
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
const FLAGS: &str = "-zrelro -znow -zdefs -ztext --eh-frame-hdr --gc-sections --as-needed --build-id=sha1 --hash-style=gnu \
    -Bsymbolic-functions -zmax-page-size=16384 --no-rosegment";

pub(crate) fn version_of(library: &str) -> Option<&'static str> {
    VERSIONS.iter().find(|(name, _)| *name == library).map(|(_, version)| *version)
}

pub(crate) struct System {
    pub(crate) target: &'static str,
    /// The folder of the NDK, or else of stand-ins for the linker that comes with the compiler.
    folder: Result<PathBuf, PathBuf>,
}

impl System {
    /// Returns the NDK in `ANDROID_NDK_HOME`, or else stand-ins with the functions in `imports`.
    pub(crate) fn of(target: &'static str, imports: &Imports) -> Result<Self, Failure> {
        let folder = match env::var_os("ANDROID_NDK_HOME") {
            Some(folder) => Ok(folder.into()),
            None => Err(imports.stand_ins(target, version_of)?),
        };
        Ok(Self { target, folder })
    }

    /// Makes the shared library `out` for systems from `level` on.
    pub(crate) fn link(
        &self,
        flags: &[String],
        needed: &BTreeSet<&str>,
        level: u32,
        out: &Path,
    ) -> Result<(), Failure> {
        let flags = FLAGS.split_whitespace().chain(flags.iter().map(String::as_str));
        match &self.folder {
            Ok(ndk) => {
                let mut compiler = Command::new(compiler_of_ndk(ndk, self.target, level)?);
                compiler.args(["-shared", "-nostdlib", "-o"]).arg(out);
                compiler.args(flags.map(|flag| format!("-Wl,{flag}")));
                let short =
                    |name: &&str| format!("-l{}", name.trim_start_matches("lib").trim_end_matches(".so"));
                compiler.args(needed.iter().map(short)).finish()
            }
            Err(stand_ins) => {
                let mut linker = Command::new(tool("rust-lld")?);
                linker.args(["-flavor", "gnu", "-shared", "-o"]).arg(out).args(flags);
                linker.args(needed.iter().map(|name| stand_ins.join(name))).finish()
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
        let ndk = tempfile::tempdir().unwrap();
        let folder = ndk.path().join("toolchains/llvm/prebuilt/linux-x86_64/bin");
        let found = |level| compiler_of_ndk(ndk.path(), "armv7-linux-androideabi", level);
        assert!(found(36).unwrap_err().to_string().contains("source.properties"));
        fs::create_dir_all(&folder).unwrap();
        for name in ["armv7a-linux-androideabi24-clang", "armv7a-linux-androideabi35-clang"] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert!(found(36).unwrap().ends_with("armv7a-linux-androideabi35-clang"));
        assert!(found(34).unwrap().ends_with("armv7a-linux-androideabi24-clang"));
        let error = found(23).unwrap_err().to_string();
        assert!(error.contains("has no armv7a-linux-androideabiLEVEL-clang up to level 23"), "{error}");
    }
}
