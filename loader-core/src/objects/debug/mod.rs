//! Messengers, report callbacks, and the names of objects.

pub(super) mod commands;
mod messenger;
mod names;
mod translated_gen;
