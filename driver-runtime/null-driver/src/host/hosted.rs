//! What `std` has.

extern crate std;

use alloc::string::String;
use std::io::Read;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use driver_runtime::{Host, Waiting};

/// The system.
pub(crate) struct System;

impl Waiting for System {
    fn wait(&self, turn: u32) {
        if turn < 16 {
            thread::yield_now();
        } else {
            thread::sleep(Duration::from_micros(50));
        }
    }

    fn thread(&self) -> usize {
        std::thread_local!(static HERE: u8 = const { 0 });
        HERE.with(|here| core::ptr::from_ref(here) as usize)
    }
}

impl Host for System {
    fn now(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

/// The value of an environment variable.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The text of a file.
pub(crate) fn file(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Tells whoever looks at the program's error output.
pub(crate) fn complain(words: &str) {
    std::eprintln!("vkload null driver: {words}");
}

/// Waits until somebody opens the named pipe for writing, and closes it again. A path that cannot be opened does not
/// hold anything.
pub(crate) fn hold(path: &str) {
    match fs::File::open(path) {
        Ok(mut pipe) => {
            let _ = pipe.read(&mut [0]);
        }
        Err(error) => complain(&std::format!("cannot wait for {path}: {error}")),
    }
}
