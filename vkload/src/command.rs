//! Commands for users to type, and the steps of a remedy.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display, Formatter, Write as _};
use std::os::unix::ffi::OsStrExt as _;

use serde::{Serialize, Serializer};
use vkload_core::memory::is_visible;
use vkload_core::platform::variables::ALL;

use crate::{escape, lossless};

/// A value from outside that a command contains, as the system has it: text, or bytes.
pub(crate) type Word<'a> = &'a dyn AsRef<OsStr>;

/// A command line for a POSIX shell. The shell's syntax in it is this program's own; words from outside are quoted when it is displayed,
/// so that it does the same whatever they contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Syntax(Cow<'static, str>),
    Word(Vec<u8>),
}

impl Command {
    /// Returns the command with a word instead of each `{}`.
    pub(crate) fn new(syntax: &'static str, words: &[Word<'_>]) -> Self {
        Self(Vec::new()).then(syntax, words)
    }

    pub(crate) fn then(mut self, syntax: &'static str, words: &[Word<'_>]) -> Self {
        let mut words = words.iter();
        for (index, syntax) in syntax.split("{}").enumerate() {
            if let Some(word) = (index > 0).then(|| words.next()).flatten() {
                self.push(word.as_ref().as_bytes());
            }
            self.0.push(Part::Syntax(syntax.into()));
        }
        self
    }

    /// Appends a word. It never becomes an option, unless it is part of a program's own command line.
    fn push(&mut self, word: &[u8]) {
        let word = &*std::str::from_utf8(word).map_or(word.into(), lossless::bytes);
        let before = self.0.last().and_then(|part| match part {
            Part::Syntax(syntax) => Some(&**syntax),
            Part::Word(_) => None,
        });
        let is_argument = before.is_some_and(|before| before.ends_with(' ') && !before.ends_with("-- "));
        let guard: &[u8] = if is_argument && word.starts_with(b"-") { b"./" } else { b"" };
        self.0.push(Part::Word([guard, word].concat()));
    }

    pub(crate) fn then_line(mut self, line: &[String]) -> Self {
        for (index, word) in line.iter().enumerate() {
            let space = if index > 0 { " " } else { " -- " };
            self.0.push(Part::Syntax(space.into()));
            self.0.push(Part::Word(lossless::bytes(word).into_owned()));
        }
        self
    }

    pub(crate) fn then_all(self, words: &[Word<'_>]) -> Self {
        words.iter().fold(self, |command, word| command.then(" {}", &[word]))
    }

    pub(crate) fn and_then(self, syntax: &'static str, other: Self) -> Self {
        let mut both = self.then(syntax, &[]);
        both.0.extend(other.0);
        both
    }

    /// Returns the command that gives a variable this value, or unsets it.
    pub(crate) fn change(name: &str, value: Option<&str>) -> Self {
        value.map_or_else(|| Self::unset(name), |value| Self::export(name, &value))
    }

    /// Returns the command that sets a variable in this shell, or for one program if no shell can.
    pub(crate) fn export(name: &str, value: Word<'_>) -> Self {
        if is_name(name) {
            return Self::new("export {}={}", &[&name, value]);
        }
        let setting = [OsStr::new(name), OsStr::new("="), value.as_ref()];
        Self::new("env {} PROGRAM", &[&OsString::from_iter(setting)])
    }

    /// Returns the command that unsets a variable in this shell, or for one program if no shell can.
    pub(crate) fn unset(name: &str) -> Self {
        Self::new(if is_name(name) { "unset {}" } else { "env -u {} PROGRAM" }, &[&name])
    }

    /// Returns the command for a user who needs no other rights.
    pub(crate) fn without_sudo(mut self) -> Self {
        for part in &mut self.0 {
            if let Part::Syntax(syntax) = part {
                *syntax = syntax.replace("sudo ", "").into();
            }
        }
        self
    }
}

/// As a shell reads it, in characters that a terminal shows: if a word has others, `printf` prints the whole line for the shell.
impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+:=,@%".contains(byte);
        let line = self.0.iter().flat_map(|part| match part {
            Part::Syntax(syntax) => syntax.as_bytes().to_vec(),
            Part::Word(word) if !word.is_empty() && word.iter().all(is_plain) => word.clone(),
            Part::Word(word) => {
                let parts: Vec<_> = word.split(|byte| *byte == b'\'').collect();
                [b"'", &parts.join(&b"'\\''"[..])[..], b"'"].concat()
            }
        });
        let line: Vec<u8> = line.collect();
        match std::str::from_utf8(&line) {
            Ok(text) if text.chars().all(is_visible) => f.write_str(text),
            _ => {
                f.write_str("eval ")?;
                write_printed(f, &line)
            }
        }
    }
}

fn write_printed(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str("\"$(printf '")?;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'%' => f.write_str("%%")?,
            b'\\' => f.write_str("\\\\")?,
            b'-' if index == 0 => f.write_str("\\055")?,
            b' '..=b'~' if *byte != b'\'' => f.write_char(char::from(*byte))?,
            _ => write!(f, "\\{byte:03o}")?,
        }
    }
    f.write_str("')\"")
}

/// Returns whether a shell can set a variable of this name.
fn is_name(name: &str) -> bool {
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    name.as_bytes().first().is_some_and(is_first)
        && name.bytes().all(|byte| is_first(&byte) || byte.is_ascii_digit())
}

/// Beginnings of the names of variables by which a shell, the dynamic linker or an interpreter chooses the code that it runs.
const CHOOSING_CODE: &[&str] = &[
    "BASH", "ENV", "GCONV_", "GLIBC_", "IFS", "LD_", "LOCPATH", "PATH", "PERL", "PROMPT_", "PS", "PYTHON",
    "SHELL",
];

/// Returns whether a manifest may name this variable as the one that turns its layer on or off.
pub(crate) fn is_switch(name: &str) -> bool {
    let is_of_loaders = || ALL.iter().any(|variable| variable.name.to_bytes() == name.as_bytes());
    is_name(name) && !CHOOSING_CODE.iter().any(|start| name.starts_with(start)) && !is_of_loaders()
}

/// One step of a remedy: words for people, and commands that they can type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Words(Cow<'static, str>),
    Command(Command),
}

impl Step {
    /// Returns a step that begins with words.
    pub(crate) fn say(words: impl Into<Cow<'static, str>>) -> Self {
        Self::default().and_say(words)
    }

    pub(crate) fn and_say(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Segment::Words(words.into()));
        self
    }

    pub(crate) fn run(mut self, command: Command) -> Self {
        self.0.push(Segment::Command(command));
        self
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the commands in it, in this order.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.0.iter().filter_map(|segment| match segment {
            Segment::Command(command) => Some(command),
            Segment::Words(_) => None,
        })
    }

    /// Returns whether it is a command and nothing else.
    pub(crate) fn is_command(&self) -> bool {
        matches!(self.0[..], [Segment::Command(_)])
    }

    /// Returns the step for a user who needs no other rights.
    pub(crate) fn without_sudo(self) -> Self {
        let segment = |segment| match segment {
            Segment::Command(command) => Segment::Command(command.without_sudo()),
            Segment::Words(Cow::Borrowed(own)) => Segment::Words(own.replace("sudo ", "").into()),
            others => others,
        };
        Self(self.0.into_iter().map(segment).collect())
    }
}

impl From<Command> for Step {
    fn from(command: Command) -> Self {
        Self::default().run(command)
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for Step {
    fn from(words: T) -> Self {
        Self::say(words)
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|segment| match segment {
            Segment::Words(words) => f.write_str(&escape::line(words)),
            Segment::Command(command) => command.fmt(f),
        })
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests;
