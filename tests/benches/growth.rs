//! Nothing that the library does grows faster than the number of manifests, drivers, layers or instances. The measured processes
//! are this program, so it has no harness.
use std::env;
use std::process::ExitCode;

use vkload_tests::benches::{child, curves};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(code) = child::run(&arguments) {
        return code;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        println!("growth: test");
        return ExitCode::SUCCESS;
    }
    match curves::check() {
        Ok(()) => {
            println!("test growth ... ok");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("these costs grow faster than linearly, or could not be measured:\n{error}");
            ExitCode::FAILURE
        }
    }
}
