//! The doctor for programs.

use std::fmt;
use std::time::Duration;

use super::answer::{Diagnosis, answer};
use super::gather::{Request, Whom, case};
use crate::probe;
use crate::probe::parent::USUAL_LIMIT;

/// Explains why Vulkan works or not: reads files, variables and devices, and tries drivers and layers in other processes.
///
/// It tries only if the program calls [`init_probes`](crate::init_probes) first: a trial is this program, started again. It takes
/// processor time and, if something hangs, the time limit for each of them.
#[derive(Clone, Debug)]
#[must_use = "nothing happens until it is asked to diagnose"]
pub struct Doctor {
    system_loader: bool,
    probe: bool,
    limit: Duration,
}

impl Default for Doctor {
    fn default() -> Self {
        Self { system_loader: false, probe: true, limit: USUAL_LIMIT }
    }
}

impl Doctor {
    /// Returns a doctor that judges for this program and the loader in it, with the [`Config`](crate::Config) that was applied.
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges for programs that use the system's loader, `libvulkan.so.1`.
    pub fn for_system_loader(self) -> Self {
        Self { system_loader: true, ..self }
    }

    /// Loads no driver, layer or loader. [`Diagnosis::works`] returns `None` then.
    pub fn without_probes(self) -> Self {
        Self { probe: false, ..self }
    }

    /// Sets the time limit for each driver, layer and loader that is tried. The default is 10 seconds.
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Diagnoses. Changes nothing on the machine.
    ///
    /// # Errors
    /// [`DoctorError`] if the loader's search cannot be computed.
    pub fn diagnose(&self) -> Result<Diagnosis, DoctorError> {
        let whom = if self.system_loader { Whom::AnyProgram(usize::BITS) } else { Whom::ThisProgram };
        let probe = self.probe && probe::is_possible();
        let request =
            Request { whom, probe, limit: self.limit, record: None, progress: &|_| {}, late: |_, _| {} };
        case(&request).map(answer).map_err(DoctorError)
    }
}

/// Explains why Vulkan works or not for this program: [`Doctor::new`]`().`[`diagnose`](Doctor::diagnose)`()`.
///
/// # Errors
/// [`DoctorError`] if the loader's search cannot be computed.
pub fn doctor() -> Result<Diagnosis, DoctorError> {
    Doctor::new().diagnose()
}

/// The doctor has no answer. The text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorError(String);

impl fmt::Display for DoctorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DoctorError {}
