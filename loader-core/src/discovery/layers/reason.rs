//! Why a layer that was found is not active.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use super::plan::LayerPlan;
use crate::discovery::reason::{Name, UNREADABLE, Unreadable, unreadable_id};
use crate::manifest::{LayerManifest, ManifestError, Switch, Version};
use crate::memory::Escaped;
use crate::platform::FileError;

crate::reasons! {
    /// Why a layer is not used, or is active only on request.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LayerReason(explained: &Explained<'_>) [level policy] {
        Unreadable(error: FileError) = [(unreadable_id(*error); &UNREADABLE) Warning _] ("{}", Unreadable(*error));
        Invalid(error: ManifestError) = [(error.id(); &[]) Warning _]
            ("the manifest cannot be used, {error}; correct it or reinstall the layer");
        ManifestRepeated = ["manifest-repeated" Debug _] ("the same manifest was found before");
        DeviceLayer = ["device-layer" Warning _] ("it is a device layer, which loaders no longer use; a newer build may help");
        LibraryArch { library: u32, process: u32 }
            = ["library-arch-mismatch" Debug _] ("the layer is for {library}-bit programs and this is a {process}-bit one");
        ApiVersion { version: Version } = ["api-version-incompatible" Warning "LLP_LOADER_4"]
            ("\"api_version\" is {version}, and only layers for versions 1.x.y can be used");
        NoDisableEnvironment = ["no-disable-environment" Warning _]
            ("the manifest has no \"disable_environment\" with the name of a variable, which every implicit layer needs so that users can \
              turn it off");
        OtherProgram = ["other-program" Debug _] ("\"app_keys\" does not list this program");
        NameTaken { of: usize }
            = ["name-taken" Debug _] ("{} comes first and has the same name", Escaped(explained.path_of(*of)));
        Blacklisted { by: usize }
            = ["blacklisted" Info "LLP_LOADER_12"] ("the override layer in {} excludes it", Escaped(explained.path_of(*by)));
        Disabled { by: &'static CStr }
            = ["disabled" Info _] ("a pattern of {} matches its name; change or unset the variable", Name(by));
        ComponentMissing { component: usize } = ["component-missing" Warning "LLP_LOADER_10"]
            ("its component {} does not exist or cannot be used; install it", Escaped(explained.component(*component)));
        ComponentCycle { component: usize } = ["component-cycle" Warning "LLP_LOADER_10"]
            ("it contains itself through its component {}", Escaped(explained.component(*component)));
        ComponentTooOld { component: usize } = ["component-too-old" Warning "LLP_LOADER_10"]
            ("its component {} is made for a lower version of Vulkan than the layer itself", Escaped(explained.component(*component)));
        EnableEnvironmentNotSet = ["enable-environment-not-set" Debug "LLP_LOADER_6"] ("{}", NotEnabled(explained.enable_environment()));
        DisableEnvironmentSet = ["disable-environment-set" Info "LLP_LOADER_7"]
            ("{} is set, which disables it", Escaped(explained.disabling_variable()));
        NotAskedFor = ["not-asked-for" Debug _] ("nothing enables it");
        SettingsOff = ["settings-off" Info _] ("the settings file turns it off");
        SettingsElsewhere = ["settings-elsewhere" Debug _] ("the settings file names another manifest for it");
        SettingsName = ["settings-name" Warning _] ("the settings file has this manifest with another name");
    }
}

impl LayerReason {
    /// Returns the reason as text, for the layer with this index in `plan`.
    pub fn explain<'a>(&'a self, plan: &'a LayerPlan, index: usize) -> Explained<'a> {
        Explained { reason: self, plan, index }
    }
}

/// Describes the defect and a remedy. Follows a name and a colon.
#[derive(Debug)]
pub struct Explained<'a> {
    reason: &'a LayerReason,
    plan: &'a LayerPlan,
    index: usize,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.write(self, f)
    }
}

impl Explained<'_> {
    fn manifest(&self) -> Option<&LayerManifest> {
        self.plan.layers.get(self.index)?.manifest.as_ref()
    }

    fn enable_environment(&self) -> Option<&Switch> {
        let switch = self.manifest()?.enable_environment.as_ref();
        switch.filter(|switch| !switch.variable.bytes().is_empty())
    }

    fn disabling_variable(&self) -> &[u8] {
        let switch = self.manifest().and_then(|manifest| manifest.disable_environment.as_ref());
        switch.map_or(b"", |switch| switch.variable.bytes())
    }

    fn component(&self, component: usize) -> &[u8] {
        self.manifest().and_then(|manifest| manifest.component_layers.get(component)).map_or(b"", |name| name)
    }

    fn path_of(&self, index: usize) -> &[u8] {
        self.plan.layers.get(index).map_or(b"", |layer| layer.path.as_slice())
    }
}

/// Says which variable would enable a layer.
struct NotEnabled<'a>(Option<&'a Switch>);

impl fmt::Display for NotEnabled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Switch { variable, value }) => {
                write!(
                    f,
                    "it is active only if {} is set to \"{}\"",
                    Escaped(variable.bytes()),
                    Escaped(value)
                )
            }
            None => f.write_str("\"enable_environment\" names no variable that could enable it"),
        }
    }
}
