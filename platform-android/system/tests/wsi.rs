//! The window system: surfaces and swapchains on a window that is a real queue of buffers.

mod acquire;
mod create;
mod failing;
mod formats;
mod memory;
mod present;
mod shared;
mod slices;
mod stages;
mod surface;
mod timing;
mod usage;
mod waiting;
mod world;
