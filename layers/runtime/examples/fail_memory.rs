//! A layer that fails every third allocation, or every so many.
#![forbid(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use vkload_layer_runtime::commands::AllocateMemory;
use vkload_layer_runtime::{
    Call, Intercept, Layer, MessageSeverity, Returned, Setting, SettingKind, export, log, settings, vk,
};

const EVERY: &str = "EXAMPLE_FAIL_MEMORY_EVERY";

struct FailMemory;

impl Layer for FailMemory {
    const NAME: &CStr = c"VK_LAYER_EXAMPLE_fail_memory";
    const DESCRIPTION: &str = "Fails every third allocation";
    const SETTINGS: &[Setting] = &[Setting::new(EVERY, SettingKind::Integer, "3, or another number")];
    type Instance = ();
    type Device = AtomicU64;
}

impl Intercept<AllocateMemory> for FailMemory {
    fn intercept<'c>(call: Call<'c, Self, AllocateMemory>) -> Returned<'c, AllocateMemory> {
        let number = call.data().fetch_add(1, Ordering::Relaxed) + 1;
        let size = call.parameters().allocate_info.allocation_size;
        if !number.is_multiple_of(settings::<Self>().number(EVERY).unwrap_or(3)) {
            return call.next();
        }
        log::<Self>(&format!("allocation {number}, of {size} bytes, fails"));
        call.message(MessageSeverity::Warning, c"fail_memory", c"an allocation fails");
        call.fail_or_next(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)
    }
}

export!(FailMemory: AllocateMemory);

#[test]
fn manifest_is_current() -> Result<(), String> {
    vkload_layer_runtime::check_manifest::<FailMemory>(
        "examples/VkLayer_fail_memory.json",
        "./libfail_memory.so",
    )
}
