//! Checks the core's locks, turns, counts and lists in every order of two threads, with loom: `vkload-model [NAME]`.
//!
//! The files are the core's own, and the Android library's once-per-process search. Loom runs each model repeatedly, each time with another
//! order of its threads and other values that memory may have, until it has tried all. A model fails if two threads use memory without an
//! order between them, if no thread can continue, or if an assertion fails.
#![allow(dead_code)]

extern crate self as vkload_core;

mod memory;
mod models;
#[path = "../../../platform-android/src/once.rs"]
mod once;
mod platform;
mod sync;
mod system;
#[path = "../../../loader-core/src/loader/users.rs"]
mod users;

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let chosen: Vec<_> = models::ALL.iter().filter(|(this, _)| this.contains(&name)).collect();
    assert!(!chosen.is_empty(), "unknown model {name}");
    for (name, model) in chosen {
        let before = sync::atomic::executions();
        let mut builder = loom::model::Builder::new();
        // A thread that waits for a search polls: without a limit the number of orders is infinite.
        builder.preemption_bound = name.starts_with("once").then_some(3);
        builder.check(|| {
            sync::atomic::begin();
            models::begin();
            model();
        });
        println!("{name}: {} orders", sync::atomic::executions() - before);
    }
}
