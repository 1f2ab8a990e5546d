//! The decisions about layers.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::reason::LayerReason;
use crate::discovery::reason::Name;
use crate::discovery::{IgnoreReason, Note, Origin, Searched};
use crate::manifest::{Control, LayerManifest, ManifestWarning, Version};
use crate::memory::{Escaped, Text, Vec};

#[derive(Debug, Default)]
pub struct LayerPlan {
    /// Every layer found: implicit ones first, then explicit ones, each in the order of the search;
    /// an unreadable manifest counts as one layer. vkEnumerateInstanceLayerProperties has this
    /// order.
    pub layers: Vec<LayerCandidate>,
    pub searched: Vec<Searched>,
    pub notes: Vec<LayerNote>,
    /// Whether the settings file lists layers: they are then called in the order of the plan.
    pub(super) is_listed: bool,
    pub(super) overriding: Option<usize>,
    /// The layers with a name, sorted by it; among equals the one with a right to it comes first.
    pub(super) by_name: Vec<usize>,
    /// For each layer whether a variable with a list of names contains it.
    pub(super) reserved: Vec<bool>,
    /// The layers that are active without the application, in the order of calls, meta-layers not resolved.
    pub(super) wanted: Vec<(usize, ActivationCause)>,
}

#[derive(Debug)]
pub struct LayerCandidate {
    pub path: Text,
    pub found_in: usize,
    pub kind: LayerKind,
    pub manifest: Option<LayerManifest>,
    /// The library to open: a bare name for the dynamic linker, or a path. Empty for a meta-layer and without
    /// a manifest.
    pub library: Text,
    pub warning: Option<ManifestWarning>,
    /// Why it cannot be used at all. A layer without such a reason is listed to applications, which
    /// may enable it.
    pub skipped: Option<LayerReason>,
    /// Why it is inactive unless named. `None` for an implicit layer that is active by default.
    pub inactive: Option<LayerReason>,
    /// How the settings file controls it. `None` if it is not listed there.
    pub control: Option<Control>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerKind {
    Implicit,
    Explicit,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct LayerRequest<'a> {
    pub enabled: &'a [&'a CStr],
    pub api_version: Version,
}

#[derive(Debug, Default)]
pub struct ActiveLayers {
    /// The active layers in the order of calls, closest to the application first. A meta-layer
    /// follows its components and has no library to open.
    pub layers: Vec<ActiveLayer>,
    /// The requested layers that the application cannot have. If the list is not empty, vkCreateInstance
    /// returns VK_ERROR_LAYER_NOT_PRESENT.
    pub refused: Vec<Refused>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveLayer {
    pub layer: usize,
    pub because: ActivationCause,
    /// Whether it was made for a lower version of Vulkan than the application requests (major and
    /// minor version). It is active anyway.
    pub older: bool,
}

/// Why a layer is active, in call order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActivationCause {
    Settings,
    Implicit,
    Override,
    /// A variable contains its name, or a pattern that matches it.
    Variable(&'static CStr),
    Application,
    /// An active meta-layer has it as a component.
    Component {
        of: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    pub name: usize,
    pub because: LayerRequestError,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerRequestError {
    Unknown,
    /// The layer was found, and is skipped for the reason in the plan.
    Skipped {
        layer: usize,
    },
}

/// The outcome for a layer in one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerDecision {
    /// It is active, at this index in [`ActiveLayers::layers`].
    Active(usize),
    Skip(LayerReason),
}

crate::reasons! {
    /// A note about the search that is not the fault of a layer.
    #[derive(Debug, PartialEq, Eq)]
    pub enum LayerNote [level] {
        /// A note that also applies to a search for drivers.
        Search(note: Note) = [(note.id(); &[]) Warning] ("{}", SearchNote(note));
        /// A variable names a layer that does not exist or is unusable: a user error that is only reported.
        NotFound {
            by: &'static CStr,
            name: Text,
            /// The layer of that name, if it was found and is skipped.
            skipped: Option<usize>,
            /// What may hide a layer of that name.
            hidden_by: Option<SearchLimit>,
        } = ["named-layer-not-found" Error]
            ("{} names the layer {}, which {}", Name(by), Escaped(name), Obstacle(*skipped, *hidden_by));
        /// More layers were found than the loader's limit.
        TooManyLayers { left_out: usize }
            = ["too-many-layers" Warning] ("there are too many layers, {left_out} of them were left out");
        /// A layer has another position, since it does not work above another.
        Moved { name: Text, below: Text, reason: &'static str }
            = ["layer-moved" Info] ("the layer {} is called after {}: {reason}", Escaped(name), Escaped(below));
        OnlyListed = ["only-listed-layers" Info] ("the settings file lists all layers, so others are not searched for");
    }
}

/// What keeps a layer that a variable names from being used.
struct Obstacle(Option<usize>, Option<SearchLimit>);

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(Some(_), _) => f.write_str("was found but cannot be used"),
            Self(None, Some(limit)) => {
                write!(f, "is not found; it may be installed and hidden, since {limit}")
            }
            Self(None, None) => f.write_str("is not installed; correct the name or install the layer"),
        }
    }
}

