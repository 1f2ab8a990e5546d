//! The answers of two loaders in one test case, and their differences.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use vkload_tests::{Call, Run, Vk};

use crate::interview;
use crate::rules::Theirs;
use crate::settings::Settings;
use crate::world::World;

/// The two loaders and what both of them are run with.
pub(crate) struct Loaders {
    theirs: PathBuf,
    pub(crate) kind: Theirs,
    pub(crate) ours: PathBuf,
    preload: PathBuf,
    /// The names that are looked up, and whether the other loader is old enough not to know one.
    names: Vec<(&'static str, &'static str, bool)>,
}

/// One key on which the two differ. A missing answer is `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) key: String,
    pub(crate) theirs: String,
    pub(crate) ours: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n    theirs: {}\n    ours:   {}", self.key, self.theirs, self.ours)
    }
}

/// The results of two loaders in a test case.
pub(crate) struct Compared {
    /// The test case, with lines of the kind `fact`: observations about the other loader.
    pub(crate) world: World,
    pub(crate) differences: Vec<Difference>,
}

struct Answers {
    list: Vec<(String, String)>,
    died: bool,
    /// Drivers of which two instances were made for one.
    twice: Vec<String>,
    /// Layers that a device lists and that were not called when its instance was created.
    unused: Vec<String>,
}

impl Loaders {
    pub(crate) fn new(theirs: &Path, ours: &Path, preload: PathBuf) -> Self {
        let library = std::fs::read(theirs).unwrap();
        let texts: BTreeSet<&[u8]> = library.split(|byte| *byte == 0).collect();
        // A name may be the end of another text.
        let ends: BTreeSet<Vec<u8>> = texts.iter().map(|text| text.iter().rev().copied().collect()).collect();
        let names = interview::names().map(|(kind, name)| {
            let end: Vec<u8> = name.to_bytes().iter().skip(2).rev().copied().collect();
            let known = ends.range(end.clone()..).next().is_some_and(|text| text.starts_with(&end));
            (kind, name.to_str().unwrap(), kind != "other" && !known)
        });
        let is_recent = texts.contains(b"VK_LOADER_DEVICE_ID_FILTER".as_slice());
        let kind = if is_recent { Theirs::Current } else { Theirs::Debian };
        Self { theirs: theirs.into(), kind, ours: ours.into(), preload, names: names.collect() }
    }

    pub(crate) fn compare(&self, world: &World) -> Compared {
        let mut theirs = self.ask(world, &self.theirs, "sorted", None);
        let first = theirs.list.iter().find(|(key, _)| key == "ask 0 devices");
        let settings = first.and_then(|(_, devices)| Settings::of(world, devices));
        // Ours sorts by itself.
        let mut ours = self.ask(world, &self.ours, "reversed", settings.as_ref());
        if let Some(settings) = settings.filter(|settings| settings.order.is_some()) {
            for (_, devices) in theirs.list.iter_mut().filter(|(key, _)| is_list_of_devices(key)) {
                *devices = settings.reorder(devices);
            }
            for answers in [&mut theirs, &mut ours] {
                answers.list.retain(|(key, _)| !key.contains(" groups"));
            }
        }
        let mut world = world.clone();
        for driver in &theirs.twice {
            world.add("fact", "driver-twice", "-", driver);
        }
        for layer in &theirs.unused {
            world.add("fact", "layer-unused", "-", layer);
        }
        if theirs.died {
            world.add("fact", "down", "-", "");
        }
        add_ruled_out(&mut world);
        let layers = theirs.list.iter().find(|(key, _)| key == "layers.list");
        let layers: Vec<&str> = layers.map_or(vec![], |(_, list)| list.split([' ', ',']).collect());
        if (1..layers.len()).any(|at| layers[..at].contains(&layers[at])) {
            world.add("fact", "layer-twice", "-", "");
        }
        Compared { world, differences: self.differences(&theirs, &ours) }
    }

    fn ask(&self, world: &World, library: &Path, folders: &str, settings: Option<&Settings>) -> Answers {
        let mut scenario = world
            .scenario(library)
            .env("LD_PRELOAD", self.preload.to_str().unwrap())
            .env("VKLOAD_TEST_FOLDERS", folders);
        if let Some(settings) = settings {
            scenario = scenario.file(Settings::PLACE, &settings.text);
        }
        answers(world, &scenario.run(ask))
    }
}

