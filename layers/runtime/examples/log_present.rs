//! A layer that logs each presented frame.
#![forbid(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use vkload_layer_runtime::commands::QueuePresentKHR;
use vkload_layer_runtime::{Call, Intercept, Layer, Returned, export, log};

struct LogPresent;

impl Layer for LogPresent {
    const NAME: &CStr = c"VK_LAYER_EXAMPLE_log_present";
    const DESCRIPTION: &str = "Logs each presented frame";
    type Instance = ();
    type Device = AtomicU64;
}

impl Intercept<QueuePresentKHR> for LogPresent {
    fn intercept<'c>(call: Call<'c, Self, QueuePresentKHR>) -> Returned<'c, QueuePresentKHR> {
        let frames = call.data();
        let swapchains = call.parameters().present_info.swapchain_count;
        let returned = call.next();
        let frame = frames.fetch_add(1, Ordering::Relaxed) + 1;
        log::<Self>(&format!("frame {frame} in {swapchains} swapchain(s): {:?}", returned.outcome()));
        returned
    }
}

export!(LogPresent: QueuePresentKHR);

#[test]
fn manifest_is_current() -> Result<(), String> {
    vkload_layer_runtime::check_manifest::<LogPresent>(
        "examples/VkLayer_log_present.json",
        "./liblog_present.so",
    )
}
