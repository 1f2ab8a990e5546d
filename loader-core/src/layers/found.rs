//! Finds the system's layers and opens the active ones.

use ash::vk;
use core::ffi::CStr;

use super::active::{ActiveLayer, Layers};
use super::library::{LayerLibrary, Opened};
use crate::abi::{extensions, name};
use crate::discovery::{
    self, ActiveLayers, LayerCandidate, LayerKind, LayerPlan, LayerReason, LayerRequest, LayerScope, Snapshot,
};
use crate::log::{Level, Topic};
use crate::logger::{FoundSettings, Log, Logger, RuleNumber};
use crate::manifest::{LayerExtension, LayerManifest};
use crate::memory::{Application, Arc, Escaped, OutOfMemory, TryGrow, Vec};
use crate::negotiation::{LayerInterface, LayerOpenError, with_layer};
use crate::platform::{Platform, Turn, Waiting, variables};

type LayersBelow<'a> = &'a dyn Fn() -> Result<Vec<vk::LayerProperties>, OutOfMemory>;
type TakeTurn<'a> = &'a dyn Fn() -> Option<Turn<'static>>;

/// The system's layers as one call sees them.
pub struct FoundLayers {
    /// The answers that the plan is based on, except those that the settings rely on.
    pub snapshot: Snapshot,
    pub plan: LayerPlan,
    scope: LayerScope,
    settings: Arc<FoundSettings>,
    waiting: &'static dyn Waiting,
    /// The results of opening each layer, by index in the plan.
    opened: Vec<Opened>,
}

impl FoundLayers {
    /// Returns whether a search within this scope would find the same now, as far as the plan goes.
    pub(crate) fn still_true(
        &self,
        scope: LayerScope,
        platform: &Platform,
        logger: &Logger,
    ) -> Result<bool, OutOfMemory> {
        let absent = |path: &[u8]| logger.found_absent(path);
        Ok(self.settings == logger.settings
            && self.snapshot.still_true_for(scope == LayerScope::All, platform, &absent)?)
    }

    pub(crate) fn covers(&self, scope: LayerScope) -> bool {
        self.scope >= scope
    }

    /// Finds the system's layers. Keeps the results of opening the layers found `last`. If those are
    /// `still_true`, nothing about them is queried again.
    pub(crate) fn find_after(
        last: Option<&Self>,
        still_true: bool,
        platform: &Platform,
        source: &dyn discovery::Source,
        scope: LayerScope,
        logger: &Logger,
    ) -> Result<Self, OutOfMemory> {
        // Only a plan that includes explicit layers keeps their results.
        let scope = match last {
            Some(last) if last.any_broken() => scope.max(last.scope),
            _ => scope,
        };
        // Other plans have forgotten the contents of files.
        let known = last.filter(|last| still_true && last.scope == LayerScope::Active);
        let found = Self::discover(platform, source, scope, known, logger)?;
        if let Some(last) = last {
            found.take_over(last, platform);
        }
        Ok(found)
    }

    /// Finds the system's layers. The answers in `known`, which still hold, are reused.
    fn discover(
        platform: &Platform,
        source: &dyn discovery::Source,
        scope: LayerScope,
        known: Option<&Self>,
        logger: &Logger,
    ) -> Result<Self, OutOfMemory> {
        let mut snapshot = known.map_or_else(|| Ok(Snapshot::default()), |known| known.snapshot.copy())?;
        let settings = logger.settings.clone();
        let plan = source.layers(platform, scope, &settings.known, &mut snapshot)?;
        if scope > LayerScope::Active {
            snapshot.forget_contents();
        }
        let mut opened = Vec::new();
        for _ in &plan.layers {
            opened.try_push(Opened::not_yet())?;
        }
        let found = Self { snapshot, plan, scope, settings, waiting: platform.waiting, opened };
        found.log(logger, known, Logger::log);
        Ok(found)
    }

    pub fn listed(&self) -> impl Iterator<Item = &LayerManifest> {
        let all_good = !self.any_broken();
        // If memory runs out during this check, a layer is listed as before it was opened.
        let is_good = move |index| all_good || self.is_usable(index).unwrap_or(true);
        let listed = self.plan.listed().filter(move |(index, _)| is_good(*index));
        listed
            .filter_map(move |(index, manifest)| if all_good { Some(manifest) } else { self.manifest(index) })
    }

    /// Returns the index of the layer that is used for the one at `index`: another one if its library does not
    /// open, and a later explicit one has its name.
    fn used_for(&self, index: usize) -> usize {
        let mut used = index;
        while let Some(next) = self.next_of_name(index, used) {
            used = next;
        }
        used
    }

