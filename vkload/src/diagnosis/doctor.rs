//! The doctor for programs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::answer::{Diagnosis, answer};
use super::finding::{Finding, Id, Severity};
use super::gather::{Request, Whom, case};
use crate::probe::parent::USUAL_LIMIT;
use crate::{probe, rights};

/// Explains why Vulkan works or not: reads files, variables and devices, and tries drivers and layers in other processes.
///
/// It tries only if the program calls [`init_doctor`](crate::init_doctor) first: a trial is this program, started again. It takes
/// processor time and, if something hangs, the time limit for each of them.
#[derive(Clone)]
#[must_use = "nothing happens until it is asked to diagnose"]
pub struct Doctor {
    system_loader: bool,
    probe: bool,
    limit: Duration,
    progress: Arc<dyn Fn(&str) + Send + Sync>,
    stop: Option<Arc<AtomicBool>>,
}

impl Default for Doctor {
    fn default() -> Self {
        let progress = Arc::new(|_: &str| {});
        Self { system_loader: false, probe: true, limit: USUAL_LIMIT, progress, stop: None }
    }
}

impl fmt::Debug for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doctor")
            .field("probe", &self.probe)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
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
    pub fn probe_time_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Calls this function with the name of each driver, layer and loader before it is tried. Several threads call it.
    pub fn on_progress(self, progress: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { progress: Arc::new(progress), ..self }
    }

    /// Stops trying once this is true: [`diagnose`](Self::diagnose) then returns an error within a tenth of a second.
    pub fn stop_if(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Diagnoses. Changes nothing on the machine.
    ///
    /// # Errors
    /// [`DoctorError`] if the loader's search cannot be computed, or if the doctor was stopped.
    pub fn diagnose(&self) -> Result<Diagnosis, DoctorError> {
        let request = Request {
            whom: if self.system_loader { Whom::AnyProgram(usize::BITS) } else { Whom::ThisProgram },
            probe: self.probe && probe::is_possible(),
            limit: self.limit,
            record: None,
            progress: &*self.progress,
            late: |_, _| {},
            stop: self.stop.clone(),
        };
        let mut diagnosis = case(&request).map(answer).map_err(DoctorError)?;
        if self.probe && !request.probe {
            let first = diagnosis.findings.partition_point(|finding| finding.severity == Severity::Error);
            diagnosis.findings.insert(first, impossible());
        }
        Ok(diagnosis)
    }
}

fn impossible() -> Finding {
    let (why, step) = if rights::is_elevated() {
        ("has more rights than its user", "Start it without them")
    } else {
        (
            "does not call vkload::init_doctor",
            "Call it at the start of main: a trial is this program, started again",
        )
    };
    let what = format!("nothing was tried, because this program {why}");
    Finding::of(Id::NotTried, Severity::Warning, "", what).step(step)
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
