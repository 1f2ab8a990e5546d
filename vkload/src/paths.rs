//! `vkload paths`: everything that is looked at, and why. No library is opened.

use std::process::ExitCode;

use serde_json::json;
use vkload_core::discovery::{SearchResult, Searched};

use crate::escape;
use crate::lossless;
use crate::output;
use crate::planned::Planned;
use crate::searched::SearchPath;
use crate::table::section;

/// Prints the paths that the loader of programs searches here, or vkload's own.
pub(crate) fn print(own: bool, json: bool) -> ExitCode {
    let planned = if own { Planned::here() } else { Planned::in_use() };
    output::answer(planned.map(|planned| (render(&planned, json), true)))
}

pub(crate) fn render(planned: &Planned, json: bool) -> String {
    let paths = |searched: &[Searched]| searched.iter().map(SearchPath::new).collect::<Vec<_>>();
    let kinds = [
        ("Drivers", "drivers", paths(&planned.drivers.searched)),
        ("Layers", "layers", paths(&planned.layers.searched)),
        ("Settings", "settings", settings(planned)),
    ];
    let of_drivers = planned.drivers.notes.iter().map(ToString::to_string);
    let notes: Vec<_> = of_drivers.chain(planned.layers.notes.iter().map(ToString::to_string)).collect();
    if json {
        let mut object = json!({ "format": 1, "notes": notes });
        kinds.iter().for_each(|(_, name, paths)| object[*name] = json!(paths));
        return escape::json(&object);
    }
    let mut out = String::new();
    for (title, _, paths) in &kinds {
        section(&mut out, title, &SearchPath::table(paths));
    }
    for note in notes {
        out.push_str(&format!("\nNote: {note}\n"));
    }
    out.trim_start().to_owned()
}

/// Returns the possible paths of the settings file. The first that exists is used.
fn settings(planned: &Planned) -> Vec<SearchPath> {
    let is_used = |searched: &Searched| searched.path == planned.settings.plan.path;
    let searched_file = |searched: &Searched| {
        let found = match searched.result {
            SearchResult::File if is_used(searched) => "the settings file that is used",
            SearchResult::File => "a settings file that is ignored",
            _ => "nothing",
        };
        SearchPath {
            path: lossless::text(&searched.path),
            because: searched.origin.to_string(),
            found: found.into(),
        }
    };
    planned.searched_settings.iter().map(searched_file).collect()
}
