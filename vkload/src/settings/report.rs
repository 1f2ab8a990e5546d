//! The settings file in use, its content, and its problems.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vkload_core::discovery::{KnownSettings, SearchResult, SkipReason};
use vkload_core::manifest::{Settings, SettingsFile, SettingsWarning};
use vkload_linux::POLICY;

use crate::arguments::SettingsArguments;
use crate::escape;
use crate::lossless;
use crate::own_loader::PLATFORM;

/// Returns the findings, and whether nothing is wrong.
pub(super) fn report(options: &SettingsArguments) -> Result<(String, bool), String> {
    let report = match &options.file {
        Some(file) => check(file)?,
        None => search()?,
    };
    let program = options.program.as_deref();
    let text = if options.json { escape::json(&report.json(program)) } else { report.text(program) };
    let is_fine = report.unusable.is_none() && report.file.warnings.is_empty() && report.notes.is_empty();
    Ok((text, is_fine))
}

/// A settings file, or the reason for its absence.
#[derive(Default)]
struct Report {
    path: Option<PathBuf>,
    unusable: Option<String>,
    file: SettingsFile,
    /// The searched paths: the path, whose path it is, and whether the file exists.
    searched: Vec<(String, String, bool)>,
    notes: Vec<String>,
}

fn check(path: &Path) -> Result<Report, String> {
    let problem = |error: io::Error| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(problem)?;
    let path = std::path::absolute(path).map_err(problem)?;
    let folder = path.parent().unwrap_or(Path::new("/")).join("");
    let mut report = Report { path: Some(path), ..Report::default() };
    match SettingsFile::parse(&bytes, folder.as_os_str().as_bytes()).map_err(|_| "memory ran out")? {
        Ok(file) => report.file = file,
        Err(error) => report.unusable = Some(error.to_string()),
    }
    Ok(report)
}

/// Returns the file that programs of this user get.
fn search() -> Result<Report, String> {
    let known = KnownSettings::discover(&PLATFORM, &POLICY).map_err(|_| "memory ran out")?;
    let mut report = Report::default();
    for file in known.searched(&POLICY).map_err(|_| "memory ran out")? {
        let (path, because) = (lossless::text(&file.path), file.origin.to_string());
        report.searched.push((path, because, file.result == SearchResult::File));
    }
    let plan = known.plan;
    report.path = (!plan.path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&plan.path)));
    report.unusable = plan.unusable.map(|reason| match reason {
        SkipReason::Invalid(error) => error.to_string(),
        reason => reason.to_string(),
    });
    report.file = plan.file;
    report.notes.extend(note_of_configurator(report.path.as_deref()));
    Ok(report)
}

/// Returns a note if Vulkan Configurator's file exists but is not used. Its path does not depend on variables.
fn note_of_configurator(counts: Option<&Path>) -> Option<String> {
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let written = home.join(".local/share/vulkan/loader_settings.d/vk_loader_settings.json");
    if !written.exists() || counts == Some(&written) {
        return None;
    }
    let written = written.display();
    Some(match (counts, std::env::var_os("XDG_DATA_HOME")) {
        (_, Some(data)) if !data.is_empty() => format!(
            "{written}, where Vulkan Configurator writes, is not looked at, since XDG_DATA_HOME is {}",
            data.display()
        ),
        _ => {
            format!("{written}, where Vulkan Configurator writes, is ignored, since another file comes first")
        }
    })
}

impl Report {
    /// Returns the file's settings for a program, or for programs that it does not name.
    fn settings(&self, program: Option<&Path>) -> Option<&Settings> {
        let program = program.map(|program| program.as_os_str().as_bytes());
        self.file.objects.get(self.file.choose(program)?)
    }

    fn programs(&self) -> Vec<String> {
        let keys = self.file.objects.iter().flat_map(|settings| settings.app_keys.iter().flatten());
        keys.map(|key| lossless::text(key)).collect()
    }

    fn text(&self, program: Option<&Path>) -> String {
        let mut out = String::new();
        let mut line = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        match (&self.path, &self.unusable) {
            (None, _) => line("No settings file exists."),
            (Some(path), Some(why)) => line(&format!("{} is ignored: {why}", path.display())),
            (Some(path), None) => {
                let whom = program.map_or("programs".to_owned(), |path| path.display().to_string());
                match self.settings(program) {
                    Some(settings) => {
                        line(&format!(
                            "{}, line {}, has these settings for {whom}:",
                            path.display(),
                            settings.line
                        ));
                        let written = said(settings);
                        let written = written.as_str().map_or_else(|| format!("{written:#}"), str::to_owned);
                        written.lines().for_each(|text| line(&format!("  {text}")));
                    }
                    None => {
                        let whom = if program.is_none() { "programs that it does not name" } else { &whom };
                        line(&format!("{} has no settings for {whom}.", path.display()));
                    }
                }
                if !self.programs().is_empty() {
                    line("\nPrograms that it names");
                    self.programs().iter().for_each(|name| line(&escape::line(&format!("  {name}"))));
                }
            }
        }
        if !self.file.warnings.is_empty() || !self.notes.is_empty() {
            line("\nWarnings");
            self.file.warnings.iter().for_each(|warning| line(&format!("  {warning}")));
            self.notes.iter().for_each(|note| line(&format!("  {note}")));
        }
        if !self.searched.is_empty() {
            line("\nSearched in this order; the first file found is used");
            for (path, because, exists) in &self.searched {
                line(&format!("  {path} ({because}): {}", if *exists { "a file" } else { "nothing" }));
            }
        }
        out
    }

    /// Returns the report in the format of `docs/schemas/settings-report.schema.json`.
    fn json(&self, program: Option<&Path>) -> Value {
        let warning = |warning: &SettingsWarning| {
            json!({
                "field": lossless::text(&warning.field),
                "line": warning.line,
                "problem": warning.problem.to_string(),
            })
        };
        let file = |(path, because, exists): &(String, String, bool)| json!({ "path": path, "because": because, "exists": exists });
        json!({
            "format": 1,
            "file": self.path.as_ref().map(|path| path.display().to_string()),
            "unusable": self.unusable,
            "settings": self.settings(program).map(said),
            "line": self.settings(program).map(|settings| settings.line),
            "programs": self.programs(),
            "warnings": self.file.warnings.iter().map(warning).collect::<Vec<_>>(),
            "notes": self.notes,
            "searched": self.searched.iter().map(file).collect::<Vec<_>>(),
        })
    }
}

/// Returns the content of an object with settings; as text if only a lenient reader accepts it.
fn said(settings: &Settings) -> Value {
    let text = String::from_utf8_lossy(&settings.written);
    serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.trim().to_owned()))
}
