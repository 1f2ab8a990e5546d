//! The core's locks, turns, counts and lists in every order of two threads, by loom: `vkload-model [NAME]`.
//!
//! The files are the core's own, and the search of the Android library that happens once in a process. Loom executes each model again and again, each time with another order of its threads and
//! with other values that memory may show them, until there is no other. A model fails if two threads use memory without an
//! order between them, if no thread can go on, or if it finds something untrue.
#![allow(dead_code)]

extern crate self as loader_core;

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
    assert!(!chosen.is_empty(), "there is no model {name}");
    for (name, model) in chosen {
        let before = sync::atomic::executions();
        let mut builder = loom::model::Builder::new();
        // Waiting for a search means asking again and again: without a limit there are endlessly many orders.
        builder.preemption_bound = name.starts_with("once").then_some(3);
        builder.check(|| {
            sync::atomic::begin();
            models::begin();
            model();
        });
        println!("{name}: {} orders", sync::atomic::executions() - before);
    }
}
