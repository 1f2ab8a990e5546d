//! The tool `vkload`.

fn main() -> std::process::ExitCode {
    vkload::run()
}
