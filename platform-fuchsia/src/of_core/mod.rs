//! What the core asks of [`Fuchsia`](crate::Fuchsia) itself: files and libraries.

mod files;
mod libraries;
