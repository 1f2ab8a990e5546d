//! Messages about drivers.

use core::fmt;

use crate::discovery::{Candidate, DriverDecision};
use crate::log::{Level, Topic, write_line};
use crate::logger::{Log, Logger, RuleNumber};
use crate::memory::Escaped;
use crate::negotiation::DriverStatus;
use crate::platform::{Platform, variables};

/// Reports why no driver can be used: to every listener or, without listeners, as one line on the sink, so
/// that the user of an application that does not start gets a hint.
pub(crate) fn report_no_driver(platform: &Platform, logger: &Logger, reason: fmt::Arguments<'_>) {
    let heard = logger.tell(Level::Error, Topic::Driver, reason);
    let shown = logger.write(Level::Error, Topic::Driver, reason);
    if !(shown || heard || platform.switch(variables::VK_LOADER_X_QUIET) == Ok(true)) {
        write_line(logger.sink, Level::Error, Topic::Driver, reason);
    }
}

/// Logs the outcome of the driver called `name`. A fixed driver is part of the image, so leaving it out is always
/// reported.
pub(crate) fn log_outcome(logger: &Logger, name: &[u8], outcome: &DriverStatus) {
    let is_left_out = !matches!(outcome, DriverStatus::Used { .. });
    let always = is_left_out && logger.settings.known.has_fixed_drivers;
    log_outcome_by(logger, if always { Logger::log_always } else { Logger::log }, name, outcome);
}

pub(super) fn log_outcome_by(logger: &Logger, log: Log, name: &[u8], outcome: &DriverStatus) {
    let (name, policy) = (Escaped(name), RuleNumber(outcome.policy()));
    log(logger, outcome.level(), Topic::Driver, format_args!("{name}: {outcome}{policy}"));
}

pub(super) fn log_candidate(logger: &Logger, log: Log, candidate: &Candidate) {
    let path = Escaped(&candidate.path);
    match &candidate.decision {
        DriverDecision::Skip(reason) => {
            let policy = RuleNumber(reason.policy());
            log(logger, reason.level(), Topic::Driver, format_args!("{path}: not used: {reason}{policy}"));
        }
        DriverDecision::Use if candidate.kind.is_foreign() => {
            log(logger, Level::Debug, Topic::Driver, format_args!("{path}: used: another Vulkan loader"));
        }
        DriverDecision::Use => {
            let (library, version) = (Escaped(&candidate.library), candidate.api_version);
            log(
                logger,
                Level::Debug,
                Topic::Driver,
                format_args!("{path}: used: {library}, Vulkan {version}"),
            );
        }
    }
    if let Some(warning) = &candidate.warning {
        log(logger, Level::Warning, Topic::Driver, format_args!("{path}: {warning}"));
    }
}
