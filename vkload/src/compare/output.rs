//! The differences as a list and as JSON.

use crate::escape;

use serde_json::{Value, json};

use super::subjects::SUBJECTS;
use super::{Comparison, Difference};

pub(super) fn render(answer: &Comparison, json: bool) -> String {
    if json { escape::json(&to_json(answer)) } else { text(answer) }
}

fn text(answer: &Comparison) -> String {
    let [one, other] = &answer.names;
    let mut out = match answer.differences.len() {
        0 => format!("{one} and {other} are the same.\n"),
        1 => format!("{one} and {other} differ in one thing.\n"),
        count => format!("{one} and {other} differ in {count} things.\n"),
    };
    for (subject, title) in SUBJECTS {
        let mut lines = answer.differences.iter().filter(|it| it.subject == *subject).peekable();
        if lines.peek().is_some() {
            out.push_str(&format!("\n{title}\n"));
        }
        lines.for_each(|difference| out.push_str(&line(answer, difference)));
    }
    out
}

fn line(answer: &Comparison, difference: &Difference) -> String {
    let ([one, other], of) = (&answer.names, &difference.of);
    match &difference.values {
        [Some(a), Some(b)] => escape::line(&format!("  {of}: {one}: {a} / {other}: {b}")) + "\n",
        [Some(value), None] => only(of, one, value),
        [None, Some(value)] => only(of, other, value),
        [None, None] => String::new(),
    }
}

fn only(of: &str, name: &str, value: &str) -> String {
    let value = if value.is_empty() { String::new() } else { format!(": {value}") };
    escape::line(&format!("  {of}: only in {name}{value}")) + "\n"
}

/// Returns the answer for programs. Names do not change between releases; new ones may come.
fn to_json(answer: &Comparison) -> Value {
    let difference = |it: &Difference| {
        let [one, other] = &it.values;
        json!({ "subject": it.subject, "of": it.of, "one": one, "other": other })
    };
    let [one, other] = &answer.names;
    json!({
        "format": 1,
        "vkload": env!("CARGO_PKG_VERSION"),
        "one": one,
        "other": other,
        "same": answer.differences.is_empty(),
        "differences": answer.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}
