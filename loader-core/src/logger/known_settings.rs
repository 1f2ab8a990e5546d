//! The settings file as calls see it.

use core::sync::atomic::{AtomicBool, Ordering};

use super::{Log, Logger};
use crate::discovery::{KnownSettings, SkipReason};
use crate::log::{Filter, Level, LogLocation, LogSink, Topic};
use crate::manifest::{DeviceSetting, Settings};
use crate::memory::Escaped;

/// The number of files whose write errors are reported: every other file gets these messages.
const NAMED: usize = 8;

/// The settings file of this program as one call sees it, and an instance for as long as it lives.
#[derive(Default)]
pub struct FoundSettings {
    pub known: KnownSettings,
    /// Whether it has been written to the sink.
    reported: AtomicBool,
}

impl FoundSettings {
    pub(crate) fn new(known: KnownSettings) -> Self {
        Self { known, reported: AtomicBool::new(false) }
    }

    pub fn in_force(&self) -> Option<&Settings> {
        self.known.plan.in_force()
    }

    pub fn log_locations(&self) -> &[LogLocation] {
        self.in_force().map_or(&[], |settings| &settings.log_locations)
    }

    pub fn devices(&self) -> Option<&[DeviceSetting]> {
        self.in_force()?.devices.as_deref()
    }

    pub fn software_devices_last(&self) -> Option<bool> {
        self.in_force()?.software_devices_last
    }

    pub(crate) fn stderr_log(&self) -> Option<Filter> {
        Some(self.in_force()?.stderr_log).filter(|filter| !filter.is_silent())
    }

    /// Reports which file is used, its contents and its faults: to all destinations the first time, then only
    /// to the listeners.
    pub(crate) fn report(&self, sink: &dyn LogSink, logger: &Logger) {
        let plan = &self.known.plan;
        if plan.path.is_empty() || logger.is_silent() {
            return;
        }
        let first = !self.reported.swap(true, Ordering::Relaxed);
        let path = Escaped(&plan.path);
        let listeners_only: Log = |logger, level, topic, message| _ = logger.tell(level, topic, message);
        let log: Log = if first { Logger::log } else { listeners_only };
        let log = |level, message: core::fmt::Arguments<'_>| log(logger, level, Topic::Loader, message);
        match (&plan.unusable, plan.in_force()) {
            (Some(SkipReason::Invalid(error)), _) => {
                log(Level::Warning, format_args!("the settings file {path} is ignored, {error}"));
            }
            (Some(reason), _) => {
                log(Level::Warning, format_args!("the settings file {path} is ignored: {reason}"));
            }
            (None, None) => {
                log(Level::Info, format_args!("the settings file {path} says nothing about this program"));
            }
            (None, Some(settings)) => {
                let written = Escaped(&settings.written);
                log(
                    Level::Info,
                    format_args!("the settings file {path} is used, its line {}", settings.line),
                );
                log(Level::Debug, format_args!("the settings are {written}"));
            }
        }
        for warning in &plan.file.warnings {
            log(Level::Warning, format_args!("{path}: {warning}"));
        }
        let files = self.log_locations().iter().flat_map(|location| &location.destinations);
        for file in files.filter(|file| first && !sink.append(file, b"")).take(NAMED) {
            log(Level::Warning, format_args!("{path}: messages cannot be written to {}", Escaped(file)));
        }
    }
}
