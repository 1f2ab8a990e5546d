//! Runs the doctor and the commands that it prints in a test case.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::root::{PROGRAM, mount, within};
use crate::world::World;

/// The path of the doctor's recording.
const RECORDING: &str = "/run/out/recording.json";

/// The doctor's output.
pub(crate) struct Told {
    /// In the test case.
    pub(crate) text: String,
    /// Here, where its recording is replayed.
    pub(crate) replayed: String,
    /// The ids of its findings.
    pub(crate) ids: Vec<String>,
}

/// Returns the doctor's output in this test case.
pub(crate) fn doctor(world: &World) -> Told {
    let kept = tempfile::tempdir().expect("a folder");
    let recording = kept.path().join("recording.json");
    let text = within(world, kept.path(), |built| {
        let running = built.process.as_ref().map(|(group, variables)| {
            let running = Running::new(built.as_user(PROGRAM).envs(variables.iter().cloned()));
            fs::write("/run/group", format!("0::{group}\n")).expect("written");
            let file = format!("/proc/{}/cgroup", running.id);
            mount("/run/group", Path::new(&file), "", libc::MS_BIND, "");
            running
        });
        let pid = running.as_ref().map(|running| ["--pid", &running.id]);
        let arguments: Vec<&str> =
            ["--record", RECORDING].into_iter().chain(pid.into_iter().flatten()).collect();
        let output = built.command(&arguments).stdin(Stdio::piped()).output().expect("vkload runs");
        let said = without_sizes(&(text(&output.stdout) + &without_progress(&text(&output.stderr))));
        running.iter().fold(said, |said, running| running.without_id(&said))
    });
    let replay = |more: &[&str]| {
        let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
        let output = vkload.arg("replay").arg(&recording).args(["--show", "doctor"]).args(more).output();
        let output = output.expect("vkload runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let json: serde_json::Value = serde_json::from_str(&replay(&["--json"])).unwrap_or_default();
    let findings = json["findings"].as_array().cloned().unwrap_or_default();
    let ids = findings.iter().filter_map(|finding| finding["id"].as_str()).map(str::to_owned).collect();
    let replayed = without_sizes(&replay(&[]));
    let id = regex_lite::Regex::new(r"(process|--pid) \d+").expect("a pattern");
    Told { text, replayed: id.replace_all(&replayed, "$1 PID").into_owned(), ids }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the text without the lines about slow trials, which a busy machine adds.
fn without_progress(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("vkload: trying ")).map(|line| format!("{line}\n")).collect()
}

/// A program that has used Vulkan, and ends when it is dropped.
struct Running {
    child: Child,
    id: String,
}

impl Running {
    fn new(program: &mut Command) -> Self {
        let mut child = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("read");
        let id = child.id().to_string();
        Self { child, id }
    }

    /// Returns the process's output, without its number.
    fn without_id(&self, said: &str) -> String {
        said.replace(&format!("process {}", self.id), "process PID")
            .replace(&format!("--pid {}", self.id), "--pid PID")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A command that the doctor prints first, and its answer before and after the command was executed.
pub(crate) struct Executed {
    pub(crate) command: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// The beginnings of commands that a test case can execute: they change variables, remove files or give permissions.
const SIMPLE: [&str; 5] = ["export ", "unset ", "rm ", "sudo rm ", "sudo chmod "];

/// Executes the first command that the doctor prints in this test case, if trials have shown its cause.
pub(crate) fn executed(world: &World) -> Option<Executed> {
    let kept = tempfile::tempdir().expect("a folder");
    within(world, kept.path(), |built| {
        let output = built.command(&["--json"]).stdin(Stdio::piped()).output().expect("vkload runs");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        let finding = answer["findings"].get(0)?;
        let is_tried = finding["tried"] == true && finding["severity"] == "error";
        let command = finding["next"][0].as_str().filter(|_| is_tried && built.process.is_none())?.to_owned();
        if !SIMPLE.iter().any(|start| command.starts_with(start)) || command.contains("$(") {
            return None;
        }
        let mut shell = Command::new("/usr/bin/sh");
        shell
            .args(["-c", &format!("{command}; exec env -0")])
            .env_clear()
            .envs(built.variables.iter().cloned());
        let shell = shell.output().expect("a shell");
        assert!(shell.status.success(), "{command}: {}", text(&shell.stderr));
        let variables = text(&shell.stdout);
        let variables = variables.split('\0').filter_map(|it| it.split_once('='));
        let output = built.command(&[]).env_clear().envs(variables).output().expect("vkload runs");
        let before = finding["what"].as_str().unwrap_or_default().to_owned();
        Some(Executed { command, before, after: text(&output.stdout) })
    })
}

/// The ways in which a user may ask about a machine, with the doctor's output and exit code.
pub(crate) type Answers = Vec<(String, String, Option<i32>)>;

/// Returns the doctor's answers to each way of asking. Those about 32-bit programs are left out on machines that have no loader for them.
pub(crate) fn answers(world: &World) -> Answers {
    let kept = tempfile::tempdir().expect("a folder");
    within(world, kept.path(), |built| {
        let running = Running::new(&mut built.as_user(PROGRAM));
        let mut ways = vec![vec![], vec!["--no-probe"], vec!["--", PROGRAM], vec!["--pid", &running.id]];
        if built.has_narrow_loader {
            ways.push(vec!["--32"]);
        }
        let ask = |way: Vec<&str>| {
            let output = built.command(&way).stdin(Stdio::null()).output().expect("vkload runs");
            let said = text(&output.stdout) + &without_progress(&text(&output.stderr));
            (way.join(" "), said, output.status.code())
        };
        ways.into_iter().map(ask).collect()
    })
}

/// Returns the text without the size of a compiled driver, which depends on the compiler.
fn without_sizes(text: &str) -> String {
    let sizes = regex_lite::Regex::new(r"it has \d+ of \d+ bytes").expect("a pattern");
    sizes.replace_all(text, "it has N of M bytes").into_owned()
}
