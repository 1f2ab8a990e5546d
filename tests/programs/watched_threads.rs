//! Programs whose threads a tool watches: it has nothing to report of the library.
use vkload_tests::programs::{CProgram, Library, Machine, Need, null_driver, races, run};
use vkload_tests::skip_unless;

/// Threads create instances and devices, and open and close the library. Neither the library nor the driver was compiled with
/// ThreadSanitizer, so it sees only their calls, such as `malloc` and `free`.
#[test]
fn thread_sanitizer_reports_nothing() {
    skip_unless!(&[Need::Compiler]);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let machine = Machine::with_drivers(&[null_driver(folder.path(), 2)]);
    let library = Library::under_test();
    let file = library.file().to_str().expect("a path of letters");
    let runs: [(&str, &[&str]); 5] = [
        ("threads", &["6", "4"]),
        ("stress", &["6", "3", "all"]),
        ("storm", &[file, "6", "1"]),
        ("storm", &[file, "6", "2"]),
        ("storm", &[file, "6", "3"]),
    ];
    for (name, arguments) in runs {
        let program = CProgram::compile_watched(name, &library);
        let output = run(program.command(&machine, &library).args(arguments));
        assert!(!output.stderr.contains("ThreadSanitizer"), "{name}: {}", output.stderr);
        let _ = output.success();
    }
}

/// These two see every access to memory, the library's own included.
#[test]
fn helgrind_and_drd_report_nothing() {
    skip_unless!(&[Need::Compiler, Need::Program("valgrind")]);
    let folder = tempfile::tempdir().expect("a folder for drivers");
    let machine = Machine::with_drivers(&[null_driver(folder.path(), 2)]);
    let library = Library::under_test();
    let program = CProgram::compile("threads", &library, &[]);
    for tool in ["helgrind", "drd"] {
        let races = races(tool, &machine, &library, &program.path(), &["4", "2"]);
        assert!(races.is_empty(), "{tool}: {} reports, the first: {:#?}", races.len(), races.first());
    }
}
