//! Which file runs when a user starts a program.

use std::env;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::facts::open;

/// A script's interpreter may be a script, but not without end.
const SCRIPT_LIMIT: usize = 4;

/// A program's file, and what runs then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The file that a shell would start.
    pub(super) file: PathBuf,
    /// The same, or a script's interpreter.
    pub(super) executable: PathBuf,
    /// Whether the program's files are in a file system of its own, which is mounted only while it runs.
    pub(super) is_app_image: bool,
}

impl Program {
    pub(super) fn find(name: &Path) -> Result<Self, String> {
        let file = found(name).ok_or_else(|| match name.components().count() {
            0 | 1 => format!("no program {} in PATH", name.display()),
            _ if name.is_dir() => format!("{} is not a program", name.display()),
            _ => format!("no file {}", name.display()),
        })?;
        let is_known = [&b"\x7fELF"[..], b"#!"].iter().any(|mark| start_of(&file).starts_with(mark));
        let may_run = file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0);
        if !is_known && !may_run {
            return Err(format!("{} is not a program", name.display()));
        }
        let mut executable = file.clone();
        for _ in 0..SCRIPT_LIMIT {
            match interpreter(&start_of(&executable)) {
                Some(next) => executable = next,
                None => break,
            }
        }
        let is_app_image = matches!(start_of(&file).get(8..11), Some([b'A', b'I', 1 | 2]));
        Ok(Self { file, executable, is_app_image })
    }
}

fn found(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.canonicalize().ok().filter(|file| file.is_file());
    }
    let folders = env::var_os("PATH")?;
    let file = env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())?;
    file.canonicalize().ok()
}

fn start_of(file: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    let _ = open(file).and_then(|file| file.take(256).read_to_end(&mut start));
    start
}

/// Returns the program that runs a script which begins so.
fn interpreter(start: &[u8]) -> Option<PathBuf> {
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let first = Path::new(words.next()?);
    if first.file_name().is_some_and(|name| name == "env") {
        let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        return found(Path::new(name));
    }
    found(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_script_is_run_by_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path.canonicalize().unwrap()
        };
        let own = env::current_exe().unwrap().canonicalize().unwrap();
        let inner = write("inner", &format!("#! {} -x\n", own.display()));
        let outer = write("outer", &format!("#!{}\necho\n", inner.display()));
        let by_env = write("by-env", "#!/usr/bin/env -S A=b sh -e\n");
        let found = Program::find(&outer).unwrap();
        assert_eq!((found.file, found.executable), (outer, own));
        let shell = Program::find(Path::new("sh")).unwrap();
        assert_eq!(Program::find(&by_env).unwrap().executable, shell.file);
        let endless = folder.path().join("endless");
        fs::write(&endless, format!("#!{}\n", endless.display())).unwrap();
        assert!(Program::find(&endless).is_ok());
        assert!(Program::find(folder.path()).unwrap_err().ends_with(" is not a program"), "a folder");
        let text = Program::find(&write("text", "root:x:0:0\n")).unwrap_err();
        assert!(text.ends_with("text is not a program"), "{text}");
        assert!(Program::find(Path::new("no-such-program-anywhere")).unwrap_err().contains("PATH"));
    }
}
