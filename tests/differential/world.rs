//! A test case: drivers, layers, manifests, variables, and a program's requests, as lines of text.
//!
//! A line is `KIND SUBJECT KEY VALUE`; every line can be left out without making the others unreadable, so that a test case in
//! which two loaders differ can be made smaller line by line.
//!
//! | kind | subject | key and value |
//! |---|---|---|
//! | `driver` | its name | `interface`, `api`, `exports`, or a line of its configuration |
//! | `layer` | its name | `exports`, `holds`, `in` (a driver whose library it is in), or `do` and a behaviour |
//! | `json` | a path | a field (`layer.name`, `layers.0.name`; text after a `#` is ignored, so that a key can occur twice) and its value in JSON; `~before`, `~after`: text around it; `~keep`: the percentage of it that is written; `~damage`, also for files: a number that selects damage to the bytes |
//! | `file` | a path | `=` and its text |
//! | `link`, `folder` | a path | `to` and a link's target; `-` |
//! | `env` | a variable | `=` and its value |
//! | `ask` | a number | `api`, `layer`, `extension`, `flags`, `device_extension`: a program's requests; `gone`, `late`, `hidden`: a file or a device that has vanished, or has just appeared; anything else: a part of the interview |
//! | `settings` | `file`, `devices` | `=` and the content of this loader's settings file; `reversed`: all devices, in the other order |
//!
//! `SANDBOX` is replaced by the test case's folder. Values may contain `\n`, `\\` and `\xNN`.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::damage;
use vkload_tests::{Driver, Layer, Sandbox, Scenario};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct World(pub(crate) Vec<Line>);

impl World {
    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(lines.map(Line::parse).collect())
    }

    pub(crate) fn add(&mut self, kind: &str, subject: &str, key: &str, value: impl fmt::Display) {
        self.0.push(Line {
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            key: key.to_owned(),
            value: value.to_string(),
        });
    }

    /// Returns the lines of one kind, in order.
    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Line> {
        self.0.iter().filter(move |line| line.kind == kind)
    }

    /// Returns the subjects of one kind, each once, in order.
    pub(crate) fn subjects(&self, kind: &str) -> Vec<&str> {
        let mut subjects: Vec<&str> = vec![];
        for line in self.of_kind(kind) {
            if !subjects.contains(&line.subject.as_str()) {
                subjects.push(&line.subject);
            }
        }
        subjects
    }

    /// Returns the lines about one subject, as keys and values.
    pub(crate) fn about(&self, kind: &str, subject: &str) -> Vec<(&str, &str)> {
        let lines = self.of_kind(kind).filter(|line| line.subject == subject);
        lines.map(|line| (line.key.as_str(), line.value.as_str())).collect()
    }

    /// Returns a machine for the test case, with the loader `library`.
    pub(crate) fn scenario(&self, library: &Path) -> Scenario {
        let mut scenario = Scenario::new().library(library).file("world", self.to_string());
        for line in self.of_kind("env") {
            scenario = scenario.env(&line.subject, &line.value);
        }
        scenario.with(|sandbox| self.write(sandbox))
    }

    /// Writes the test case into a folder that is kept.
    pub(crate) fn keep(&self, library: &Path) -> PathBuf {
        self.scenario(library).keep()
    }

    fn write(&self, sandbox: &Sandbox) {
        for name in self.subjects("driver") {
            driver(name, &self.about("driver", name)).install_library(sandbox);
        }
        for name in self.subjects("layer") {
            layer(name, &self.about("layer", name)).install_library(sandbox);
        }
        let root = sandbox.path("").to_str().unwrap().trim_end_matches('/').to_owned();
        let late: Vec<&str> =
            self.of_kind("ask").filter(|line| line.key == "late").map(|line| &*line.value).collect();
        for path in self.subjects("json") {
            let place = if late.contains(&path) { format!("late/{path}") } else { path.to_owned() };
            sandbox.write(place, json(&self.about("json", path), &root));
        }
        for path in self.subjects("file") {
            let about = self.about("file", path);
            let text = about.iter().find(|(key, _)| *key == "=").map_or("", |(_, text)| text);
            sandbox.write(path, damaged(text.replace("SANDBOX", &root).into_bytes(), &about));
        }
        for line in self.of_kind("folder") {
            std::fs::create_dir_all(sandbox.path(&line.subject)).unwrap();
        }
        for line in self.of_kind("link") {
            let path = sandbox.path(&line.subject);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(line.value.replace("SANDBOX", &root), path).unwrap();
        }
    }
}