    fn manifest(&self, index: usize) -> Option<&LayerManifest> {
        self.plan.layers.get(self.used_for(index))?.manifest.as_ref()
    }

    /// Returns the layer to try after the one at `index`, whose name the layer `first` has taken.
    fn next_of_name(&self, first: usize, index: usize) -> Option<usize> {
        let fault = self.fault(index)?;
        let is_next = |(at, layer): &(usize, &LayerCandidate)| {
            *at > index
                && layer.skipped == Some(LayerReason::NameTaken { of: first })
                && !layer.library.is_empty()
        };
        let is_explicit = self.plan.layers.get(first)?.kind == LayerKind::Explicit;
        let falls_through = is_explicit && matches!(*fault, LayerOpenError::DoesNotOpen { .. });
        self.plan.layers.iter().enumerate().find(is_next).filter(|_| falls_through).map(|(at, _)| at)
    }

    pub fn is_broken(&self, index: usize) -> bool {
        self.fault(index).is_some()
    }

    /// Returns why the layer at this index of the plan is unusable, if the latest attempt to open it showed
    /// that.
    pub fn fault(&self, index: usize) -> Option<Arc<LayerOpenError>> {
        self.opened.get(index)?.fault.last(self.waiting)
    }

    pub fn instance_extensions_of(&self, name: &CStr) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        self.extensions_of(name, |manifest| &manifest.instance_extensions)
    }

    pub fn device_extensions_of(&self, name: &CStr) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        self.extensions_of(name, |manifest| &manifest.device_extensions)
    }

    fn extensions_of(
        &self,
        name: &CStr,
        of: fn(&LayerManifest) -> &[LayerExtension],
    ) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        let index = self.plan.usable(name.to_bytes()).ok_or(vk::Result::ERROR_LAYER_NOT_PRESENT)?;
        if !self.is_usable(index)? {
            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
        }
        let mut all = Vec::new();
        for library in &self.plan.libraries(index)? {
            for extension in self.manifest(*library).into_iter().flat_map(of) {
                extensions::merge(&mut all, &properties(extension))?;
            }
        }
        Ok(all)
    }

    pub fn add_instance_extensions(
        &self,
        active: &ActiveLayers,
        all: &mut Vec<vk::ExtensionProperties>,
    ) -> Result<(), vk::Result> {
        for (layer, _) in active.chain(&self.plan) {
            let used = self.used_for(layer.layer);
            let manifest = self.manifest(used).filter(|_| !self.is_broken(used));
            for extension in manifest.iter().flat_map(|manifest| &manifest.instance_extensions) {
                extensions::merge(all, &properties(extension))?;
            }
        }
        Ok(())
    }

    /// Opens the layers that are active in an instance, in the memory of `allocator`. Takes the turn to
    /// negotiate with each layer, but not to open its library.
    ///
    /// # Errors
    /// `ERROR_LAYER_NOT_PRESENT` if the application requests a layer that it cannot have;
    /// `ERROR_OUT_OF_HOST_MEMORY`.
    pub fn open(
        this: &Arc<Self>,
        platform: &'static Platform,
        request: &LayerRequest<'_>,
        logger: &Logger,
        allocator: Application,
        take_turn: TakeTurn<'_>,
        below: LayersBelow<'_>,
    ) -> Result<Layers, vk::Result> {
        warn_of_variable(platform, logger);
        let active = this.plan.activate(request)?;
        for refused in &active.refused {
            let name = request.enabled.get(refused.name).map_or(&b""[..], |name| name.to_bytes());
            let why = refused.because.explain(&this.plan);
            crate::log!(logger, Error, Layer: "the application asks for the layer {}: {why}", Escaped(name));
        }
        if !active.refused.is_empty() {
            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
        }
        let below = if active.layers.is_empty() { Vec::new() } else { below()? };
        let mut layers = Layers::none_of(this.clone(), allocator);
        for layer in &active.layers {
            let name = this.plan.layers.get(layer.layer).map_or(&b""[..], LayerCandidate::name);
            if below.iter().any(|it| it.layer_name_as_c_str().is_ok_and(|it| it.to_bytes() == name)) {
                let message = "is active in the loader below this one already, so it is not loaded here";
                crate::log!(logger, Warning, Layer: "{} {message}", Escaped(name));
                continue;
            }
            let mut next = Some(layer.layer);
            while let Some((index, candidate)) = next.and_then(|at| Some((at, this.plan.layers.get(at)?))) {
                next = None;
                if candidate.library.is_empty() {
                    layers.add_meta_layer(index)?;
                    continue;
                }
                match this.open_one(platform, index, candidate, take_turn)? {
                    Ok(opened) => layers.add(index, opened)?,
                    Err(fault) => {
                        next = this.next_of_name(layer.layer, index);
                        let asked_for = next.is_none() && this.is_asked_for(layer.layer, request)?;
                        log_refusal(logger, candidate, &fault, asked_for);
                        if asked_for {
                            return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
                        }
                    }
                }
                if let Some(other) = next.and_then(|at| this.plan.layers.get(at)) {
                    let (path, name) = (Escaped(&other.path), Escaped(other.name()));
                    crate::log!(logger, Warning, Layer:
                        "{path}: {name}: tried instead, because it has the same name");
                }
            }
        }
        for layer in layers.iter() {
            crate::log!(logger, Info, Layer: "layer {} is active", Escaped(&layer.name));
        }
        Ok(layers)
    }

    /// Returns whether the application requests the layer at this index, or a meta-layer that contains it.
    /// The application may also request implicit layers.
    fn is_asked_for(&self, layer: usize, request: &LayerRequest<'_>) -> Result<bool, OutOfMemory> {
        for name in request.enabled {
            if let Some(index) = self.plan.usable(name.to_bytes())
                && self.plan.libraries(index)?.contains(&layer)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the libraries of the layer at this index, or of a meta-layer's components, are all
    /// usable as far as known.
    fn is_usable(&self, index: usize) -> Result<bool, OutOfMemory> {
        Ok(!self.plan.libraries(index)?.iter().any(|library| self.is_broken(self.used_for(*library))))
    }

    fn any_broken(&self) -> bool {
        (0..self.opened.len()).any(|index| self.is_broken(index))
    }

    pub(super) fn note(
        &self,
        platform: &Platform,
        index: usize,
        fault: Option<Arc<LayerOpenError>>,
        library: Option<&Arc<LayerLibrary>>,
    ) {
        if let Some(opened) = self.opened.get(index) {
            drop(opened.fault.replace(self.waiting, fault));
            opened.keep(platform, library);
        }
    }

    /// Returns the library of the layer at `index`, opened unless it is open.
    pub(super) fn library(
        &self,
        platform: &'static Platform,
        index: usize,
    ) -> Result<Result<Arc<LayerLibrary>, LayerOpenError>, OutOfMemory> {
        match (self.opened.get(index), self.plan.layers.get(index)) {
            (Some(opened), Some(layer)) => opened.open(platform, &layer.library),
            _ => Ok(Err(LayerOpenError::NoEntryPoint)),
        }
    }

    /// Takes over the layer libraries that were found `earlier`, and the results of opening them.
    fn take_over(&self, earlier: &Self, platform: &Platform) {
        for (layer, learnt) in earlier.plan.layers.iter().zip(&earlier.opened) {
            let library = learnt.take(platform);
            let fault = learnt.fault.last(self.waiting);
            if library.is_none() && fault.is_none() {
                continue;
            }
            let same = |other: &LayerCandidate| {
                (&other.path, other.name(), &other.library) == (&layer.path, layer.name(), &layer.library)
            };
            if let Some(index) = self.plan.layers.iter().position(same) {
                self.note(platform, index, fault, library.as_ref());
            }
        }
    }

    fn open_one(
        &self,
        platform: &'static Platform,
        index: usize,
        candidate: &LayerCandidate,
        take_turn: TakeTurn<'_>,
    ) -> Result<Result<ActiveLayer, Arc<LayerOpenError>>, OutOfMemory> {
        let opened = match &candidate.manifest {
            Some(manifest) => match self.library(platform, index)? {
                Ok(library) => {
                    let _turn = take_turn();
                    agree(platform, candidate, manifest, library)?
                }
                Err(fault) => Err(fault),
            },
            None => Err(LayerOpenError::NoEntryPoint),
        };
        match opened {
            Ok(opened) => {
                self.note(platform, index, None, Some(&opened.library));
                Ok(Ok(opened))
            }
            Err(fault) => {
                let fault = Arc::try_new(fault)?;
                self.note(platform, index, Some(fault.clone()), None);
                Ok(Err(fault))
            }
        }
    }

    pub(crate) fn tell(&self, logger: &Logger) {
        if !logger.listeners.is_empty() {
            self.log(logger, None, TELL);
        }
    }

    /// Reports the results. Messages about `known` have been written before, and go only to the current
    /// listeners.
    fn log(&self, logger: &Logger, known: Option<&Self>, log: Log) {
        if logger.is_silent() {
            return;
        }
        // A plan for more layers begins with the contents of a plan for fewer.
        let (searched, notes, layers) = known.map_or((0, 0, 0), |known| {
            (known.plan.searched.len(), known.plan.notes.len(), known.plan.layers.len())
        });
        let from = |first: usize, index: usize| if index < first { TELL } else { log };
        for (index, one) in self.plan.searched.iter().enumerate() {
            let log = from(searched, index);
            let (path, origin, result) = (Escaped(&one.path), one.origin, one.result);
            log(logger, Level::Debug, Topic::Layer, format_args!("searched {path} ({origin}): {result}"));
        }
        for (index, note) in self.plan.notes.iter().enumerate() {
            let log = from(notes, index);
            log(logger, note.level(), Topic::Layer, format_args!("{note}"));
        }
        for (index, layer) in self.plan.layers.iter().enumerate() {
            let log = from(layers, index);
            let (name, path) = (Escaped(layer.name()), Escaped(&layer.path));
            let colon = if layer.name().is_empty() { "" } else { ": " };
            if let Some(warning) = &layer.warning {
                log(logger, Level::Warning, Topic::Layer, format_args!("{path}: {warning}"));
            }
            match layer.skipped.as_ref().or(layer.inactive.as_ref()) {
                Some(reason) => {
                    let (policy, words) = (RuleNumber(reason.policy()), reason.explain(&self.plan, index));
                    log(
                        logger,
                        reason.level(),
                        Topic::Layer,
                        format_args!("{path}: {name}{colon}{words}{policy}"),
                    );
                }
                None => log(logger, Level::Debug, Topic::Layer, format_args!("{path}: {name}: can be used")),
            }
        }
    }
}

/// Passes messages to listeners without writing them.
const TELL: Log = |logger, level, topic, message| {
    logger.tell(level, topic, message);
};

/// Logs why a layer is not used: as an error if the application requested it.
fn log_refusal(logger: &Logger, layer: &LayerCandidate, fault: &LayerOpenError, asked_for: bool) {
    let level = if asked_for { Level::Error } else { Level::Info };
    let (path, name, policy) = (Escaped(&layer.path), Escaped(layer.name()), RuleNumber(fault.policy()));
    logger.log(level, Topic::Layer, format_args!("{path}: {name}: not used: {fault}{policy}"));
}

/// Warns about the environment variable for device layers. Both are obsolete.
fn warn_of_variable(platform: &Platform, logger: &Logger) {
    if logger.is_silent() {
        return;
    }
    let variable = platform.variable(variables::VK_DEVICE_LAYERS).ok().flatten();
    if variable.is_some_and(|names| !names.is_empty()) {
        crate::log!(logger, Warning, Layer:
            "VK_DEVICE_LAYERS is set, which has no effect: a device has the layers of its instance; use \
             VK_INSTANCE_LAYERS");
    }
}

fn agree(
    platform: &Platform,
    candidate: &LayerCandidate,
    manifest: &LayerManifest,
    library: Arc<LayerLibrary>,
) -> Result<Result<ActiveLayer, LayerOpenError>, OutOfMemory> {
    // SAFETY: the manifest says that the library is a layer.
    let interface: LayerInterface = match unsafe {
        with_layer(platform.libraries, library.library, &manifest.name, &manifest.functions)
    }? {
        Ok(interface) => interface,
        Err(fault) => return Ok(Err(fault)),
    };
    let instance_extensions = all_properties(&manifest.instance_extensions)?;
    let device_extensions = all_properties(&manifest.device_extensions)?;
    let name = crate::memory::text(&[&manifest.name])?;
    let implicit = candidate.kind == LayerKind::Implicit;
    Ok(Ok(ActiveLayer { name, implicit, interface, instance_extensions, device_extensions, library }))
}

fn all_properties(extensions: &[LayerExtension]) -> Result<Vec<vk::ExtensionProperties>, OutOfMemory> {
    let mut all = Vec::new();
    for extension in extensions {
        all.try_push(properties(extension))?;
    }
    Ok(all)
}

pub(crate) fn layer_properties(manifest: &LayerManifest) -> vk::LayerProperties {
    let mut properties = vk::LayerProperties {
        spec_version: manifest.api_version.encoded(),
        implementation_version: manifest.implementation_version,
        ..Default::default()
    };
    name::fill(&mut properties.layer_name, &manifest.name);
    name::fill(&mut properties.description, &manifest.description);
    properties
}

#[inline(never)] // several callers
fn properties(extension: &LayerExtension) -> vk::ExtensionProperties {
    let mut properties =
        vk::ExtensionProperties { spec_version: extension.spec_version, ..Default::default() };
    name::fill(&mut properties.extension_name, &extension.name);
    properties
}
