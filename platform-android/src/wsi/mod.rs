//! The window system: surfaces and swapchains on top of the application's `ANativeWindow` and the
//! driver's `VK_ANDROID_native_buffer`.
//!
//! A [surface] is a reference to a window, connected to it. A [swapchain] takes all buffers out of
//! the window once, lets the driver create an image from each, and puts them back. After that,
//! acquiring takes a buffer out, and presenting puts it back with the driver's fence. Handles of
//! both are addresses of the loader's structures: the driver never sees them.
//!
//! Fences are file descriptors with one [owner](fence::OwnedFence) at any time. No lock is held
//! while the window or the driver is called.
//!
//! The table of hooks names the functions here and their conditions.

pub mod acquire;
pub mod bind;
pub mod buffer;
pub mod capabilities;
pub mod create_swapchain;
pub mod fence;
pub mod formats;
pub mod group;
pub mod hdr;
pub mod images;
pub mod listener;
pub mod native_window;
pub mod present;
pub mod present_chain;
pub mod present_modes;
pub mod present_timing;
pub mod present_wait;
pub mod queries;
pub mod release;
pub mod structures;
pub mod surface;
pub mod swapchain;
pub mod timing;
pub mod transform;
pub mod usage;
pub mod window;
pub mod window_calls;
