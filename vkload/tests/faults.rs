//! `vkload faults` and `vkload exec --faults` as a user meets them, with a program that has one mistake at a time.

use crate::schema;

use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use schema::Schema;
use serde_json::Value;
use tempfile::TempDir;
use vkload_tests::programs::{CProgram, Library, Machine, Need, VALIDATION};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Compiler, Need::Distribution];

/// Returns the library of the layer, which cargo puts into the folder of the tests.
fn layer() -> PathBuf {
    let tests = std::env::current_exe().expect("the path of this test");
    tests.with_file_name("libVkLayer_vkload_faults.so")
}

/// The program, on a machine.
struct Planted {
    program: CProgram,
    machine: Machine,
    library: Library,
    runtime: TempDir,
}

impl Planted {
    fn new(machine: Machine) -> Self {
        Self::of("planted", machine)
    }

    fn of(program: &str, machine: Machine) -> Self {
        let library = Library::under_test();
        let program = CProgram::compile(program, &library, &[]);
        Self { program, machine, library, runtime: tempfile::tempdir().expect("a folder") }
    }

    fn vkload(&self, command: &str, options: &[&str], mistake: &str) -> Output {
        let mut vkload = self.machine.command(&self.library, env!("CARGO_BIN_EXE_vkload"));
        vkload.arg(command).args(["--faults-layer".as_ref(), layer().as_os_str()]).args(options);
        vkload.arg("--").arg(self.program.path()).arg(mistake);
        // Mesa's layer crashes if a call fails.
        vkload.env("NODEVICE_SELECT", "1");
        vkload.env("XDG_RUNTIME_DIR", self.runtime.path()).output().expect("vkload runs")
    }

    fn answer(&self, options: &[&str], mistake: &str) -> (Option<i32>, Value) {
        let options = [&["--json", "--timeout", "10"], options].concat();
        let output = self.vkload("faults", &options, mistake);
        let answer =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        assert_eq!(Schema::read("docs/schemas/faults.schema.json").problem(&answer), None);
        (output.status.code(), answer)
    }
}

/// Returns the failures after which the program has a mistake, as `COMMAND RESULT OUTCOME`.
fn mistakes(answer: &Value) -> Vec<String> {
    let trials = answer["trials"].as_array().expect("trials").iter();
    let bad = trials.filter(|trial| trial["mistake"] == true);
    let word = |trial: &Value, name: &str| trial[name].as_str().expect("text").to_owned();
    bad.map(|trial| ["command", "result", "outcome"].map(|name| word(trial, name)).join(" ")).collect()
}

#[test]
fn planted_mistakes_are_found_and_nothing_else() {
    skip_unless!(NEEDS);
    let planted = Planted::new(Machine::with_null_driver());
    let (code, answer) = planted.answer(&[], "nothing");
    assert_eq!((code, mistakes(&answer)), (Some(0), vec![]), "{answer:#}");
    let trials = answer["trials"].as_array().expect("trials");
    let handled = trials.iter().filter(|trial| trial["outcome"] == "gives-up").count();
    assert!(handled > 15, "{answer:#}");

    let (code, answer) = planted.answer(&["--command", "vkQueueSubmit"], "wait");
    assert_eq!(code, Some(1));
    let expected =
        ["vkQueueSubmit VK_ERROR_OUT_OF_DEVICE_MEMORY hangs", "vkQueueSubmit VK_ERROR_DEVICE_LOST hangs"];
    assert_eq!(mistakes(&answer), expected, "{answer:#}");

    let (code, answer) = planted.answer(&["--command", "vkBindBufferMemory"], "leak");
    assert_eq!(code, Some(1));
    assert_eq!(
        mistakes(&answer),
        ["vkBindBufferMemory VK_ERROR_OUT_OF_DEVICE_MEMORY gives-up"],
        "{answer:#}"
    );
    assert_eq!(answer["trials"][0]["left"]["vkAllocateMemory"], 1, "{answer:#}");

    let (code, answer) = planted.answer(&["--command", "vkAllocateMemory"], "unchecked");
    assert_eq!(code, Some(1), "{answer:#}");
    assert_eq!(mistakes(&answer), ["vkAllocateMemory VK_ERROR_OUT_OF_DEVICE_MEMORY crashes"], "{answer:#}");
}

#[test]
fn a_compute_program_that_checks_every_result_has_no_mistake() {
    skip_unless!(&[Need::Compiler, Need::Lavapipe]);
    let sum = Planted::of("sum", Machine::with_default_search());
    let (code, answer) = sum.answer(&[], "");
    assert_eq!((code, mistakes(&answer)), (Some(0), vec![]), "{answer:#}");
    let trials = answer["trials"].as_array().expect("trials");
    let count = |command| trials.iter().filter(|trial| trial["command"] == command).count();
    assert_eq!(["vkCreateComputePipelines", "vkCreateBuffer", "vkQueueSubmit"].map(count), [1, 2, 2]);
}