/// Why installed layers may not be found. Displayed to follow "since".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchLimit {
    Settings,
    /// The override layer sets the search path.
    OverrideLayer,
    Variable(&'static CStr),
}

impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings => f.write_str("the settings file lists all layers"),
            Self::OverrideLayer => {
                f.write_str("the override layer sets the search path (\"override_paths\")")
            }
            Self::Variable(name) => write!(f, "{} replaces the search path", Name(name)),
        }
    }
}

/// A note that also applies to a search for drivers, in which another rule requires the same.
struct SearchNote<'a>(&'a Note);

impl fmt::Display for SearchNote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Note::VariableIgnored { name, because: IgnoreReason::Elevated } => {
                write!(f, "{} is ignored because this process is elevated (LLP_LOADER_13)", Name(name))
            }
            note => note.fmt(f),
        }
    }
}

impl LayerPlan {
    /// Returns the layers for vkEnumerateInstanceLayerProperties, with their indices in the plan.
    pub fn listed(&self) -> impl Iterator<Item = (usize, &LayerManifest)> {
        self.layers
            .iter()
            .enumerate()
            .filter(|(_, layer)| layer.skipped.is_none())
            .filter_map(|(index, layer)| Some((index, layer.manifest.as_ref()?)))
    }

    /// Returns why installed layers may not be found, if the usual folders are not all searched.
    pub fn limit(&self) -> Option<SearchLimit> {
        let in_notes = self.notes.iter().find_map(|note| match note {
            LayerNote::OnlyListed => Some(SearchLimit::Settings),
            LayerNote::Search(Note::ReplacedByNothing { name, .. }) => Some(SearchLimit::Variable(name)),
            _ => None,
        });
        in_notes.or_else(|| {
            self.searched.iter().find_map(|searched| match searched.origin {
                Origin::Replacing(name) => Some(SearchLimit::Variable(name)),
                Origin::OverrideLayer => Some(SearchLimit::OverrideLayer),
                _ => None,
            })
        })
    }

    /// Returns the decision about the layer at `index` in an instance.
    pub fn decision(&self, index: usize, active: &ActiveLayers) -> LayerDecision {
        let position = active.layers.iter().position(|layer| layer.layer == index);
        let candidate = self.layers.get(index);
        let reason = || candidate.and_then(|layer| layer.skipped.or(layer.inactive));
        position.map_or_else(
            || LayerDecision::Skip(reason().unwrap_or(LayerReason::NotAskedFor)),
            LayerDecision::Active,
        )
    }
}

impl ActiveLayers {
    /// Returns the layers with a library, in the order of calls: the links of the call chain.
    pub fn chain<'a>(
        &'a self,
        plan: &'a LayerPlan,
    ) -> impl DoubleEndedIterator<Item = (ActiveLayer, &'a LayerCandidate)> {
        self.layers.iter().filter_map(|active| {
            let candidate = plan.layers.get(active.layer)?;
            (!candidate.library.is_empty()).then_some((*active, candidate))
        })
    }

    /// Returns the layers that intercept commands before an instance exists, in call order: only implicit
    /// layers.
    pub fn pre_instance<'a>(
        &'a self,
        plan: &'a LayerPlan,
    ) -> impl DoubleEndedIterator<Item = (ActiveLayer, &'a LayerCandidate)> {
        self.chain(plan).filter(|(_, candidate)| {
            let functions = candidate.manifest.as_ref().map(|manifest| &manifest.pre_instance_functions);
            candidate.kind == LayerKind::Implicit && functions.is_some_and(|functions| !functions.is_empty())
        })
    }
}

impl LayerCandidate {
    pub fn name(&self) -> &[u8] {
        self.manifest.as_ref().map_or(b"", |manifest| manifest.name.as_slice())
    }
}

impl LayerRequestError {
    /// Returns the refusal as text, to follow the layer's name and a colon.
    pub fn explain<'a>(&'a self, plan: &'a LayerPlan) -> ExplainedRefusal<'a> {
        ExplainedRefusal { refusal: self, plan }
    }
}

#[derive(Debug)]
pub struct ExplainedRefusal<'a> {
    refusal: &'a LayerRequestError,
    plan: &'a LayerPlan,
}

impl fmt::Display for ExplainedRefusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LayerRequestError::Skipped { layer: index } = self.refusal else {
            return match self.plan.limit() {
                Some(limit) => {
                    write!(f, "no layer of this name is found; it may be installed and hidden, since {limit}")
                }
                None => f.write_str("no layer of this name is installed"),
            };
        };
        match self.plan.layers.get(*index) {
            Some(LayerCandidate { path, skipped: Some(reason), .. }) => {
                write!(f, "{}: {}", Escaped(path), reason.explain(self.plan, *index))
            }
            _ => f.write_str("it cannot be used"),
        }
    }
}

/// Why the layer is active, to follow its name in brackets.
impl fmt::Display for ActivationCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings => f.write_str("the settings file"),
            Self::Implicit => f.write_str("implicit"),
            Self::Override => f.write_str("override layer"),
            Self::Variable(name) => Name(name).fmt(f),
            Self::Application => f.write_str("the application"),
            Self::Component { .. } => f.write_str("component of a meta-layer"),
        }
    }
}
