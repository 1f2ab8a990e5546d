//! Measures again the instruction and system-call counts that `docs/performance.md` claims. It has no harness, since this program is also
//! the measured process.
use std::env;
use std::process::ExitCode;

use vkload_tests::benches::{child, counts};

type Count = fn() -> Result<Vec<String>, String>;

const TESTS: [(&str, Count); 2] = [
    ("calls_take_no_more_instructions_than_the_page_says", counts::calls),
    ("first_calls_take_no_more_than_the_page_says_and_than_debians", counts::first_calls),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(code) = child::run(&arguments) {
        return code;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    if let Some(reason) = reason_to_skip() {
        let complete = env::var_os("VKLOAD_TESTS_COMPLETE").is_some_and(|value| value == "1");
        TESTS.iter().for_each(|(name, _)| eprintln!("skipped: {name}: {reason}"));
        return if complete { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let mut code = ExitCode::SUCCESS;
    for (name, count) in TESTS.into_iter().filter(|(name, _)| is_wanted(name, &arguments)) {
        let faults = count().unwrap_or_else(|error| vec![error]);
        println!("test {name} ... {}", if faults.is_empty() { "ok" } else { "FAILED" });
        for fault in &faults {
            println!("    {fault}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn reason_to_skip() -> Option<String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Some("the figures are those of x86_64 Linux".to_owned());
    }
    counts::missing_tool().map(|tool| format!("missing {tool}"))
}

/// Returns whether the command line asks for the test, as with the usual harness: by a part of its name, or not at all.
fn is_wanted(name: &str, arguments: &[String]) -> bool {
    let mut words = arguments.iter();
    let mut parts = Vec::new();
    while let Some(word) = words.next() {
        if word == "--skip" {
            if words.next().is_some_and(|part| name.contains(part.as_str())) {
                return false;
            }
        } else if !word.starts_with('-') {
            parts.push(word);
        }
    }
    parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()))
}
