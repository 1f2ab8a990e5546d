//! The trials, each in a separate process.

use serde::{Deserialize, Serialize};

use super::asked::Asked;
use super::subject::Target;
use super::suspects::{self, Lost};
use crate::facts::Node;
use crate::lossless;
use crate::planned::Planned;
use crate::probe::parent::{Settings, libraries_not_found, try_out};
use crate::probe::{self, Attempt, Ending, Progress, Subject, Trial, try_all};
use crate::switches::Changes;
use crate::view::LayerView;

/// The variable by which the dynamic linker loads libraries into every program.
pub(super) const PRELOAD: &str = "LD_PRELOAD";
/// A layer that takes longer is tried again, in case the machine was busy.
pub(super) const LONG: u64 = 2000;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Trials {
    /// Whether anything was tried.
    pub(crate) probed: bool,
    /// The loader that programs get, with everything that is installed.
    pub(crate) program: Option<Trial>,
    /// Each driver alone, with its manifest.
    pub(crate) drivers: Vec<(String, Trial)>,
    /// Each layer that is active, with its name: opened, and if something is wrong, alone above a driver that works.
    pub(crate) layers: Vec<(String, Trial)>,
    /// Each device file that the permissions allow this user to open, by its path. Opened only where programs get no GPU.
    pub(crate) files: Vec<(String, Trial)>,
    /// The programs' loader, without the layers that no code enables.
    pub(crate) without_layers: Option<Trial>,
    /// What devices have without these layers and not with them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) lost: Vec<Lost>,
    /// The programs' loader without LD_PRELOAD, if that is set and it is better so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) without_preload: Option<Trial>,
    /// The layers without which it works.
    pub(crate) culprits: Vec<String>,
    /// The layer that works if it is moved behind the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) belongs_last: Option<String>,
    /// The program's requests, if a program is named and Vulkan works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<Asked>,
    /// This program's built-in loader, tried if the programs' loader does not work.
    pub(crate) own: Option<Trial>,
}

