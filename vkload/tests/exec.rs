//! `vkload exec` as a user meets it.

use std::env;
use std::fs;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output};

fn vkload(runtime: &Path, arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env("XDG_RUNTIME_DIR", runtime).env("LD_LIBRARY_PATH", "/before");
    vkload.output().expect("vkload runs")
}

#[test]
fn the_program_gets_a_search_path_that_holds_only_the_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("any-name.so");
    fs::write(&library, "").expect("a file");
    let library = library.to_str().expect("UTF-8");

    let output =
        vkload(folder.path(), &["exec", "--library", library, "--", "sh", "-c", "echo $LD_LIBRARY_PATH"]);
    let path = String::from_utf8(output.stdout).expect("UTF-8");
    let (links, rest) = path.trim().split_once(':').expect("two folders");
    assert_eq!(rest, "/before");
    let mut names: Vec<_> =
        fs::read_dir(links).expect("the folder").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["libvulkan.so", "libvulkan.so.1"]);
    assert_eq!(fs::canonicalize(format!("{links}/libvulkan.so.1")).expect("a link").to_str(), Some(library));
}

#[test]
fn arguments_exit_code_and_signals_are_the_programs_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |script| {
        let arguments = ["exec", "--library", "/etc/passwd", "sh", "-c", script, "x", "--json", "-v"];
        vkload(folder.path(), &arguments)
    };
    assert_eq!(run("echo $*").stdout, b"--json -v\n");
    assert_eq!(run("exit 7").status.code(), Some(7));
    assert_eq!(run("kill -TERM $$").status.signal(), Some(15));
}

#[test]
fn what_cannot_be_run_is_said_with_the_codes_of_a_shell() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = vkload(folder.path(), &["exec", "--library", "/etc/passwd", "no-such-program-here"]);
    assert_eq!(missing.status.code(), Some(127));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such-program-here"));

    let gone = vkload(folder.path(), &["exec", "--library", "/gone.so", "true"]);
    assert_eq!(gone.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("/gone.so"));
}

/// Runs `vkload exec true` from `bin` in this folder.
fn installed_in(folder: &Path) -> Output {
    let alone = folder.join("bin").join("vkload");
    fs::create_dir(folder.join("bin")).expect("a folder");
    // Another process writes it: a child that another test starts meanwhile would keep the file open, and it could not be run.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_vkload")).arg(&alone).status();
    assert!(copied.expect("cp runs").success());
    Command::new(&alone).args(["exec", "true"]).env("XDG_RUNTIME_DIR", folder).output().expect("vkload runs")
}

#[test]
fn without_a_library_it_says_how_to_get_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = installed_in(folder.path());
    assert_eq!(output.status.code(), Some(126));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there is no libvulkan.so.1") && said.contains("cargo xtask build"), "{said}");
}

#[test]
fn where_only_the_distributions_loader_is_it_does_not_run_the_program_on_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("lib/libvulkan.so.1");
    fs::create_dir(folder.path().join("lib")).expect("a folder");
    fs::write(&library, "the distribution's").expect("a file");
    let output = installed_in(folder.path());
    assert_eq!(output.status.code(), Some(126));
    let said = String::from_utf8_lossy(&output.stderr);
    let reason = format!("{} is another Vulkan loader; install libvulkan1-vkload", library.display());
    assert!(said.contains(&reason) && said.contains("--library FILE"), "{said}");
}

#[test]
fn in_memory_it_finds_the_library_from_its_first_argument() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["bin", "lib"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    fs::write(folder.path().join("lib/libvulkan.so.1"), "vkloadIsALoader\0").expect("a file");
    // The portable tool starts it in this way. SAFETY: the name is a string, and the descriptor is new.
    let mut memory = unsafe { fs::File::from_raw_fd(libc::memfd_create(c"vkload".as_ptr(), 0)) };
    memory.write_all(&fs::read(env!("CARGO_BIN_EXE_vkload")).expect("the tool")).expect("written");
    let mut vkload = Command::new(format!("/proc/self/fd/{}", memory.as_raw_fd()));
    vkload
        .arg0(folder.path().join("bin/vkload"))
        .args(["exec", "true"])
        .env("XDG_RUNTIME_DIR", folder.path());
    let output = vkload.output().expect("vkload runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