/// How many seconds of processor time a loader may take, of which it needs some hundredths. Some drivers keep a recent loader busy forever.
const MOST_SECONDS: libc::rlim_t = 2;

fn ask(vk: &Vk) {
    let limit = libc::rlimit { rlim_cur: MOST_SECONDS, rlim_max: MOST_SECONDS };
    // SAFETY: the structure is valid, and the limit ends only this process.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) }, 0);
    interview::ask(vk);
}

/// Notes which manifests have a component that the override layer rules out.
fn add_ruled_out(world: &mut World) {
    let lists = |key: &str| -> Vec<(String, String)> {
        let of_key = world.of_kind("json").filter(|line| line.key == key);
        of_key.map(|line| (line.subject.clone(), line.value.clone())).collect()
    };
    let names =
        |list: &str| -> Vec<String> { list.split('"').skip(1).step_by(2).map(str::to_owned).collect() };
    let ruled_out = lists("layer.blacklisted_layers");
    let is_ruled_out = |name: &String| ruled_out.iter().any(|(_, list)| names(list).contains(name));
    for (manifest, components) in lists("layer.component_layers") {
        if names(&components).iter().any(is_ruled_out) {
            let own = ruled_out.iter().any(|(other, _)| *other == manifest);
            world.add(
                "fact",
                if own { "rules-out-own-component" } else { "rules-out-component" },
                "-",
                &manifest,
            );
        }
    }
}

/// `ask 0 devices`
fn is_list_of_devices(key: &str) -> bool {
    key.starts_with("ask ") && key.ends_with(" devices")
}

fn answers(world: &World, run: &Run) -> Answers {
    let mut list = run.everything_said().to_vec();
    let mut twice = vec![];
    let died = list.last().is_none_or(|(key, _)| key != "end");
    for driver in world.subjects("driver") {
        let calls = calls_of_driver(run, driver);
        let keys: Vec<&str> = calls.iter().map(|(key, _)| key.as_str()).collect();
        let is_creation = |key: &str| key.ends_with("vkCreateInstance api");
        if (1..keys.len()).any(|at| is_creation(keys[at]) && keys[..at].contains(&keys[at])) {
            twice.push(driver.to_owned());
        }
        list.extend(calls.into_iter().filter(|_| !died));
    }
    let calls = calls_of_layers(world, run);
    if died {
        list.push(("end".to_owned(), format!("{}: {}", run.ended(), run.last_line())));
    } else {
        list.extend(calls.clone());
    }
    let unused = listed_but_unused(&list, &calls);
    Answers { list, died, twice, unused }
}

fn listed_but_unused(said: &[(String, String)], calls: &[(String, String)]) -> Vec<String> {
    let mut unused = vec![];
    for (key, layers) in said.iter().filter(|(key, _)| key.starts_with("ask ") && key.ends_with(" layers")) {
        let ask = key.split(' ').nth(1).unwrap_or_default();
        let created = format!("ask {ask} call vkCreateInstance");
        let called = calls.iter().find(|(key, _)| *key == created).map_or("", |(_, layers)| layers);
        let listed = layers.rsplit(' ').next().unwrap_or_default().split(',');
        let missing = listed.filter(|layer| !layer.is_empty() && !called.split(' ').any(|one| one == *layer));
        unused.extend(missing.map(str::to_owned));
    }
    unused
}

/// Returns the order in which layers were called for each requested instance.
fn calls_of_layers(world: &World, run: &Run) -> Vec<(String, String)> {
    let mut commands =
        vec!["vkCreateInstance", "vkDestroyInstance", "vkCreateDevice", "vkDestroyDevice", "vkQueueSubmit"];
    commands.extend(["vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR"]);
    commands.extend(["vkSetDebugUtilsObjectNameEXT", "globals"]);
    // The interview says `= NUMBER` where an instance begins.
    commands.extend(world.subjects("ask"));
    let mut keyed: Vec<(String, String)> = vec![];
    let mut number = String::new();
    for call in run.calls(&commands) {
        let (layer, command) = call.split_once(' ').unwrap();
        let key = format!("ask {number} call {command}");
        if layer == "=" {
            command.clone_into(&mut number);
        } else if let Some((_, layers)) = keyed.iter_mut().find(|(known, _)| *known == key) {
            *layers += &format!(" {layer}");
        } else {
            keyed.push((key, layer.to_owned()));
        }
    }
    keyed
}

