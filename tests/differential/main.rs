//! Asks two loaders the same questions in generated test cases: our library, and Debian's libvulkan1 or Khronos' recent loader in
//! chromium-common. A difference must be listed in `rules.tsv`, whose rows are the texts of `docs/rules/differences.md`.
//!
//! | variable | meaning |
//! |---|---|
//! | `VKLOAD_WORLDS` | how many test cases for each loader, 2,000 for Debian's and 400 for the recent one unless set |
//! | `VKLOAD_SEED` | a number that selects other test cases |
//! | `VKLOAD_STARTS` | how many starts with damaged files, 150 unless set |
//! | `VKLOAD_SHOWN` | how many of the test cases with differences are reduced and shown, 12 unless set |
//! | `VKLOAD_RULES` | a file with rules besides those of `rules.tsv` |
//! | `VKLOAD_THEIRS` | the only other loader. It is a recent one if it knows `VK_LOADER_DEVICE_ID_FILTER` |
//! | `VKLOAD_WORLD` | a file: only this test case is run, and all its differences are shown; or numbers of test cases: their unlisted differences are reduced and shown |
#![allow(clippy::undocumented_unsafe_blocks, reason = "valid use of Vulkan, unless a comment says more")]

mod compare;
mod damage;
mod generate;
mod interview;
mod rules;
mod settings;
mod shrink;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use compare::{Compared, Difference, Loaders};
use rules::{Rule, Theirs};
use world::World;

/// Debian's loader.
const DEBIANS: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

/// A recent one of Khronos', without the support for commands that the registry does not know.
const RECENT: &str = "/usr/lib/chromium/libvulkan.so.1";

/// Returns `None` if the other loader is not installed, or `VKLOAD_THEIRS` names one of another kind.
fn loaders(usual: &str, wanted: Theirs) -> Option<Loaders> {
    let named = std::env::var_os("VKLOAD_THEIRS");
    let theirs = named.as_ref().map_or_else(|| PathBuf::from(usual), PathBuf::from);
    if !theirs.exists() {
        let complete = std::env::var_os("VKLOAD_TESTS_COMPLETE").is_some_and(|value| value == "1");
        assert!(!complete, "missing: {}", theirs.display());
        eprintln!("skipped: there is no {}", theirs.display());
        return None;
    }
    let ours = vkload_tests::library_under_test();
    let loaders = Loaders::new(&theirs, &ours, vkload_tests::sorted_folders());
    assert!(named.is_some() || loaders.kind == wanted, "{usual} is not the loader that the rules are for");
    (loaders.kind == wanted).then_some(loaders)
}

#[test]
fn debians_loader_agrees_in_generated_worlds() {
    agree_in_generated_worlds(DEBIANS, Theirs::Debian, 2000);
}

#[test]
fn a_recent_loader_agrees_in_generated_worlds() {
    agree_in_generated_worlds(RECENT, Theirs::Current, 400);
}

fn agree_in_generated_worlds(usual: &str, theirs: Theirs, worlds: u64) {
    let Some(loaders) = loaders(usual, theirs) else { return };
    let rules = rules::of(theirs);
    if let Ok(file) = std::env::var("VKLOAD_WORLD") {
        return show(&loaders, &rules, &file);
    }
    let (worlds, seed) = (number("VKLOAD_WORLDS", worlds), number("VKLOAD_SEED", 1));
    let next = AtomicU64::new(0);
    let found = Mutex::new(Found::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= worlds {
                        return;
                    }
                    run(&loaders, &rules, seed.wrapping_mul(1_000_000).wrapping_add(place), &found);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    eprintln!("{worlds} worlds, seed {seed}; in {} of them the other loader went down", found.downs);
    for rule in &rules {
        eprintln!("  {} differences: {}", found.used.get(rule.text).unwrap_or(&0), rule.text);
    }
    for (shape, failure) in &found.failures {
        eprintln!("  not listed: {} worlds, as {}: {shape}", failure.worlds, failure.seed);
    }
    let mut seeds = BTreeSet::new();
    let one_each = found.failures.values().filter(|failure| seeds.insert(failure.seed));
    for failure in one_each.take(number("VKLOAD_SHOWN", 12) as usize) {
        eprintln!("{}", failure.report(&loaders, &rules));
    }
    assert!(found.failures.is_empty(), "{} differences are not listed", found.failures.len());
}

/// Manifests, a settings file and variables are damaged; each start is a process of its own. It may fail, and must come to its end.
#[test]
fn no_start_with_damaged_files_and_variables_crashes_or_hangs() {
    let library = vkload_tests::library_under_test();
    if let Ok(file) = std::env::var("VKLOAD_WORLD") {
        let text = std::fs::read_to_string(&file);
        let world = text
            .map_or_else(|_| damaged(file.parse().expect("a file or a number")), |text| World::parse(&text));
        let run = world.scenario(&library).run(interview::ask);
        eprintln!("{world}{}: {}", run.ended(), run.stderr);
        return;
    }
    let (starts, seed) = (number("VKLOAD_STARTS", 150), number("VKLOAD_SEED", 1));
    let next = AtomicU64::new(0);
    let bad = Mutex::new(vec![]);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= starts {
                        return;
                    }
                    let seed = seed.wrapping_mul(1_000_000).wrapping_add(place);
                    let run = damaged(seed).scenario(&library).run(interview::ask);
                    let guests = run.stderr.contains("[test driver]") || run.stderr.contains("[test layer]");
                    if run.ended().contains("signal") && !guests {
                        bad.lock().unwrap().push(format!("{seed}: {}: {}", run.ended(), run.last_line()));
                    }
                }
            });
        }
    });
    let bad = bad.into_inner().unwrap();
    assert!(
        bad.is_empty(),
        "{} of {starts} starts (VKLOAD_WORLD=NUMBER shows one):\n{}",
        bad.len(),
        bad.join("\n")
    );
}

