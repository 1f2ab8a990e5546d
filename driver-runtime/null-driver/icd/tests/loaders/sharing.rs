//! Memory, semaphores and fences by descriptor.

use std::path::Path;

use crate::run::{NO_LOADER, Run};
use crate::scenarios::everywhere;

const SHARING: &str = "extension=VK_KHR_external_memory_fd extension=VK_KHR_external_semaphore_fd \
                       extension=VK_KHR_external_fence_fd extension=VK_EXT_external_memory_host";

#[test]
fn two_processes_share_memory_and_semaphores() {
    everywhere(|run| run.content("two_processes", SHARING));
}

#[test]
fn handles_are_taken_when_they_can_be_used_and_only_then() {
    everywhere(|run| run.content("handles", SHARING));
}

#[test]
fn without_the_extension_nothing_can_be_shared() {
    let shown = Run::new(Path::new(NO_LOADER)).failure("handles", "");
    assert!(shown.contains("ERROR_EXTENSION_NOT_PRESENT"), "{shown}");
}
