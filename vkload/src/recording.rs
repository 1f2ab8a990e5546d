//! A recording: all inputs of the decisions on a machine, and the results of opening drivers there, so that the decisions can be reproduced
//! on another machine.
//!
//! It is one JSON object: the format's `recording` number, the build options of the loader (`policy`), the `answers` about the system in
//! the order of their questions, the `facts` of the machine, the `target` that is judged, and the `trials`. Paths and values are [`lossless`]
//! text. The user's home folder and name are taken out.

mod names;

use std::ffi::CString;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use vkload_core::discovery::{Answer, Policy, Question, Record, Root, Snapshot};
use vkload_core::memory::{self, CText, Text, TryGrow, text};
use vkload_core::platform::{FileError, Reader};
use vkload_linux::POLICY;

use crate::lossless;
use crate::own_files;
use crate::planned::Planned;

const FORMAT: u64 = 1;

/// Records a machine, for a program of this pointer width, with `more` fields: the plan and the answers that it was made from. The names of the
/// user with this home folder and of all others are taken out.
pub(crate) fn write(
    file: &Path,
    planned: &Planned,
    pointer_width: u32,
    more: Map<String, Value>,
    (home, name): (&str, &str),
) -> Result<(), String> {
    let both = planned.settings.snapshot.records().iter().chain(planned.snapshot.records());
    let mut recording = json!({
        "recording": FORMAT,
        "vkload": env!("CARGO_PKG_VERSION"),
        "policy": { "pointerWidth": pointer_width, "builtIn": built_in() },
        "answers": both.filter_map(record_json).collect::<Vec<_>>(),
    });
    for (field, value) in more {
        recording[field] = value;
    }
    names::Names::here(home, name).take_out(&mut recording);
    // In one step, so that a crash leaves the recording before or this one.
    own_files::replace(file, &format!("{recording:#}\n"))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Returns the loader's policy, the answers, and the whole object.
pub(crate) fn read(file: &Path) -> Result<(Policy, Snapshot, Value), String> {
    let problem = |problem: &str| format!("{}: {problem}", file.display());
    let bytes = fs::read(file).map_err(|error| problem(&error.to_string()))?;
    let not_one = |why: &str| {
        problem(&format!("it is not a recording{why}; create one with `vkload doctor --record FILE`"))
    };
    let seen: Value = serde_json::from_slice(&bytes).map_err(|error| not_one(&format!(" ({error})")))?;
    if seen["recording"] != FORMAT {
        return Err(not_one(""));
    }
    let mut snapshot = Snapshot::new();
    for answer in seen["answers"].as_array().into_iter().flatten() {
        let record = record(answer).ok_or_else(|| problem(&format!("not understood: {answer}")))?;
        snapshot.record(record).map_err(|_| "memory ran out")?;
    }
    let policy = policy(&seen["policy"]).ok_or_else(|| problem("its policy is not understood"))?;
    Ok((policy, snapshot, seen))
}

/// Returns the folders that the loader was built with.
fn built_in() -> Vec<Value> {
    let folder = |root: &Root| match root {
        Root::BuiltIn { name, path } => Some(json!({ "name": name, "path": bytes_json(path) })),
        Root::Variable { .. } => None,
    };
    POLICY.roots.iter().filter_map(folder).collect()
}

/// Returns the policy of the loader that recorded. A policy is made to last as long as the process.
fn policy(recorded: &Value) -> Option<Policy> {
    let mut folders = Vec::new();
    for folder in recorded["builtIn"].as_array()? {
        folders.push(&*bytes(&folder["path"])?.leak());
    }
    let [sysconf, extra_sysconf] = folders[..] else { return None };
    let roots = Box::leak(Box::new(Policy::linux_roots(sysconf, extra_sysconf)));
    let pointer_width = u32::try_from(recorded["pointerWidth"].as_u64()?).ok()?;
    Some(Policy { pointer_width, ..Policy::linux(roots) })
}

fn record_json(record: &Record) -> Option<Value> {
    let value = |value: &Option<Text>| value.as_ref().map(|value| bytes_json(value));
    Some(match (&record.question, &record.answer) {
        (Question::Elevated, Answer::Truth(truth)) => json!({ "elevated": truth }),
        (Question::Executable, Answer::Value(path)) => json!({ "executable": value(path) }),
        (Question::Variable(name, reader), Answer::Value(text)) => json!({
            "variable": bytes_json(name.as_c_str().to_bytes()),
            "secure": *reader == Reader::Secure,
            "value": value(text),
        }),
        (Question::Exists(path), Answer::Truth(truth)) => {
            json!({ "path": bytes_json(path), "exists": truth })
        }
        (Question::Identity(path), Answer::Identity(id)) => {
            json!({ "path": bytes_json(path), "identity": id })
        }
        (Question::Listing(path), Answer::Names(Ok(names), _)) => {
            json!({ "folder": bytes_json(path), "names": names.iter().map(|name| bytes_json(name)).collect::<Vec<_>>() })
        }
        (Question::File(path), Answer::Content(Ok(content), _)) => {
            json!({ "file": bytes_json(path), "content": bytes_json(content) })
        }
        (Question::Listing(path), Answer::Names(Err(error), _)) => {
            json!({ "folder": bytes_json(path), "error": error_json(*error) })
        }
        (Question::File(path), Answer::Content(Err(error), _)) => {
            json!({ "file": bytes_json(path), "error": error_json(*error) })
        }
        _ => return None,
    })
}

fn record(recorded: &Value) -> Option<Record> {
    let has = |name: &str| recorded.get(name).is_some();
    let text_of = |name: &str| text(&[&bytes(recorded.get(name)?)?]).ok();
    let value = |name: &str| match &recorded[name] {
        Value::Null => Some(None),
        _ => text_of(name).map(Some),
    };
    let error = || error(&recorded["error"]);
    let (question, answer) = if has("elevated") {
        (Question::Elevated, Answer::Truth(recorded["elevated"].as_bool()?))
    } else if has("executable") {
        (Question::Executable, Answer::Value(value("executable")?))
    } else if has("variable") {
        let name = CString::new(bytes(&recorded["variable"])?).ok()?;
        let reader = if recorded["secure"].as_bool()? { Reader::Secure } else { Reader::Plain };
        (Question::Variable(CText::new(&name).ok()?, reader), Answer::Value(value("value")?))
    } else if has("exists") {
        (Question::Exists(text_of("path")?), Answer::Truth(recorded["exists"].as_bool()?))
    } else if has("identity") {
        (Question::Identity(text_of("path")?), Answer::Identity(identity(&recorded["identity"])))
    } else if has("folder") {
        let names = if has("error") { Err(error()?) } else { Ok(names(&recorded["names"])?) };
        (Question::Listing(text_of("folder")?), Answer::Names(names, None))
    } else {
        let content = if has("error") { Err(error()?) } else { Ok(text_of("content")?) };
        (Question::File(text_of("file")?), Answer::Content(content, None))
    };
    Some(Record { question, answer })
}

fn names(recorded: &Value) -> Option<memory::Vec<Text>> {
    let mut names = memory::Vec::new();
    for name in recorded.as_array()? {
        names.try_push(text(&[&bytes(name)?]).ok()?).ok()?;
    }
    Some(names)
}

fn identity(recorded: &Value) -> Option<(u64, u64)> {
    Some((recorded[0].as_u64()?, recorded[1].as_u64()?))
}

fn error_json(error: FileError) -> Value {
    match error {
        FileError::NotFound => json!("not found"),
        FileError::Denied => json!("denied"),
        FileError::NotAFile => json!("not a file"),
        FileError::TooLarge => json!("too large"),
        FileError::OutOfMemory => json!("out of memory"),
        FileError::Other(number) => json!(number),
    }
}

fn error(recorded: &Value) -> Option<FileError> {
    match recorded.as_str() {
        Some("not found") => Some(FileError::NotFound),
        Some("denied") => Some(FileError::Denied),
        Some("not a file") => Some(FileError::NotAFile),
        Some("too large") => Some(FileError::TooLarge),
        Some("out of memory") => Some(FileError::OutOfMemory),
        Some(_) => None,
        None => i32::try_from(recorded.as_i64()?).ok().map(FileError::Other),
    }
}

fn bytes_json(bytes: &[u8]) -> Value {
    json!(lossless::text(bytes))
}

fn bytes(recorded: &Value) -> Option<Vec<u8>> {
    Some(lossless::bytes(recorded.as_str()?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_malformed_answer_is_refused() {
        for wrong in [
            "{}",
            "[]",
            r#"{"variable": "X"}"#,
            r#"{"file": "/x", "error": "odd"}"#,
            r#"{"folder": {"hex": "ff"}}"#,
        ] {
            assert!(record(&serde_json::from_str(wrong).unwrap()).is_none(), "{wrong}");
        }
    }
}
