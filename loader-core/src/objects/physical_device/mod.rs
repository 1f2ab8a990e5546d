//! Physical devices: their enumeration and order, and the queries that are not just passed on to the driver.

pub(super) mod commands;
pub(super) mod emulated;
pub(super) mod enumerate;
pub(super) mod extensions;
pub(crate) mod groups;
pub(super) mod sorting;
pub(super) mod stand_ins;