impl Trials {
    /// Runs all trials. Passes the results known by then to `keep` after each step, so that they are recorded.
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
        let layers = LayerView::active_by_default(&planned.layers);
        let mut attempts = vec![Attempt::of("", target.subject())];
        for (_, driver) in planned.drivers.used() {
            let library = lossless::text(&driver.library);
            attempts.push(Attempt::of(&lossless::text(&driver.path), Subject::Driver { library }));
        }
        let drivers = attempts.len();
        attempts.extend(alone(planned, &layers, settings, None));
        let mut tried = try_all(&attempts, settings, progress);
        let of_layers = tried.split_off(drivers);
        trials.program = (!tried.is_empty()).then(|| tried.remove(0).1);
        (trials.drivers, trials.layers) = (tried, of_layers);
        keep(&trials);
        let is_slow = trials.program.as_ref().is_some_and(|program| program.milliseconds >= LONG);
        let working = planned.drivers.used().zip(&trials.drivers).filter(|(_, (_, trial))| trial.works());
        let mut manifests = working.filter_map(|((_, driver), _)| str::from_utf8(&driver.path).ok());
        // A colon would separate two paths.
        let manifest = manifests.find(|path| !path.contains(':'));
        if let Some(manifest) = manifest.filter(|_| is_slow || suspects::anything_missing(&trials)) {
            let attempts = Vec::from_iter(alone(planned, &layers, settings, Some(manifest)));
            trials.layers = try_all(&attempts, settings, progress);
            trials.try_slow_layers_again(settings, &attempts);
            keep(&trials);
        }
        let has_gpu = trials.program.iter().flat_map(Trial::usable).any(|device| device.kind != "cpu");
        if !has_gpu {
            let open = nodes.iter().filter(|node| node.is_needed() && !node.is_closed());
            let of = |node: &Node| Attempt::of(&node.path, Subject::DeviceFile { path: node.path.clone() });
            trials.files = try_all(&open.map(of).collect::<Vec<_>>(), settings, progress);
        }
        if !suspects::anything_missing(&trials) || suspects::is_drivers_fault(&trials) {
            return trials;
        }
        let loader = target.subject();
        if settings.variables.get(PRELOAD).is_some_and(|value| !value.is_empty()) {
            progress("the loader without LD_PRELOAD");
            let without = try_out(&loader, settings, &Changes::from([(PRELOAD.to_owned(), None)]));
            if suspects::is_better(&without, trials.program.as_ref()) {
                trials.without_preload = Some(without);
                keep(&trials);
                return trials;
            }
        }
        for (_, trial) in trials.drivers.iter_mut().filter(|(_, trial)| trial.fails_silently()) {
            progress("what the drivers look for");
            trial.not_found = libraries_not_found(&trial.of, settings);
        }
        let all: Vec<usize> = (0..layers.len()).collect();
        if let (false, Ok(changes)) = (layers.is_empty(), suspects::without(planned, &layers, &all, settings))
        {
            progress("the loader without layers");
            let attempt = |changes: &Changes| try_out(&loader, settings, changes);
            let without = attempt(&changes);
            if suspects::is_better(&without, trials.program.as_ref()) {
                trials.lost = trials.program.iter().flat_map(|with| suspects::lost(&without, with)).collect();
                trials.culprits =
                    suspects::culprits(planned, &layers, settings, &without, &attempt, progress);
                trials.belongs_last =
                    suspects::belongs_last(&layers, &trials.culprits, settings, &without, &attempt, progress);
            }
            trials.without_layers = Some(without);
            keep(&trials);
        }
        if trials.culprits.is_empty() && !target.built_in {
            progress("the loader that is built into vkload");
            trials.own = Some(try_out(&Subject::Own, settings, &none));
            keep(&trials);
        }
        trials
    }

    /// Keeps the shorter time of two for layers that took long.
    fn try_slow_layers_again(&mut self, settings: &Settings, attempts: &[Attempt]) {
        for (name, trial) in &mut self.layers {
            let attempt =
                attempts.iter().find(|attempt| attempt.name == *name && attempt.subject == trial.of);
            if let (Some(attempt), Ending::Finished, LONG..) = (attempt, &trial.ending, trial.milliseconds) {
                let again = try_out(&attempt.subject, settings, &attempt.changes);
                trial.milliseconds = trial.milliseconds.min(again.milliseconds);
            }
        }
    }

    /// Returns the result of the driver with this manifest.
    pub(crate) fn driver(&self, manifest: &str) -> Option<&Trial> {
        self.drivers.iter().find(|(of, trial)| of == manifest && trial.has_begun()).map(|(_, trial)| trial)
    }

    /// Returns the result of opening this layer.
    pub(crate) fn layer(&self, name: &str) -> Option<&Trial> {
        self.layers.iter().find(|(of, trial)| of == name && trial.has_begun()).map(|(_, trial)| trial)
    }
}

/// Tries each layer with the others left out, above the driver with this manifest. A meta-layer has no library: its components are among
/// the layers.
fn alone<'a>(
    planned: &'a Planned,
    layers: &'a [LayerView],
    settings: &'a Settings,
    driver: Option<&'a str>,
) -> impl Iterator<Item = Attempt> + 'a {
    let of = move |(index, layer): (usize, &LayerView)| {
        let others: Vec<usize> = (0..layers.len()).filter(|other| *other != index).collect();
        let candidate = planned.layers.layers.get(layer.index)?;
        // The layer is opened and no more unless it is alone: others may not be possible to leave out.
        let changes = driver.and_then(|driver| {
            let mut changes = suspects::without(planned, layers, &others, settings).ok()?;
            changes.insert("VK_DRIVER_FILES".to_owned(), Some(driver.to_owned()));
            Some(changes)
        });
        let subject = probe::layers::subject(candidate, changes.is_some());
        Some(Attempt { changes: changes.unwrap_or_default(), ..Attempt::of(&layer.name, subject) })
    };
    layers.iter().enumerate().filter(|(_, layer)| !layer.library.is_empty()).filter_map(of)
}
