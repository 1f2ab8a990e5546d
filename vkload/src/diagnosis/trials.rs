//! The trials, each in a separate process.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use vkload_core::discovery::{Origin, Searched};

use super::asked::{self, Asked};
use super::case::file_name;
use super::subject::{SONAME, Target};
use super::suspects::{self, Broken, Culprit, More, Search};
use crate::escape;
use crate::facts::{Facts, Gpu, Node, READ, begins, brought, elsewhere, may_drive, refusing};
use crate::lossless;
use crate::planned::Planned;
use crate::probe::parent::{Settings, libraries_not_found, traced, try_out};
use crate::probe::{self, Attempt, Ending, Progress, Subject, Trial, Tried, try_all};
use crate::switches::Changes;
use crate::view::LayerView;

/// A layer or driver that takes longer is tried again, in case the machine was busy.
pub(super) const LONG: u64 = 2000;

/// The variable that adds manifests to the search.
const ADD: &str = "VK_ADD_DRIVER_FILES";

/// A driver's manifest, and the name and the value of a variable.
type Helping = (String, String, String);

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Trials {
    /// The loader that programs get, with everything that is installed.
    pub(crate) program: Option<Trial>,
    /// Each driver alone, with its manifest.
    pub(crate) drivers: Vec<(String, Trial)>,
    /// Each layer that is active, with its name: opened, and if something is wrong, alone above a driver that works.
    pub(crate) layers: Vec<(String, Trial)>,
    /// Each device file that the permissions allow this user to open, by its path. Opened only where programs get no GPU.
    pub(crate) files: Vec<(String, Trial)>,
    /// What is at fault, as trials without it show.
    pub(crate) causes: Vec<Culprit>,
    /// The suspects without all of which nothing gets further, if there is no cause.
    pub(crate) excluded: Vec<String>,
    /// Variables with which drivers get further: the manifest, the name and the value.
    pub(crate) helping: Vec<Helping>,
    /// The results of these drivers with these variables, by their manifests.
    pub(crate) helped: Vec<(String, Trial)>,
    /// The program's requests, if a program is named and Vulkan works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<Asked>,
    /// A driver's library that no manifest names, and that gets further than the loader or does not find a library.
    pub(crate) unnamed: Option<(String, Trial)>,
    /// Another loader of this machine that gets further than the one that programs get: its path.
    pub(crate) other: Option<(String, Trial)>,
    /// This program's built-in loader, tried if the programs' loader does not work.
    pub(crate) own: Option<Trial>,
}

