//! Root and another user, whose number nobody uses, and a library whose constructor notes the users and groups as which it runs.

#![allow(dead_code, reason = "not every program uses everything")]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

pub(crate) const OTHER: u32 = 64_999;

pub(crate) const LIBRARY: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
__attribute__((constructor)) static void note(void) {
    char line[99]; gid_t groups[9]; uid_t r, e, s; gid_t a, b, c;
    getresuid(&r, &e, &s); getresgid(&a, &b, &c);
    int count = getgroups(9, groups);
    int length = snprintf(line, sizeof line, "%d %d %d %d %d %d %d %d\n", r, e, s, a, b, c, count, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    int log = open(LOG, O_WRONLY | O_APPEND);
    if (log >= 0) { if (write(log, line, length)) {} close(log); }
}
"#;

/// Maps the files of its arguments, and waits until its input ends. With `DROP`, it gives up the rights that its user lacks.
pub(crate) const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **names) {
#ifdef DROP
    if (setresgid(getgid(), getgid(), getgid()) || setresuid(getuid(), getuid(), getuid())) return 2;
#endif
    for (int i = 1; i < count; i++) mmap(0, 4096, PROT_READ, MAP_PRIVATE, open(names[i], O_RDONLY), 0);
    puts("ready"); fflush(stdout);
    char byte; return read(0, &byte, 1) < 0;
}
"#;

/// A folder of root's, with one of the other user's.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// `None` without the rights to act as two users.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: no preconditions.
        if unsafe { libc::geteuid() } != 0 {
            eprintln!("skipped: only root can act as another user");
            return None;
        }
        let tool = Command::new(env!("CARGO_BIN_EXE_vkload")).uid(OTHER).gid(OTHER).arg("--version").output();
        if tool.is_err() {
            eprintln!("skipped: another user may not reach {}", env!("CARGO_BIN_EXE_vkload"));
            return None;
        }
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        machine.mode("", 0o755);
        fs::write(machine.path("log"), "").unwrap();
        machine.mode("log", 0o666);
        fs::create_dir_all(machine.path("theirs/home/.local/share/vulkan/implicit_layer.d")).unwrap();
        machine.compile("theirs/libvulkan.so.1", LIBRARY, &["-shared", "-fPIC"]);
        machine.compile("program", PROGRAM, &[]);
        let library = machine.path("theirs/libvulkan.so.1");
        let driver = serde_json::json!({
            "file_format_version": "1.0.1", "ICD": { "library_path": library, "api_version": "1.3.0" },
        });
        let layer = serde_json::json!({ "file_format_version": "1.2.0", "layer": {
            "name": "VK_LAYER_TEST_theirs", "type": "GLOBAL", "library_path": library, "api_version": "1.3.0",
            "implementation_version": "1", "description": "", "disable_environment": { "NO_THEIRS": "1" },
        }});
        for driver_of in ["theirs/driver.json", "of-root.json"] {
            fs::write(machine.path(driver_of), driver.to_string()).unwrap();
        }
        let layers = "theirs/home/.local/share/vulkan/implicit_layer.d/layer.json";
        fs::write(machine.path(layers), layer.to_string()).unwrap();
        let theirs = machine.path("theirs");
        assert!(
            Command::new("chown")
                .arg("-R")
                .arg(format!("{OTHER}:{OTHER}"))
                .arg(theirs)
                .status()
                .unwrap()
                .success()
        );
        Some(machine)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn compile(&self, name: &str, source: &str, options: &[&str]) {
        assert!(self.compile_by("cc", name, source, options));
    }

    /// Compiles with another compiler, if it is there and works.
    pub(crate) fn compile_by(&self, cc: &str, name: &str, source: &str, options: &[&str]) -> bool {
        let file = self.path("source.c");
        fs::write(&file, source).unwrap();
        let log = format!("-DLOG=\"{}\"", self.path("log").display());
        let status =
            Command::new(cc).arg(log).arg("-o").arg(self.path(name)).arg(file).args(options).status();
        status.is_ok_and(|status| status.success())
    }

    /// Variables that lead to the other user's files.
    pub(crate) fn hostile(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("LD_PRELOAD", self.path("theirs/libvulkan.so.1")),
            ("LD_LIBRARY_PATH", self.path("theirs")),
            ("VK_DRIVER_FILES", self.path("theirs/driver.json")),
            ("HOME", self.path("theirs/home")),
        ]
    }

    pub(crate) fn start(&self, command: &mut Command) -> Started {
        let child =
            command.arg(self.path("theirs/libvulkan.so.1")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        fs::write(self.path("log"), "").unwrap();
        Started(child)
    }

    /// Returns the exit code and the output of the tool, run by root with these variables.
    pub(crate) fn root_runs(
        &self,
        arguments: &[&str],
        variables: &[(&str, PathBuf)],
    ) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vkload"));
        command.args(arguments).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/root");
        let output = command.envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), text)
    }

    /// Returns the users, groups, the number of further groups and the bar on new privileges of each start of the library.
    pub(crate) fn runs(&self) -> Vec<String> {
        fs::read_to_string(self.path("log")).unwrap().lines().map(str::to_owned).collect()
    }
}

pub(crate) struct Started(Child);

impl Started {
    pub(crate) fn id(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Returns the owner, the mode and a digest of the content of each file in these folders, except `but` these.
pub(crate) fn files(folders: &[PathBuf], but: &[PathBuf]) -> BTreeMap<PathBuf, (u32, u32, u64)> {
    let mut files = BTreeMap::new();
    for entry in folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten() {
        let path = entry.unwrap().path();
        let Some(found) = fs::symlink_metadata(&path).ok().filter(|_| !but.contains(&path)) else { continue };
        let mut digest = DefaultHasher::new();
        if found.is_dir() {
            files.extend(self::files(std::slice::from_ref(&path), but));
        } else if found.is_file() {
            fs::read(&path).unwrap_or_default().hash(&mut digest);
        } else {
            fs::read_link(&path).unwrap_or_default().hash(&mut digest);
        }
        files.insert(path, (found.uid(), found.mode(), digest.finish()));
    }
    files
}
