//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function with unchecked parameters.
use vkload_driver_runtime::dispatch::{Command, Level, PrivateCommand};

pub const fn row<D>(function: Command) -> PrivateCommand<D> {
    PrivateCommand::new(c"vkDoSomethingACME", Level::Device, c"VK_ACME_something", function)
}
