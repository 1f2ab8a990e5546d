//! `vkload settings`: shows and checks the settings file in use, changes it, and takes changes back.

mod change;
mod edited_file;
mod history;
mod report;

use std::process::ExitCode;

use crate::arguments::SettingsArguments;
use crate::output;

pub(crate) fn run(options: &SettingsArguments) -> ExitCode {
    output::answer(match options.undo {
        true => change::undo(options),
        false if changes(options) => change::changed(options),
        false => report::report(options),
    })
}

fn changes(options: &SettingsArguments) -> bool {
    let named = [&options.order, &options.device, &options.only_gpu].map(Vec::len);
    let (layers, drivers) = (options.layer.len(), options.driver.len());
    options.only_hardware || layers + drivers + named.iter().sum::<usize>() > 0
}
