use super::*;

#[test]
fn json_loses_nothing() {
    let odd = Value::from("\u{1b}[31m\u{9b}\u{202e}\u{e0041}\n\u{e9}\\");
    let text = json(&odd);
    assert!(text.trim_end().chars().all(is_visible), "{text}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), odd);
}

#[test]
fn lines_stay_lines() {
    assert_eq!(lines("a\u{7}\n\tb\u{2066}\n"), "a\\u{7}\n\tb\\u{2066}\n");
}
