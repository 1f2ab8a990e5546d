//! What is the matter, from what is known.

use super::machine::{Gpu, Loader, Machine, Node};
use crate::advice;
use crate::info::report::{Driver, Layer, Report};

/// Something that a user may want to know or do.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    /// A name that does not change.
    pub(super) id: String,
    /// The file or device that it is about. Empty where it is about none.
    pub(super) about: String,
    pub(super) what: String,
    /// What to do, one step each.
    pub(super) next: Vec<String>,
}

/// How grave a finding is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// Vulkan does not work because of it.
    Error,
    /// Something that should work does not.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Outcomes of drivers that say nothing bad of a machine: it lacks the device, or somebody wants it so.
const USUAL: &[&str] = &[
    "no-devices",
    "library-arch-mismatch",
    "portability-not-asked",
    "not-selected",
    "disabled",
    "manifest-repeated",
    "duplicate-library",
];

/// Outcomes of layers likewise.
const USUAL_OF_LAYERS: &[&str] = &[
    "not-asked-for",
    "enable-environment-not-set",
    "disable-environment-set",
    "disabled",
    "manifest-repeated",
    "name-taken",
    "library-arch-mismatch",
];

/// Everything that is to be said, the gravest first.
pub(super) fn findings(report: &Report, machine: &Machine) -> Vec<Finding> {
    let mut all = Vec::new();
    all.extend(no_device(report));
    all.push(loader(machine, report));
    all.extend(machine.nodes.iter().filter_map(|node| node_without_access(node, report)));
    all.extend(machine.gpus.iter().filter_map(|gpu| gpu_without_driver(gpu, machine, report)));
    all.extend(report.drivers.iter().filter_map(|driver| unused_driver(driver, report)));
    all.extend(report.layers.iter().filter_map(unused_layer));
    all.extend(report.notes.iter().map(|note| finding(Severity::Note, "search", "", note)));
    all.sort_by_key(|finding| finding.severity);
    all
}

fn finding(severity: Severity, id: &str, about: &str, what: &str) -> Finding {
    Finding { severity, id: id.to_owned(), about: about.to_owned(), what: what.to_owned(), next: Vec::new() }
}

fn no_device(report: &Report) -> Option<Finding> {
    let problem = report.problem.as_ref()?;
    let mut finding = finding(Severity::Error, "no-device", "", &problem.reason);
    finding.next.clone_from(&problem.advice);
    Some(finding)
}

/// The loader that programs get: this tool brings its own.
fn loader(machine: &Machine, report: &Report) -> Finding {
    match &machine.loader {
        Ok(Loader { path, version }) => {
            let what =
                format!("programs get this loader with Vulkan {version}; this tool has {}", report.vulkan);
            finding(Severity::Note, "loader", path, &what)
        }
        Err(words) => {
            let what = format!("programs that use Vulkan cannot load it: {words}");
            let mut finding = finding(Severity::Error, "no-loader", "libvulkan.so.1", &what);
            finding.next.push("Install a Vulkan loader: vkload's library, or the distribution's".to_owned());
            finding
        }
    }
}

fn node_without_access(node: &Node, report: &Report) -> Option<Finding> {
    if node.accessible {
        return None;
    }
    let severity = if report.has_device() { Severity::Warning } else { Severity::Error };
    let mut finding =
        finding(severity, "no-access", &node.path, "you may not read and write this device file");
    finding.next.push(match &node.group {
        Some(group) => {
            format!("Become a member of the group {group}: sudo usermod -aG {group} $USER; then log in again")
        }
        None => "Have its owner give you access".to_owned(),
    });
    Some(finding)
}

/// A device on the bus for whose maker no driver is used.
fn gpu_without_driver(gpu: &Gpu, machine: &Machine, report: &Report) -> Option<Finding> {
    if report.devices.iter().any(|device| device.vendor == gpu.vendor) {
        return None;
    }
    let name = gpu.name();
    let mut finding = finding(
        Severity::Warning,
        "gpu-without-driver",
        &gpu.place,
        &format!("no Vulkan driver drives this graphics device ({name}); programs run without it"),
    );
    let has_manifest = report.drivers.iter().any(|driver| gpu.is_driven_by(&driver.manifest));
    if has_manifest {
        finding.next.push("Its driver is installed; see below why it is not used".to_owned());
    } else {
        finding.next.extend(advice::install_a_driver());
    }
    if machine.nodes.is_empty() {
        finding.next.push(
            "There is no device file in /dev/dri: load the kernel's driver, or in a container let it in \
             (docker run --device /dev/dri)"
                .to_owned(),
        );
    }
    Some(finding)
}

