//! Call chains: how layers are put between the application and the drivers.
//!
//! The upper end of a chain is the instance's or device's table, filled with what the first layer's look-up function
//! gives; the lower end are the terminators ([`crate::objects`]). Between them each layer calls the next one, which it
//! knows from the links that were handed down when the object was created.
//!
//! Nothing here holds a lock while a layer runs.

mod create_device;
mod create_instance;
mod found;
pub mod global;
pub mod known;
mod layer;
mod settings;

pub use create_device::{enter_device_chain, layer_create_device, layer_destroy_device};
pub use create_instance::{comes_from_layers, enter_instance_chain};
pub use found::FoundLayers;
pub(crate) use found::layer_properties;
pub use layer::{ActiveLayer, Layers};
pub use settings::{TakenOut, warn_of_unheard};
