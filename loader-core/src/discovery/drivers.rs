//! Finds drivers on the search paths.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::filter::NameFilter;
use super::inquiry::{Incomplete, Inquiry};
use super::kind::DriverKind;
use super::manifests::{Manifest, first_of_path, library, look};
use super::order::first_equal;
use super::plan::{Candidate, DriverDecision, Origin, Plan};
#[cfg(feature = "foreign-handles")]
use super::plan::{SearchResult, Searched};
use super::policy::{Policy, Request};
use super::reason::SkipReason;
#[cfg(feature = "foreign-handles")]
use super::search_paths::elements;
use super::search_paths::{Choices, SearchPath, Setting};
use crate::manifest::{DriverManifest, Settings, Version};
#[cfg(feature = "foreign-handles")]
use crate::memory::text;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec};
use crate::platform::FileError;

/// Makes the plan, in stages: the user's variables; the search paths; the manifests there; the
/// content of each; the manifests that name the same library.
///
/// Drivers from the settings file come first, from the last to the first, so that their devices are
/// enumerated in the file's order.
pub(super) fn plan_drivers(
    inquiry: &mut Inquiry<'_>,
    request: &Request,
    policy: &Policy,
    settings: Option<&Settings>,
) -> Result<Plan, Incomplete> {
    let mut plan = Plan::default();
    let mut choices = Choices::read(inquiry, policy, &policy.drivers)?;
    #[cfg(feature = "foreign-handles")]
    let other_loaders = match policy.other_loaders {
        Some(name) => inquiry.variable(name, policy.reader)?.map(|value| (name, value)),
        None => None,
    };
    if settings.is_some_and(|settings| settings.devices.is_some()) {
        choices = choices.ignored(&mut plan.notes)?;
    } else {
        plan.notes = choices.notes(inquiry, policy, &policy.drivers)?;
    }
    let mut search_paths = Vec::new();
    for path in settings.iter().flat_map(|settings| settings.additional_drivers.iter().rev()) {
        search_paths.try_push(SearchPath::named(path, Origin::Settings)?)?;
    }
    if !settings.is_some_and(|settings| settings.additional_drivers_use_exclusively) {
        search_paths = choices.search_paths(inquiry, policy, &policy.drivers, search_paths)?;
    }
    let manifests = look(inquiry, search_paths, &mut plan.searched, &mut plan.notes)?;
    let ignored = ignored_unread(&manifests, &choices)?;
    let mut contents = Vec::new();
    for (manifest, ignored) in manifests.iter().zip(&ignored) {
        contents.try_push(if ignored.is_some() { Ok(&[][..]) } else { inquiry.file(&manifest.path)? })?;
    }
    inquiry.settle()?;
    // The plan stays as long as the process.
    plan.drivers.try_fit(manifests.len())?;
    for (manifest, (ignored, content)) in manifests.into_iter().zip(ignored.iter().zip(contents)) {
        let candidate = match ignored {
            Some(reason) => Candidate::unread(manifest, *reason),
            None => Candidate::read(manifest, content, request, policy)?,
        };
        plan.drivers.try_push(candidate)?;
    }
    skip_duplicates(inquiry, &mut plan.drivers)?;
    #[cfg(feature = "foreign-handles")]
    for library in other_loaders.iter().flat_map(|(_, list)| elements(list)) {
        add_other_loader(&mut plan, other_loaders, library)?;
    }
    Ok(plan)
}

/// Adds another loader after the drivers. The devices of drivers found later are enumerated earlier, so an
/// application first sees the devices that it would have without this loader.
#[cfg(feature = "foreign-handles")]
fn add_other_loader(plan: &mut Plan, by: Option<Setting<'_>>, library: &[u8]) -> Result<(), OutOfMemory> {
    let found_in = plan.searched.len();
    let origin = by.map_or(Origin::BuiltIn("another loader"), |(name, _)| Origin::Adding(name));
    plan.searched.try_push(Searched { path: text(&[library])?, origin, result: SearchResult::File })?;
    plan.drivers.try_push(Candidate::without_manifest(library, found_in, DriverKind::SystemLoader)?)
}

