//! Finds the cause of a failure: a trial leaves out all suspects of one kind. If it gets further, later trials leave out fewer of them.

mod variables;

use std::convert::Infallible;
use std::path::Path;

use serde::{Deserialize, Serialize};
use vkload_core::discovery::{Candidate, DriverDecision, SkipReason};

use super::trials::Trials;
use crate::bisection;
use crate::facts::Gpu;
use crate::lossless;
use crate::planned::Planned;
use crate::probe::parent::{Settings, loads, traced};
use crate::probe::{Ending, HIDDEN, Progress, Subject, Trial, Tried};
use crate::rights;
use crate::switches::{self, Changes, Wanted};
use crate::view::LayerView;
use variables::{Reader, suspected};

/// What is at fault: without these together it goes further.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Culprit {
    pub(crate) variables: Vec<String>,
    pub(crate) layers: Vec<String>,
    pub(crate) drivers: Vec<String>,
    /// Variables that are not set, and the values with which it goes further.
    pub(crate) absent: Vec<(String, String)>,
    /// The settings file, if it is one of them.
    pub(crate) settings: Option<String>,
    /// Files that a layer or a driver reads.
    pub(crate) files: Vec<String>,
    /// Libraries that the program brings, each with the system's, with which it goes further.
    pub(crate) libraries: Vec<(String, String)>,
    pub(crate) breaks: Broken,
    pub(crate) with: Trial,
    pub(crate) without: Trial,
    /// What devices have without the layers and not with them.
    pub(crate) lost: Vec<Lost>,
    /// The layer that works if it is moved behind the others.
    pub(crate) belongs_last: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Broken {
    #[default]
    Loader,
    /// The driver with this manifest or the layer of this name, alone.
    Part(String),
    /// The program, although the loader works.
    Program,
}

/// Returns whether programs get no device of a GPU that the kernel drives for programs of this machine.
pub(super) fn lacks_gpu(trials: &Trials, gpus: &[Gpu]) -> bool {
    let has =
        |gpu: &Gpu| trials.program.iter().flat_map(Trial::usable).any(|device| device.vendor == gpu.vendor);
    let is_driven = |gpu: &&Gpu| gpu.can_have_vulkan() && gpu.vendor != 0 && gpu.has_usual_driver();
    gpus.iter().filter(is_driven).any(|gpu| !has(gpu))
}

/// Returns whether programs get less than the drivers have to give.
pub(super) fn anything_missing(trials: &Trials) -> bool {
    let Some(program) = &trials.program else { return true };
    if !program.has_begun() {
        return false;
    }
    let by_drivers: usize = trials.drivers.iter().map(|(_, trial)| trial.usable().count()).sum();
    program.ending != Ending::Finished
        || program.usable().count() < by_drivers
        || program.devices.is_empty()
        || trials.drivers.iter().any(|(_, driver)| !lost(driver, program).is_empty())
}

/// The part of a device that programs do not get.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Lost {
    pub(crate) device: String,
    pub(crate) extensions: Vec<String>,
    /// How many of the features of Vulkan 1.0.
    pub(crate) features: u32,
}

/// The extension without which programs show no picture.
pub(crate) const SWAPCHAIN: &str = "VK_KHR_swapchain";

/// Returns what devices have in the first trial and lack in the second.
pub(super) fn lost(with: &Trial, without: &Trial) -> Vec<Lost> {
    let of = |had: &Tried| {
        let has = without.devices.iter().find(|has| has.device.is_same(&had.device))?;
        let extensions: Vec<String> =
            had.extensions.iter().filter(|name| !has.extensions.contains(name)).cloned().collect();
        let features = (had.features & !has.features).count_ones();
        let any = !extensions.is_empty() || features > 0;
        any.then(|| Lost { device: had.device.name.clone(), extensions, features })
    };
    with.devices.iter().filter_map(of).collect()
}

/// Returns whether programs die or hang in the same library as a driver does alone: then no layer has to do with it.
pub(super) fn is_drivers_fault(trials: &Trials) -> bool {
    let library = |trial: &Trial| match &trial.ending {
        Ending::Signal { library, .. } | Ending::TimedOut { library, .. } => library.clone(),
        _ => None,
    };
    let at_fault = trials.program.as_ref().and_then(library);
    at_fault.is_some() && trials.drivers.iter().any(|(_, trial)| library(trial) == at_fault)
}

