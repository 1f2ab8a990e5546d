//! Repository chores, run as `cargo xtask NAME`.
fn main() {}
