//! What applications call: from the list of extensions to a presented image.

mod api;
mod driver;
mod frames;
mod levels;
mod packaging;
mod pages;
mod policies;
mod wsi;