fn unused_driver(driver: &Driver, report: &Report) -> Option<Finding> {
    if driver.used && driver.remark.is_empty() {
        return None;
    }
    let usual = driver.used || USUAL.contains(&driver.outcome.as_ref());
    // The reason why nothing works is said already.
    if report
        .problem
        .as_ref()
        .is_some_and(|problem| problem.reason.starts_with(&format!("{}: ", driver.manifest)))
    {
        return None;
    }
    // That there are drivers for other devices is no news while one works.
    if report.has_device() && driver.outcome == "no-devices" {
        return None;
    }
    let severity = if usual { Severity::Note } else { Severity::Warning };
    Some(finding(severity, &driver.outcome, &driver.manifest, &driver.remark))
}

fn unused_layer(layer: &Layer) -> Option<Finding> {
    if layer.active || USUAL_OF_LAYERS.contains(&layer.outcome) {
        return None;
    }
    let severity = if layer.implicit { Severity::Warning } else { Severity::Note };
    Some(finding(
        severity,
        layer.outcome,
        &layer.manifest,
        &format!("this layer cannot be used: {}", layer.remark),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::report::{Device, Problem};

    fn machine() -> Machine {
        let loader = Loader { path: "/lib/libvulkan.so.1".into(), version: "1.3.239".into() };
        Machine { gpus: Vec::new(), nodes: Vec::new(), loader: Ok(loader) }
    }

    fn working() -> Report {
        let device = Device { name: "gpu".into(), vendor: 0x1002, ..Device::default() };
        Report { devices: vec![device], ..Report::default() }
    }

    fn ids(report: &Report, machine: &Machine) -> Vec<(Severity, String)> {
        findings(report, machine).into_iter().map(|finding| (finding.severity, finding.id)).collect()
    }

    #[test]
    fn a_healthy_machine_has_nothing_but_its_loader() {
        assert_eq!(ids(&working(), &machine()), [(Severity::Note, "loader".into())]);
    }

    #[test]
    fn the_reason_comes_first_with_its_steps() {
        let problem = Problem { reason: "nothing found".into(), advice: vec!["install it".into()] };
        let report = Report { problem: Some(problem), ..Report::default() };
        let all = findings(&report, &machine());
        assert_eq!((all[0].severity, all[0].id.as_str()), (Severity::Error, "no-device"));
        assert_eq!(all[0].next, ["install it"]);
    }

    #[test]
    fn without_a_loader_no_program_works_whatever_drivers_there_are() {
        let machine = Machine { loader: Err("no such file".into()), ..machine() };
        assert_eq!(ids(&working(), &machine), [(Severity::Error, "no-loader".into())]);
    }

    #[test]
    fn a_device_file_without_access_names_the_group() {
        let node =
            Node { path: "/dev/dri/renderD128".into(), accessible: false, group: Some("render".into()) };
        let machine = Machine { nodes: vec![node], ..machine() };
        let all = findings(&working(), &machine);
        assert_eq!((all[0].severity, all[0].id.as_str()), (Severity::Warning, "no-access"));
        assert!(all[0].next[0].contains("usermod -aG render"), "{all:?}");
    }

    #[test]
    fn a_gpu_that_only_the_processor_stands_in_for_is_a_warning() {
        let gpu = Gpu { place: "0000:01:00.0".into(), vendor: 0x10de };
        let machine = Machine { gpus: vec![gpu], ..machine() };
        let all = findings(&working(), &machine);
        assert_eq!((all[0].severity, all[0].id.as_str()), (Severity::Warning, "gpu-without-driver"));
        assert!(
            all[0].what.contains("NVIDIA") && all[0].next.iter().any(|step| step.contains("/dev/dri")),
            "{all:?}"
        );
        let driver = Driver {
            manifest: "/usr/share/vulkan/icd.d/nvidia_icd.json".into(),
            outcome: "does-not-open".into(),
            remark: "the library does not open".into(),
            ..Driver::default()
        };
        let report = Report { drivers: vec![driver], ..working() };
        let all = findings(&report, &machine);
        assert!(all[0].next[0].contains("see below"), "{all:?}");
        assert_eq!((all[1].severity, all[1].id.as_str()), (Severity::Warning, "does-not-open"));
    }

    #[test]
    fn what_somebody_wants_so_is_no_warning() {
        let driver = |outcome: &'static str| Driver {
            outcome: outcome.into(),
            remark: "because".into(),
            ..Driver::default()
        };
        let report = Report { drivers: vec![driver("disabled"), driver("no-devices")], ..working() };
        assert_eq!(
            ids(&report, &machine()).iter().filter(|(severity, _)| *severity < Severity::Note).count(),
            0
        );
        let broken = Layer { outcome: "does-not-open", implicit: true, ..Layer::default() };
        let idle = Layer { outcome: "not-asked-for", ..Layer::default() };
        let report = Report { layers: vec![broken, idle], ..working() };
        assert_eq!(ids(&report, &machine())[0], (Severity::Warning, "does-not-open".into()));
        assert_eq!(ids(&report, &machine()).len(), 2);
    }
}
