//! Support for tests that need their own process.

/// Returns whether a test can be started in its own process: a program under an emulator cannot start another
/// one.
pub(super) fn starts_itself() -> bool {
    let started = std::process::Command::new(std::env::current_exe().unwrap()).arg("--list").output();
    let starts = started.is_ok_and(|output| output.status.success());
    if !starts {
        std::eprintln!("skipped: this program cannot start itself here");
    }
    starts
}
