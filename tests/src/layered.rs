//! What many tests of layers share.

use crate::{Ask, Device, Driver, Run, Vk, code};

pub const A: &str = "VK_LAYER_TEST_a";
pub const B: &str = "VK_LAYER_TEST_b";
pub const C: &str = "VK_LAYER_TEST_c";

/// Returns a driver with one device, `gpu`.
pub fn good() -> Driver {
    Driver::new("good").device(Device::new("gpu"))
}

/// Creates an instance, and says the `result`.
pub fn create(vk: &Vk) {
    vk.say("result", code(&vk.create(&Ask::new()).map(drop)));
}

/// Does the same with layer [`A`], for Vulkan 1.3.
pub fn create_with_a(vk: &Vk) {
    vk.say("result", code(&vk.create(&Ask::new().api(1, 3).layer(A)).map(drop)));
}

/// Returns the layers whose vkCreateInstance was called, in order.
pub fn active(run: &Run) -> Vec<String> {
    let calls = run.ok().calls(&["vkCreateInstance"]);
    calls.iter().filter_map(|call| call.split(' ').next()).map(str::to_owned).collect()
}

/// Returns the names of the layers that are listed.
pub fn listed(vk: &Vk) -> Vec<String> {
    // SAFETY: nothing is asked of the caller.
    let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
    layers.iter().map(|layer| layer.layer_name_as_c_str().unwrap().to_string_lossy().into_owned()).collect()
}
