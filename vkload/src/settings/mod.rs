//! `vkload settings`: shows and checks the settings file in use, changes it, and takes changes back.

mod change;
mod edited_file;
mod history;
mod report;

use std::process::ExitCode;

use crate::arguments::SettingsArguments;

pub(crate) fn run(options: &SettingsArguments) -> ExitCode {
    if options.undo {
        change::undo(options)
    } else if changes(options) {
        change::run(options)
    } else {
        report::run(options)
    }
}

fn changes(options: &SettingsArguments) -> bool {
    let named = [&options.order, &options.device, &options.only_gpu].map(Vec::len);
    let (layers, drivers) = (options.layer.len(), options.driver.len());
    options.only_hardware || layers + drivers + named.iter().sum::<usize>() > 0
}
