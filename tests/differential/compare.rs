//! What two loaders answer in one world, and where that differs.

use std::fmt;
use std::path::{Path, PathBuf};

use vkload_tests::{Call, Run};

use crate::interview;
use crate::world::World;

/// The two loaders and what both of them are run with.
pub(crate) struct Loaders {
    pub(crate) theirs: PathBuf,
    pub(crate) ours: PathBuf,
    pub(crate) preload: PathBuf,
}

/// One key on which the two differ. What is not said at all is `-`.
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

/// What two loaders did in a world.
pub(crate) struct Compared {
    /// The world, with lines of the kind `fact`: what the other loader was seen to do.
    pub(crate) world: World,
    pub(crate) differences: Vec<Difference>,
}

/// What a loader answered, in order.
struct Answers {
    list: Vec<(String, String)>,
    died: bool,
    /// Drivers of which two instances were made for one.
    twice: Vec<String>,
}

impl Loaders {
    /// Runs the world on both.
    pub(crate) fn compare(&self, world: &World) -> Compared {
        let theirs = self.ask(world, &self.theirs, "sorted");
        // Ours sorts by itself.
        let ours = self.ask(world, &self.ours, "reversed");
        let mut world = world.clone();
        for driver in &theirs.twice {
            world.add("fact", "driver-twice", "-", driver);
        }
        if theirs.died {
            world.add("fact", "down", "-", "");
        }
        let layers = theirs.list.iter().find(|(key, _)| key == "layers.list");
        let layers: Vec<&str> = layers.map_or(vec![], |(_, list)| list.split([' ', ',']).collect());
        if (1..layers.len()).any(|at| layers[..at].contains(&layers[at])) {
            world.add("fact", "layer-twice", "-", "");
        }
        Compared { world, differences: differences(&theirs, &ours) }
    }

    fn ask(&self, world: &World, library: &Path, folders: &str) -> Answers {
        let scenario = world
            .scenario(library)
            .env("LD_PRELOAD", self.preload.to_str().unwrap())
            .env("VKLOAD_TEST_FOLDERS", folders);
        answers(world, &scenario.run(interview::ask))
    }
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
    if died {
        list.push(("end".to_owned(), format!("{}: {}", run.ended(), run.last_line())));
    } else {
        list.extend(calls_of_layers(world, run));
    }
    Answers { list, died, twice }
}

/// In which order layers were called for each instance that was asked for.
fn calls_of_layers(world: &World, run: &Run) -> Vec<(String, String)> {
    let mut commands =
        vec!["vkCreateInstance", "vkDestroyInstance", "vkCreateDevice", "vkDestroyDevice", "vkQueueSubmit"];
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

/// With what a driver's instances and devices are created.
fn calls_of_driver(run: &Run, driver: &str) -> Vec<(String, String)> {
    let mut keyed = vec![];
    let mut number = String::new();
    for Call { command, arguments } in run.trace(driver).0 {
        if command == "=" {
            number = arguments.iter().map(|(_, value)| value.clone()).collect();
        } else if !number.is_empty() && (command == "vkCreateInstance" || command == "vkCreateDevice") {
            let device = arguments.iter().find(|(name, _)| name == "device");
            let device = device.map_or_else(String::new, |(_, device)| format!(" {device}"));
            for (name, value) in arguments {
                let key = format!("ask {number} driver {driver} {command}{device} {name}");
                keyed.push((key, value));
            }
        }
    }
    keyed
}

/// Where the two differ. Of a loader that died only what it said before counts.
fn differences(theirs: &Answers, ours: &Answers) -> Vec<Difference> {
    let find = |answers: &Answers, key: &str| {
        let found = answers.list.iter().find(|(name, _)| name == key);
        found.map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
    };
    let mut keys: Vec<&str> = vec![];
    for (key, _) in theirs.list.iter().chain(&ours.list) {
        let said = |answers: &Answers| answers.list.iter().any(|(name, _)| name == key);
        let counts = (!theirs.died || said(theirs)) && (!ours.died || said(ours));
        if counts && !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let difference =
        |key: &str| Difference { key: key.to_owned(), theirs: find(theirs, key), ours: find(ours, key) };
    keys.into_iter().map(difference).filter(|one| one.theirs != one.ours).collect()
}
