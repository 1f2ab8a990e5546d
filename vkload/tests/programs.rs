//! `vkload doctor` diagnoses for a given program: its loader, its variables and its width.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{chroot, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;
use vkload_tests::{Device, Driver, Sandbox, library_under_test};

/// A program that opens the Vulkan loader, says so, and waits until its standard input ends.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    puts(dlopen("libvulkan.so.1", RTLD_NOW) != NULL ? "opened" : "not opened");
    fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
"#;

/// Returns a good driver, and folders `one`, `two` with a Vulkan loader each.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("good gpu")).install(&sandbox);
    for folder in ["one", "two"] {
        fs::create_dir(sandbox.path(folder)).expect("a folder");
        fs::copy(library_under_test(), loader_in(&sandbox, folder)).expect("a copy");
    }
    sandbox
}

fn loader_in(sandbox: &Sandbox, folder: &str) -> PathBuf {
    sandbox.path(folder).join("libvulkan.so.1")
}

/// Compiles the program with these options of the linker, to `bin/NAME`.
fn program(sandbox: &Sandbox, name: &str, options: &[&str]) -> PathBuf {
    let source = sandbox.write("out/program.c", PROGRAM);
    let file = sandbox.path("bin").join(name);
    fs::create_dir_all(sandbox.path("bin")).expect("a folder");
    compile(options, &source, &file);
    file
}

fn compile(options: &[&str], source: &Path, file: &Path) {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(compiler);
    command.arg("-D_GNU_SOURCE").args(options).arg(source).arg("-o").arg(file).arg("-ldl");
    assert!(command.status().expect("a C compiler").success());
}

fn vkload(sandbox: &Sandbox, more: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment());
    vkload.envs(more.iter().copied()).output().expect("vkload runs")
}

