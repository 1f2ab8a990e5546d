//! Asks the loader.

use ash::{Entry, StaticFn};
use vkload_core::discovery::{Note, Origin, Plan, Request};
use vkload_core::drivers::FoundDrivers;
use vkload_core::drivers::{BestReason, best_reason};
use vkload_core::loader::Loader;
use vkload_core::manifest::ManifestWarning;
use vkload_core::memory::OutOfMemory;
use vkload_core::negotiation::DriverStatus;
use vkload_core::objects;

use super::layers::LayerProblem;
use super::report::{Driver, Problem, Report};
use super::{built_in, devices, layers};
use crate::facts;
use crate::own_loader::{self, LOADER};
use crate::planned::{Planned, content};
use crate::searched::SearchPath;
use crate::view::DriverView;

/// Returns the findings of this program's loader in this process.
pub(crate) fn gather() -> Report {
    // SAFETY: this is the loader's own vkGetInstanceProcAddr.
    report_on(&LOADER, &unsafe {
        Entry::from_static_fn(StaticFn { get_instance_proc_addr: own_loader::find() })
    })
}

/// Returns the findings of `loader`, whose functions are in `entry`.
pub(crate) fn report_on(loader: &'static Loader, entry: &Entry) -> Report {
    let mut report = Report::default();
    let failure = devices::fill(&mut report, entry).err();
    if layers::fill(&mut report, loader).is_err() {
        report.notes.push("memory ran out while searching for layers".into());
    }
    // Drivers of a part of Vulkan are shown too, so they are asked for.
    let logger = loader.logger();
    match logger.and_then(|logger| loader.discover(Request { portability: true }, &logger)) {
        Ok(drivers) => {
            let probed = probe_all(&drivers);
            let outcomes: Vec<_> = drivers.outcomes.iter().chain(&probed).collect();
            fill(&mut report, &drivers.plan, &outcomes);
            explain(&mut report, &drivers.plan, &outcomes);
        }
        Err(_) => report.notes.push("memory ran out while searching for drivers".into()),
    }
    report.notes.extend(failure.map(|failure| format!("programs get VK_{failure:?}")));
    if !report.has_device() {
        built_in::try_out(&mut report, entry);
    }
    report
}

/// Returns the report of the recorded plans, without opening anything, and with the known `fault` of a layer, by its position.
pub(crate) fn plan_only(
    planned: &Planned,
    fault: &dyn Fn(usize) -> Option<LayerProblem>,
) -> Result<Report, OutOfMemory> {
    let mut report = Report::default();
    let read = |path: &[u8]| content(&planned.snapshot, path).map(<[u8]>::to_vec);
    layers::describe(&mut report, &planned.layers, &read, fault)?;
    fill(&mut report, &planned.drivers, &[]);
    Ok(report)
}

/// Creates an instance of each driver alone, since an application's instance shows only whether any of them works.
fn probe_all(drivers: &FoundDrivers) -> Vec<(usize, DriverStatus)> {
    drivers.open.iter().filter_map(|(index, driver)| Some((*index, objects::probe(*driver).ok()?))).collect()
}

/// Fills in the plan and the outcomes of its drivers, each by its position in the plan.
fn fill(report: &mut Report, plan: &Plan, outcomes: &[&(usize, DriverStatus)]) {
    for (view, candidate) in DriverView::all(plan).into_iter().zip(&plan.drivers) {
        let index = view.index;
        let of_driver = outcomes.iter().filter(|outcome| outcome.0 == index).map(|outcome| &outcome.1);
        report.drivers.push(opened(view, candidate.warning.as_ref(), of_driver));
    }
    report.searched.extend(plan.searched.iter().map(SearchPath::new));
    report.notes.extend(plan.notes.iter().map(ToString::to_string));
}

fn explain(report: &mut Report, plan: &Plan, outcomes: &[&(usize, DriverStatus)]) {
    if !report.has_device() {
        let reason = best_reason(plan, outcomes.iter().copied());
        let advice = if lacks_a_driver(&reason) { how_to_install() } else { Vec::new() };
        report.problem = Some(Problem { reason: reason.to_string(), advice });
    }
}

/// Returns the steps to install a driver, one per line.
fn how_to_install() -> Vec<String> {
    let command = facts::install_driver().map_or_else(
        || "Install your distribution's Vulkan drivers: Mesa's for AMD, Intel and others".to_owned(),
        |command| format!("Install a driver: {command}"),
    );
    vec![command, "For an NVIDIA GPU install the vendor's driver; its Vulkan part comes with it.".to_owned()]
}

