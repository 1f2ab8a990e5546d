//! What is tried, each thing in a process of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};

use super::subject::{Layer, Target};
use super::suspects;
use crate::facts::Node;
use crate::planned::Planned;
use crate::probe::parent::{Settings, libraries_not_found, try_out};
use crate::probe::{Subject, Trial};
use crate::switches::Changes;
use loader_core::memory::Shown;

/// What came of everything that was tried.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Trials {
    /// Whether anything was tried.
    pub(crate) probed: bool,
    /// The loader that programs get, with everything that is installed.
    pub(crate) program: Option<Trial>,
    /// Each driver alone, with its manifest.
    pub(crate) drivers: Vec<(String, Trial)>,
    /// Each layer that is active, alone above the built-in driver, with its name.
    pub(crate) layers: Vec<(String, Trial)>,
    /// Each device file that the permissions allow this user to open, by its path. Opened only where programs get no GPU.
    pub(crate) files: Vec<(String, Trial)>,
    /// The loader that programs get, with no layer that nobody asks for in code.
    pub(crate) without_layers: Option<Trial>,
    /// The layers without which it works.
    pub(crate) culprits: Vec<String>,
    /// The layer with which it works, too, if it stands behind the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) belongs_last: Option<String>,
    /// The loader that is built into this program, where the one that programs get does not work.
    pub(crate) own: Option<Trial>,
}

/// More processes at a time would only wait for each other.
const AT_A_TIME: usize = 4;

/// Told of progress: what is being tried.
pub(crate) type Progress<'a> = &'a (dyn Fn(&str) + Sync);

impl Trials {
    /// Tries everything. After each step `keep` gets what is known by then, so that a recording has it.
    pub(crate) fn run(
        target: &Target,
        planned: &Planned,
        nodes: &[Node],
        settings: &Settings,
        progress: Progress<'_>,
        keep: &mut dyn FnMut(&Self),
    ) -> Self {
        let mut trials = Self { probed: true, ..Self::default() };
        let none = Changes::new();
        let layers = Layer::active(planned);
        let mut attempts = vec![Attempt::of("", Subject::Loader { library: target.loader.clone() })];
        for (_, driver) in planned.drivers.used() {
            let library = Shown(&driver.library).to_string();
            attempts.push(Attempt::of(&Shown(&driver.path).to_string(), Subject::Driver { library }));
        }
        let drivers = attempts.len();
        attempts.extend(alone(planned, &layers, settings));
        let mut tried = all(&attempts, settings, progress);
        let of_layers = tried.split_off(drivers);
        trials.program = (!tried.is_empty()).then(|| tried.remove(0).1);
        (trials.drivers, trials.layers) = (tried, of_layers);
        keep(&trials);
        let has_gpu = trials.program.iter().flat_map(Trial::usable).any(|device| device.kind != "cpu");
        if !has_gpu {
            let open = nodes.iter().filter(|node| node.is_needed() && !node.is_closed());
            let of = |node: &Node| Attempt::of(&node.path, Subject::DeviceFile { path: node.path.clone() });
            trials.files = all(&open.map(of).collect::<Vec<_>>(), settings, progress);
        }
        if !suspects::anything_missing(&trials) || suspects::is_drivers_fault(&trials) {
            return trials;
        }
        for (_, trial) in trials.drivers.iter_mut().filter(|(_, trial)| trial.fails_silently()) {
            progress("what the drivers look for");
            trial.not_found = libraries_not_found(&trial.of, settings);
        }
        let all: Vec<usize> = (0..layers.len()).collect();
        if let (false, Ok(changes)) = (layers.is_empty(), suspects::without(planned, &layers, &all, settings))
        {
            progress("the loader without layers");
            let attempt = |changes: &Changes| {
                try_out(&Subject::Loader { library: target.loader.clone() }, settings, changes)
            };
            let without = attempt(&changes);
            if suspects::is_better(&without, trials.program.as_ref()) {
                trials.culprits =
                    suspects::culprits(planned, &layers, settings, &without, &attempt, progress);
                trials.belongs_last =
                    suspects::belongs_last(&layers, &trials.culprits, settings, &without, &attempt, progress);
            }
            trials.without_layers = Some(without);
            keep(&trials);
        }
        if trials.culprits.is_empty() {
            progress("the loader that is built into vkload");
            trials.own = Some(try_out(&Subject::Own, settings, &none));
            keep(&trials);
        }
        trials
    }

    /// What came of the driver of this manifest.
    pub(super) fn driver(&self, manifest: &str) -> Option<&Trial> {
        self.drivers.iter().find(|(of, trial)| of == manifest && trial.has_begun()).map(|(_, trial)| trial)
    }

    /// What came of opening this layer.
    pub(super) fn layer(&self, name: &str) -> Option<&Trial> {
        self.layers.iter().find(|(of, trial)| of == name && trial.has_begun()).map(|(_, trial)| trial)
    }
}

/// Something to be tried.
struct Attempt {
    /// The driver's manifest or the layer. Empty for the loader.
    name: String,
    subject: Subject,
    changes: Changes,
}

impl Attempt {
    fn of(name: &str, subject: Subject) -> Self {
        Self { name: name.to_owned(), subject, changes: Changes::new() }
    }
}

/// Each layer with the others left out. A meta-layer has no library: its components are among the layers.
fn alone<'a>(
    planned: &'a Planned,
    layers: &'a [Layer],
    settings: &'a Settings,
) -> impl Iterator<Item = Attempt> + 'a {
    let of = move |(place, layer): (usize, &Layer)| {
        let others: Vec<usize> = (0..layers.len()).filter(|other| *other != place).collect();
        let changes = suspects::without(planned, layers, &others, settings);
        Attempt {
            name: layer.name.clone(),
            subject: layer.subject(changes.is_ok()),
            changes: changes.unwrap_or_default(),
        }
    };
    layers.iter().enumerate().filter(|(_, layer)| !layer.library.is_empty()).map(of)
}

/// Tries these, some at a time, and returns what came of each in their order.
fn all(attempts: &[Attempt], settings: &Settings, progress: Progress<'_>) -> Vec<(String, Trial)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![None; attempts.len()]);
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(attempts.len()) {
            scope.spawn(|| {
                while let Some((place, attempt)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|place| Some((place, attempts.get(place)?)))
                {
                    let name = attempt.name.as_str();
                    progress(if name.is_empty() { "the loader that programs get" } else { name });
                    let trial = try_out(&attempt.subject, settings, &attempt.changes);
                    if let Some(slot) =
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_mut(place)
                    {
                        *slot = Some(trial);
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    attempts.iter().zip(results).filter_map(|(attempt, trial)| Some((attempt.name.clone(), trial?))).collect()
}
