//! Linux and Android: the runtime's own system, and functions from `std`.

extern crate std;

use alloc::string::String;
use core::ffi::{c_int, c_ulong};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::{env, fs};

pub(crate) use vkload_driver_runtime::host::Linux as System;

/// Returns the value of an environment variable. `None` in a program with more rights than its user.
pub(crate) fn variable(name: &str) -> Option<String> {
    // SAFETY: reading this value has no preconditions.
    if unsafe { getauxval(ELEVATED) } != 0 {
        return None;
    }
    env::var(name).ok()
}

const ELEVATED: c_ulong = 23;

pub(crate) fn file(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Appends text to a file, which is created if it does not exist. Returns whether the file can be written.
pub(crate) fn append(path: &str, text: &str) -> bool {
    let file = fs::OpenOptions::new().append(true).create(true).open(path);
    file.is_ok_and(|mut file| file.write_all(text.as_bytes()).is_ok())
}

pub(crate) fn complain(words: &str) {
    std::eprintln!("vkload null driver: {words}");
}

/// Waits until a fence is signalled, and takes ownership of its descriptor. Negative descriptors are signalled
/// already.
pub(crate) fn finish(fence: c_int) {
    if fence < 0 {
        return;
    }
    // SAFETY: the descriptor was given to us.
    let fence = unsafe { OwnedFd::from_raw_fd(fence) };
    let mut asked = Poll { descriptor: fence.as_raw_fd(), events: READABLE, happened: 0 };
    // SAFETY: one valid structure is passed.
    unsafe { poll(&mut asked, 1, -1) };
}

#[repr(C)]
struct Poll {
    descriptor: c_int,
    events: i16,
    happened: i16,
}

const READABLE: i16 = 1;

unsafe extern "C" {
    fn getauxval(kind: c_ulong) -> c_ulong;
    fn poll(descriptors: *mut Poll, count: c_ulong, milliseconds: c_int) -> c_int;
}

/// Waits until another process opens the named pipe for writing, and closes it again. Returns at once if the path
/// cannot be opened.
pub(crate) fn hold(path: &str) {
    match fs::File::open(path) {
        Ok(mut pipe) => {
            let _ = pipe.read(&mut [0]);
        }
        Err(error) => complain(&std::format!("cannot wait for {path}: {error}")),
    }
}
