//! Layers: the system's layers, an instance's layers and the settings passed to them; before an instance
//! exists, the layers that intercept the global commands.

mod active;
mod found;
pub mod global;
mod layer_settings;
mod library;

pub use active::{ActiveLayer, Layers};
pub use found::FoundLayers;
pub(crate) use found::layer_properties;
pub(crate) use layer_settings::LayerSettingsChain;
pub use layer_settings::{DetachedSettings, warn_of_ignored, warn_of_undeclared};
pub use library::LayerLibrary;