#[test]
fn the_answer_for_people_says_how_to_see_a_failure_again() {
    skip_unless!(NEEDS);
    let planted = Planted::new(Machine::with_null_driver());
    let options = ["--command", "vkBindBufferMemory"];
    let output = planted.vkload("faults", &options, "leak");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let first = "Of 1 failure, planted gives up after 1 and leaves objects after 1.\n";
    assert!(text.starts_with(first), "{text}");
    let row = "vkBindBufferMemory  1     VK_ERROR_OUT_OF_DEVICE_MEMORY  exits with code 2; leaves 1 of vkAllocateMemory\n";
    assert!(text.contains(row), "{text}");
    let again = "  -> vkload exec --faults fails=vkBindBufferMemory@1:VK_ERROR_OUT_OF_DEVICE_MEMORY -- ";
    assert!(text.contains(again), "{text}");

    let library = planted.library.file().to_str().expect("UTF-8").to_owned();
    let rule = "fails=vkBindBufferMemory@1:VK_ERROR_OUT_OF_DEVICE_MEMORY";
    let again = planted.vkload("exec", &["--library", &library, "--faults", rule], "leak");
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let said = String::from_utf8_lossy(&again.stderr);
    let line =
        "VK_LAYER_VKLOAD_faults: vkBindBufferMemory returns VK_ERROR_OUT_OF_DEVICE_MEMORY, in call 1\n";
    assert!(said.contains(line), "{said}");
}

#[test]
fn the_validation_layer_checks_the_runs() {
    skip_unless!(&[Need::Compiler, Need::Distribution, Need::Layer(&VALIDATION)]);
    let planted = Planted::new(Machine::with_default_search());
    let (code, answer) = planted.answer(&["--command", "vkAllocateMemory"], "unchecked");
    assert_eq!(code, Some(1), "{answer:#}");
    assert_eq!(answer["validated"], true, "{answer:#}");
    let broken = answer["trials"][0]["broken"].as_array().expect("rules");
    let is_broken =
        |rule: &Value| rule.as_str().is_some_and(|rule| rule.starts_with("VUID-vkBindBufferMemory-memory"));
    assert!(broken.iter().any(is_broken), "{answer:#}");
    // After a failure, a healthy program breaks no rule.
    let (code, answer) = planted.answer(&["--command", "vkQueueSubmit"], "nothing");
    assert_eq!((code, mistakes(&answer)), (Some(0), vec![]), "{answer:#}");
}

#[test]
fn what_cannot_be_tried_is_said() {
    skip_unless!(NEEDS);
    let planted = Planted::new(Machine::with_null_driver());
    let folder = tempfile::tempdir().expect("a folder");
    // Not written by this process: a child that another thread starts meanwhile would have the open file, and the script would be busy.
    let script = |name: &str, text: &str| {
        let (source, script) = (folder.path().join("source"), folder.path().join(name));
        fs::write(&source, text).expect("a script");
        Command::new("install").arg(&source).arg(&script).status().expect("install runs");
        script
    };
    let endless = script("endless", "#!/bin/sh\nexec sleep 60\n");
    let script = script("script", "#!/bin/sh\nexit 3\n");
    let faults = |program: &str, options: &[&str]| {
        let mut vkload = planted.machine.command(&planted.library, env!("CARGO_BIN_EXE_vkload"));
        vkload.arg("faults").args(options).arg("--").arg(program);
        let output = vkload.env("XDG_RUNTIME_DIR", planted.runtime.path()).output().expect("vkload runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let layer = layer();
    let with_layer = ["--faults-layer", layer.to_str().expect("UTF-8")];
    let rows: [(&str, &[&str], &str); 5] = [
        (
            endless.to_str().expect("UTF-8"),
            &["--timeout", "1", "--faults-layer", with_layer[1]],
            "endless is still running after 1 s even if no call fails; --runs-for 10",
        ),
        (script.to_str().expect("UTF-8"), &with_layer, "script exits with code 3 even if no call fails"),
        ("/bin/true", &with_layer, "true makes no Vulkan call that could fail"),
        ("/bin/true", &["--faults-layer", "/gone.so"], "/gone.so: No such file"),
        ("/bin/true", &["--command", "vkCmdDraw"], "vkCmdDraw is not a command that can fail"),
    ];
    for (program, options, expected) in rows {
        let (code, said) = faults(program, options);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn folders_that_killed_runs_left_behind_are_removed() {
    let runtime = tempfile::tempdir().expect("a folder");
    let [left, used] = ["faults-1", "faults-2"].map(|name| runtime.path().join("vkload").join(name));
    for folder in [&left, &used] {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).expect("a folder");
    }
    let lock = fs::File::open(&used).expect("a folder");
    // SAFETY: the descriptor is open.
    assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(["faults", "--no-validation", "--faults-layer"]).arg(layer()).args(["--", "/bin/true"]);
    let output = vkload.env("XDG_RUNTIME_DIR", runtime.path()).output().expect("vkload runs");
    assert!(!left.exists() && used.is_dir(), "{output:?}");
    let all = fs::read_dir(runtime.path().join("vkload")).expect("folders");
    let names: Vec<_> = all.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(
        names.iter().filter(|name| name.to_string_lossy().starts_with("faults-")).count(),
        1,
        "{names:?}"
    );
}
