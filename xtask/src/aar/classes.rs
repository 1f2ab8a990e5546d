//! The Java API, built from the repository alone: its classes for Java 8 (`classes.jar`), its sources, its documentation.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::archive::{Files, archive};
use crate::Failure;
use crate::command::Run;
use crate::workspace::{files, make_empty, read, root};

/// The folders whose classes are packed.
const SOURCES: &[&str] = &["jni/java", "jni/android"];

/// Stub sources for classes that the target system provides (Android's), and annotations for compilers.
const STUBS: &str = "jni/stubs";

/// Compiles the classes in this folder, which is emptied before, and returns the archive of them.
pub(crate) fn jar(folder: &Path) -> Result<Vec<u8>, Failure> {
    make_empty(folder)?;
    // Newer compilers say that release 8 is an old one. Stubs are looked up as sources, and not compiled. Editors show the names of
    // parameters, which compilers leave out.
    let options = "--release 8 -parameters -Xlint:all,-options,-serial -Werror -proc:none -encoding UTF-8 -implicit:none";
    let mut javac = jdk("javac", options)?;
    javac.arg(folder).args(sources()?.values()).finish()?;
    archive(&contents(files(folder)?)?)
}

pub(crate) fn sources_jar() -> Result<Vec<u8>, Failure> {
    archive(&with_licenses(contents(sources()?)?)?)
}

/// Writes the documentation into this folder, which is emptied before, and returns the archive of it.
pub(crate) fn documentation_jar(folder: &Path) -> Result<Vec<u8>, Failure> {
    make_empty(folder)?;
    // Without a time the same sources make the same bytes; an index would bring scripts of others.
    let options = "--release 8 -quiet -Xdoclint:all,-missing -notimestamp -noindex -nohelp -public -encoding UTF-8 \
                   -docencoding UTF-8 -windowtitle vkload";
    jdk("javadoc", options)?.arg(folder).args(sources()?.values()).finish()?;
    archive(&with_licenses(contents(files(folder)?)?)?)
}

/// Returns the sources of the packed classes, by their names in an archive.
fn sources() -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut sources = BTreeMap::new();
    for source in SOURCES {
        sources.extend(files(&root().join(source))?);
    }
    sources.retain(|name, _| name.ends_with(".java"));
    Ok(sources)
}

fn contents(paths: BTreeMap<String, PathBuf>) -> Result<Files, Failure> {
    paths.into_iter().map(|(name, path)| Ok((name, read(&path)?))).collect()
}

fn with_licenses(mut files: Files) -> Result<Files, Failure> {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.insert(format!("META-INF/{name}"), read(&root().join(name))?);
    }
    Ok(files)
}

/// Returns a program of the JDK with these options, whose next argument is its output folder.
fn jdk(name: &str, options: &str) -> Result<Command, Failure> {
    let program = found(name, env::var_os("JAVA_HOME").as_deref(), env::var_os("PATH").as_deref())?;
    let mut command = Command::new(program);
    command.current_dir(root()).args(options.split_whitespace()).args(["-sourcepath", STUBS, "-d"]);
    Ok(command)
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
    fn without_a_compiler_of_java_the_next_step_is_said() {
        let missing = found("javac", Some(OsStr::new("/nowhere")), Some(OsStr::new("/nowhere:/")))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("install a JDK") && missing.contains("JAVA_HOME"), "{missing}");
        assert!(found("javadoc", None, None).is_err());
    }
}
