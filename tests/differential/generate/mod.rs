//! Random test cases: most of the content is normal, so that the unusual parts meet working ones.

mod asks;
mod drivers;
mod layers;
mod odd;
mod settings;
mod variables;

use fastrand::Rng;

use crate::world::World;

pub(crate) fn world(seed: u64) -> World {
    let mut chance = Chance(Rng::with_seed(seed));
    let mut world = World::default();
    let drivers = chance.of(&[("a", 90), ("b", 55), ("c", 25), ("d", 8)]);
    let layers = chance.of(&[("a", 60), ("b", 45), ("c", 30), ("d", 15), ("e", 8)]);
    places(&mut world, &mut chance);
    for name in &drivers {
        drivers::driver(&mut world, &mut chance, name);
    }
    for name in &layers {
        layers::layer(&mut world, &mut chance, &format!("VK_LAYER_TEST_{name}"));
    }
    if chance.percent(15) {
        layers::meta_layer(&mut world, &mut chance, "VK_LAYER_TEST_meta");
    }
    if chance.percent(10) {
        layers::override_layer(&mut world, &mut chance);
    }
    odd::files(&mut world, &mut chance);
    variables::variables(&mut world, &mut chance);
    for number in 0..chance.0.usize(1..=2) {
        asks::ask(&mut world, &mut chance, number);
    }
    settings::settings(&mut world, &mut chance);
    world
}

pub(crate) struct Chance(Rng);

impl Chance {
    pub(crate) fn percent(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.0.usize(0..list.len())]
    }

    /// Returns each one with its own probability in percent.
    pub(crate) fn of<T: Copy>(&mut self, list: &[(T, u32)]) -> Vec<T> {
        list.iter().filter(|(_, percent)| self.percent(*percent)).map(|(one, _)| *one).collect()
    }

    /// Returns one to `most` of these, in any order, perhaps one of them twice.
    pub(crate) fn some<T: Copy>(&mut self, list: &[T], most: usize) -> Vec<T> {
        let count = self.0.usize(1..=most);
        (0..count).map(|_| self.pick(list)).collect()
    }

    pub(crate) fn number(&mut self, below: u32) -> u32 {
        self.0.u32(0..below)
    }
}

// ---- places ----

/// Manifest folders, without the common part `vulkan/icd.d`. The sandbox's variables lead to the first two.
const PLACES: &[&str] =
    &["data", "data", "data", "config", "home/.config", "home/.local/share", "more", "own"];

fn places(world: &mut World, chance: &mut Chance) {
    let variables = [
        ("XDG_DATA_HOME", ["SANDBOX/own", "SANDBOX/none", ""]),
        ("XDG_CONFIG_HOME", ["SANDBOX/more", "SANDBOX/own", ""]),
        ("XDG_DATA_DIRS", ["SANDBOX/data:SANDBOX/more", ":SANDBOX/own::SANDBOX/data:", "SANDBOX/data/"]),
        ("XDG_CONFIG_DIRS", ["SANDBOX/config:SANDBOX/data", "SANDBOX/none:SANDBOX/more", "SANDBOX//config"]),
    ];
    for (name, values) in variables {
        if chance.percent(12) {
            world.add("env", name, "=", chance.pick(&values));
        }
    }
}

fn place(chance: &mut Chance, folder: &str) -> String {
    format!("{}/vulkan/{folder}", chance.pick(PLACES))
}

struct Fields<'a> {
    world: &'a mut World,
    path: &'a str,
    /// How many percent of them are odd.
    odd: u32,
}

impl Fields<'_> {
    fn add(&mut self, chance: &mut Chance, key: &str, usual: &[&str]) {
        let usual = chance.pick(usual).to_owned();
        let value = if chance.percent(self.odd) { odd::value(chance, key) } else { Some(usual) };
        if let Some(value) = value {
            self.world.add("json", self.path, key, value);
        }
    }
}
