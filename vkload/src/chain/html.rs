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

type Rows<'a> = Vec<Vec<&'a String>>;

/// Returns every path and reason of the picture, in tables: sections for this page, or for one about more than the chain.
pub(crate) fn tables(model: &Model) -> Vec<Section> {
    let layers = model.layers.iter().map(|layer| (&layer.view, &layer.why));
    let layers = layers.map(|(it, why)| vec![&it.name, why, &it.library, &it.manifest]);
    let drivers = model.drivers.iter().map(|driver| (&driver.view, &driver.why));
    let drivers = drivers.map(|(it, why)| vec![&it.manifest, &it.library, &it.api_version, why]);
    let devices = model.drivers.iter().flat_map(|driver| {
        let devices = driver.devices().iter();
        devices.map(|it| vec![&it.name, &it.kind, &it.api_version, &driver.view.manifest])
    });
    let skipped = model.skipped.iter().map(|it| vec![&it.manifest, &it.library, &it.remark]);
    let tables: [(&str, &[&str], Rows<'_>); 4] = [
        (
            "Layers, in the order of calls",
            &["layer", "why it is active", "library", "manifest"],
            layers.collect(),
        ),
        ("Drivers", &["manifest", "library", "Vulkan", "why it was found"], drivers.collect()),
        ("Devices", &["device", "kind", "Vulkan", "driver"], devices.collect()),
        ("Drivers that are not used", &["manifest", "library", "why it is not used"], skipped.collect()),
    ];
    let tables = tables.into_iter().filter(|(.., rows)| !rows.is_empty());
    let section = |(title, head, rows): (&str, _, Rows<'_>)| {
        let rows = rows.into_iter().map(|row| row.into_iter().cloned().collect()).collect();
        Section { title: title.to_owned(), parts: vec![Part::Table { head, rows }] }
    };
    tables.map(section).collect()
}

const HOW_TO_READ: &str = "Calls go from the top to the bottom, through every layer that intercepts them, to the driver that has \
    the device. Several drivers are alternatives: no call goes through more than one of them.";

/// Returns the problems of the chain, the gravest first.
fn cards(model: &Model) -> Vec<Card> {
    let card = |severity, title: &str, text: &str, steps: Vec<Step>| {
        let (title, text) = (title.to_owned(), text.to_owned());
        Card { severity, title, text, steps }
    };
    let doctor = || Step::from(Command::new("vkload doctor", &[]));
    let refused = model.refused.iter().map(|refused| {
        let title = "vkCreateInstance returns VK_ERROR_LAYER_NOT_PRESENT";
        card(Severity::Error, title, refused, vec!["Correct the name, or install the layer.".into()])
    });
    let mut cards: Vec<_> = refused.collect();
    if model.drivers.is_empty() {
        let text = "vkCreateInstance returns VK_ERROR_INCOMPATIBLE_DRIVER.";
        let steps = vec!["To see why, and what to do:".into(), doctor()];
        cards.push(card(Severity::Error, "No driver was found", text, steps));
    }
    let layers = model.layers.iter().map(|layer| (&layer.view.name, &layer.problem));
    let drivers = model.drivers.iter().map(|driver| (&driver.view.manifest, &driver.problem));
    let devices = model.drivers.iter().flat_map(|driver| driver.devices());
    let devices = devices.map(|device| (&device.name, &device.problem));
    let broken = layers.chain(drivers).chain(devices).filter(|(_, problem)| !problem.is_empty());
    cards.extend(broken.map(|(name, problem)| card(Severity::Warning, name, problem, Vec::new())));
    if cards.is_empty() && !model.knows_devices() {
        let text = "The picture shows the loader's decisions before it opens a library. To try the layers and drivers as well, run:";
        cards.push(card(Severity::Note, "No library was opened for this picture", text, vec![doctor()]));
    }
    cards
}
