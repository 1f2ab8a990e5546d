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
    pub(super) details: Vec<Detail>,
    pub(super) problem: String,
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

pub(super) struct Detail {
    /// The label before the text, unless it is empty.
    pub(super) label: &'static str,
    pub(super) text: String,
}

/// A paragraph of lines below the picture.
pub(super) struct Note {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    /// Whether it says that something is wrong.
    pub(super) is_problem: bool,
}

pub(super) const FORK: &str = "one of these, by the call's device";

impl Drawing {
    pub(super) fn new(model: &Model) -> Self {
        let loader = Block::new(Role::Program, "loader", &[("", &model.loader)]);
        let mut series = vec![Block::new(Role::Program, &model.application, &[]), loader];
        series.extend(model.layers.iter().map(layer));
        let mut branches: Vec<_> = model.drivers.iter().map(branch).collect();
        if branches.is_empty() {
            let problem = "vkCreateInstance returns VK_ERROR_INCOMPATIBLE_DRIVER; run `vkload doctor`".into();
            let none = Block { problem, ..Block::new(Role::Driver, "no driver", &[]) };
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
    fn new(role: Role, title: &str, details: &[(&'static str, &str)]) -> Self {
        let details = details.iter().filter(|(_, text)| !text.is_empty());
        let details = details.map(|(label, text)| Detail { label, text: escape::line(text) }).collect();
        Self { role, title: escape::line(title), details, problem: String::new() }
    }
}

impl Detail {
    /// Returns the label and the text.
    pub(super) fn line(&self) -> String {
        if self.label.is_empty() { self.text.clone() } else { format!("{} {}", self.label, self.text) }
    }
}

fn layer(layer: &Layer) -> Block {
    let Layer { view, why, problem } = layer;
    let details = [("", why.as_str()), ("library", &view.library), ("manifest", &view.manifest)];
    Block { problem: escape::line(problem), ..Block::new(Role::Layer, &view.name, &details) }
}

/// Returns the boxes of a driver. Drivers are drawn side by side and are therefore narrow: files and their folders get lines of their own.
fn branch(driver: &Driver) -> Branch {
    let (folder, manifest) = split(&driver.view.manifest);
    let (library_folder, library) = split(&driver.view.library);
    let details = [("in", folder), ("", &driver.why), ("library", library), ("in", library_folder)];
    let mut block =
        Block { problem: escape::line(&driver.problem), ..Block::new(Role::Driver, manifest, &details) };
    if driver.problem.is_empty() && driver.devices.as_ref().is_some_and(Vec::is_empty) {
        block.role = Role::Idle;
        block.details.push(Detail { label: "", text: "it finds no device here".into() });
    }
    Branch { driver: block, devices: driver.devices().iter().map(device).collect() }
}

fn device(device: &Device) -> Block {
    Block {
        problem: escape::line(&device.problem),
        ..Block::new(Role::Device, &device.name, &[("", &about(device))])
    }
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
    let notes = [
        ("vkCreateInstance returns VK_ERROR_LAYER_NOT_PRESENT:", model.refused.clone(), true),
        ("Drivers that are not used:", skipped.collect(), false),
    ];
    let notes = notes.into_iter().filter(|(_, lines, _)| !lines.is_empty());
    let shown = |lines: Vec<String>| lines.iter().map(|line| escape::line(line)).collect();
    notes
        .map(|(title, lines, is_problem)| Note { title: title.to_owned(), lines: shown(lines), is_problem })
        .collect()
}

/// Returns the folder of a path, and the file. The folder of a bare name is empty.
fn split(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", file)) => ("/", file),
        Some(parts) => parts,
        None => ("", path),
    }
}
