//! The service `fuchsia.vulkan.loader/Loader`, which knows the drivers of the system: their
//! manifests, their libraries as memory, and the devices that they may open.

mod connection;
mod namespace;
pub(crate) mod wire;

#[cfg(test)]
mod tests;

pub(crate) use connection::{Service, ServiceError};
pub(crate) use namespace::open_in_namespace;
