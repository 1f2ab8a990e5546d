//! A layer that counts the calls of every command.
#![forbid(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use vkload_layer_runtime::registry::command;
use vkload_layer_runtime::{Call, Command, InterceptAll, Layer, Returned, export, log};

struct CountCalls;

impl Layer for CountCalls {
    const NAME: &CStr = c"VK_LAYER_EXAMPLE_count_calls";
    const DESCRIPTION: &str = "Counts the calls of every command";
    type Instance = ();
    type Device = ();
}

static CALLS: AtomicU64 = AtomicU64::new(0);

impl InterceptAll for CountCalls {
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C> {
        CALLS.fetch_add(1, Ordering::Relaxed);
        let returned = call.next();
        if C::ID == command::DESTROY_INSTANCE {
            log::<Self>(&format!("{} calls", CALLS.load(Ordering::Relaxed)));
        }
        returned
    }
}

export!(CountCalls: ..);

#[test]
fn manifest_is_current() -> Result<(), String> {
    vkload_layer_runtime::check_manifest::<CountCalls>(
        "examples/VkLayer_count_calls.json",
        "./libcount_calls.so",
    )
}