impl Line {
    fn parse(line: &str) -> Self {
        let mut words = line.splitn(4, ' ').map(str::to_owned);
        let mut next = || words.next().unwrap_or_default();
        Self { kind: next(), subject: next(), key: next(), value: next() }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.kind, self.subject, self.key, self.value)
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

fn driver(name: &str, lines: &[(&str, &str)]) -> Driver {
    let mut driver = Driver::new(name);
    for (key, value) in lines {
        driver = match *key {
            "interface" => driver.interface(value.parse().unwrap()),
            "api" => driver.api(value),
            "exports" => driver.exports(match *value {
                "nothing" => Driver::NOTHING,
                "core" => Driver::CORE,
                "lookup" => Driver::LOOKUP,
                "negotiate" => Driver::NEGOTIATE,
                "lookup+negotiate" => Driver::LOOKUP_NEGOTIATE,
                _ => Driver::LOOKUP_NEGOTIATE_PHYSICAL,
            }),
            _ => driver.line(key, value),
        };
    }
    driver
}

fn layer(name: &str, lines: &[(&str, &str)]) -> Layer {
    let mut layer = Layer::new(name);
    for (key, value) in lines {
        layer = match (*key, *value) {
            ("exports", "plain") => layer.exports(Layer::PLAIN),
            ("exports", "negotiate+plain") => layer.exports(Layer::NEGOTIATE_PLAIN),
            ("exports", "other") => layer.exports(Layer::OTHER),
            ("exports", "name") => layer.exports_its_name(),
            ("exports", "nothing") => layer.exports(&[]),
            ("do", behaviour) => layer.does(behaviour),
            _ => layer,
        };
    }
    layer
}

// ---- manifests ----

enum Json {
    Text(String),
    Fields(Vec<(String, Json)>),
}

fn json(fields: &[(&str, &str)], root: &str) -> Vec<u8> {
    let (mut before, mut after, mut keep) = (vec![], vec![], 100);
    let mut top = vec![];
    for (path, value) in fields {
        match *path {
            "~before" => before = unescape(value),
            "~after" => after = unescape(value),
            "~keep" => keep = value.parse().unwrap(),
            "~damage" => {}
            _ => insert(&mut top, path, value),
        }
    }
    let mut text = before;
    text.extend(unescape(&Json::Fields(top).to_string().replace("SANDBOX", root)));
    text.extend(after);
    let length = text.len() * keep / 100;
    text.truncate(length);
    damaged(text, fields)
}

fn damaged(text: Vec<u8>, about: &[(&str, &str)]) -> Vec<u8> {
    let numbers =
        about.iter().filter(|(key, _)| *key == "~damage").map(|(_, number)| number.parse().unwrap());
    numbers.fold(text, damage::done)
}

fn insert(fields: &mut Vec<(String, Json)>, path: &str, value: &str) {
    let Some((first, rest)) = path.split_once('.') else {
        return fields.push((path.to_owned(), Json::Text(value.to_owned())));
    };
    let place = fields.iter().position(|(key, inner)| key == first && matches!(inner, Json::Fields(_)));
    let place = place.unwrap_or_else(|| {
        fields.push((first.to_owned(), Json::Fields(vec![])));
        fields.len() - 1
    });
    if let Json::Fields(inner) = &mut fields[place].1 {
        insert(inner, rest, value);
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = match self {
            Self::Text(text) => return f.write_str(text),
            Self::Fields(fields) => fields,
        };
        let is_list =
            !fields.is_empty() && fields.iter().all(|(key, _)| key.bytes().all(|byte| byte.is_ascii_digit()));
        f.write_str(if is_list { "[" } else { "{" })?;
        for (place, (key, value)) in fields.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            let key = key.split('#').next().unwrap_or_default();
            if is_list { write!(f, "{comma}{value}")? } else { write!(f, "{comma}\"{key}\": {value}")? }
        }
        f.write_str(if is_list { "]" } else { "}" })
    }
}

/// Decodes `\n` and `\xNN` into bytes; other backslashes are JSON's own.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = vec![];
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let tail = &rest[at..];
        let code = tail.strip_prefix("\\x").and_then(|code| code.get(..2));
        rest = if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            &tail[4..]
        } else if let Some(tail) = tail.strip_prefix("\\n") {
            bytes.push(b'\n');
            tail
        } else {
            bytes.push(b'\\');
            &tail[1..]
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}
