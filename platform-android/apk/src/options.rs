//! An application's options, as JSON.
#![forbid(unsafe_code)]

use vkload_core::manifest::json::{self, Kind, Value};
use vkload_core::memory::{Escaped, Text, TryGrow, Vec, text};

use super::members::{OptionsError, items, string, unknown, wrong_type};
use super::settings::{self, LayerSetting};

#[derive(Debug, Default)]
pub struct Options {
    /// The layers that are active in every instance, the application's nearest first, before those
    /// that it enables.
    pub layers: Vec<Text>,
    /// The search path for layers: folders, also in packages. The application's library folder
    /// comes last.
    pub folders: Vec<Text>,
    pub manifests: Vec<Text>,
    /// The drivers. Empty for the system's loader only.
    pub drivers: Vec<Choice>,
    /// The driver to use. `None` for all of them.
    pub used: Option<usize>,
    /// The layer settings, in addition to those that the application passes when it creates an
    /// instance.
    pub layer_settings: Vec<LayerSetting>,
    pub environment: Vec<(Text, Text)>,
    /// The folder of the application's own libraries; empty if not given.
    pub library_folder: Text,
}

#[derive(Debug)]
pub struct Choice {
    /// The application's name for it; empty if it is the only one.
    pub name: Text,
    pub source: DriverSource,
}

#[derive(Debug, PartialEq, Eq)]
pub enum DriverSource {
    System,
    Library(Text),
    Package { path: Text, unpack_to: Text },
}

