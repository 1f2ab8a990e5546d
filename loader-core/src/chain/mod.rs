//! Call chains: how layers are inserted between the application and the drivers, and the commands that have
//! their own upper end.
//!
//! The upper end of a chain is the instance's or device's table, filled by the first layer's look-up; the
//! lower ends are the terminators ([`crate::objects`]). In between, each layer calls the next one, which it
//! knows from the links passed down when the object was created.
//!
//! No lock is held while a layer runs. One thread at a time has the turn in the layer commands that create,
//! destroy and enumerate ([`Loader::turn_in_layers`](crate::loader::Loader)).

mod create_device;
mod create_instance;
mod device_extensions;
mod device_links;
mod enumeration;
mod handed_out;
mod instance_links;
mod instance_table;
mod of_layer;

pub use create_device::create_device;
pub use create_instance::{create_instance, destroy_instance};
pub use device_links::{enter_device_chain, layer_create_device, layer_destroy_device};
pub use handed_out::{
    allocate_command_buffers, create_external_compute_queue, get_device_queue, get_device_queue2,
};
pub use instance_links::{comes_from_layers, enter_instance_chain};
