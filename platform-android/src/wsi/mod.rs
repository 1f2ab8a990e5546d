//! The window system: surfaces and swapchains over the application's `ANativeWindow` and the driver's
//! `VK_ANDROID_native_buffer`.

pub mod fence;
pub mod native_buffer;
pub mod native_window;
pub mod window;
