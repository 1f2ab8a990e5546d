//! The layer, opened as loaders do: its file has each thread's last calls, however the program ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use vkload_tests::programs::{CProgram, Library, Machine, Need, Output, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Compiler, Need::Distribution];

const LOADERS: [fn() -> Library; 2] = [Library::under_test, Library::distribution];

const SEGV: i32 = 11;
const ABRT: i32 = 6;

struct Recorded {
    folder: TempDir,
    program: CProgram,
    machine: Machine,
    library: Library,
}

impl Recorded {
    fn new(library: Library) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let tests = std::env::current_exe().expect("the path of this test");
        let layer = tests.with_file_name("libVkLayer_vkload_recorder.so");
        assert!(layer.exists(), "there is no {}", layer.display());
        let manifest = include_str!("../VkLayer_vkload_recorder.json")
            .replace("./libVkLayer_vkload_recorder.so", layer.to_str().expect("a path in UTF-8"));
        fs::write(folder.path().join("layer.json"), manifest).expect("a manifest");
        let program = CProgram::compile("last_calls", &library, &[]);
        Self { folder, program, machine: Machine::with_null_driver(), library }
    }

    fn command(&self, how: &str) -> Command {
        let mut command = self.program.command(&self.machine, &self.library);
        command
            .arg(how)
            .env("VK_ADD_LAYER_PATH", self.folder.path())
            .env("VK_INSTANCE_LAYERS", "VK_LAYER_VKLOAD_recorder")
            .env("VKLOAD_RECORDER_FILE", self.folder.path().join("calls.txt"));
        command
    }

    fn run(&self, how: &str) -> Output {
        run(&mut self.command(how))
    }

    fn report(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("calls.txt")).expect("a report");
        text.lines().map(str::to_owned).collect()
    }
}

/// Checks the calls of both threads, without times and values.
#[track_caller]
fn has_the_calls(report: &[String], last: &str) {
    let mut threads = report.split(String::is_empty).skip(1);
    let (main, other) = (threads.next().expect("a thread"), threads.next().expect("another thread"));
    assert!(main[0].contains("last_calls") && main[0].ends_with("calls, the last ones:"), "{report:#?}");
    assert!(main.last().unwrap().contains(last), "{report:#?}");
    assert!(
        main.iter()
            .any(|line| line.contains(" vkAllocateMemory(device 0x") && line.ends_with("= VK_SUCCESS"))
    );
    assert_eq!(other.len(), 4, "{report:#?}");
    let is_wait =
        |line: &String| line.contains(" vkQueueWaitIdle(queue 0x") && line.ends_with(") = VK_SUCCESS");
    assert!(other[1..].iter().all(is_wait), "{report:#?}");
}

#[test]
fn a_signal_from_outside_leaves_the_calls_and_ends_the_program() {
    skip_unless!(NEEDS);
    for library in LOADERS {
        let recorded = Recorded::new(library());
        let mut child = recorded.command("wait").stdout(Stdio::piped()).spawn().expect("the program");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        assert_eq!(lines.next().expect("a line").expect("a line"), "ready");
        // SAFETY: the process is a child that has not been waited for.
        unsafe { libc::kill(i32::try_from(child.id()).unwrap(), SEGV) };
        assert_eq!(child.wait().expect("its end").signal(), Some(SEGV));
        let report = recorded.report();
        assert_eq!(report[..2], ["vkload recorder 1".to_owned(), format!("process {}", child.id())]);
        assert_eq!(report[3], "reason signal 11 SIGSEGV");
        has_the_calls(&report, "vkAllocateMemory");
    }
}

#[test]
fn faults_and_aborts_of_the_program_leave_the_calls() {
    skip_unless!(NEEDS);
    let recorded = Recorded::new(Library::under_test());
    for (how, signal, reason) in [
        ("null", SEGV, "reason signal 11 SIGSEGV at 0x0"),
        ("abort", ABRT, "reason signal 6 SIGABRT"),
        ("overflow", SEGV, "reason signal 11 SIGSEGV at 0x"),
    ] {
        assert_eq!(recorded.run(how).status.signal(), Some(signal), "{how}");
        let report = recorded.report();
        assert!(report[3].starts_with(reason), "{report:#?}");
        has_the_calls(&report, "vkAllocateMemory");
    }
}

#[test]
fn threads_that_fail_together_leave_the_calls_of_all() {
    skip_unless!(NEEDS);
    for library in LOADERS {
        let recorded = Recorded::new(library());
        for _ in 0..20 {
            assert_eq!(recorded.run("many").status.signal(), Some(SEGV));
            let report = recorded.report();
            let waits = report.iter().filter(|line| line.contains(" vkDeviceWaitIdle(device 0x")).count();
            assert_eq!(waits, 8, "{report:#?}");
            fs::remove_file(recorded.folder.path().join("calls.txt")).expect("it is there");
        }
    }
}

#[test]
fn a_lost_device_leaves_the_calls_while_the_program_goes_on() {
    skip_unless!(NEEDS);
    for library in LOADERS {
        let recorded = Recorded::new(library());
        let mut command = recorded.command("lose");
        command.env("VKLOAD_NULL_DRIVER", "fails=vkDeviceWaitIdle:VK_ERROR_DEVICE_LOST");
        let output = run(&mut command);
        assert_eq!((output.stdout.as_str(), output.status.success()), ("ready\n-4\n", true), "{output:?}");
        assert!(
            output.stderr.contains("VK_LAYER_VKLOAD_recorder: the device is lost; the last calls are in ")
        );
        let report = recorded.report();
        assert_eq!(report[3], "reason device lost in vkDeviceWaitIdle");
        has_the_calls(&report, ") = VK_ERROR_DEVICE_LOST");
    }
}

