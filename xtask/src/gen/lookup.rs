//! The perfect hashes over command names and extension names.

use std::fmt::Write;

use crate::Failure;
use crate::r#gen::generated::{Generated, header};
use crate::r#gen::hash;
use crate::r#gen::order::Numbered;

/// The value of a slot without a name.
const EMPTY: u16 = u16::MAX;

/// Seeds to try before giving up: the first few succeed unless the tables are too small.
const SEEDS: u64 = 1000;

pub(super) fn file(registry: &Numbered) -> Result<Generated, Failure> {
    let commands: Vec<&str> = registry.commands().iter().map(|command| command.name.as_str()).collect();
    let extensions: Vec<&str> = registry.extensions().map(|known| known.name.as_str()).collect();
    let known = registry.known_to_loaders();
    let mut text = format!("{}//! Perfect hashes: which number a name can only have.\n\n", header());
    text.push_str("use crate::hash::PerfectHash;\n\n");
    text.push_str(&table("COMMANDS", "commands", &commands)?);
    text.push_str("#[cfg(not(feature = \"every-extension\"))]\n");
    text.push_str(&table("EXTENSIONS", "extensions that a loader tells apart", &extensions[..known])?);
    text.push_str("#[cfg(feature = \"every-extension\")]\n");
    text.push_str(&table("EXTENSIONS", "extensions", &extensions)?);
    Ok(Generated::registry("hash_gen.rs", text))
}

fn table(constant: &str, about: &str, names: &[&str]) -> Result<String, Failure> {
    // A table that is nearly full leaves no slots for the last buckets.
    let slots = (names.len() * 8 / 7).next_power_of_two();
    let buckets = slots / 2;
    let (seed, displacements, taken) = (1..SEEDS)
        .find_map(|seed| search(seed, names, buckets, slots))
        .ok_or_else(|| format!("no perfect hash over the names of {about}"))?;
    let mut text = String::new();
    let _ = writeln!(text, "/// The hash over the names of {about}.");
    let _ = writeln!(text, "#[rustfmt::skip]");
    let _ = writeln!(text, "pub(super) static {constant}: PerfectHash<{buckets}, {slots}> = PerfectHash {{");
    let _ = writeln!(text, "    seed: {seed},");
    let _ = writeln!(text, "    displacements: [{}\n    ],", numbers(&displacements));
    let _ = writeln!(text, "    slots: [{}\n    ],\n}};", numbers(&taken));
    Ok(text)
}

/// Gives every name a slot of its own: the fullest buckets choose their displacement first.
fn search(seed: u64, names: &[&str], buckets: usize, slots: usize) -> Option<(u64, Vec<u8>, Vec<u16>)> {
    let mut members: Vec<Vec<(u16, u64)>> = vec![Vec::new(); buckets];
    for (id, name) in names.iter().enumerate() {
        let hash = hash::hash(seed, name.as_bytes())?;
        members[hash::bucket(hash, buckets)].push((u16::try_from(id).ok()?, hash));
    }
    let mut order: Vec<usize> = (0..buckets).collect();
    order.sort_by_key(|bucket| (usize::MAX - members[*bucket].len(), *bucket));
    let mut displacements = vec![0; buckets];
    let mut taken = vec![EMPTY; slots];
    for bucket in order {
        let (displacement, own_slots) =
            (0..slots).filter_map(|displacement| u8::try_from(displacement).ok()).find_map(
                |displacement| Some((displacement, free_slots(&members[bucket], displacement, &taken)?)),
            )?;
        displacements[bucket] = displacement;
        for (slot, (id, _)) in own_slots.into_iter().zip(&members[bucket]) {
            taken[slot] = *id;
        }
    }
    Some((seed, displacements, taken))
}

/// Returns the slots of a bucket's members, if they are free and all different.
fn free_slots(members: &[(u16, u64)], displacement: u8, taken: &[u16]) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for (_, hash) in members {
        let slot = hash::slot(*hash, displacement, taken.len());
        if taken[slot] != EMPTY || found.contains(&slot) {
            return None;
        }
        found.push(slot);
    }
    Some(found)
}

fn numbers(values: &[impl std::fmt::Display]) -> String {
    let mut text = String::new();
    for line in values.chunks(16) {
        text.push_str("\n       ");
        for value in line {
            let _ = write!(text, " {value},");
        }
    }
    text
}
