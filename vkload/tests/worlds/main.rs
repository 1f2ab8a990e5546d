//! `vkload doctor` in broken worlds, each a small file system of its own in which programs, drivers and layers really run.
//!
//! The files `*.worlds` beside this one hold them: a name, what is in the world ([`world::World`] has the words for it), and the first
//! three lines of the answer. `VKLOAD_BLESS=1 cargo test -p vkload --test worlds` writes the answers anew; read the difference.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod parts;
mod root;
mod world;

use std::fs;
use std::path::Path;

use world::World;

/// Runs the worlds in one of the files.
fn worlds(file: &str) {
    if !root::is_possible() {
        eprintln!("skipped: the worlds in {file}: only root can mount them");
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds").join(file);
    let mut worlds = World::all(&fs::read_to_string(&path).expect("a file of worlds"));
    let bless = std::env::var_os("VKLOAD_BLESS").is_some();
    let mut wrong = String::new();
    for world in
        worlds.iter_mut().filter(|world| !world.needs_other_loader() || parts::other_loader().is_some())
    {
        let answer = root::doctor(world);
        let said: Vec<String> =
            answer.lines().take(3).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        if said != world.answer {
            wrong +=
                &format!("== {}\nexpected:\n{}\n\nsaid:\n{answer}\n", world.name, world.answer.join("\n"));
            world.answer = said;
        }
    }
    if bless {
        let text: Vec<String> = worlds.iter().map(World::to_string).collect();
        fs::write(&path, text.join("\n")).expect("written");
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

macro_rules! files {
    ($($name:ident)*) => { $(#[test] fn $name() { worlds(concat!(stringify!($name), ".worlds")); })* };
}

files! { drivers libraries manifests layers variables settings loaders devices places nvidia working }

/// Each rule has its world, and there are enough of them.
#[test]
fn there_are_worlds_enough() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worlds");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let worlds = files.filter(|path| path.extension().is_some_and(|it| it == "worlds"));
    let count: usize = worlds.map(|path| World::all(&fs::read_to_string(path).expect("a file")).len()).sum();
    assert!(count >= 80, "{count}");
}
