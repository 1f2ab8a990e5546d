//! The loader on a simulated Fuchsia.

mod as_on_fuchsia;
mod exports;
mod log;
mod null_driver;
mod packaging;
mod service;
mod surfaces;
