//! Manifests: bytes of a JSON file in, typed values or a precise error out.
//!
//! Shipped manifests are not always valid JSON, and existing loaders are lenient, so the reader of
//! [`json`] is as lenient as they are and no more: see its documentation for the list.

mod driver;
mod fields;
pub mod json;
mod layer;
mod settings;
mod version;

pub use driver::{DriverManifest, ManifestError, ManifestWarning};
pub use fields::{Field, FieldProblem};
pub use layer::{
    DeclaredSettings, LAYER_LIMIT, LayerExtension, LayerFile, LayerFunctions, LayerManifest, LayerType,
    NAME_LIMIT, OVERRIDE_LAYER, PreInstanceFunctions, Switch, Symbol,
};
pub use settings::{Control, DeviceSetting, LayerSetting, Settings, SettingsFile, SettingsWarning};
pub use version::{Version, VersionError};

/// The size of the largest manifest that is read, in bytes. Shipped ones have a few hundred.
pub const SIZE_LIMIT: usize = 1 << 20;
