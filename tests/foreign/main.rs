//! A loader whose driver is another loader, with read-only handles.

mod above;
mod commands;
mod devices;
mod programs;
mod structures;
