//! A layer with handles of its own for devices, which counts the calls on each device.
#![forbid(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use vkload_layer_runtime::registry::command;
use vkload_layer_runtime::{Call, Command, InterceptAll, Layer, Returned, export, log};

struct WrapDevices;

impl Layer for WrapDevices {
    const NAME: &CStr = c"VK_LAYER_EXAMPLE_wrap_devices";
    const DESCRIPTION: &str = "Wraps each device";
    const WRAPS_DEVICES: bool = true;
    type Instance = ();
    type Device = ();
}

static CALLS: AtomicU64 = AtomicU64::new(0);

impl InterceptAll for WrapDevices {
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C> {
        CALLS.fetch_add(1, Ordering::Relaxed);
        let returned = call.next();
        if C::ID == command::DESTROY_INSTANCE {
            log::<Self>(&format!("{} calls", CALLS.load(Ordering::Relaxed)));
        }
        returned
    }
}

export!(WrapDevices: ..);

#[test]
fn manifest_is_current() -> Result<(), String> {
    vkload_layer_runtime::check_manifest::<WrapDevices>(
        "examples/VkLayer_wrap_devices.json",
        "./libwrap_devices.so",
    )
}
