//! A loader whose driver is another loader, with handles that nobody may write.

mod above;
mod commands;
mod devices;
mod programs;
mod structures;