fn doctor(sandbox: &Sandbox, more: &[(&str, &str)], arguments: &[&str]) -> Value {
    let output = vkload(sandbox, more, &[&["doctor", "--json"], arguments].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Returns the file that was opened as Vulkan loader.
fn opened(answer: &Value) -> &Path {
    Path::new(answer["loader"]["file"].as_str().unwrap_or_else(|| panic!("{answer:#}")))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_program_with_a_loader_of_its_own_is_judged_by_that() {
    let sandbox = machine();
    let two = sandbox.path("two");
    let other = [("LD_LIBRARY_PATH", text(&two))];
    let run_path = program(&sandbox, "run-path", &["-Wl,--enable-new-dtags,-rpath,$ORIGIN/../one"]);
    let rpath = program(&sandbox, "rpath", &["-Wl,--disable-new-dtags,-rpath,$ORIGIN/../one"]);
    for (program, variables, folder) in [
        (&run_path, &other[..0], "one"),
        (&run_path, &other, "two"), // DT_RUNPATH comes after the variable,
        (&rpath, &other[..0], "one"),
        (&rpath, &other, "one"), // and DT_RPATH before.
    ] {
        let answer = doctor(&sandbox, variables, &["--", text(program)]);
        assert_eq!(opened(&answer), loader_in(&sandbox, folder), "{}: {variables:?}", program.display());
        assert_eq!(answer["works"], true, "{answer:#}");
        let headline = answer["headline"].as_str().expect("a headline");
        assert!(headline.contains(text(program)), "{headline}");
        // It is as the program itself has it.
        assert_eq!(mapped(&sandbox, program, variables), loader_in(&sandbox, folder));
    }
}

/// Returns the loader that the program gets when it runs.
fn mapped(sandbox: &Sandbox, program: &Path, variables: &[(&str, &str)]) -> PathBuf {
    let running = Running::new(sandbox, program, variables);
    let maps = fs::read_to_string(format!("/proc/{}/maps", running.0.id())).expect("maps");
    let path = maps
        .lines()
        .find_map(|line| line.find('/').map(|at| &line[at..]).filter(|it| it.contains("libvulkan")));
    PathBuf::from(path.expect("a loader"))
}

/// A program that has opened the loader, and ends when it is dropped.
struct Running(Child);

impl Running {
    fn new(sandbox: &Sandbox, program: &Path, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(program);
        command.env_clear().envs(sandbox.environment()).envs(variables.iter().copied());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut line = String::new();
        let said = child.stdout.as_mut().map(BufReader::new).expect("a pipe").read_line(&mut line);
        assert_eq!((said.is_ok(), line.as_str()), (true, "opened\n"));
        Self(child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn variables_of_the_dynamic_linker_bring_another_loader() {
    let sandbox = machine();
    let (two, one) = (sandbox.path("two"), loader_in(&sandbox, "one"));
    let by_path = doctor(&sandbox, &[("LD_LIBRARY_PATH", text(&two))], &[]);
    assert_eq!(opened(&by_path), loader_in(&sandbox, "two"));
    let by_both = [("LD_LIBRARY_PATH", text(&two)), ("LD_PRELOAD", text(&one))];
    assert_eq!(opened(&doctor(&sandbox, &by_both, &[])), one);
}

#[test]
fn a_loader_that_does_not_load_is_blamed_with_the_variable_that_brings_it() {
    let sandbox = machine();
    let file = loader_in(&sandbox, "one");
    let whole = fs::read(&file).expect("a file");
    for (content, fault) in [(&whole[..whole.len() / 2], "is cut short"), (b"text", "is not a library")] {
        fs::write(&file, content).expect("a file");
        let answer = doctor(&sandbox, &[("LD_LIBRARY_PATH", text(&sandbox.path("one")))], &[]);
        assert_eq!(answer["works"], false, "{answer:#}");
        let first = &answer["findings"][0];
        assert_eq!(first["about"], "LD_LIBRARY_PATH", "{answer:#}");
        assert!(first["what"].as_str().is_some_and(|what| what.contains(fault)), "{answer:#}");
        assert!(first["next"].to_string().contains("unset LD_LIBRARY_PATH"), "{first:#}");
    }
}

#[test]
fn a_program_is_found_by_name_and_a_script_by_its_interpreter() {
    let sandbox = machine();
    let program = program(&sandbox, "game", &["-Wl,-rpath,$ORIGIN/../one"]);
    let bin = sandbox.path("bin");
    symlink(&program, sandbox.path("bin/link")).expect("a link");
    sandbox.write("bin/script", format!("#!{}\n", program.display()));
    sandbox.write("bin/by-env", "#!/usr/bin/env -S game --fast\n");
    for name in ["game", "link", "script", "by-env"] {
        let answer = doctor(&sandbox, &[("PATH", text(&bin))], &["--", name]);
        assert_eq!(opened(&answer), loader_in(&sandbox, "one"), "{name}: {answer:#}");
    }
    let absent = vkload(&sandbox, &[("PATH", text(&bin))], &["doctor", "--", "no-such-program"]);
    assert_eq!(absent.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&absent.stderr).contains("no-such-program"), "{absent:?}");
}

#[test]
fn an_app_image_is_known_for_what_it_hides() {
    let sandbox = machine();
    let program = program(&sandbox, "x.AppImage", &[]);
    let mut bytes = fs::read(&program).expect("a file");
    bytes[8..11].copy_from_slice(b"AI\x02");
    fs::write(&program, bytes).expect("a file");
    let answer = doctor(&sandbox, &[], &["--no-probe", "--", text(&program)]);
    let findings = answer["findings"].as_array().expect("findings");
    let finding = findings.iter().find(|it| it["id"] == "app-image").unwrap_or_else(|| panic!("{answer:#}"));
    assert!(finding["next"].to_string().contains("--pid"), "{finding:#}");
}

#[test]
fn a_window_system_that_answers_is_no_finding() {
    let sandbox = machine();
    let folder = sandbox.path("one");
    let _listener = UnixListener::bind(folder.join("wayland-0")).expect("a socket");
    for (display, is_dead) in [("wayland-0", false), ("wayland-1", true)] {
        let variables =
            [("WAYLAND_DISPLAY", display), ("XDG_RUNTIME_DIR", text(&folder)), ("DISPLAY", "localhost:10.0")];
        let answer = doctor(&sandbox, &variables, &["--no-probe"]);
        assert_eq!(answer["findings"].to_string().contains("display-dead"), is_dead, "{answer:#}");
    }
}

#[test]
fn a_process_is_judged_by_its_variables_and_its_memory() {
    let sandbox = machine();
    let program = program(&sandbox, "game", &[]);
    let one = sandbox.path("one");
    let running = Running::new(&sandbox, &program, &[("LD_LIBRARY_PATH", text(&one)), ("A", "B")]);
    let elsewhere = Sandbox::new();
    let id = running.0.id().to_string();
    let answer = doctor(&elsewhere, &[], &["--pid", &id]);
    assert_eq!(opened(&answer), loader_in(&sandbox, "one"));
    assert_eq!(answer["devices"][0]["name"], "good gpu", "{answer:#}");
    assert!(answer["headline"].as_str().is_some_and(|it| it.contains(&id)), "{answer:#}");
    let findings = answer["findings"].as_array().expect("findings");
    let libraries = findings.iter().find(|it| it["id"] == "process-libraries").expect("its libraries");
    assert!(libraries["what"].to_string().contains(text(&loader_in(&sandbox, "one"))), "{libraries:#}");

    drop(running);
    let gone = vkload(&sandbox, &[], &["doctor", "--pid", &id]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&gone.stderr).contains(&id), "{gone:?}");
}

#[test]
fn two_loaders_in_a_process_are_noted() {
    let sandbox = machine();
    let one = loader_in(&sandbox, "one");
    // Without a name of its own, it does not take the place of the other one.
    let (source, nameless) =
        (sandbox.write("out/loader.c", "int nothing;\n"), sandbox.path("lib/libvulkan.so.1"));
    compile(&["-shared", "-fPIC"], &source, &nameless);
    let program = program(&sandbox, "game", &[]);
    let folder = sandbox.path("one");
    for (preloaded, count) in [(&one, 0), (&nameless, 1)] {
        let variables = [("LD_LIBRARY_PATH", text(&folder)), ("LD_PRELOAD", text(preloaded))];
        let running = Running::new(&sandbox, &program, &variables);
        let answer = doctor(&sandbox, &[], &["--no-probe", "--pid", &running.0.id().to_string()]);
        let findings = answer["findings"].as_array().expect("findings").iter();
        let found: Vec<_> = findings.filter(|it| it["id"] == "loaders-mixed").collect();
        assert_eq!(found.len(), count, "{answer:#}");
        assert!(found.iter().all(|it| it["next"].to_string().contains("RTLD_DEEPBIND")), "{found:#?}");
    }
}

#[test]
fn a_process_with_another_root_is_said_to_be_elsewhere() {
    let sandbox = machine();
    let (tell, told) = mpsc::channel();
    let (end, wait) = mpsc::channel::<()>();
    let root = sandbox.path("");
    // A thread with a root of its own is as good as a process in a container, and only root can have one.
    let thread = thread::spawn(move || {
        // SAFETY: the calls have no preconditions; the root becomes this thread's alone.
        let alone = unsafe { libc::unshare(libc::CLONE_FS) } == 0 && chroot(&root).is_ok();
        // SAFETY: the call has no preconditions.
        tell.send(alone.then(|| unsafe { libc::gettid() })).expect("heard");
        let _ = wait.recv();
    });
    if let Some(id) = told.recv().expect("told") {
        let answer = doctor(&sandbox, &[], &["--no-probe", "--pid", &id.to_string()]);
        let findings = answer["findings"].as_array().expect("findings");
        let elsewhere = findings.iter().find(|it| it["id"] == "process-elsewhere");
        let step = &elsewhere.unwrap_or_else(|| panic!("{answer:#}"))["next"][0];
        assert!(step.to_string().contains("docker exec"), "{step}");
    } else {
        eprintln!("skipped: only root can give a thread another root");
    }
    drop(end);
    thread.join().expect("no panic");
}

/// A library that kills every process except the program above.
const DEADLY: &str = r#"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
extern char *program_invocation_short_name;
__attribute__((constructor)) static void die(void) {
    if (strcmp(program_invocation_short_name, "game") != 0) __builtin_trap();
}
"#;

#[test]
fn a_library_that_takes_every_program_down_is_named_by_its_variable() {
    let sandbox = machine();
    let program = program(&sandbox, "game", &["-Wl,-rpath,$ORIGIN/../one"]);
    let (source, deadly) = (sandbox.write("out/deadly.c", DEADLY), sandbox.path("lib/libdeadly.so"));
    compile(&["-shared", "-fPIC"], &source, &deadly);
    let running = Running::new(&sandbox, &program, &[("LD_PRELOAD", text(&deadly))]);
    let answer = doctor(&sandbox, &[], &["--pid", &running.0.id().to_string()]);
    assert_eq!(answer["works"], Value::Null, "{answer:#}");
    let findings = answer["findings"].as_array().expect("findings");
    assert_eq!((&findings[0]["id"], &findings[0]["about"]), (&"not-tried".into(), &"LD_PRELOAD".into()));
    assert_eq!(findings[0]["next"][0], "unset LD_PRELOAD");
    let blamed = |it: &Value| it["about"].to_string().contains("good.json");
    assert!(!findings.iter().any(blamed), "no driver was tried: {answer:#}");
}

/// Returns the header of a program for 32-bit processors of this kind, and nothing else.
fn narrow_program(sandbox: &Sandbox) -> PathBuf {
    let machine: u8 = if cfg!(target_arch = "aarch64") { 40 } else { 3 };
    let mut header = vec![0; 52];
    header[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    (header[16], header[18], header[20], header[40]) = (2, machine, 1, 52);
    (header[42], header[46]) = (32, 40);
    sandbox.write("bin/narrow", header)
}

#[test]
fn a_32_bit_program_is_judged_without_opening_anything() {
    let sandbox = machine();
    let program = narrow_program(&sandbox);
    let by_program = doctor(&sandbox, &[], &["--", text(&program)]);
    for answer in [&by_program, &doctor(&sandbox, &[], &["--32"])] {
        assert_eq!((&answer["works"], &answer["loader"]), (&Value::Null, &Value::Null), "{answer:#}");
        let findings = answer["findings"].as_array().expect("findings");
        let of_driver =
            |it: &&Value| it["severity"] == "error" && it["what"].to_string().contains("good.json");
        assert!(findings.iter().any(|it| of_driver(&it)), "{answer:#}");
    }
    // If one driver fits, another that does not fit is normal.
    let library = sandbox.path("lib/libnarrow.so");
    fs::copy(&program, &library).expect("a copy");
    let manifest = format!(
        r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}}"#,
        library.display()
    );
    sandbox.write("data/vulkan/icd.d/narrow.json", manifest);
    let answer = doctor(&sandbox, &[], &["--32"]);
    let findings = answer["findings"].as_array().expect("findings");
    let wrong = findings.iter().find(|it| it["id"] == "library-class");
    assert!(wrong.is_none_or(|it| it["severity"] == "note"), "{findings:#?}");
}
