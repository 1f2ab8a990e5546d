//! Queries the loader for layers: those listed to applications, and those that cannot be used.

use std::borrow::Cow;
use std::ops::Range;

use vkload_core::discovery::{LayerPlan, LayerRequest, LayerScope};
use vkload_core::layers::FoundLayers;
use vkload_core::loader::Loader;
use vkload_core::manifest::{LayerExtension, LayerManifest, SIZE_LIMIT};
use vkload_core::memory::{Application, OutOfMemory};

use super::report::{About, Extension, Layer, Report};
use crate::view::LayerView;

/// Why a layer that the plan has cannot be used, as opening it showed.
#[derive(Clone, Debug)]
pub(crate) struct LayerProblem {
    /// Its name for programs, which does not change.
    pub(crate) id: Cow<'static, str>,
    pub(crate) text: String,
}

/// Fills in every layer that was found, and what becomes of it in a program that asks for no layer itself.
pub(crate) fn fill(report: &mut Report, loader: &'static Loader) -> Result<(), OutOfMemory> {
    let logger = loader.logger()?;
    let found = loader.layers(LayerScope::All, &logger)?;
    // Opening shows which of them cannot be used, and why.
    let request = LayerRequest::default();
    let _ = FoundLayers::open(&found, loader.platform, &request, &logger, Application::process(), &|| None);
    let fault = |index| {
        let fault = found.fault(index)?;
        Some(LayerProblem { id: fault.id().into(), text: fault.to_string() })
    };
    let read = |path: &[u8]| loader.platform.files.read(path, SIZE_LIMIT).ok().map(|file| file.to_vec());
    describe(report, &found.plan, &read, &fault)
}

/// Fills in the plan's layers, of whose manifests `read` returns the content, and the `fault` of a layer, by its position.
pub(crate) fn describe(
    report: &mut Report,
    plan: &LayerPlan,
    read: Read<'_>,
    fault: &dyn Fn(usize) -> Option<LayerProblem>,
) -> Result<(), OutOfMemory> {
    for (mut view, candidate) in LayerView::all(plan)?.into_iter().zip(&plan.layers) {
        if let Some(fault) = fault(view.index).filter(|_| view.is_active()) {
            view = LayerView { cause: None, outcome: fault.id, remark: fault.text, ..view };
        }
        let said = candidate.manifest.as_ref();
        let described = said.map(|said| described(said, &candidate.path, read)).unwrap_or_default();
        report.layers.push(Layer { view, ..described });
    }
    report.notes.extend(plan.notes.iter().map(ToString::to_string));
    Ok(())
}

/// Returns the content of a file.
type Read<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

fn described(manifest: &LayerManifest, path: &[u8], read: Read<'_>) -> Layer {
    Layer {
        api_version: manifest.api_version.to_string(),
        implementation_version: manifest.implementation_version,
        description: text(&manifest.description),
        instance_extensions: manifest.instance_extensions.iter().map(extension).collect(),
        device_extensions: manifest.device_extensions.iter().map(extension).collect(),
        about: about(path, manifest.range.clone(), read).unwrap_or_default(),
        ..Layer::default()
    }
}

/// Returns a layer's description of itself, at this position of a manifest, if the file has not changed since.
fn about(path: &[u8], range: Range<usize>, read: Read<'_>) -> Option<About> {
    let manifest = read(path)?;
    let mut layer: serde_json::Value = serde_json::from_slice(manifest.get(range)?).ok()?;
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