/// Returns whether this went further than `before`. GPUs count before other devices, since a software device replaces none.
pub(super) fn is_better(trial: &Trial, before: &Trial) -> bool {
    let hardware = |trial: &Trial| trial.usable().filter(|device| device.kind != "cpu").count();
    let score = |trial: &Trial| {
        (trial.ending == Ending::Finished, hardware(trial), trial.usable().count(), trial.stage)
    };
    score(trial) > score(before) || (score(trial) == score(before) && !lost(trial, before).is_empty())
}

/// Returns the changes to variables that leave these layers out, by their indices.
pub(super) fn without(
    planned: &Planned,
    layers: &[LayerView],
    left_out: &[usize],
    settings: &Settings,
) -> Result<Changes, String> {
    let off: Vec<usize> =
        left_out.iter().filter_map(|index| layers.get(*index)).map(|layer| layer.index).collect();
    switches::changes(planned, &settings.variables, Wanted { off: &off, ..Wanted::default() })
}

/// Returns whether a trial is as good as the one without suspects, in what fails otherwise.
fn reaches(trial: &Trial, goal: &Trial, with: &Trial) -> bool {
    let hardware = |trial: &Trial| trial.usable().any(|device| device.kind != "cpu");
    if hardware(goal) && !hardware(with) {
        return trial.works() && hardware(trial);
    }
    if goal.works() && !with.works() { trial.works() } else { !is_better(goal, trial) }
}

