//! The environment's settings for layers by name.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::plan::{LayerCandidate, LayerKind};
use super::reason::LayerReason;
use crate::discovery::drivers::filter;
use crate::discovery::filter::{NameFilter, matches};
use crate::discovery::inquiry::Inquiry;
use crate::discovery::policy::Policy;
use crate::discovery::search_paths::{elements, note_elevated};
use crate::discovery::{LayerVariables, Note};
use crate::manifest::{Control, Switch};
use crate::memory::ascii::is_same_in_any_case;
use crate::memory::{OutOfMemory, TryGrow, Vec, sort_by};
use crate::platform::Reader;

/// The variables that select active layers, if they are set and honoured.
pub(super) struct Variables<'a> {
    pub(super) called: LayerVariables,
    pub(super) names: Vec<&'a [u8]>,
    sorted_names: Vec<&'a [u8]>,
    pub(super) enable: Option<NameFilter<'a>>,
    disable: Option<(&'static CStr, NameFilter<'a>)>,
    allow: Option<NameFilter<'a>>,
    /// How variables that enable something are read.
    reader: Reader,
}

impl<'a> Variables<'a> {
    pub(super) fn read(inquiry: &mut Inquiry<'a>, policy: &Policy) -> Result<Self, OutOfMemory> {
        let called = policy.layers;
        let mut patterns = |name: &'static CStr| -> Result<_, OutOfMemory> {
            Ok(filter(inquiry.variable(name, policy.reader)?.map(|value| (name, value))))
        };
        let enable = patterns(called.enable)?.map(|(_, filter)| filter);
        let disable = patterns(called.disable)?;
        let allow = patterns(called.allow)?.map(|(_, filter)| filter);
        let (mut names, mut sorted_names) = (Vec::new(), Vec::new());
        for name in elements(inquiry.variable(called.names, policy.reader)?.unwrap_or_default()) {
            names.try_push(name)?;
            sorted_names.try_push(name)?;
        }
        sort_by(&mut sorted_names, Ord::cmp);
        Ok(Self { called, names, sorted_names, enable, disable, allow, reader: policy.reader })
    }

    /// Records which of the variables are set but ignored because the process is elevated.
    pub(super) fn note_elevated(
        &self,
        inquiry: &mut Inquiry<'_>,
        policy: &Policy,
        notes: &mut Vec<Note>,
    ) -> Result<(), OutOfMemory> {
        let LayerVariables { names, enable, disable, allow } = self.called;
        note_elevated(inquiry, policy, [names, enable, disable, allow].into_iter(), notes)
    }

    /// Records, for each implicit layer, why it is not active by default, if so. A variable of its own
    /// manifest that disables it takes precedence over everything here that enables it, and counts in elevated processes: a user can leave a
    /// layer out there, but not add code that an administrator has not enabled.
    pub(super) fn switch(
        &self,
        inquiry: &mut Inquiry<'_>,
        layers: &mut [LayerCandidate],
    ) -> Result<(), OutOfMemory> {
        let mut value = |switch: &Option<Switch>, reader| match switch {
            Some(switch) => inquiry.variable(switch.variable.as_c_str(), reader),
            None => Ok(None),
        };
        let depends = |layer: &&mut LayerCandidate| {
            layer.kind == LayerKind::Implicit && layer.skipped.is_none() && layer.control != Some(Control::On)
        };
        for layer in layers.iter_mut().filter(depends) {
            let Some(manifest) = &layer.manifest else { continue };
            let disabled = value(&manifest.disable_environment, Reader::Plain)?.is_some();
            let is = value(&manifest.enable_environment, self.reader)?;
            let needs = manifest.enable_environment.as_ref().map(|switch| switch.value.as_slice());
            layer.inactive = if disabled {
                Some(LayerReason::DisableEnvironmentSet)
            } else if needs.is_none() || is == needs || self.enables(&manifest.name) {
                None
            } else {
                Some(LayerReason::EnableEnvironmentNotSet)
            };
        }
        Ok(())
    }

    pub(super) fn enable_any(&self) -> bool {
        !self.names.is_empty() || self.enable.is_some()
    }

    pub(super) fn names(&self, name: &[u8]) -> bool {
        self.sorted_names.binary_search(&name).is_ok()
    }

    fn enables(&self, name: &[u8]) -> bool {
        self.names(name) || self.enable.is_some_and(|patterns| patterns.matches(name))
    }

    /// Returns the variable that disables a layer: an enabled or allowed one cannot be disabled.
    pub(super) fn disables(&self, kind: LayerKind, name: &[u8]) -> Option<&'static CStr> {
        let (by, unwanted) = self.disable?;
        let allowed = || self.allow.is_some_and(|allowed| covers(allowed, kind, name));
        (covers(unwanted, kind, name) && !self.enables(name) && !allowed()).then_some(by)
    }

    pub(super) fn skip_disabled(&self, layers: &mut [LayerCandidate]) {
        let may_be =
            |layer: &&mut LayerCandidate| layer.skipped.is_none() && layer.control != Some(Control::On);
        for layer in layers.iter_mut().filter(may_be) {
            layer.skipped = self.disables(layer.kind, layer.name()).map(|by| LayerReason::Disabled { by });
        }
    }
}

/// Returns whether one of the patterns matches a layer. In addition to patterns for its name, special words
/// match every layer of a kind.
fn covers(filter: NameFilter<'_>, kind: LayerKind, name: &[u8]) -> bool {
    let whole_kind = match kind {
        LayerKind::Implicit => b"~implicit~",
        LayerKind::Explicit => b"~explicit~",
    };
    filter.patterns().any(|pattern| is_same_in_any_case(pattern, whole_kind) || matches(pattern, name))
}
