//! `vkload chain`: the path of a program's call, as a picture.
//!
//! [`picture`] builds a [`Model`] from the plans, and opens no library. Trials add the devices and problems. [`text`], [`svg()`] and
//! [`html`] draw it.

mod drawing;
pub(crate) mod html;
mod json;
pub(crate) mod model;
mod svg;
mod text;

use std::process::ExitCode;

use crate::arguments::{ChainArguments, Format};
use crate::escape;
use crate::output;
use crate::planned::Planned;
use crate::probe;
use crate::switches::Changes;
pub(crate) use model::{Device, Model, picture};
pub(crate) use svg::svg;
pub(crate) use text::Look;

/// Prints the chain of a program. The exit code is 1 if the program asks for a layer that it cannot have.
pub(crate) fn print(options: &ChainArguments) -> ExitCode {
    match model(options) {
        Ok(model) => {
            let code = if model.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            output::print_escaped(&render(&model, format(options.format, options.json)), code)
        }
        Err(problem) => output::fail(&problem),
    }
}

fn model(options: &ChainArguments) -> Result<Model, String> {
    let planned = if options.own { Planned::here()? } else { Planned::in_use()? };
    let mut model = picture(&planned, &options.layer)?;
    if !options.no_probe {
        let indices: Vec<usize> = model.layers.iter().map(|layer| layer.view.index).collect();
        let tried = probe::layers::try_out(&planned, &indices, &Changes::new());
        model.add_problems(&tried, &planned, &options.layer)?;
    }
    Ok(model)
}

pub(crate) fn format(format: Format, json: bool) -> Format {
    if json { Format::Json } else { format }
}

/// Returns the chain in this format, for standard output.
pub(crate) fn render(model: &Model, format: Format) -> String {
    match format {
        Format::Text => text::render(model, Look::of_stdout()),
        Format::Json => escape::json(&json::render(model)),
        Format::Svg => svg(model),
        Format::Html => html::page(model),
    }
}
