//! `vkload doctor` on broken systems, each in a small file system in which real programs, drivers and layers run.
//!
//! The files `*.worlds` in this folder hold them: a name, the content ([`world::World`] describes the format), and the first three lines of
//! the answer. `VKLOAD_BLESS=1 cargo test -p vkload --test worlds` updates the answers; review the difference.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod answers;
mod mesa;
mod parts;
mod root;
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use world::World;

/// The least number of test cases.
const ENOUGH: usize = 80;
/// More at a time would wait for each other, and hangs for their time limit.
const AT_A_TIME: usize = 4;
/// Findings about a running process, a program on the command line or time, which `programs.rs` and `recordings.rs` bring about, and those in
/// a file of the recorder layer (`vkload/src/doctor/calls/rules.rs`).
const WITHOUT_WORLD: &[&str] = &[
    "app-image",
    "driver-slow",
    "layer-slow",
    "loaders-mixed",
    "not-tried",
    "process-elsewhere",
    "process-libraries",
    "call-crashes",
    "program-crashes",
    "device-lost",
    "call-failed",
    "call-waits",
    "queue-progress",
    "calls-cut",
    "threads-not-kept",
];

#[test]
fn every_world_gets_its_answer_and_every_finding_has_a_world() {
    if !root::is_possible() {
        eprintln!("skipped: the worlds of the doctor: only root can mount them");
        return;
    }
    let mut files: Vec<(PathBuf, Vec<World>)> = files();
    let count: usize = files.iter().map(|(_, worlds)| worlds.len()).sum();
    assert!(count >= ENOUGH, "{count}");
    let mut told =
        ask(&files.iter().flat_map(|(_, worlds)| worlds).collect::<Vec<_>>(), &answers::doctor).into_iter();
    let (mut wrong, mut ids) = (String::new(), BTreeSet::new());
    for world in files.iter_mut().flat_map(|(_, worlds)| worlds) {
        let Some(told) = told.next().flatten() else { continue };
        // Three lines, each with its continuations.
        let mut whole = 0;
        let is_recorded = |line: &&str| {
            whole += usize::from(!line.starts_with("    "));
            whole <= 3
        };
        let said: Vec<String> = (told.text.lines().take_while(is_recorded).filter(|line| !line.is_empty()))
            .map(str::to_owned)
            .collect();
        if said != world.answer {
            wrong += &format!(
                "== {}\nexpected:\n{}\n\nsaid:\n{}\n",
                world.name,
                world.answer.join("\n"),
                told.text
            );
            world.answer = said;
        }
        if told.text.replace("/home/ann", "/home/user").replace("render ann", "render user") != told.replayed
        {
            wrong +=
                &format!("== {}\nsaid:\n{}\nsaid elsewhere:\n{}\n", world.name, told.text, told.replayed);
        }
        ids.extend(told.ids);
    }
    if std::env::var_os("VKLOAD_BLESS").is_some() {
        for (path, worlds) in &files {
            let text: Vec<String> = worlds.iter().map(World::to_string).collect();
            fs::write(path, text.join("\n")).expect("written");
        }
        wrong.clear();
    }
    let missing: Vec<_> = vkload::findings()
        .map(|(id, _)| id)
        .filter(|id| !ids.contains(*id) && !WITHOUT_WORLD.contains(id))
        .collect();
    assert!(wrong.is_empty(), "{wrong}");
    assert!(missing.is_empty(), "no world has {missing:?}");
}

/// The least number of commands that are executed.
const ENOUGH_COMMANDS: usize = 40;

#[test]
fn after_the_printed_command_the_cause_is_gone() {
    if !root::is_possible() {
        eprintln!("skipped: the worlds of the doctor: only root can mount them");
        return;
    }
    let files = files();
    let worlds: Vec<&World> = files.iter().flat_map(|(_, worlds)| worlds).collect();
    let (mut wrong, mut count) = (String::new(), 0);
    for (world, executed) in worlds.iter().zip(ask(&worlds, &answers::executed)) {
        let Some(answers::Executed { command, before, after }) = executed.flatten() else { continue };
        count += 1;
        // If another cause remains, the answer is another one.
        if !after.starts_with("Vulkan 1") && after.contains(&before) {
            wrong += &format!("== {}\n{command}\n{after}\n", world.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= ENOUGH_COMMANDS, "{count}");
}

/// The file of machines on which everything is as it should be, and the least number of them.
const HEALTHY: &str = "healthy.worlds";
const ENOUGH_HEALTHY: usize = 40;

#[test]
fn a_healthy_machine_gets_one_line_however_it_is_asked() {
    if !root::is_possible() {
        eprintln!("skipped: the worlds of the doctor: only root can mount them");
        return;
    }
    let files = files();
    let (_, worlds) = files.iter().find(|(path, _)| path.ends_with(HEALTHY)).expect("healthy machines");
    assert!(worlds.len() >= ENOUGH_HEALTHY, "{}", worlds.len());
    let mut wrong = String::new();
    for (world, answers) in worlds.iter().zip(ask(&worlds.iter().collect::<Vec<_>>(), &answers::answers)) {
        for (way, text, code) in answers.into_iter().flatten() {
            if code != Some(0) || text.lines().count() != 1 {
                wrong += &format!("== {}: doctor {way}: {code:?}\n{text}\n", world.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns the files with their test cases.
fn files() -> Vec<(PathBuf, Vec<World>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "worlds")).collect();
    files.sort();
    let read = |path: PathBuf| {
        let worlds = World::all(&fs::read_to_string(&path).expect("a file of worlds"));
        (path, worlds)
    };
    files.into_iter().map(read).collect()
}

/// Runs `task` in each, some at a time. `None` for cases whose loader is not on this machine.
fn ask<T: Send>(worlds: &[&World], task: &(dyn Fn(&World) -> T + Sync)) -> Vec<Option<T>> {
    let next = Mutex::new(0..worlds.len());
    let told = Mutex::new(worlds.iter().map(|_| None).collect::<Vec<_>>());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let index = next.lock().expect("no panic").next();
                    let Some((index, world)) = index.and_then(|index| Some((index, worlds.get(index)?)))
                    else {
                        return;
                    };
                    if !world.needs_other_loader() || parts::other_loader().is_some() {
                        let answer = task(world);
                        told.lock().expect("no panic")[index] = Some(answer);
                    }
                }
            });
        }
    });
    told.into_inner().expect("no panic")
}
