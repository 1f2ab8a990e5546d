//! The layers: those that the loader finds, and what becomes of each.

use std::ops::Range;

use vkload_core::discovery::LayerCandidate;
use vkload_core::manifest::{LayerExtension, LayerManifest};

use super::gather::outcome;
use super::report::{About, Extension, Layer};
use crate::diagnosis::case::Case;
use crate::planned::content;
use crate::view::LayerView;

/// Returns every layer that was found, and what becomes of it in a program that asks for no layer itself.
pub(super) fn all(case: &Case) -> Vec<Layer> {
    let plan = &case.planned.layers;
    let layer = |(view, candidate): (LayerView, &LayerCandidate)| {
        let said = candidate.manifest.as_ref();
        let described = said.map(|said| described(said, content(&case.planned.snapshot, &candidate.path)));
        let trial = case.trials.layer(&view.name).filter(|_| view.is_active());
        let view = match trial.filter(|trial| trial.is_unusable() || trial.is_violent()) {
            Some(trial) if trial.is_unusable() => LayerView {
                cause: None,
                outcome: trial.fault.clone().into(),
                remark: trial.to_string(),
                ..view
            },
            Some(trial) => LayerView { outcome: outcome(trial).into(), remark: trial.to_string(), ..view },
            None => view,
        };
        Layer { view, ..described.unwrap_or_default() }
    };
    let views = LayerView::all(plan).unwrap_or_default();
    views.into_iter().zip(&plan.layers).map(layer).collect()
}

/// Returns what its manifest, with this content, says about itself.
fn described(manifest: &LayerManifest, content: Option<&[u8]>) -> Layer {
    Layer {
        api_version: manifest.api_version.to_string(),
        implementation_version: manifest.implementation_version,
        description: text(&manifest.description),
        instance_extensions: manifest.instance_extensions.iter().map(extension).collect(),
        device_extensions: manifest.device_extensions.iter().map(extension).collect(),
        about: about(content, manifest.range.clone()).unwrap_or_default(),
        ..Layer::default()
    }
}

/// Returns a layer's description of itself, at this position of a manifest.
fn about(manifest: Option<&[u8]>, range: Range<usize>) -> Option<About> {
    let mut layer: serde_json::Value = serde_json::from_slice(manifest?.get(range)?).ok()?;
    let text = |key: &str| layer[key].as_str().unwrap_or_default().to_owned();
    let names = layer["platforms"].as_array().into_iter().flatten();
    Some(About {
        introduction: text("introduction"),
        url: text("url"),
        platforms: names.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        status: text("status"),
        settings: ["features", "settings"].into_iter().map(|key| layer[key].take()).find(|it| !it.is_null()),
    })
}

fn extension(extension: &LayerExtension) -> Extension {
    Extension { name: text(&extension.name), version: extension.spec_version }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
