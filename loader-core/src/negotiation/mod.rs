//! Negotiating interface versions with drivers and layers.

mod driver;
mod driver_status;
mod layer;
mod layer_open_error;

pub use driver::IS_LOADER;
#[cfg(feature = "foreign-handles")]
pub use driver::with_system_loader;
pub use driver::{
    CHECKED_VERSION_INTERFACE, DIRECT_DRIVER_INTERFACE, DriverInterface, NEWEST_INTERFACE,
    OWN_SURFACE_INTERFACE, with_function, with_library,
};
pub use driver_status::DriverStatus;
pub(crate) use driver_status::VkResult;
pub use layer::{LayerInterface, NEWEST_LAYER_INTERFACE, with_layer};
pub use layer_open_error::LayerOpenError;
