//! Nothing but tests: see `tests/java.rs`.