type Read = fn(&mut Options, &str, Value<'_>) -> Result<(), OptionsError>;

const MEMBERS: &[(&str, Read)] = &[
    ("layers", |options, name, value| list(value, name, true).map(|list| options.layers = list)),
    ("layer_folders", |options, name, value| list(value, name, true).map(|list| options.folders = list)),
    ("manifests", |options, name, value| list(value, name, false).map(|list| options.manifests = list)),
    ("driver", |options, _, value| Ok(options.drivers.try_push(choice(value, false)?)?)),
    ("drivers", |options, name, value| {
        for value in items(value, name)? {
            let choice = choice(value, true)?;
            if options.drivers.iter().any(|earlier| earlier.name == choice.name) {
                let name = Escaped(&choice.name);
                return Err(OptionsError::at(
                    value,
                    format_args!("two of \"drivers\" have the \"name\" {name}; give one of them another"),
                ));
            }
            options.drivers.try_push(choice)?;
        }
        Ok(())
    }),
    // Which driver that is is known once all are read.
    ("use", |_, name, value| string(value, name).map(|_| ())),
    ("layer_settings", |options, name, value| {
        settings::list(value, name).map(|all| options.layer_settings = all)
    }),
    ("environment", |options, name, value| environment(value, name).map(|all| options.environment = all)),
    ("application_library_folder", |options, name, value| {
        options.library_folder = string(value, name)?;
        no_colon(name, &options.library_folder)
    }),
];

impl Options {
    pub fn parse(bytes: &[u8]) -> Result<Self, OptionsError> {
        let root = json::parse(bytes)
            .map_err(|error| OptionsError::mistake(format_args!("the options are not JSON: {error}")))?;
        if root.kind() != Kind::Object {
            return Err(OptionsError::mistake(format_args!(
                "the options have to be a JSON object, in braces"
            )));
        }
        let mut options = Self::default();
        for (index, (key, value)) in root.members().enumerate() {
            let Some((name, read)) = MEMBERS.iter().find(|(name, _)| key.as_written() == name.as_bytes())
            else {
                return Err(unknown("the options", key, value, &mut MEMBERS.iter().map(|(name, _)| *name)));
            };
            if root.members().take(index).any(|(earlier, _)| earlier.as_written() == name.as_bytes()) {
                return Err(OptionsError::at(value, format_args!("{name:?} occurs twice; leave one out")));
            }
            read(&mut options, name, value)?;
        }
        if !options.library_folder.is_empty() {
            options.folders.try_push(text(&[&options.library_folder])?)?;
        }
        options.choose(&root)?;
        Ok(options)
    }

    fn choose(&mut self, root: &Value<'_>) -> Result<(), OptionsError> {
        if root.member("driver").is_some() && root.member("drivers").is_some() {
            return Err(OptionsError::mistake(format_args!(
                "give either \"driver\" or \"drivers\", not both"
            )));
        }
        let Some(value) = root.member("use") else { return Ok(()) };
        let name = string(value, "use")?;
        let found = self.drivers.iter().position(|driver| driver.name == name);
        self.used = Some(found.ok_or_else(|| {
            OptionsError::mistake(format_args!(
                "\"use\" is {}, and no member of \"drivers\" has this \"name\"",
                Escaped(&name)
            ))
        })?);
        Ok(())
    }
}

fn choice(value: Value<'_>, named: bool) -> Result<Choice, OptionsError> {
    const KNOWN: [&str; 5] = ["name", "system", "library", "package", "unpack_to"];
    for (key, value) in value.members() {
        if !KNOWN.iter().any(|name| key.as_written() == name.as_bytes()) {
            return Err(unknown("a driver", key, value, &mut KNOWN.into_iter()));
        }
    }
    let [name, system, library, package, unpack_to] = value.members_named(KNOWN);
    let name = match name {
        Some(name) => string(name, "name")?,
        None if named => {
            return Err(OptionsError::at(
                value,
                format_args!("every member of \"drivers\" needs a \"name\""),
            ));
        }
        None => Text::new(),
    };
    let source = match (system.and_then(|value| value.truth()), library, package, unpack_to) {
        (Some(true), None, None, None) => DriverSource::System,
        (None, Some(library), None, None) => DriverSource::Library(string(library, "library")?),
        (None, None, Some(package), Some(folder)) => DriverSource::Package {
            path: string(package, "package")?,
            unpack_to: string(folder, "unpack_to")?,
        },
        _ => {
            return Err(OptionsError::at(
                value,
                format_args!(
                    "a driver is {{\"system\": true}}, {{\"library\": PATH}}, or {{\"package\": PATH, \"unpack_to\": FOLDER}}"
                ),
            ));
        }
    };
    Ok(Choice { name, source })
}

fn environment(value: Value<'_>, name: &str) -> Result<Vec<(Text, Text)>, OptionsError> {
    if value.kind() != Kind::Object {
        return Err(wrong_type(name, "an object", value));
    }
    let mut all = Vec::new();
    for (key, value) in value.members() {
        all.try_push((key.to_text()?, string(value, name)?))?;
    }
    Ok(all)
}

/// Reads a list of strings, which the core gets joined by colons if `joined`.
fn list(value: Value<'_>, name: &str, joined: bool) -> Result<Vec<Text>, OptionsError> {
    let mut all = Vec::new();
    for value in items(value, name)? {
        let item = string(value, name)?;
        if joined {
            no_colon(name, &item)?;
        }
        all.try_push(text(&[item.strip_suffix(b"/").unwrap_or(&item)])?)?;
    }
    Ok(all)
}

fn no_colon(name: &str, item: &[u8]) -> Result<(), OptionsError> {
    if !item.contains(&b':') {
        return Ok(());
    }
    let item = Escaped(item);
    Err(OptionsError::mistake(format_args!(
        "{name:?} has {item}: names and paths here cannot have colons; rename it"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn mistake(options: &str) -> String {
        match Options::parse(options.as_bytes()) {
            Err(OptionsError::Mistake(words)) => String::from_utf8(words.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_are_read() {
        let options = Options::parse(
            br#"{"layers": ["VK_LAYER_a", "VK_LAYER_b"], "layer_folders": ["/x", "/y/base.apk!/lib/x86_64"],
                "manifests": ["{}"], "environment": {"VK_LOADER_DEBUG": "all"}, "application_library_folder": "/own",
                "drivers": [{"name": "s", "system": true}, {"name": "p", "package": "/p.zip", "unpack_to": "/cache"}],
                "use": "p"}"#,
        )
        .unwrap();
        assert_eq!(options.layers[1].as_slice(), b"VK_LAYER_b");
        let folders: std::vec::Vec<&[u8]> = options.folders.iter().map(|folder| folder.as_slice()).collect();
        assert_eq!(folders, [&b"/x"[..], b"/y/base.apk!/lib/x86_64", b"/own"]);
        assert_eq!(options.environment[0].0.as_slice(), b"VK_LOADER_DEBUG");
        assert_eq!((options.used, &options.drivers[0].source), (Some(1), &DriverSource::System));
        assert!(Options::parse(b"{}").unwrap().drivers.is_empty());
    }

    #[test]
    fn a_mistake_in_the_options_is_named() {
        for (options, words) in [
            ("", "the options are not JSON"),
            ("[]", "a JSON object"),
            (r#"{"layer": []}"#, "cannot have \"layer\"; known are layers, layer_folders"),
            (r#"{"layers": "x"}"#, "\"layers\" takes a list"),
            ("{\n\"layers\": [1]}", "line 2: \"layers\" takes a string"),
            (r#"{"layer_folders": ["/a:b"]}"#, "cannot have colons"),
            (r#"{"layers": ["a\u0000"]}"#, "NUL"),
            (r#"{"driver": {"libary": "x"}}"#, "a driver cannot have \"libary\""),
            (r#"{"driver": {"package": "x"}}"#, "unpack_to"),
            (r#"{"driver": {"system": true}, "drivers": []}"#, "not both"),
            ("{\"layers\": [],\n\"layers\": []}", "line 2: \"layers\" occurs twice"),
            (r#"{"driver": {"system": true}, "driver": {"system": true}}"#, "\"driver\" occurs twice"),
            (
                r#"{"drivers": [{"name": "a", "system": true}, {"name": "a", "library": "/x.so"}]}"#,
                "two of \"drivers\" have the \"name\" a",
            ),
            (r#"{"drivers": [{"system": true}]}"#, "needs a \"name\""),
            (r#"{"drivers": [{"name": "a", "system": true}], "use": "b"}"#, "\"use\" is b"),
        ] {
            let said = mistake(options);
            assert!(said.contains(words), "{options}: {said}");
        }
    }
}