impl Trials {
    /// Runs all trials. Passes the results known by then to `keep` after each step, so that they are recorded.
    pub(crate) fn run(
        target: &Target,
        planned: &Planned,
        facts: &Facts,
        settings: &Settings,
        progress: Progress<'_>,
        keep: &mut dyn FnMut(&Self),
    ) -> Self {
        let (mut trials, none) = (Self::default(), Changes::new());
        let (nodes, gpus) = (&facts.nodes, &facts.gpus);
        let absent = absent(planned, facts, settings);
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
            try_slow_again(&mut trials.layers, settings, &attempts);
            keep(&trials);
        }
        if is_slow {
            try_slow_again(&mut trials.drivers, settings, &attempts);
        }
        let has_gpus = gpus.iter().any(Gpu::can_have_vulkan) || nodes.iter().any(|node| node.kind == "dxg");
        let has_gpu = trials.program.iter().flat_map(Trial::usable).any(|device| device.kind != "cpu");
        let is_short = (has_gpus && !has_gpu) || suspects::lacks_gpu(&trials, gpus);
        if !has_gpu {
            trials.files = try_device_files(nodes, settings, progress);
        }
        let loader = target.subject();
        let Some(program) = trials.program.clone().filter(Trial::has_begun) else { return trials };
        let attempt = |changes: &Changes| try_out(&loader, settings, changes);
        let of_loader = Search {
            breaks: Broken::Loader,
            with: &program,
            loader: &loader,
            attempt: &attempt,
            planned,
            layers: &layers,
            settings,
            executable: target.executable.as_deref(),
            progress,
        };
        let loaders = target.others(&facts.loaders);
        let other = || {
            loaders.iter().find_map(|path| {
                progress(path);
                let trial = try_out(&Subject::Loader { library: path.clone() }, settings, &none);
                suspects::is_better(&trial, &program).then(|| (path.clone(), trial))
            })
        };
        if target.brings_loader && (suspects::anything_missing(&trials) || is_short) {
            // Everything else may work with the loader of the other programs.
            trials.other = other();
            keep(&trials);
            let works = |trial: &Trial| trial.usable().any(|device| device.kind != "cpu" || !has_gpus);
            if trials.other.as_ref().is_some_and(|(_, trial)| works(trial)) {
                return trials;
            }
        }
        if suspects::anything_missing(&trials) || is_short {
            let drivers = trials.failing(gpus);
            let not_layers = suspects::is_drivers_fault(&trials);
            match of_loader.all(&More { drivers, not_layers, absent: &absent, ..More::default() }) {
                Ok(causes) => trials.causes = causes,
                Err(excluded) => trials.excluded = excluded,
            }
            keep(&trials);
        }
        if trials.causes.is_empty() {
            let layers = trials.layers.iter().filter(|(_, trial)| trial.is_unusable());
            let drivers = trials.drivers.iter().filter(|(_, trial)| trial.ending != Ending::Finished);
            for (name, with) in drivers.chain(layers) {
                let attempt = |changes: &Changes| try_out(&with.of, settings, changes);
                let breaks = Broken::Part(name.clone());
                trials.causes.extend(Search { breaks, with, attempt: &attempt, ..of_loader }.variables());
            }
            keep(&trials);
        }
        if !suspects::anything_missing(&trials) && !is_short || !trials.causes.is_empty() {
            return trials;
        }
        trials.unnamed = unnamed(planned, facts, settings, progress, &program);
        trials.look_for_help(settings, progress);
        trials.causes.extend(of_loader.drivers());
        trials.other = trials.other.or_else(other);
        if trials.causes.is_empty() && !trials.program.as_ref().is_some_and(Trial::works) && !target.built_in
        {
            progress("the loader that is built into vkload");
            trials.own = Some(try_out(&Subject::Own, settings, &none));
        }
        keep(&trials);
        trials
    }

    /// Returns the drivers that may fail others: those that crash or hang, and those that fail and are for no GPU of this machine.
    fn failing(&self, gpus: &[Gpu]) -> Vec<&str> {
        let fails = |(of, trial): &&(String, Trial)| {
            trial.is_violent() || (matches!(trial.ending, Ending::Result { .. }) && !may_drive(of, gpus))
        };
        self.drivers.iter().filter(fails).map(|(of, _)| of.as_str()).collect()
    }

    /// Finds the libraries that drivers look for in vain, and variables with which they get further.
    fn look_for_help(&mut self, settings: &Settings, progress: Progress<'_>) {
        for (_, trial) in self.drivers.iter_mut().filter(|(_, trial)| trial.fails_silently()) {
            progress("what the drivers look for");
            trial.not_found = libraries_not_found(&trial.of, settings);
            trial.refused = traced(&trial.of, settings).refused;
            for file in trial.refused.iter_mut().filter(|file| !file.is_absent && !file.by_ioctl) {
                file.path = lossless::of(refusing(&lossless::path(&file.path)));
            }
        }
        let helping = self.drivers.iter().filter_map(|(of, with)| helping(of, with, settings));
        (self.helping, self.helped) = helping.unzip();
    }

    /// Starts the program, and if it fails, tries it without suspects.
    pub(crate) fn ask(
        &mut self,
        words: &[OsString],
        planned: &Planned,
        executable: Option<&Path>,
        settings: &Settings,
        progress: Progress<'_>,
    ) {
        progress("the program, to see its requests");
        let Ok(mut asked) = asked::watch(words, settings, &Changes::new()) else { return };
        let layers = LayerView::active_by_default(&planned.layers);
        // A loader names the layer or the file that it could not open.
        let is_refused = |layer: &LayerView| {
            let names = [&layer.name, &layer.library].map(|name| escape::line(name));
            asked.errors.iter().any(|line| names.iter().any(|name| !name.is_empty() && line.contains(name)))
        };
        let explicit =
            LayerView::all(&planned.layers).unwrap_or_default().into_iter().filter(|it| !it.is_active());
        for layer in explicit.filter(is_refused).collect::<Vec<_>>() {
            let missing = asked::Missing { kind: asked::Kind::Layer, name: layer.name, had_by: Vec::new() };
            if !asked.missing.contains(&missing) {
                asked.missing.push(missing);
            }
        }
        for missing in asked.missing.iter().filter(|missing| missing.kind == asked::Kind::Layer) {
            let Some(layer) = planned.layers.usable(missing.name.as_bytes()) else { continue };
            let Some(candidate) = planned.layers.layers.get(layer) else { continue };
            let trial = try_out(&probe::layers::subject(candidate, false), settings, &Changes::new());
            self.layers.push((missing.name.clone(), trial));
        }
        if asked.failure.is_some() {
            let attempt = |changes: &Changes| {
                asked::watch(words, settings, changes).map(|asked| asked.trial()).unwrap_or_default()
            };
            let (with, breaks, layers) = (asked.trial(), Broken::Program, &layers[..]);
            let loader = self.program.as_ref().map(|trial| trial.of.clone()).unwrap_or_default();
            let search = Search {
                breaks,
                with: &with,
                loader: &loader,
                attempt: &attempt,
                planned,
                layers,
                settings,
                executable,
                progress,
            };
            let drivers = planned.libraries().map(|(_, library)| OsStr::from_bytes(library));
            let named: Vec<_> = drivers.chain([OsStr::new(SONAME)]).collect();
            let libraries =
                executable.map(|file| brought(&settings.variables, file, &named)).unwrap_or_default();
            match search.all(&More { libraries: &libraries, ..More::default() }) {
                Ok(causes) => self.causes.extend(causes),
                Err(excluded) => self.excluded = excluded,
            }
            if self.causes.is_empty() {
                self.causes.extend(search.drivers());
            }
        }
        let devices = self.program.iter().flat_map(|program| &program.devices);
        for missing in asked.missing.iter_mut().filter(|missing| missing.kind == asked::Kind::DeviceExtension)
        {
            let has = |tried: &&Tried| tried.extensions.contains(&missing.name);
            missing.had_by = devices.clone().filter(has).map(|tried| tried.device.name.clone()).collect();
        }
        self.asked = Some(asked);
    }

    /// Returns the names of the layers that are at fault.
    pub(crate) fn culprits(&self) -> impl Iterator<Item = &String> {
        self.causes.iter().flat_map(|cause| &cause.layers)
    }

    pub(crate) fn driver(&self, manifest: &str) -> Option<&Trial> {
        self.drivers.iter().find(|(of, trial)| of == manifest && trial.has_begun()).map(|(_, trial)| trial)
    }

    pub(crate) fn layer(&self, name: &str) -> Option<&Trial> {
        self.layers.iter().find(|(of, trial)| of == name && trial.has_begun()).map(|(_, trial)| trial)
    }
}

