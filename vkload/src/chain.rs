//! `vkload chain`: through what a call of a program goes. No library is opened.

use std::ffi::{CStr, CString};
use std::process::ExitCode;

use loader_core::discovery::{ActiveLayer, Because, LayerPlan, LayerRequest};
use loader_core::manifest::Version;
use loader_core::memory::Shown;
use serde_json::{Value, json};

use crate::output;
use crate::planned::Planned;
use crate::searched::origin;
use crate::table::Table;

/// One that a call goes through.
struct Link {
    name: String,
    because: String,
    /// Empty for the application and the loader.
    library: String,
}

/// Prints the chain for a program that enables these layers.
pub(crate) fn print(layers: &[CString], json: bool) -> ExitCode {
    match Planned::here().and_then(|planned| render(&planned, layers, json)) {
        Ok((output, complete)) => {
            output::print(&output, if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(problem) => output::fail(&problem),
    }
}

/// The chain as a table or as JSON, and whether the program gets it: not if it asks for a layer that it cannot have.
pub(crate) fn render(planned: &Planned, layers: &[CString], json: bool) -> Result<(String, bool), String> {
    let enabled: Vec<&CStr> = layers.iter().map(CString::as_c_str).collect();
    let request = LayerRequest { enabled: &enabled, api_version: Version::default() };
    let active = planned.layers.activate(&request).map_err(|_| "memory ran out")?;
    let refused: Vec<_> = active
        .refused
        .iter()
        .map(|refused| {
            let name = enabled.get(refused.name).map(|name| name.to_string_lossy()).unwrap_or_default();
            format!("{name}: {}", refused.because.explain(&planned.layers))
        })
        .collect();
    let links = chain(planned, &active.layers);
    let output = if json { as_json(&links, &refused) } else { as_text(&links, &refused) };
    Ok((output, refused.is_empty()))
}

fn chain(planned: &Planned, active: &[ActiveLayer]) -> Vec<Link> {
    let own = |name: &str| Link { name: name.into(), because: String::new(), library: String::new() };
    let mut links = vec![own("application"), own("loader")];
    for layer in active {
        // A meta-layer is its components, which stand before it.
        let Some(candidate) = planned.layers.layers.get(layer.layer) else { continue };
        if !candidate.library.is_empty() {
            links.push(Link {
                name: Shown(candidate.name()).to_string(),
                because: because(layer.because, &planned.layers),
                library: Shown(&candidate.library).to_string(),
            });
        }
    }
    links.push(own("loader"));
    for (_, driver) in planned.drivers.used() {
        let found_in = planned.drivers.searched.get(driver.found_in);
        links.push(Link {
            name: Shown(&driver.path).to_string(),
            because: found_in.map(|place| origin(place.origin)).unwrap_or_default(),
            library: Shown(&driver.library).to_string(),
        });
    }
    links
}

fn because(because: Because, plan: &LayerPlan) -> String {
    match because {
        Because::Settings => "the settings file".into(),
        Because::Implicit => "it is implicit".into(),
        Because::Override => "it is the override layer".into(),
        Because::Variable(name) => name.to_string_lossy().into_owned(),
        Because::Application => "the application asks for it".into(),
        Because::Component { of } => {
            let name = plan.layers.get(of).map(|layer| Shown(layer.name()).to_string());
            format!("a component of {}", name.unwrap_or_default())
        }
    }
}

fn as_text(links: &[Link], refused: &[String]) -> String {
    let mut table = Table::new(&["CALLS GO THROUGH", "BECAUSE OF", "LIBRARY"]);
    for link in links {
        table.row([&link.name, &link.because, &link.library]);
    }
    let mut out = table.render();
    for refused in refused {
        out.push_str(&format!("\nvkCreateInstance fails with VK_ERROR_LAYER_NOT_PRESENT: {refused}\n"));
    }
    out
}

fn as_json(links: &[Link], refused: &[String]) -> String {
    let links: Vec<Value> = links
        .iter()
        .map(|link| json!({ "name": link.name, "because": link.because, "library": link.library }))
        .collect();
    format!("{:#}\n", json!({ "chain": links, "refused": refused }))
}
