//! The code in the page "Write a layer" and in the README is the examples'.

use std::fs;

/// Removes blanks, line breaks and the commas at line ends, since lines break at different positions.
fn bare(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")").replace(",}", "}")
}

#[test]
fn shown_code_is_compiled() {
    let examples: String = ["log_present", "count_calls", "fail_memory"]
        .map(|name| fs::read_to_string(format!("examples/{name}.rs")).unwrap())
        .map(|text| bare(&text))
        .concat();
    for (page, count) in [("../../docs/write-a-layer.md", 4), ("README.md", 1)] {
        let text = fs::read_to_string(page).unwrap();
        let blocks: Vec<_> = text
            .split("```rust\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            // The example's manifest lies elsewhere, and a doc test needs a `main`.
            .map(|block| {
                block.replace(
                    "\"VkLayer_log_present.json\", \"./target/debug/",
                    "\"examples/VkLayer_log_present.json\", \"./",
                )
            })
            .map(|block| bare(&block.replace("# fn main() {}", "")))
            .collect();
        assert_eq!(blocks.len(), count, "{page}");
        for block in blocks {
            assert!(examples.contains(&block), "{page}: {block}");
        }
    }
}