/// Returns variables that are not set, and values with which more may work.
fn absent(planned: &Planned, facts: &Facts, settings: &Settings) -> Vec<(String, String)> {
    let mut all = facts.user.absent(&settings.variables);
    // Another build of a driver that is found gives the same devices once more, and a colon separates two paths.
    let used: Vec<_> = planned.drivers.used().map(|(_, driver)| lossless::text(&driver.path)).collect();
    let is_found = |path: &str| used.iter().any(|known| file_name(known) == file_name(path));
    let may_help = |path: &&str| may_drive(path, &facts.gpus) && !is_found(path) && !path.contains(':');
    let apart: Vec<_> = facts.manifests_apart.iter().map(String::as_str).filter(may_help).collect();
    if !apart.is_empty() && !settings.variables.contains_key(ADD) {
        all.push((ADD.to_owned(), apart.join(":")));
    }
    all
}

/// Returns the variable with which this driver gets further: a folder to search that has a library which the driver did not find, or an
/// assignment that the driver prints, as Mesa's drivers do for devices that they do not support yet.
fn helping(manifest: &str, with: &Trial, settings: &Settings) -> Option<(Helping, (String, Trial))> {
    let before =
        settings.variables.get("LD_LIBRARY_PATH").map(|value| format!(":{value}")).unwrap_or_default();
    let folder = |name: &String| {
        let file = elsewhere(&settings.variables, name)?;
        Some(("LD_LIBRARY_PATH", format!("{}{before}", file.rsplit_once('/')?.0)))
    };
    let assignment = |word: &str| {
        let (name, value) = word.split_once('=')?;
        let is_name =
            name.len() > 2 && name.bytes().all(|it| it.is_ascii_uppercase() || b"_0123456789".contains(&it));
        let value: String = value.chars().take_while(char::is_ascii_alphanumeric).collect();
        // What the dynamic linker reads may load any library.
        (is_name && !value.is_empty() && begins(name, READ) && !begins(name, "LD_ GLIBC_"))
            .then(|| (name.to_owned(), value))
    };
    let printed = with
        .printed
        .iter()
        .flat_map(|line| line.split([' ', '"', '\'', '`', '(', ')']))
        .filter_map(assignment);
    let folders = with.not_found.iter().filter_map(folder).map(|(name, value)| (name.to_owned(), value));
    folders.chain(printed).find_map(|(name, value)| {
        let trial = try_out(&with.of, settings, &Changes::from([(name.clone(), Some(value.clone()))]));
        let of = manifest.to_owned();
        suspects::is_better(&trial, with).then(|| ((of.clone(), name, value), (of, trial)))
    })
}

