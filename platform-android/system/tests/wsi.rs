//! The window system: surfaces and swapchains on a window that is a real queue of buffers.

#[path = "wsi/acquire.rs"]
mod acquire;
#[path = "wsi/create.rs"]
mod create;
#[path = "wsi/failing.rs"]
mod failing;
#[path = "wsi/formats.rs"]
mod formats;
#[path = "wsi/memory.rs"]
mod memory;
#[path = "wsi/present.rs"]
mod present;
#[path = "wsi/shared.rs"]
mod shared;
#[path = "wsi/slices.rs"]
mod slices;
#[path = "wsi/stages.rs"]
mod stages;
#[path = "wsi/surface.rs"]
mod surface;
#[path = "wsi/timing.rs"]
mod timing;
#[path = "wsi/usage.rs"]
mod usage;
#[path = "wsi/waiting.rs"]
mod waiting;
#[path = "wsi/world.rs"]
mod world;
