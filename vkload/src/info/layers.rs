//! Asks the loader for layers: those that applications are told of, and those that cannot be used.

use loader_core::chain::FoundLayers;
use loader_core::discovery::{LayerDecision, LayerKind, LayerRequest, LayerScope};
use loader_core::manifest::LayerManifest;
use loader_core::memory::{OutOfMemory, Shown};
use platform_linux::LOADER;

use super::report::{Layer, Report};

/// Fills in every layer that was found, and what becomes of it in a program that asks for no layer itself.
pub(crate) fn fill(report: &mut Report) -> Result<(), OutOfMemory> {
    let logger = LOADER.logger();
    let found = LOADER.layers(LayerScope::All, &logger)?;
    let request = LayerRequest::default();
    let active = found.plan.activate(&request)?;
    // Opening tells which of them are broken. They are closed again at once.
    let _ = FoundLayers::open(&found, &LOADER, &request, &logger);
    for (place, candidate) in found.plan.layers.iter().enumerate() {
        let (active, outcome, remark) = match found.plan.decision(place, &active) {
            LayerDecision::Active(_) if found.is_broken(place) => {
                (false, "does-not-open", "it cannot be loaded; VK_LOADER_DEBUG=layer tells why".into())
            }
            LayerDecision::Active(_) => (true, "active", String::new()),
            LayerDecision::Skip(reason) => {
                (false, reason.id(), reason.explain(&found.plan, place).to_string())
            }
        };
        report.layers.push(Layer {
            manifest: Shown(&candidate.path).to_string(),
            library: Shown(&candidate.library).to_string(),
            implicit: candidate.kind == LayerKind::Implicit,
            active,
            outcome,
            remark,
            ..candidate.manifest.as_ref().map(described).unwrap_or_default()
        });
    }
    report.notes.extend(found.plan.notes.iter().map(ToString::to_string));
    Ok(())
}

fn described(manifest: &LayerManifest) -> Layer {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Layer {
        name: text(&manifest.name),
        api_version: manifest.api_version.to_string(),
        implementation_version: manifest.implementation_version,
        description: text(&manifest.description),
        ..Layer::default()
    }
}