/// Loses the device, after three waits that are submissions, and returns the lines about queues, without handles.
fn lost_at_a_checkpoint(library: Library, how: &str, queues: &str, words: &str) -> Vec<String> {
    lost_with("VK_NV_device_diagnostic_checkpoints", library, how, queues, words)
}

fn lost_with(extension: &str, library: Library, how: &str, queues: &str, words: &str) -> Vec<String> {
    let recorded = Recorded::new(library);
    let mut command = recorded.command(how);
    command.env("VKLOAD_NULL_DRIVER", format!("extension={extension} {words}"));
    let output = run(command.env("VKLOAD_RECORDER_QUEUES", queues));
    assert_eq!((output.stdout.as_str(), output.status.success()), ("ready\n-4\n", true), "{output:?}");
    let report = recorded.report();
    assert_eq!(report[3], "reason device lost in vkQueueSubmit");
    let is_progress = |line: &String| line.starts_with("queue ") || line.starts_with("command buffer ");
    let lines = report.iter().skip_while(|line| !is_progress(line));
    let words = |line: &String| {
        let is_handle = |word: &str| word.starts_with("0x") && word != OWN_MARKER;
        let words = line.split(' ').map(|word| if is_handle(word) { "HANDLE" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    lines.map(words).collect()
}

/// The marker that the program itself sets.
const OWN_MARKER: &str = "0x123";

const QUEUE: &str = "queue HANDLE of family 0, index 0, the last checkpoints:";

#[test]
fn after_a_lost_device_each_queues_last_checkpoints_name_commands() {
    skip_unless!(NEEDS);
    for library in LOADERS {
        let at = |words| lost_at_a_checkpoint(library(), "work", "1", words);
        let middle = [
            QUEUE,
            "TOP_OF_PIPE vkCmdFillBuffer, action 3 of command buffer HANDLE",
            "BOTTOM_OF_PIPE vkCmdUpdateBuffer, action 2 of command buffer HANDLE",
        ];
        assert_eq!(at("fails=checkpoint@3"), middle);
        let between = [
            QUEUE,
            "TOP_OF_PIPE vkEndCommandBuffer, action 4 of command buffer HANDLE",
            "BOTTOM_OF_PIPE vkEndCommandBuffer, action 4 of command buffer HANDLE",
        ];
        assert_eq!(at("fails=submission@5"), between);
        assert_eq!(at("fails=submission@4"), [QUEUE]);
    }
}

#[test]
fn after_a_lost_device_the_markers_of_a_command_buffer_name_commands() {
    skip_unless!(NEEDS);
    const COMMAND_BUFFER: &str = "command buffer HANDLE the last markers:";
    for library in LOADERS {
        let at = |words| lost_with("VK_AMD_buffer_marker", library(), "work", "1", words);
        let middle = [
            COMMAND_BUFFER,
            "TOP_OF_PIPE vkCmdFillBuffer, action 3",
            "BOTTOM_OF_PIPE vkCmdUpdateBuffer, action 2",
        ];
        assert_eq!(at("fails=checkpoint@3"), middle);
        // A command buffer that was complete before is not in the report.
        assert_eq!(at("fails=submission@5"), [""; 0]);
    }
}

#[test]
fn the_checkpoints_of_a_program_that_sets_them_are_its_own() {
    skip_unless!(NEEDS);
    let at = |queues| lost_at_a_checkpoint(Library::under_test(), "own", queues, "fails=submission@5");
    assert_eq!(at("1"), [QUEUE, "TOP_OF_PIPE marker 0x123", "BOTTOM_OF_PIPE marker 0x123"]);
    assert_eq!(at("0"), [""; 0]);
}

#[test]
fn a_driver_without_checkpoints_and_a_user_who_wants_none_get_none() {
    skip_unless!(NEEDS);
    let without = "without=VK_NV_device_diagnostic_checkpoints fails=submission@5";
    assert_eq!(lost_at_a_checkpoint(Library::under_test(), "work", "1", without), [""; 0]);
    assert_eq!(lost_at_a_checkpoint(Library::under_test(), "work", "0", "fails=submission@5"), [""; 0]);
}

#[test]
fn a_report_can_be_requested() {
    skip_unless!(NEEDS);
    let recorded = Recorded::new(Library::under_test());
    let output = run(recorded.command("request").env("VKLOAD_RECORDER_SIGNAL", "USR1"));
    assert!(output.status.success(), "{output:?}");
    let report = recorded.report();
    assert_eq!(report[3], "reason request");
    has_the_calls(&report, "vkAllocateMemory");
}

#[test]
fn the_programs_own_handler_is_called() {
    skip_unless!(NEEDS);
    let recorded = Recorded::new(Library::under_test());
    for how in ["handle", "inform"] {
        let output = recorded.run(how);
        assert_eq!((output.stdout.as_str(), output.status.code()), ("ready\nhandled\n", Some(3)), "{how}");
        has_the_calls(&recorded.report(), "vkAllocateMemory");
    }
}

#[test]
fn only_as_many_calls_and_threads_are_kept_as_the_user_wants() {
    skip_unless!(NEEDS);
    let recorded = Recorded::new(Library::under_test());
    let mut command = recorded.command("abort");
    command.env("VKLOAD_RECORDER_CALLS", "2").env("VKLOAD_RECORDER_THREADS", "1");
    assert_eq!(run(&mut command).status.signal(), Some(ABRT));
    let report = recorded.report();
    assert_eq!((report[4].as_str(), report.len()), ("threads without a record 1", 9), "{report:#?}");
    assert!(report[8].contains("vkAllocateMemory"), "{report:#?}");
}
