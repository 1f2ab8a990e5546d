//! The window system: surfaces and swapchains over the application's `ANativeWindow` and the driver's
//! `VK_ANDROID_native_buffer`.
//!
//! A [surface] is a reference to a window, to which it is connected. A [swapchain] takes all buffers
//! out of the window once, has the driver make an image of each, and puts them back; after that, acquiring is taking one
//! out, and presenting is putting it in with the fence that the driver gives. Handles of both are addresses of the
//! loader's structures: the driver never sees them.
//!
//! Fences are file descriptors that have one [owner](fence::OwnedFence) at any time. No lock is held while the window or the
//! driver is called.
//!
//! The functions here are named in the table of hooks, which says when they are there.

pub mod acquire;
pub mod bind;
pub mod buffer;
pub mod capabilities;
pub mod create_swapchain;
pub mod fence;
pub mod formats;
pub mod frame_timestamps;
pub mod group;
pub mod hdr;
pub mod images;
pub mod native_window;
pub mod numbered;
pub mod patience;
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
