//! Layers of every kind, for tests that turn them on and off.

use vkload_tests::{Layer, Sandbox};

pub(crate) const IMPLICIT: &str = "VK_LAYER_TEST_implicit";
pub(crate) const WAITING: &str = "VK_LAYER_TEST_waiting";
pub(crate) const FIRST: &str = "VK_LAYER_TEST_first";
pub(crate) const SECOND: &str = "VK_LAYER_TEST_second";

/// Installs a layer that is active, one that waits for a variable, and two explicit ones.
pub(crate) fn install(sandbox: &Sandbox) {
    Layer::new(IMPLICIT).implicit().install(sandbox);
    Layer::new(WAITING).implicit().field("enable_environment", r#"{"WANT": "1"}"#).install(sandbox);
    for name in [FIRST, SECOND] {
        Layer::new(name).install(sandbox);
    }
}
