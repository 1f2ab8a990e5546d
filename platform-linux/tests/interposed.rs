//! Sandboxes, tracers and test harnesses replace functions of the C library with their own. Paths
//! that exist only for those are found too, even though `stat` does not know them.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vkload_core::platform::{LibraryKind, Reader};
use vkload_linux::PLATFORM;

/// Set in the process that runs under the interposer.
const CHILD: &str = "VKLOAD_TEST_INTERPOSED";

/// Redirects everything under /interposed to the folder in INTERPOSED, for the calls that a loader
/// is known to make.
const INTERPOSER: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *moved(const char *path) {
    static char elsewhere[4096];
    static const char *folder;
    if (strncmp(path, "/interposed", 11) != 0) return path;
    if (!folder) folder = getenv("INTERPOSED");
    snprintf(elsewhere, sizeof elsewhere, "%s%s", folder, path + 11);
    return elsewhere;
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

DIR *opendir(const char *path) { return NEXT(DIR *(*)(const char *), "opendir")(moved(path)); }
int access(const char *path, int mode) { return NEXT(int (*)(const char *, int), "access")(moved(path), mode); }
FILE *fopen(const char *path, const char *mode) {
    return NEXT(FILE *(*)(const char *, const char *), "fopen")(moved(path), mode);
}
void *dlopen(const char *path, int flags) {
    return NEXT(void *(*)(const char *, int), "dlopen")(path ? moved(path) : path, flags);
}
char *secure_getenv(const char *name) {
    if (strcmp(name, "ONLY_INTERPOSED") == 0) return "secure";
    return NEXT(char *(*)(const char *), "secure_getenv")(name);
}
int fputs(const char *text, FILE *stream) {
    NEXT(int (*)(const char *, FILE *), "fputs")("seen: ", stream);
    return NEXT(int (*)(const char *, FILE *), "fputs")(text, stream);
}
"#;

#[test]
fn what_exists_only_for_an_interposer_is_found() {
    if env::var_os(CHILD).is_some() {
        return look_around();
    }
    let Some((folder, interposer)) = build() else {
        eprintln!("skipped: no C compiler (package gcc)");
        return;
    };
    let output = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "what_exists_only_for_an_interposer_is_found", "--nocapture"])
        .env(CHILD, "1")
        .env("INTERPOSED", folder.path())
        .env("LD_PRELOAD", interposer)
        .output()
        .expect("the child runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", output.status);
    assert!(stderr.contains("seen: a line\n"), "{stderr}");
}

fn build() -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("x.json"), "{}").expect("a file");
    let source = folder.path().join("interposer.c");
    fs::write(&source, INTERPOSER).expect("a file");
    let library = folder.path().join("library.so");
    let flags = ["-shared", "-fPIC", "-o"].map(OsStr::new);
    let status = Command::new("cc").args(flags).args([&library, &source]).status().ok()?;
    assert!(status.success(), "the interposer compiles");
    Some((folder, library))
}

fn look_around() {
    let at = Path::new("/interposed/x.json");
    assert!(!at.exists(), "the kernel knows nothing of it");
    let at = at.as_os_str().as_encoded_bytes();
    assert!(PLATFORM.files.exists(at));
    assert_eq!(PLATFORM.files.read(at, 100).expect("is read").as_slice(), b"{}");
    assert_eq!(PLATFORM.files.fingerprint(at), None);
    let names = PLATFORM.files.list(b"/interposed").expect("is listed");
    assert!(names.iter().any(|name| name.as_slice() == b"x.json"));

    let library = PLATFORM.libraries.open(b"/interposed/library.so", LibraryKind::Driver);
    assert!(library.is_ok());
    let value = PLATFORM.environment.variable(c"ONLY_INTERPOSED", Reader::Secure).expect("memory");
    assert_eq!(value.expect("is set").as_slice(), b"secure");
    assert_eq!(PLATFORM.environment.variable(c"ONLY_INTERPOSED", Reader::Plain), Ok(None));
    PLATFORM.log.write(vkload_core::log::Level::Info, b"a line\n");
}
