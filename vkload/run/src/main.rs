//! The tool, for `cargo run`.

fn main() -> std::process::ExitCode {
    vkload::run()
}
