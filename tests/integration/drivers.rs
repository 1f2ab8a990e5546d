//! Drivers: the search for them, negotiation, and the devices of several.

mod direct_drivers;
mod elevated;
mod hostile;
mod listed_devices;
mod negotiation;
mod policies;
mod search;
mod several_drivers;
mod sorting;
