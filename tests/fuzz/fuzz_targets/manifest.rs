//! Manifests: the readers fail on no bytes, and agree with a strict JSON reader on any text that it accepts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vkload_core::manifest::json::{self, ErrorKind, Kind, Value};
use vkload_core::manifest::{DriverManifest, LayerFile};

fuzz_target!(|bytes: &[u8]| {
    let strict: Option<serde_json::Value> = serde_json::from_slice(bytes).ok();
    match json::parse(bytes) {
        Ok(root) => {
            walk(bytes, root);
            if let Some(strict) = strict {
                compare(root, &strict);
            }
        }
        Err(error) => {
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
            assert!((1..=lines).contains(&(error.line as usize)), "{error:?}");
            // Nesting is bounded by less than the strict reader's limit.
            assert!(strict.is_none() || error.kind == ErrorKind::TooDeep, "{error:?}");
        }
    }
    if let Ok(Err(error)) = DriverManifest::parse(bytes) {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(Err(error)) = LayerFile::parse(bytes) {
        assert!(!error.to_string().is_empty());
    }
});

/// Checks that every value begins at its stated position, and can be read alone.
fn walk(bytes: &[u8], value: Value<'_>) {
    let alone = json::parse(&bytes[value.range()]).expect("a value is a document");
    assert_eq!(alone.kind(), value.kind());
    if let Some(string) = value.string() {
        let text = string.to_text().expect("memory");
        assert!(text.len() <= string.as_written().len());
        if let Ok(text) = std::str::from_utf8(&text) {
            assert!(string.is(text));
        }
    }
    for (name, member) in value.members() {
        let name = name.to_text().expect("memory");
        if let Ok(name) = std::str::from_utf8(&name) {
            assert!(value.member(name).is_some());
        }
        walk(bytes, member);
    }
    value.items().for_each(|item| walk(bytes, item));
}

fn compare(ours: Value<'_>, strict: &serde_json::Value) {
    match strict {
        serde_json::Value::Null => assert_eq!(ours.kind(), Kind::Null),
        serde_json::Value::Bool(truth) => assert_eq!(ours.truth(), Some(*truth)),
        serde_json::Value::Number(_) => assert_eq!(ours.kind(), Kind::Number),
        serde_json::Value::String(text) => {
            let string = ours.string().expect("a string").to_text().expect("memory");
            assert_eq!(string.as_slice(), text.as_bytes());
        }
        serde_json::Value::Array(items) => {
            assert_eq!(ours.items().count(), items.len());
            ours.items().zip(items).for_each(|(ours, strict)| compare(ours, strict));
        }
        // Of members with the same name this reader takes the first and the strict one the last.
        serde_json::Value::Object(members) => {
            assert_eq!(ours.kind(), Kind::Object);
            assert!(members.keys().all(|name| ours.member(name).is_some()));
        }
    }
}
