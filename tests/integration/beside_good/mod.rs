//! A broken layer, and a good one that has to work next to it.

use vkload_tests::layered::{good, listed};
use vkload_tests::{Ask, Layer, Run, Scenario, Vk, code};

pub(crate) const GOOD: &str = "VK_LAYER_TEST_good";
pub(crate) const BAD: &str = "VK_LAYER_TEST_bad";
pub(crate) const EXPLICIT: &str = "data/vulkan/explicit_layer.d";
pub(crate) const IMPLICIT: &str = "data/vulkan/implicit_layer.d";

/// A manifest that would do, if its library did.
pub(crate) const MANIFEST: &str = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_bad", "type": "GLOBAL",
"library_path": "LIBRARY", "api_version": "1.3.0", "implementation_version": "1", "description": "bad",
"disable_environment": {"NO_BAD": "1"}}}"#;

/// Uses the good layer, and says whether the bad one is enumerated and can be had.
fn use_good(vk: &Vk) {
    let names = listed(vk);
    vk.say("names", names.join(","));
    vk.say("bad", code(&vk.create(&Ask::new().layer(BAD)).map(drop)));
    let instance = vk.create(&Ask::new().layer(GOOD)).unwrap();
    let device = instance.device(instance.devices()[0], &[]);
    unsafe { device.destroy_device(None) };
}

pub(crate) fn beside_good(scenario: Scenario) -> Run {
    let run = scenario.log().driver(good()).layer(Layer::new(GOOD)).run(use_good);
    run.ok();
    assert_eq!(run.trace(GOOD).calls("vkCreateDevice").len(), 1);
    run
}