/// Returns the parameters with which a driver's instances and devices are created, and the surface and naming calls that it receives.
fn calls_of_driver(run: &Run, driver: &str) -> Vec<(String, String)> {
    let mut keyed: Vec<(String, String)> = vec![];
    let mut number = String::new();
    for Call { command, arguments } in run.trace(driver).0 {
        if command == "=" {
            number = arguments.iter().map(|(_, value)| value.clone()).collect();
        } else if number.is_empty() {
            if command == "vk_icdGetInstanceProcAddr" && arguments.contains(&("instance".into(), "0".into()))
            {
                note_name(&mut keyed, driver, &arguments);
            }
        } else if command == "vkCreateInstance" || command == "vkCreateDevice" {
            let device = arguments.iter().find(|(name, _)| name == "device");
            let device = device.map_or_else(String::new, |(_, device)| format!(" {device}"));
            for (name, value) in arguments {
                let key = format!("ask {number} driver {driver} {command}{device} {name}");
                keyed.push((key, value));
            }
        } else if command.contains("Surface") || command == "vkSetDebugUtilsObjectNameEXT" {
            let arguments: Vec<String> =
                arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let key = format!("ask {number} driver {driver} {command}");
            match keyed.iter_mut().find(|(known, _)| *known == key) {
                Some((_, all)) => *all += &format!("; {}", arguments.join(" ")),
                None => keyed.push((key, arguments.join(" "))),
            }
        }
    }
    keyed
}

/// Asks the driver for an undocumented name, without an instance.
fn note_name(keyed: &mut Vec<(String, String)>, driver: &str, arguments: &[(String, String)]) {
    let name = arguments.iter().find(|(key, _)| key == "name").map_or("?", |(_, name)| name);
    let known = interview::names().any(|(kind, known)| kind == "core" && known.to_bytes() == name.as_bytes());
    if known || name.starts_with("vk_icd") {
        return;
    }
    let key = format!("driver {driver} asked for {name}");
    if !keyed.iter().any(|(known, _)| *known == key) {
        keyed.push((key, "yes".to_owned()));
    }
}

impl Loaders {
    /// Returns the differences. If a loader crashed, only its earlier answers count.
    fn differences(&self, theirs: &Answers, ours: &Answers) -> Vec<Difference> {
        let (in_theirs, in_ours) = (theirs.by_key(), ours.by_key());
        let mut seen = BTreeSet::new();
        let mut differences = vec![];
        for (key, _) in theirs.list.iter().chain(&ours.list) {
            let (one, other) = (in_theirs.get(key.as_str()), in_ours.get(key.as_str()));
            let counts = (!theirs.died || one.is_some()) && (!ours.died || other.is_some());
            if !counts || one == other || !seen.insert(key) {
                continue;
            }
            match (key.strip_suffix(" procs"), one, other) {
                (Some(place), Some(one), Some(other)) => differences.extend(self.look_ups(place, one, other)),
                _ => {
                    let text = |value: Option<&&str>| value.map_or("-", |value| value).to_owned();
                    let (theirs, ours) = (text(one), text(other));
                    differences.push(Difference { key: key.clone(), theirs, ours });
                }
            }
        }
        differences
    }

    /// Returns the names with different answers, among those that the other loader can know.
    fn look_ups(&self, place: &str, theirs: &str, ours: &str) -> Vec<Difference> {
        let answers = theirs.bytes().zip(ours.bytes()).zip(&self.names);
        let differing = answers.filter(|((theirs, ours), (_, _, newer))| theirs != ours && !newer);
        let text = |answer: u8| if answer == b'0' { "NULL" } else { "function" }.to_owned();
        differing
            .map(|((theirs, ours), (kind, name, _))| Difference {
                key: format!("{place} proc {kind} {name}"),
                theirs: text(theirs),
                ours: text(ours),
            })
            .collect()
    }
}

impl Answers {
    fn by_key(&self) -> HashMap<&str, &str> {
        let mut map = HashMap::new();
        for (key, value) in &self.list {
            map.entry(key.as_str()).or_insert(value.as_str());
        }
        map
    }
}