/// Returns whether installing a driver would help. Everything else says itself what to do.
fn lacks_a_driver(reason: &BestReason<'_>) -> bool {
    match reason {
        BestReason::NothingFound(plan) => {
            let replaced =
                plan.searched.iter().any(|searched| matches!(searched.origin, Origin::Replacing(_)));
            !replaced && !plan.notes.iter().any(|note| matches!(note, Note::ReplacedByNothing { .. }))
        }
        BestReason::Failed(_, outcome) => matches!(outcome, DriverStatus::NoDevices),
        BestReason::NothingFailed(_) => true,
        BestReason::Unread(searched) => !matches!(searched.origin, Origin::Replacing(_) | Origin::Service),
        BestReason::Skipped(..) => false,
    }
}

/// Returns a driver with the outcomes of opening it.
fn opened<'a>(
    mut view: DriverView,
    warning: Option<&ManifestWarning>,
    outcomes: impl Iterator<Item = &'a DriverStatus>,
) -> Driver {
    let mut remarks = Vec::from_iter((!view.remark.is_empty()).then(|| std::mem::take(&mut view.remark)));
    remarks.extend(warning.map(ToString::to_string));
    let mut count = 0;
    for outcome in outcomes {
        if let DriverStatus::Used { devices, .. } = outcome {
            count = *devices;
            continue;
        }
        if outcome.is_failure() {
            (view.used, view.outcome) = (false, outcome.id().into());
        }
        remarks.push(outcome.to_string());
    }
    Driver { view: DriverView { remark: remarks.join("; "), ..view }, devices: count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vkload_core::discovery::{Candidate, DriverDecision, DriverKind, SearchResult, SkipReason};
    use vkload_core::manifest::Version;
    use vkload_core::memory::text;

    fn candidate(decision: DriverDecision) -> Candidate {
        Candidate {
            path: text(&[b"/x.json"]).unwrap(),
            found_in: 0,
            library: text(&[b"libx.so"]).unwrap(),
            kind: DriverKind::Icd,
            api_version: Version::new(1, 3, 5),
            portability: false,
            warning: None,
            decision,
        }
    }

    #[test]
    fn a_driver_is_used_if_it_was_to_be_and_opening_it_went_well() {
        let used = |decision, outcome| {
            let mut plan = Plan::default();
            plan.drivers.push(candidate(decision));
            let mut report = Report::default();
            fill(&mut report, &plan, &[&(0, outcome)]);
            (report.drivers[0].view.used, report.drivers[0].view.remark.is_empty())
        };
        let good = || DriverStatus::Used { interface: 5, devices: 1 };
        assert_eq!(used(DriverDecision::Use, good()), (true, true));
        assert_eq!(used(DriverDecision::Use, DriverStatus::NoDevices), (false, false));
        let lie =
            DriverStatus::ApiVersionLie { manifest: Version::new(1, 1, 0), driver: Version::new(1, 0, 0) };
        assert_eq!(used(DriverDecision::Use, lie), (true, false));
        assert_eq!(used(DriverDecision::Skip(SkipReason::PortabilityNotAsked), good()), (false, false));
    }

    #[test]
    fn every_candidate_and_every_search_path_is_in_the_report() {
        let mut plan = Plan::default();
        plan.drivers.push(candidate(DriverDecision::Use));
        plan.searched.push(vkload_core::discovery::Searched {
            path: text(&[b"/icd.d"]).unwrap(),
            origin: Origin::Fallback(c"XDG_DATA_DIRS"),
            result: SearchResult::Folder { manifests: 1 },
        });
        let mut report = Report::default();
        let outcomes = [&(0, DriverStatus::NoEntryPoint)];
        fill(&mut report, &plan, &outcomes);
        explain(&mut report, &plan, &outcomes);
        assert_eq!(report.drivers[0].view.manifest, "/x.json");
        assert_eq!(report.drivers[0].view.api_version, "1.3.5");
        assert_eq!(report.drivers[0].view.found_by, "XDG_DATA_DIRS is unset");
        assert!(!report.drivers[0].view.used);
        assert_eq!(report.drivers[0].view.outcome, "no-entry-point");
        assert_eq!(report.searched[0].found, "1 manifest");
        assert!(report.problem.is_some(), "there is no device");
    }
}
