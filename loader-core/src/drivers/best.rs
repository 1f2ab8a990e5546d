//! Chooses which of many reasons to show if no driver can be used.
#![forbid(unsafe_code)]

use core::fmt;

use crate::discovery::{
    Candidate, DriverDecision, IgnoreReason, Name, Note, Origin, Plan, SearchResult, Searched, SkipReason,
};
use crate::memory::Escaped;
use crate::negotiation::DriverStatus;
use crate::platform::FileError;

/// Why no driver can be used. Displayed as one line with the defect and a remedy.
#[derive(Clone, Copy, Debug)]
pub enum BestReason<'a> {
    Failed(&'a Candidate, &'a DriverStatus),
    /// A driver was found and not opened.
    Skipped(&'a Candidate, &'a SkipReason),
    /// Drivers were found and opened without a fault: they have no device at the moment.
    NothingFailed(&'a Plan),
    /// No manifest was found, and this file or folder could not be read.
    Unread(&'a Searched),
    NothingFound(&'a Plan),
}

/// Returns the most useful explanation if no driver could be used. `outcomes` come from this attempt, each
/// with its driver's index in the plan.
///
/// That is the most likely defect: first a driver that opens and fails, then one that does not open, then one
/// that a user excluded, then a broken manifest. Last come reasons that are normal on a healthy machine:
/// drivers for missing devices, and drivers for another pointer width.
pub fn best_reason<'a>(
    plan: &'a Plan,
    outcomes: impl IntoIterator<Item = &'a (usize, DriverStatus)>,
) -> BestReason<'a> {
    let failed = outcomes.into_iter().filter_map(|(index, outcome)| {
        let driver = plan.drivers.get(*index)?;
        Some((outcome.weight()?, BestReason::Failed(driver, outcome)))
    });
    let skipped = plan.drivers.iter().filter_map(|driver| match &driver.decision {
        DriverDecision::Skip(reason) => Some((reason.weight()?, BestReason::Skipped(driver, reason))),
        DriverDecision::Use => None,
    });
    let otherwise = match (plan.used().next(), unread(plan)) {
        (Some(_), _) => BestReason::NothingFailed(plan),
        (None, Some(searched)) => BestReason::Unread(searched),
        (None, None) => BestReason::NothingFound(plan),
    };
    let mut best = (0, otherwise);
    for weighed in failed.chain(skipped) {
        if weighed.0 > best.0 {
            best = weighed;
        }
    }
    best.1
}

impl BestReason<'_> {
    pub fn id(&self) -> &'static str {
        match self {
            Self::Failed(_, outcome) => outcome.id(),
            Self::Skipped(_, reason) => reason.id(),
            Self::NothingFailed(_) => "no-devices",
            Self::Unread(searched) => searched.result.id(),
            Self::NothingFound(_) => "no-manifest",
        }
    }
}

impl fmt::Display for BestReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(driver, outcome) => write!(f, "{}: {outcome}", Escaped(&driver.path)),
            Self::Skipped(driver, reason) => write!(f, "{}: {reason}", Escaped(&driver.path)),
            Self::NothingFailed(plan) => write!(
                f,
                "drivers loaded: {}, but none of them found a device; check that the device is there and that you have permission to use it",
                plan.used().count()
            ),
            Self::Unread(Searched { path, origin, result }) => {
                let remedy = match origin {
                    Origin::Replacing(_) => "correct or unset the variable",
                    Origin::Service => "add it to the services that the component's manifest uses",
                    _ => "make it readable, or install a Vulkan driver",
                };
                let path = Escaped(path);
                write!(f, "no driver manifest was found: {path} ({origin}) {result}; {remedy}")
            }
            Self::NothingFound(plan) => nothing_found(plan, f),
        }
    }
}

/// Returns the search path that most likely hides the drivers: one that exists and cannot be read, or a missing
/// one on which the whole search depends.
fn unread(plan: &Plan) -> Option<&Searched> {
    plan.searched.iter().find(|searched| match (searched.result, searched.origin) {
        (SearchResult::Failed(FileError::NotFound), Origin::Replacing(_) | Origin::Service) => true,
        (SearchResult::Failed(error), _) => error != FileError::NotFound,
        _ => false,
    })
}

fn nothing_found(plan: &Plan, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let replaced_by_nothing = plan.notes.iter().find(|note| matches!(note, Note::ReplacedByNothing { .. }));
    if let Some(note) = replaced_by_nothing {
        return write!(f, "{note}");
    }
    let first = plan.searched.first().map(|searched| searched.origin);
    if let Some(Origin::Replacing(variable)) = first {
        return write!(
            f,
            "{} is set, but leads to no driver manifest (a file whose name ends in .json); correct or unset it",
            Name(variable)
        );
    }
    if plan.searched.is_empty() {
        return f.write_str("the list of drivers that replaces the search is empty; add a driver to it");
    }
    for note in &plan.notes {
        if matches!(note, Note::VariableIgnored { because: IgnoreReason::Elevated, .. }) {
            write!(f, "{note}; ")?;
        }
    }
    write!(
        f,
        "none of the {} folders that were searched has a driver manifest; install a Vulkan driver for this device",
        plan.searched.len()
    )
}
