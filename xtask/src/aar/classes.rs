//! `classes.jar`: the Java API, compiled for Java 8 with what is in the repository alone.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::build::{finish, root};

use super::archive::archive;

/// The folders whose classes are packed.
const SOURCES: &[&str] = &["jni/java", "jni/android"];

/// Sources of what the classes refer to and what is there without them: Android's classes, and annotations for compilers.
const STUBS: &str = "jni/stubs";

/// Compiles the classes in this folder, which is emptied before, and returns the archive of them.
pub(crate) fn jar(folder: &Path) -> Result<Vec<u8>, Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut sources = BTreeMap::new();
    for source in SOURCES {
        collect(&root().join(source), &mut PathBuf::new(), "java", &mut sources)?;
    }
    let mut javac = Command::new(javac(env::var_os("JAVA_HOME").as_deref(), env::var_os("PATH").as_deref())?);
    // Newer compilers say that release 8 is an old one. Stubs are looked up as sources, and not compiled.
    javac.current_dir(root()).args([
        "--release",
        "8",
        "-Xlint:all,-options,-serial",
        "-Werror",
        "-proc:none",
    ]);
    javac.args(["-encoding", "UTF-8", "-implicit:none", "-sourcepath", STUBS, "-d"]).arg(folder);
    finish(javac.args(sources.values()))?;
    let mut classes = BTreeMap::new();
    collect(folder, &mut PathBuf::new(), "class", &mut classes)?;
    let read = |(name, path): (String, PathBuf)| -> Result<_, Failure> { Ok((name, fs::read(path)?)) };
    archive(&classes.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// The compiler: that of the JDK in `home`, or the first on the search path.
fn javac(home: Option<&OsStr>, path: Option<&OsStr>) -> Result<PathBuf, Failure> {
    let of_home = home.map(|home| Path::new(home).join("bin/javac")).into_iter();
    let on_path = path.map(|path| env::split_paths(path).map(|folder| folder.join("javac")));
    let found = of_home.chain(on_path.into_iter().flatten()).find(|file| file.is_file());
    found.ok_or_else(|| {
        "there is no javac: install a JDK, 9 or newer (Debian: openjdk-17-jdk-headless), or set JAVA_HOME to the folder of one"
            .into()
    })
}

/// Notes the files of this kind in a folder and those in it, by their names from that folder on.
fn collect(
    folder: &Path,
    name: &mut PathBuf,
    kind: &str,
    files: &mut BTreeMap<String, PathBuf>,
) -> Result<(), Failure> {
    let entries =
        fs::read_dir(folder.join(&*name)).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        name.push(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(folder, name, kind, files)?;
        } else if name.extension() == Some(OsStr::new(kind)) {
            files.insert(name.display().to_string(), entry.path());
        }
        name.pop();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r125_without_a_compiler_of_java_the_next_step_is_said() {
        let missing =
            javac(Some(OsStr::new("/nowhere")), Some(OsStr::new("/nowhere:/"))).unwrap_err().to_string();
        assert!(missing.contains("install a JDK") && missing.contains("JAVA_HOME"), "{missing}");
        assert!(javac(None, None).is_err());
    }
}
