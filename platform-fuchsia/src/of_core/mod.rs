//! The core's traits that [`Fuchsia`](crate::Fuchsia) itself implements: files and libraries.

mod files;
mod libraries;
