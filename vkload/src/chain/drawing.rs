//! The content of a call-chain picture: boxes with text, independent of the output format.

use super::model::{Device, Driver, Layer, Model};
use crate::escape;

pub(super) struct Drawing {
    /// From the application to the last layer, each above the next.
    pub(super) series: Vec<Block>,
    /// The branches below them: a call takes one of these.
    pub(super) branches: Vec<Branch>,
    pub(super) notes: Vec<Note>,
}

/// A driver, with its devices if they are known.
pub(super) struct Branch {
    pub(super) driver: Block,
    pub(super) devices: Vec<Block>,
}

pub(super) struct Block {
    pub(super) role: Role,
    pub(super) title: String,
    /// The texts below the title, each with its class: `why`, `path` or `problem`.
    pub(super) details: Vec<(&'static str, String)>,
}

/// The thing that a box represents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Program,
    Layer,
    Driver,
    /// A driver that is known to have no device here.
    Idle,
    Device,
}

/// A paragraph of lines below the picture.
pub(super) struct Note {
    pub(super) title: &'static str,
    pub(super) lines: Vec<String>,
    /// Whether it says that something is wrong.
    pub(super) is_problem: bool,
}

pub(super) const FORK: &str = "one of these, by the call's device";
/// The class of a problem, and its label with a colon.
pub(super) const PROBLEM: &str = "problem";

impl Drawing {
    pub(super) fn new(model: &Model) -> Self {
        let loader = Block::new(Role::Program, "loader", &[("", &model.loader)]);
        let mut series = vec![Block::new(Role::Program, &model.application, &[]), loader];
        series.extend(model.layers.iter().map(layer));
        let mut branches: Vec<_> = model.drivers.iter().map(branch).collect();
        if branches.is_empty() {
            let problem = "vkCreateInstance returns VK_ERROR_INCOMPATIBLE_DRIVER; run `vkload doctor`";
            let none = Block::new(Role::Driver, "no driver", &[(PROBLEM, problem)]);
            branches.push(Branch { driver: none, devices: Vec::new() });
        }
        Self { series, branches, notes: notes(model) }
    }

    /// Returns the path of a call as text, for readers who cannot see the picture.
    pub(super) fn in_words(&self) -> String {
        let titles = |blocks: &[Block]| blocks.iter().map(|block| block.title.clone()).collect::<Vec<_>>();
        let branch = |branch: &Branch| match &titles(&branch.devices)[..] {
            [] => branch.driver.title.clone(),
            devices => format!("{} ({})", branch.driver.title, devices.join(", ")),
        };
        let branches: Vec<_> = self.branches.iter().map(branch).collect();
        let end =
            if branches.len() > 1 { format!("one of: {}", branches.join("; ")) } else { branches.concat() };
        let series = titles(&self.series);
        let (application, through) = series.split_first().map_or(("", &[][..]), |(it, rest)| (it, rest));
        format!("A call goes from {application} through {} to {end}.", through.join(", "))
    }
}

impl Block {
    /// Returns a box with these labels and texts, without those that are empty.
    fn new(role: Role, title: &str, details: &[(&str, &str)]) -> Self {
        let details = details.iter().filter(|(_, text)| !text.is_empty());
        let details = details.map(|(label, text)| match (*label, escape::line(text)) {
            ("", text) => ("why", text),
            (PROBLEM, text) => (PROBLEM, format!("{PROBLEM}: {text}")),
            (label, text) => ("path", format!("{label} {text}")),
        });
        Self { role, title: escape::line(title), details: details.collect() }
    }
}

fn layer(layer: &Layer) -> Block {
    let Layer { view, why, problem } = layer;
    let (library, manifest) = (&view.library, &view.manifest);
    let details = [("", why), ("library", library), ("manifest", manifest), (PROBLEM, problem)];
    Block::new(Role::Layer, &view.name, &details.map(|(label, text)| (label, text.as_str())))
}

/// Returns the boxes of a driver. Drivers are drawn side by side and are therefore narrow: files and their folders get lines of their own.
fn branch(driver: &Driver) -> Branch {
    let (folder, manifest) = split(&driver.view.manifest);
    let (library_folder, library) = split(&driver.view.library);
    let is_idle = driver.problem.is_empty() && driver.devices.as_ref().is_some_and(Vec::is_empty);
    let (role, idle) = if is_idle { (Role::Idle, "it finds no device here") } else { (Role::Driver, "") };
    let details = [
        ("in", folder),
        ("", &driver.why),
        ("library", library),
        ("in", library_folder),
        ("", idle),
        (PROBLEM, &driver.problem),
    ];
    let devices = driver.devices().iter().map(device).collect();
    Branch { driver: Block::new(role, manifest, &details), devices }
}

fn device(device: &Device) -> Block {
    Block::new(Role::Device, &device.name, &[("", &about(device)), (PROBLEM, &device.problem)])
}

/// Returns the facts about a device, except its name.
fn about(device: &Device) -> String {
    let version =
        if device.api_version.is_empty() { String::new() } else { format!("Vulkan {}", device.api_version) };
    let parts = [device.kind.as_str(), version.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn notes(model: &Model) -> Vec<Note> {
    let skipped = model.skipped.iter().map(|driver| format!("{}: {}", driver.manifest, driver.remark));
    let refused = "vkCreateInstance returns VK_ERROR_LAYER_NOT_PRESENT:";
    let refused = Note { title: refused, lines: model.refused.clone(), is_problem: true };
    let unused = "Drivers that are not used:";
    let unused = Note { title: unused, lines: skipped.collect(), is_problem: false };
    [refused, unused].into_iter().filter(|note| !note.lines.is_empty()).collect()
}

/// Returns the folder of a path, and the file. The folder of a bare name is empty.
fn split(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", file)) => ("/", file),
        Some(parts) => parts,
        None => ("", path),
    }
}
