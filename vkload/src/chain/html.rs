//! A call chain as one HTML page: the picture, and tables with every path and reason in full.

use super::model::Model;
use super::svg::svg;
use crate::command::{Command, Step};
use crate::diagnosis::Severity;
use crate::page::{self, Card, Part, Section};

pub(crate) fn page(model: &Model) -> String {
    let mut parts: Vec<_> = cards(model).into_iter().map(Part::Card).collect();
    parts.push(Part::Picture(svg(model)));
    parts.push(Part::Text(HOW_TO_READ.into()));
    let mut sections = vec![Section { title: String::new(), parts }];
    sections.extend(tables(model));
    page::document("Call chain of a Vulkan program", &sections)
}

/// Returns every path and reason of the picture, in tables: sections for this page, or for one about more than the chain.
pub(crate) fn tables(model: &Model) -> Vec<Section> {
    let tables = [
        ("Layers, in the order of calls", LAYERS, layers(model)),
        ("Drivers", DRIVERS, drivers(model)),
        ("Devices", DEVICES, devices(model)),
        ("Drivers that are not used", SKIPPED, skipped(model)),
    ];
    let tables = tables.into_iter().filter(|(.., rows)| !rows.is_empty());
    let section = |(title, head, rows): (&str, _, _)| Section {
        title: title.to_owned(),
        parts: vec![Part::Table { head, rows }],
    };
    tables.map(section).collect()
}

const HOW_TO_READ: &str = "Calls go from the top to the bottom, through every layer that intercepts them, to the driver that has \
    the device. Several drivers are alternatives: no call goes through more than one of them.";

const LAYERS: &[&str] = &["layer", "why it is active", "library", "manifest"];
const DRIVERS: &[&str] = &["manifest", "library", "Vulkan", "why it was found"];
const DEVICES: &[&str] = &["device", "kind", "Vulkan", "driver"];
const SKIPPED: &[&str] = &["manifest", "library", "why it is not used"];

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn layers(model: &Model) -> Vec<Vec<String>> {
    let layers = model.layers.iter().map(|layer| (&layer.view, &layer.why));
    layers.map(|(it, why)| row([&it.name, why, &it.library, &it.manifest])).collect()
}

fn drivers(model: &Model) -> Vec<Vec<String>> {
    let drivers = model.drivers.iter().map(|driver| (&driver.view, &driver.why));
    drivers.map(|(it, why)| row([&it.manifest, &it.library, &it.api_version, why])).collect()
}

fn devices(model: &Model) -> Vec<Vec<String>> {
    let known = model
        .drivers
        .iter()
        .flat_map(|driver| driver.devices().iter().map(|device| (device, driver.view.manifest.as_str())));
    known.map(|(it, driver)| row([&it.name, &it.kind, &it.api_version, driver])).collect()
}

fn skipped(model: &Model) -> Vec<Vec<String>> {
    model.skipped.iter().map(|it| row([&it.manifest, &it.library, &it.remark])).collect()
}

/// Returns the problems of the chain, the gravest first.
fn cards(model: &Model) -> Vec<Card> {
    let card = |severity, title: &str, text: &str| Card {
        severity,
        title: title.to_owned(),
        text: text.to_owned(),
        steps: Vec::new(),
    };
    let doctor = || Step::from(Command::new("vkload doctor", &[]));
    let mut cards = Vec::new();
    for refused in &model.refused {
        let steps = vec!["Correct the name, or install the layer.".into()];
        let title = "vkCreateInstance returns VK_ERROR_LAYER_NOT_PRESENT";
        cards.push(Card { steps, ..card(Severity::Error, title, refused) });
    }
    if model.drivers.is_empty() {
        let text = "vkCreateInstance returns VK_ERROR_INCOMPATIBLE_DRIVER.";
        let steps = vec!["To see why, and what to do:".into(), doctor()];
        cards.push(Card { steps, ..card(Severity::Error, "No driver was found", text) });
    }
    let layers = model.layers.iter().map(|layer| (&layer.view.name, &layer.problem));
    let drivers = model.drivers.iter().map(|driver| (&driver.view.manifest, &driver.problem));
    let devices = model.drivers.iter().flat_map(|driver| driver.devices());
    let devices = devices.map(|device| (&device.name, &device.problem));
    let broken = layers.chain(drivers).chain(devices).filter(|(_, problem)| !problem.is_empty());
    cards.extend(broken.map(|(name, problem)| card(Severity::Warning, name, problem)));
    if cards.is_empty() && !model.knows_devices() {
        let text = "The picture shows the loader's decisions before it opens a library. To try the layers and drivers as well, run:";
        cards.push(Card {
            steps: vec![doctor()],
            ..card(Severity::Note, "No library was opened for this picture", text)
        });
    }
    cards
}