/// Returns, for each manifest, the reason not to read it, if any.
fn ignored_unread(
    manifests: &[Manifest],
    choices: &Choices<'_>,
) -> Result<Vec<Option<SkipReason>>, OutOfMemory> {
    let (select, disable) = (filter(choices.select), filter(choices.disable));
    let mut ignored = Vec::new();
    for ((at, manifest), first) in manifests.iter().enumerate().zip(first_of_path(manifests)?) {
        let name = manifest.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        ignored.try_push(match (select, disable) {
            _ if first != at => Some(SkipReason::ManifestRepeated { of: first }),
            (Some((by, wanted)), _) if !wanted.matches(name) => Some(SkipReason::NotSelected { by }),
            (None, Some((by, unwanted))) if unwanted.matches(name) => Some(SkipReason::Disabled { by }),
            _ => None,
        })?;
    }
    Ok(ignored)
}

pub(super) fn filter<'a>(setting: Option<Setting<'a>>) -> Option<(&'static CStr, NameFilter<'a>)> {
    let (by, value) = setting?;
    Some((by, NameFilter::new(value)?))
}

impl Candidate {
    fn unread(manifest: Manifest, reason: SkipReason) -> Self {
        Self {
            path: manifest.path,
            found_in: manifest.found_in,
            library: Text::new(),
            api_version: Version::default(),
            portability: false,
            kind: DriverKind::Icd,
            warning: None,
            decision: DriverDecision::Skip(reason),
        }
    }

    fn read(
        manifest: Manifest,
        content: Result<&[u8], FileError>,
        request: &Request,
        policy: &Policy,
    ) -> Result<Self, OutOfMemory> {
        let said = match content {
            Err(error) => return Ok(Self::unread(manifest, SkipReason::Unreadable(error))),
            Ok(bytes) => match DriverManifest::parse(bytes)? {
                Err(error) => return Ok(Self::unread(manifest, SkipReason::Invalid(error))),
                Ok(said) => said,
            },
        };
        let decision = decide(&said, request, policy).map_or(DriverDecision::Use, DriverDecision::Skip);
        Ok(Self {
            library: library(said.library_path, &manifest.path)?,
            path: manifest.path,
            found_in: manifest.found_in,
            api_version: said.api_version,
            portability: said.portability,
            kind: DriverKind::Icd,
            warning: said.warning,
            decision,
        })
    }
}

/// Returns why a driver's manifest excludes it; `None` if it does not.
fn decide(said: &DriverManifest, request: &Request, policy: &Policy) -> Option<SkipReason> {
    if said.api_version.variant != 0 || said.api_version.major != 1 {
        return Some(SkipReason::ApiVersion { version: said.api_version });
    }
    if let Some(library) = said.library_arch.filter(|bits| *bits != policy.pointer_width) {
        return Some(SkipReason::LibraryArch { library, process: policy.pointer_width });
    }
    (said.portability && !request.portability).then_some(SkipReason::PortabilityNotAsked)
}

fn skip_duplicates(inquiry: &mut Inquiry<'_>, drivers: &mut [Candidate]) -> Result<(), Incomplete> {
    let mut used = Vec::new();
    for (at, driver) in
        drivers.iter().enumerate().filter(|(_, driver)| driver.decision == DriverDecision::Use)
    {
        used.try_push((at, driver.library.as_slice()))?;
    }
    if used.len() < 2 {
        return Ok(());
    }
    let mut keys = Vec::new();
    for (_, library) in &used {
        let identity = if library.contains(&b'/') { inquiry.identity(library)? } else { None };
        keys.try_push(identity.map_or(Library::Named(library.len(), library), Library::Is))?;
    }
    inquiry.settle()?;
    let mut duplicates = Vec::new();
    let firsts = first_equal(keys.len(), &mut |(one, other)| keys.get(one).cmp(&keys.get(other)))?;
    for ((at, _), first) in used.iter().zip(firsts) {
        match used.get(first) {
            Some((of, _)) if of != at => duplicates.try_push((*at, *of))?,
            _ => {}
        }
    }
    drop((keys, used));
    for (at, of) in duplicates {
        if let Some(driver) = drivers.get_mut(at) {
            driver.decision = DriverDecision::Skip(SkipReason::Duplicate { of });
        }
    }
    Ok(())
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Library<'a> {
    Is((u64, u64)),
    /// The library with this name. The length comes first in the order: few names have the same length, and
    /// drivers with numbers in their names are found in this order.
    Named(usize, &'a [u8]),
}