#[derive(Clone, Copy)]
pub(super) enum Suspect<'a> {
    Variable(&'a str),
    /// A position among the active layers.
    Layer(usize),
    /// A driver's manifest.
    Driver(&'a str),
    /// A variable that is not set, and its usual value.
    Absent(&'a (String, String)),
    /// The path of the settings file.
    Settings(&'a str),
    /// A file that a layer or a driver reads.
    File(&'a str),
    /// A library that the program brings, and the system's.
    Library(&'a (String, String)),
}

/// Suspects beside variables, layers and settings.
#[derive(Default)]
pub(super) struct More<'a> {
    /// Manifests of drivers that fail alone.
    pub(super) drivers: Vec<&'a str>,
    pub(super) libraries: &'a [(String, String)],
    pub(super) absent: &'a [(String, String)],
    /// Whether the layers are suspects only together with others.
    pub(super) not_layers: bool,
}

/// The positions of the layers among the kinds of suspects, and of the variables that only lead to files. These are not tried alone, since a
/// file that they lead to is the nearer cause.
const LAYERS: usize = 2;
const LEADS: usize = 6;

/// What fails, and how it is tried.
pub(super) struct Search<'a> {
    pub(super) breaks: Broken,
    pub(super) with: &'a Trial,
    pub(super) loader: &'a Subject,
    pub(super) attempt: &'a dyn Fn(&Changes) -> Trial,
    pub(super) planned: &'a Planned,
    pub(super) layers: &'a [LayerView],
    pub(super) settings: &'a Settings,
    pub(super) executable: Option<&'a Path>,
    pub(super) progress: Progress<'a>,
}

impl Search<'_> {
    /// Returns the suspects at fault, or none if a trial without all of them gets no further.
    pub(super) fn among(&self, suspects: &[Suspect<'_>]) -> Vec<Culprit> {
        let attempt = |left_out: &[usize]| {
            let what = self.with.of.name();
            (self.progress)(&format!("{what} without {} of {} suspects", left_out.len(), suspects.len()));
            let out: Vec<_> = left_out.iter().filter_map(|index| suspects.get(*index)).copied().collect();
            self.changes(&out).map(|changes| (self.attempt)(&changes))
        };
        let helps = |left_out: &[usize]| {
            (!left_out.is_empty()).then(|| attempt(left_out)).flatten().filter(|it| is_better(it, self.with))
        };
        let mut all: Vec<usize> = (0..suspects.len()).collect();
        let mut goal = helps(&all);
        if goal.is_none() && all.len() > 1 && !matches!(self.with.ending, Ending::TimedOut { .. }) {
            // It may need one of them, such as the variable that leads to the loader.
            let one = all.iter().find_map(|index| Some((vec![*index], helps(&[*index])?)));
            (all, goal) = one.map_or((all, None), |(one, goal)| (one, Some(goal)));
        }
        let Some(goal) = goal else { return Vec::new() };
        let fails = |kept: &[usize]| {
            let left_out: Vec<usize> = all.iter().copied().filter(|index| !kept.contains(index)).collect();
            attempt(&left_out).is_none_or(|trial| !reaches(&trial, &goal, self.with))
        };
        let culprit = |group: &Vec<usize>| {
            let mut culprit = Culprit {
                breaks: self.breaks.clone(),
                with: self.with.clone(),
                without: goal.clone(),
                ..Culprit::default()
            };
            for suspect in group.iter().filter_map(|index| suspects.get(*index)) {
                match suspect {
                    Suspect::Variable(name) => culprit.variables.push((*name).to_owned()),
                    Suspect::Driver(manifest) => culprit.drivers.push((*manifest).to_owned()),
                    Suspect::Absent(pair) => culprit.absent.push((*pair).clone()),
                    Suspect::Settings(path) => culprit.settings = Some((*path).to_owned()),
                    Suspect::File(path) => culprit.files.push((*path).to_owned()),
                    Suspect::Library(pair) => culprit.libraries.push((*pair).clone()),
                    Suspect::Layer(index) => {
                        culprit.layers.extend(self.layers.get(*index).map(|layer| layer.name.clone()));
                    }
                }
            }
            if !culprit.layers.is_empty() {
                culprit.lost = lost(&goal, self.with);
                culprit.belongs_last = self.belongs_last(&culprit);
            }
            culprit
        };
        let Ok::<_, Infallible>(groups) = bisection::groups(suspects.len(), &mut |some| Ok(fails(some)));
        groups.iter().map(culprit).collect()
    }

    pub(super) fn variables(&self) -> Vec<Culprit> {
        let names = suspected(self.planned, &self.settings.variables, Reader::Known);
        self.among(&names.map(Suspect::Variable).collect::<Vec<_>>())
    }

    /// Tries the suspects of each kind, then all together, since two causes of different kinds hide each other. Returns the culprits or, if there are
    /// none, the names of all suspects.
    pub(super) fn all(&self, more: &More<'_>) -> Result<Vec<Culprit>, Vec<String>> {
        let settings = lossless::text(&self.planned.settings.plan.path);
        let named = |reader| suspected(self.planned, &self.settings.variables, reader);
        let variables = |reader| named(reader).map(Suspect::Variable);
        let files = self.files();
        let kinds: [Vec<Suspect<'_>>; 8] = [
            variables(Reader::Known).chain(more.absent.iter().map(Suspect::Absent)).collect(),
            files.iter().map(|path| Suspect::File(path)).collect(),
            (0..self.layers.len()).map(Suspect::Layer).collect(),
            more.drivers.iter().map(|manifest| Suspect::Driver(manifest)).collect(),
            more.libraries.iter().map(Suspect::Library).collect(),
            (!settings.is_empty()).then_some(Suspect::Settings(&settings)).into_iter().collect(),
            variables(Reader::Search).collect(),
            variables(Reader::Unknown).filter(|it| self.may_go(it)).collect(),
        ];
        let is_tried_alone =
            |(kind, _): &(usize, &Vec<Suspect<'_>>)| *kind < LEADS && !(more.not_layers && *kind == LAYERS);
        let mut alone = kinds.iter().enumerate().filter(is_tried_alone).map(|(_, kind)| self.among(kind));
        let found = alone.find(|found| !found.is_empty()).unwrap_or_default();
        let works =
            |trial: &Trial| trial.works() || (trial.devices.is_empty() && self.breaks != Broken::Loader);
        if found.iter().any(|culprit| culprit.without.ending == Ending::Finished && works(&culprit.without)) {
            return Ok(found);
        }
        // What cannot be left out would keep the others from being tried.
        let together = kinds.concat().into_iter().filter(|suspect| self.changes(&[*suspect]).is_some());
        let together: Vec<_> = together.collect();
        let all = self.among(&together);
        let gets_further = |all: &Culprit| found.iter().all(|one| is_better(&all.without, &one.without));
        if all.iter().any(gets_further) {
            return Ok(all);
        }
        if !found.is_empty() {
            return Ok(found);
        }
        let name = |suspect: &Suspect<'_>| match suspect {
            Suspect::Layer(index) => {
                self.layers.get(*index).map(|layer| layer.name.clone()).unwrap_or_default()
            }
            Suspect::Library((name, _)) | Suspect::Absent((name, _)) => name.clone(),
            Suspect::Variable(name)
            | Suspect::Driver(name)
            | Suspect::Settings(name)
            | Suspect::File(name) => (*name).to_owned(),
        };
        let changes = self.changes(&together).unwrap_or_default();
        let is_set = |name: &str| changes.get(name).is_some_and(Option::is_some);
        let unknown: Vec<_> = named(Reader::Unknown).collect();
        let out = together.iter().filter(|suspect| match suspect {
            Suspect::Variable(name) => !is_set(name) && !unknown.contains(name),
            Suspect::Absent(_) | Suspect::File(_) => false,
            _ => true,
        });
        Err(out.map(name).collect())
    }

    /// Returns the changes to variables without these. `None` if a layer cannot be left out, or if root would open what others can change.
    fn changes(&self, suspects: &[Suspect<'_>]) -> Option<Changes> {
        let of_layer = |suspect: &Suspect<'_>| match suspect {
            Suspect::Layer(index) => self.layers.get(*index).map(|layer| layer.index),
            _ => None,
        };
        let off: Vec<usize> = suspects.iter().filter_map(of_layer).collect();
        let mut changes = switches::changes(
            self.planned,
            &self.settings.variables,
            Wanted { off: &off, ..Wanted::default() },
        )
        .ok()?;
        let (mut drivers, mut preloaded, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
        for suspect in suspects {
            match suspect {
                Suspect::Variable(name) => _ = changes.entry((*name).to_owned()).or_default(),
                Suspect::Absent((name, value)) => _ = changes.insert(name.clone(), Some(value.clone())),
                Suspect::Driver(manifest) => drivers.push(*manifest),
                Suspect::Library((_, system)) => preloaded.push(system.as_str()),
                Suspect::File(path) => hidden.push(*path),
                Suspect::Settings(_) => {
                    changes.extend(
                        switches::without_setting(self.planned, &self.settings.variables, None).ok()?,
                    );
                }
                Suspect::Layer(_) => {}
            }
        }
        // LD_LIBRARY_PATH is not enough, since an RPATH of the program comes before it.
        if !preloaded.is_empty() {
            changes.insert("LD_PRELOAD".to_owned(), Some(preloaded.join(":")));
        }
        if !hidden.is_empty() {
            changes.insert(HIDDEN.to_owned(), Some(hidden.join("\n")));
        }
        if !drivers.is_empty() {
            changes.extend(self.only(&|manifest| !drivers.contains(&manifest)));
        }
        // Without the suspects, the loader may find libraries that it did not find before.
        let (variables, bits) = (&self.settings.variables, usize::BITS);
        let is_safe = |planned: Planned| planned.check_rights().is_ok();
        let found = || switches::plan(variables, &changes, self.executable, bits).is_ok_and(is_safe);
        (!rights::is_root() || found()).then_some(changes)
    }

    /// Returns the changes to variables with which the loader searches for no driver but these. Among them are manifests that it cannot use. The
    /// list has the old name, since loaders before 1.3.207 know no other.
    fn only(&self, is_kept: &dyn Fn(&str) -> bool) -> Changes {
        let kept: Vec<String> = self.manifests().into_iter().filter(|manifest| is_kept(manifest)).collect();
        let list = Some(kept.join(":"));
        Changes::from([("VK_DRIVER_FILES".to_owned(), None), ("VK_ICD_FILENAMES".to_owned(), list)])
    }

    /// Returns the manifests of drivers that the loader reads, those that it cannot use first.
    fn manifests(&self) -> Vec<String> {
        let is_read = |candidate: &&Candidate| {
            matches!(candidate.decision, DriverDecision::Use | DriverDecision::Skip(SkipReason::Invalid(_)))
        };
        let mut all: Vec<_> = self.planned.drivers.drivers.iter().filter(is_read).collect();
        all.sort_by_key(|candidate| candidate.decision == DriverDecision::Use);
        all.iter().map(|candidate| lossless::text(&candidate.path)).collect()
    }

    /// Returns whether what fails may do without this. A program without a display does something else.
    fn may_go(&self, suspect: &Suspect<'_>) -> bool {
        let is_display = matches!(suspect, Suspect::Variable(name) if OF_DISPLAYS.contains(name));
        !is_display || self.breaks != Broken::Program
    }

    /// Returns the files of the user and the system that the failing loader's layers and drivers read.
    fn files(&self) -> Vec<String> {
        if self.breaks != Broken::Loader {
            return Vec::new();
        }
        (self.progress)("which files are read");
        let home = self.settings.variables.get("HOME").filter(|home| home.len() > 1);
        let folders = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"];
        let folders = folders.iter().filter_map(|name| self.settings.variables.get(*name)).chain(home);
        let own = folders.filter(|folder| folder.starts_with('/')).map(|folder| format!("{folder}/"));
        let folders: Vec<_> = own.chain(OF_DRIVERS.iter().map(|path| (*path).to_owned())).collect();
        let manifests = self.planned.drivers.drivers.iter().map(|found| &found.path);
        let manifests: Vec<_> = manifests
            .chain(self.planned.layers.layers.iter().map(|found| &found.path))
            .chain([&self.planned.settings.plan.path])
            .map(|path| lossless::text(path))
            .collect();
        let trial = traced(self.loader, self.settings);
        // If tracing alone helps, no file is at fault.
        if is_better(&trial, self.with) {
            return Vec::new();
        }
        let is_suspect = |path: &String| {
            folders.iter().any(|folder| path.starts_with(folder))
                && self.settings.variables.get("XAUTHORITY") != Some(path)
                && !path.ends_with("/.Xauthority")
                && !manifests.contains(path)
        };
        trial.used.into_iter().filter(is_suspect).collect()
    }

    /// Returns the first manifest of a driver without which the others get further, though it may work alone.
    pub(super) fn drivers(&self) -> Option<Culprit> {
        let manifests = self.manifests();
        let attempt = |left_out: &str| {
            (self.progress)(&format!("the loader without {left_out}"));
            (self.attempt)(&self.only(&|manifest| manifest != left_out))
        };
        // If the list alone helps, the search for manifests is at fault, and no driver.
        if manifests.len() < 2 || is_better(&attempt(""), self.with) {
            return None;
        }
        manifests.into_iter().find_map(|left_out| {
            let (without, with, breaks) = (attempt(&left_out), self.with.clone(), self.breaks.clone());
            let drivers = vec![left_out];
            is_better(&without, self.with).then(|| Culprit {
                drivers,
                breaks,
                with,
                without,
                ..Culprit::default()
            })
        })
    }

    /// Returns the name of the first of the layers that fail together, if moving that layer behind the others works as well as a run without
    /// layers.
    fn belongs_last(&self, culprit: &Culprit) -> Option<String> {
        let [first, _, ..] = &culprit.layers[..] else { return None };
        let layer = self.layers.iter().find(|layer| layer.name == *first)?;
        let changes = layer.last(&self.settings.variables)?;
        (self.progress)("the loader with the layers in another order");
        let works = reaches(&(self.attempt)(&changes), &culprit.without, self.with);
        // Not every loader calls an implicit layer that VK_INSTANCE_LAYERS names.
        let is_loaded = || loads(self.loader, self.settings, &changes, &layer.library);
        (works && is_loaded()).then(|| first.clone())
    }
}

/// Where the system's files for drivers and layers are.
const OF_DRIVERS: &[&str] =
    &["/etc/amd/", "/etc/drirc", "/etc/glvnd/", "/etc/nvidia/", "/etc/OpenCL/", "/etc/vulkan/"];

const OF_DISPLAYS: &[&str] = &["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"];
