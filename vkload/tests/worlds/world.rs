//! The content of a test case, read from text.
//!
//! ```text
//! == the name of the world
//! driver radeon_icd.x86_64
//!   device AMD Radeon RX 6700|2|1002
//!   vkCreateInstance crash
//! --
//! The first three lines
//! of the doctor's
//! answer
//! ```
//!
//! Lines that begin with two blanks belong to the driver or layer above, as `parts/acts.h` reads them. `LIB` and `VULKAN` in an argument
//! are replaced by the library folder and the manifest folder.

use std::fmt;

/// One test case.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) name: String,
    /// Comments above it.
    comments: Vec<String>,
    pub(crate) things: Vec<Thing>,
    /// The first three lines of the answer.
    pub(crate) answer: Vec<String>,
}

/// A line of a test case.
#[derive(Debug, Default)]
pub(crate) struct Thing {
    /// Its kind: `root::Built` makes them all.
    pub(crate) kind: String,
    /// The rest of the line, unchanged.
    raw: String,
    /// The lines below it.
    pub(crate) acts: Vec<String>,
}

impl Thing {
    /// Returns the rest of the line.
    pub(crate) fn text(&self) -> String {
        self.raw.replace("LIB/", "/usr/lib/x86_64-linux-gnu/").replace("VULKAN/", "/usr/share/vulkan/")
    }

    /// Returns the first word of the rest, and what follows it.
    pub(crate) fn split(&self) -> (String, String) {
        let text = self.text();
        let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
        (first.to_owned(), rest.to_owned())
    }

    /// Returns the value of `name=VALUE` among the words.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.text().split(' ').find_map(|word| Some(word.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
    }
}

impl World {
    /// Returns all test cases of a file.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        let mut worlds: Vec<Self> = Vec::new();
        let (mut comments, mut answers) = (Vec::new(), false);
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("== ") {
                let comments = std::mem::take(&mut comments);
                worlds.push(Self { name: name.to_owned(), comments, ..Self::default() });
                answers = false;
                continue;
            }
            if line.starts_with('#') && (worlds.is_empty() || answers) {
                comments.push(line.to_owned());
                continue;
            }
            let Some(world) = worlds.last_mut() else { continue };
            match line {
                "--" => answers = true,
                "" => {}
                _ if answers => world.answer.push(line.to_owned()),
                _ if line.starts_with("  ") => {
                    world.things.last_mut().expect("something above").acts.push(line.trim().to_owned());
                }
                _ => {
                    let (kind, raw) = line.split_once(' ').unwrap_or((line, ""));
                    world.things.push(Thing { kind: kind.to_owned(), raw: raw.to_owned(), acts: Vec::new() });
                }
            }
        }
        worlds
    }

    pub(crate) fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Thing> {
        self.things.iter().filter(move |thing| thing.kind == kind)
    }

    /// Returns whether it is about a loader that may not be there.
    pub(crate) fn needs_other_loader(&self) -> bool {
        self.of("loader").any(|thing| thing.text().starts_with("other"))
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for comment in &self.comments {
            writeln!(f, "{comment}")?;
        }
        writeln!(f, "== {}", self.name)?;
        for thing in &self.things {
            writeln!(f, "{}", format!("{} {}", thing.kind, thing.raw).trim_end())?;
            for act in &thing.acts {
                writeln!(f, "  {act}")?;
            }
        }
        writeln!(f, "--\n{}", self.answer.join("\n"))
    }
}
