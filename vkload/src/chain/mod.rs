//! `vkload chain`: what a call of a program goes through, as a picture. No library is opened.
//!
//! [`picture`] makes a [`Model`] of the plans, to which others may add what only trying tells: devices, and what is wrong.
//! [`text`], [`svg()`] and [`html`] draw it.

mod drawing;
mod fold;
pub(crate) mod html;
mod json;
pub(crate) mod model;
mod svg;
mod text;

use std::process::ExitCode;

use crate::arguments::{ChainArguments, Format};
use crate::output;
use crate::planned::Planned;
pub(crate) use model::{Device, Model, picture};
pub(crate) use svg::svg;
pub(crate) use text::Look;

/// Prints the chain of a program. The exit code is 1 if the program asks for a layer that it cannot have.
pub(crate) fn print(options: &ChainArguments) -> ExitCode {
    match Planned::here().and_then(|planned| picture(&planned, &options.layer)) {
        Ok(model) => {
            let code = if model.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            output::print(&render(&model, format(options.format, options.json)), code)
        }
        Err(problem) => output::fail(&problem),
    }
}

/// The format that `--format` and `--json` ask for.
pub(crate) fn format(format: Format, json: bool) -> Format {
    if json { Format::Json } else { format }
}

/// The chain in this format, for standard output.
pub(crate) fn render(model: &Model, format: Format) -> String {
    match format {
        Format::Text => text::render(model, Look::of_stdout()),
        Format::Json => format!("{:#}\n", json::render(model)),
        Format::Svg => svg(model),
        Format::Html => html::page(model),
    }
}
