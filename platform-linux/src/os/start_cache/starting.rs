//! For tests that need a process of their own.

/// Returns whether a test can be started in a process of its own: a program under an emulator starts no other
/// one.
pub(super) fn starts_itself() -> bool {
    let started = std::process::Command::new(std::env::current_exe().unwrap()).arg("--list").output();
    let starts = started.is_ok_and(|output| output.status.success());
    if !starts {
        std::eprintln!("skipped: this program cannot start itself here");
    }
    starts
}
