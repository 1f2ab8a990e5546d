//! The Java API, built from the repository alone: its classes for Java 8 (`classes.jar`), its sources, its documentation.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::build::{finish, root};

use super::archive::{archive, contents, paths};

/// The folders whose classes are packed.
const SOURCES: &[&str] = &["jni/java", "jni/android"];

/// Stub sources for classes that the target system provides (Android's), and annotations for compilers.
const STUBS: &str = "jni/stubs";

/// Compiles the classes in this folder, which is emptied before, and returns the archive of them.
pub(crate) fn jar(folder: &Path) -> Result<Vec<u8>, Failure> {
    empty(folder)?;
    let mut javac = Command::new(program_of_jdk("javac")?);
    // Newer compilers say that release 8 is an old one. Stubs are looked up as sources, and not compiled. Editors show the names of
    // parameters, which compilers leave out.
    javac.current_dir(root()).args([
        "--release",
        "8",
        "-parameters",
        "-Xlint:all,-options,-serial",
        "-Werror",
        "-proc:none",
    ]);
    javac.args(["-encoding", "UTF-8", "-implicit:none", "-sourcepath", STUBS, "-d"]).arg(folder);
    finish(javac.args(sources()?.values()))?;
    archive(&contents(folder, Some("class"))?)
}

/// Returns the archive of the sources.
pub(crate) fn sources_jar() -> Result<Vec<u8>, Failure> {
    let read = |(name, path): (String, PathBuf)| -> Result<_, Failure> { Ok((name, fs::read(path)?)) };
    archive(&with_licenses(sources()?.into_iter().map(read).collect::<Result<_, _>>()?)?)
}

/// Writes the documentation into this folder, which is emptied before, and returns the archive of it.
pub(crate) fn documentation_jar(folder: &Path) -> Result<Vec<u8>, Failure> {
    empty(folder)?;
    let mut javadoc = Command::new(program_of_jdk("javadoc")?);
    // Without a time the same sources make the same bytes; an index would bring scripts of others.
    javadoc.current_dir(root()).args(["--release", "8", "-quiet", "-Xdoclint:all,-missing"]);
    javadoc.args([
        "-notimestamp",
        "-noindex",
        "-nohelp",
        "-public",
        "-encoding",
        "UTF-8",
        "-docencoding",
        "UTF-8",
    ]);
    javadoc.args(["-windowtitle", "vkload", "-sourcepath", STUBS, "-d"]).arg(folder);
    finish(javadoc.args(sources()?.values()))?;
    archive(&with_licenses(contents(folder, None)?)?)
}

/// Returns the sources of the packed classes, by their names in an archive.
fn sources() -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut sources = BTreeMap::new();
    for source in SOURCES {
        sources.extend(paths(&root().join(source), Some("java"))?);
    }
    Ok(sources)
}

fn with_licenses(mut files: BTreeMap<String, Vec<u8>>) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.insert(format!("META-INF/{name}"), fs::read(root().join(name))?);
    }
    Ok(files)
}

fn empty(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

fn program_of_jdk(name: &str) -> Result<PathBuf, Failure> {
    found(name, env::var_os("JAVA_HOME").as_deref(), env::var_os("PATH").as_deref())
}

/// Returns a program of the JDK in `home`, or the first on the search path.
fn found(name: &str, home: Option<&OsStr>, path: Option<&OsStr>) -> Result<PathBuf, Failure> {
    let of_home = home.map(|home| Path::new(home).join("bin").join(name)).into_iter();
    let on_path = path.map(|path| env::split_paths(path).map(|folder| folder.join(name)));
    let found = of_home.chain(on_path.into_iter().flatten()).find(|file| file.is_file());
    found.ok_or_else(|| {
        format!("there is no {name}: install a JDK, 9 or newer (Debian: openjdk-17-jdk-headless), or set JAVA_HOME to the folder of one")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r125_without_a_compiler_of_java_the_next_step_is_said() {
        let missing = found("javac", Some(OsStr::new("/nowhere")), Some(OsStr::new("/nowhere:/")))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("install a JDK") && missing.contains("JAVA_HOME"), "{missing}");
        assert!(found("javadoc", None, None).is_err());
    }
}
