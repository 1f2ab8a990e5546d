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

/// Returns whether the file is to change.
fn changes(options: &SettingsArguments) -> bool {
    let named = [options.layer.len(), options.order.len(), options.device.len(), options.driver.len()];
    options.only_hardware || named.iter().any(|count| *count > 0)
}