/// Returns the first driver's library that no manifest names and that gets further than the loader, or else one for a GPU of this machine that
/// does not find a library, unless something replaces the search.
fn unnamed(
    planned: &Planned,
    facts: &Facts,
    settings: &Settings,
    progress: Progress<'_>,
    program: &Trial,
) -> Option<(String, Trial)> {
    let replaces = |one: &Searched| matches!(one.origin, Origin::Replacing(_) | Origin::Settings);
    if planned.drivers.searched.iter().any(replaces) || !facts.strays.is_empty() {
        return None;
    }
    let tried = |path: &String| {
        progress(path);
        let of = Subject::Driver { library: file_name(path).to_owned() };
        (path.clone(), try_out(&of, settings, &Changes::new()))
    };
    let works =
        |(_, trial): &(String, Trial)| trial.usable().next().is_some() && suspects::is_better(trial, program);
    if let Some(found) = facts.unnamed.iter().map(tried).find(works) {
        return Some(found);
    }
    let is_of_gpu = |path: &&String| facts.gpus.iter().any(|gpu| gpu.is_driven_by(path));
    let lacking = |path: &String| {
        let of = Subject::Driver { library: file_name(path).to_owned() };
        let not_found = libraries_not_found(&of, settings);
        (!not_found.is_empty()).then(|| (path.clone(), Trial { of, not_found, ..Trial::default() }))
    };
    facts.unnamed.iter().filter(is_of_gpu).find_map(lacking)
}

fn try_device_files(nodes: &[Node], settings: &Settings, progress: Progress<'_>) -> Vec<(String, Trial)> {
    let open = nodes.iter().filter(|node| node.is_needed() && !node.is_closed());
    let of = |node: &Node| Attempt::of(&node.path, Subject::DeviceFile { path: node.path.clone() });
    try_all(&open.map(of).collect::<Vec<_>>(), settings, progress)
}

/// Keeps the shorter time of two for what took long.
fn try_slow_again(tried: &mut [(String, Trial)], settings: &Settings, attempts: &[Attempt]) {
    for (name, trial) in tried {
        let attempt = attempts.iter().find(|attempt| attempt.name == *name && attempt.subject == trial.of);
        if let (Some(attempt), Ending::Finished, LONG..) = (attempt, &trial.ending, trial.milliseconds) {
            let again = try_out(&attempt.subject, settings, &attempt.changes);
            trial.milliseconds = trial.milliseconds.min(again.milliseconds);
        }
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
        // The layer is only opened if the others cannot be left out, since a failure above them would not be its own.
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
