//! Agreeing with drivers and layers on the version of the interface between them and the loader.

mod driver;
mod layer;

pub use driver::{
    CHECKED_VERSION_INTERFACE, DIRECT_DRIVER_INTERFACE, DriverInterface, NEWEST_INTERFACE,
    OWN_SURFACE_INTERFACE, with_function, with_library,
};
pub use layer::{Exports, LayerInterface, NEWEST_LAYER_INTERFACE, with_layer};
