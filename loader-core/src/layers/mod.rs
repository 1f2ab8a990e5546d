//! Layers: which the system has, those of an instance, and what they are told; before there is an instance,
//! those that intercept the global commands.

mod active;
mod found;
pub mod global;
mod layer_settings;
mod library;

pub use active::{ActiveLayer, Layers};
pub use found::FoundLayers;
pub(crate) use found::layer_properties;
pub(crate) use layer_settings::TellLayers;
pub use layer_settings::{TakenOut, warn_of_unheard};
pub use library::LayerLibrary;
