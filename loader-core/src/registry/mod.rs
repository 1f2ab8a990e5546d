//! The Vulkan registry as tables, generated from `vk.xml` by `cargo xtask gen`.
//!
//! Commands are numbered so that their number says where they are dispatched: first the global commands, then those
//! whose first parameter is a `VkInstance`, then `VkPhysicalDevice`, then everything below a `VkDevice`. An instance
//! table has one slot for each command of the second and third group, a device table one for each of the fourth, in
//! this order; an alias is a command of its own, with a slot of its own.
