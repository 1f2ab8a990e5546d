//! Which settings file is used, and its settings for this program. The rules are in
//! `docs/settings-file.md`.
#![forbid(unsafe_code)]

use super::inquiry::answer;
use super::inquiry::{Incomplete, Inquiry, Step};
use super::plan::{Origin, SearchResult, Searched};
use super::reason::SkipReason;
use super::search_paths::{SearchPath, add_default_paths};
use super::{Policy, Snapshot};
use crate::manifest::{FieldProblem, Settings, SettingsFile, SettingsWarning};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use crate::platform::FileError;
use crate::platform::Platform;

#[derive(Debug, Default)]
pub struct SettingsPlan {
    /// The file that is used. Empty without one.
    pub path: Text,
    pub unusable: Option<SkipReason>,
    pub file: SettingsFile,
    /// The index in the file of the settings for this program.
    pub chosen: Option<usize>,
}

/// The settings, and the answers that they were made from.
#[derive(Debug, Default)]
pub struct KnownSettings {
    pub snapshot: Snapshot,
    pub plan: SettingsPlan,
    /// Whether the drivers are fixed, so that leaving one out is reported regardless of filters.
    pub has_fixed_drivers: bool,
}

impl SettingsPlan {
    pub fn in_force(&self) -> Option<&Settings> {
        self.file.objects.get(self.chosen?)
    }
}

impl KnownSettings {
    pub fn discover(platform: &Platform, policy: &Policy) -> Result<Self, OutOfMemory> {
        let mut snapshot = Snapshot::new();
        let plan = answer(platform, &mut snapshot, None, |inquiry| plan_file(inquiry, policy))?;
        Ok(Self { snapshot, plan, has_fixed_drivers: false })
    }

    /// Returns every possible path, in order, and whether it is a file: for display.
    pub fn searched(&self, policy: &Policy) -> Result<Vec<Searched>, OutOfMemory> {
        let mut inquiry = Inquiry::new(&self.snapshot, None);
        let (mut search_paths, mut searched) = (Vec::new(), Vec::new());
        add_default_paths(&mut inquiry, policy, &policy.settings, &mut search_paths)?;
        for entry in in_order(&search_paths) {
            let exists = inquiry.exists(&entry.path)?;
            let result = if exists { SearchResult::File } else { SearchResult::Failed(FileError::NotFound) };
            searched.try_push(Searched { path: text(&[&entry.path])?, origin: entry.origin, result })?;
        }
        Ok(searched)
    }
}

/// Finds the settings file and its settings for this program, or returns the questions to answer
/// first.
pub fn plan_settings(snapshot: &Snapshot, policy: &Policy) -> Result<Step<SettingsPlan>, OutOfMemory> {
    let mut inquiry = Inquiry::new(snapshot, None);
    let plan = plan_file(&mut inquiry, policy);
    inquiry.step(plan)
}

fn plan_file(inquiry: &mut Inquiry<'_>, policy: &Policy) -> Result<SettingsPlan, Incomplete> {
    let mut plan = SettingsPlan::default();
    let elevated = inquiry.elevated()?;
    let mut search_paths = Vec::new();
    add_default_paths(inquiry, policy, &policy.settings, &mut search_paths)?;
    inquiry.settle()?;
    for entry in in_order(&search_paths) {
        if inquiry.exists(&entry.path)? && plan.path.is_empty() {
            plan.path = text(&[&entry.path])?;
        }
    }
    inquiry.settle()?;
    if plan.path.is_empty() {
        return Ok(plan);
    }
    let content = inquiry.file(&plan.path)?;
    inquiry.settle()?;
    let folder = plan.path.iter().rposition(|byte| *byte == b'/').and_then(|slash| plan.path.get(..=slash));
    match content {
        Err(error) => plan.unusable = Some(SkipReason::Unreadable(error)),
        Ok(bytes) => match SettingsFile::parse(bytes, folder.unwrap_or_default())? {
            Err(error) => plan.unusable = Some(SkipReason::Invalid(error)),
            Ok(file) => plan.file = file,
        },
    }
    let asks = plan.file.objects.iter().any(|object| object.app_keys.is_some());
    let program = if asks { inquiry.executable()? } else { None };
    inquiry.settle()?;
    plan.chosen = plan.file.choose(program);
    if elevated {
        forget_files(&mut plan)?;
    }
    Ok(plan)
}

fn in_order(search_paths: &[SearchPath]) -> impl Iterator<Item = &SearchPath> {
    (0..3).flat_map(move |wanted| search_paths.iter().filter(move |entry| rank(entry.origin) == wanted))
}

/// Returns the user's own folders come first, those that variables name before their fallbacks.
fn rank(origin: Origin) -> u8 {
    match origin {
        Origin::Variable(name) if name.to_bytes().ends_with(b"_HOME") => 0,
        Origin::Fallback(name) if name.to_bytes().ends_with(b"_HOME") => 1,
        _ => 2,
    }
}

/// Removes the files that messages would be appended to: a process with more rights than its user
/// must not be made to write to them.
fn forget_files(plan: &mut SettingsPlan) -> Result<(), OutOfMemory> {
    let chosen = plan.chosen.and_then(|chosen| plan.file.objects.get_mut(chosen));
    if let Some(settings) = chosen.filter(|settings| !settings.log_locations.is_empty()) {
        settings.log_locations = Vec::new();
        let (field, problem) = (text(&[b"log_locations"])?, FieldProblem::Elevated);
        plan.file.warnings.try_push(SettingsWarning { field, problem, line: settings.line })?;
    }
    Ok(())
}