fn damaged(seed: u64) -> World {
    let mut world = generate::world(seed);
    damage::add(&mut world, seed);
    world
}

#[test]
fn every_rule_has_a_row_on_the_page() {
    let page = include_str!("../../docs/rules/differences.md");
    for rule in rules::all() {
        assert!(
            page.contains(&format!("| {} |", rule.row)),
            "docs/rules/differences.md has no row \"{}\"",
            rule.row
        );
    }
}

#[derive(Default)]
struct Found {
    downs: u64,
    /// By the text of the rule.
    used: BTreeMap<&'static str, u64>,
    /// By their shape: one test case is shown for each.
    failures: BTreeMap<String, Failure>,
}

struct Failure {
    worlds: u64,
    /// Of the first one.
    seed: u64,
    key: String,
}

fn run(loaders: &Loaders, rules: &[Rule], seed: u64, found: &Mutex<Found>) {
    let world = generate::world(seed);
    let Compared { world, differences } = loaders.compare(&world);
    let mut found = found.lock().unwrap();
    found.downs += u64::from(world.subjects("fact").contains(&"down"));
    let mut shapes = BTreeSet::new();
    for difference in &differences {
        match rules.iter().find(|rule| rule.allows(&world, difference)) {
            Some(rule) => *found.used.entry(rule.text).or_default() += 1,
            None if !shapes.insert(shape(difference)) => {}
            None => {
                let first = || Failure { worlds: 0, seed, key: difference.key.clone() };
                found.failures.entry(shape(difference)).or_insert_with(first).worlds += 1;
            }
        }
    }
}

/// Returns a difference without the details that vary between test cases.
fn shape(difference: &Difference) -> String {
    let key = difference.key.split_inclusive("-extension ").next().unwrap_or_default();
    let plain = |text: &str| -> String {
        let words = text.split(' ').filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit()));
        words.filter(|word| !word.contains("VK_LAYER") && word.len() != 1).collect::<Vec<_>>().join(" ")
    };
    let code = |text: &str| if text.starts_with("signal") { "a signal".to_owned() } else { plain(text) };
    format!("{}: {} | {}", plain(key), code(&difference.theirs), code(&difference.ours))
}

impl Failure {
    /// Returns the smallest test case found for it, kept as a folder.
    fn report(&self, loaders: &Loaders, rules: &[Rule]) -> String {
        let unlisted = |world: &World| -> Vec<Difference> {
            let Compared { world, mut differences } = loaders.compare(world);
            differences.retain(|one| !rules.iter().any(|rule| rule.allows(&world, one)));
            differences
        };
        let world = generate::world(self.seed);
        let world = shrink::shrink(world, |world| unlisted(world).iter().any(|one| one.key == self.key));
        let folder = world.keep(&loaders.ours);
        let differences: Vec<String> = unlisted(&world).iter().take(4).map(Difference::to_string).collect();
        format!(
            "== world {}, made smaller, is kept in {}\n{world}-- differs in\n{}\n",
            self.seed,
            folder.display(),
            differences.join("\n")
        )
    }
}

fn show(loaders: &Loaders, rules: &[Rule], file: &str) {
    let numbers: Vec<u64> = file.split(',').map_while(|number| number.parse().ok()).collect();
    if !numbers.is_empty() {
        for seed in numbers {
            let Compared { world, differences } = loaders.compare(&generate::world(seed));
            let first = differences.iter().find(|one| !rules.iter().any(|rule| rule.allows(&world, one)));
            if let Some(first) = first {
                let failure = Failure { worlds: 1, seed, key: first.key.clone() };
                eprintln!("{}", failure.report(loaders, rules));
            }
        }
        return;
    }
    let world = World::parse(&std::fs::read_to_string(Path::new(file)).unwrap());
    let Compared { world, differences } = loaders.compare(&world);
    for difference in differences {
        let rule = rules.iter().find(|rule| rule.allows(&world, &difference));
        eprintln!("{difference}\n    rule:   {}", rule.map_or("none", |rule| rule.row));
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |value| value.parse().unwrap())
}
