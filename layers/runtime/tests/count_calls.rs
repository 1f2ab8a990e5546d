//! The layer that counts the calls of every command.

mod common;
#[path = "../examples/count_calls.rs"]
mod layer;

#[test]
fn it_works_with_other_layers_on_many_threads() {
    common::storm("count_calls");
}

#[test]
fn it_counts_the_calls_of_vkcube() {
    for lines in common::vkcube("count_calls") {
        let calls = lines.lines().find_map(|line| line.strip_prefix("VK_LAYER_EXAMPLE_count_calls: "));
        let calls = calls.and_then(|line| line.strip_suffix(" calls")).and_then(|calls| calls.parse().ok());
        assert!(calls.is_some_and(|calls: u64| calls > 100), "{lines}");
    }
}
