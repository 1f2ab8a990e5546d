//! Finds the manifests on the search paths.
#![forbid(unsafe_code)]

use super::inquiry::{Incomplete, Inquiry};
use super::order::{first_equal, natural};
use super::plan::{Note, SearchResult, Searched};
use super::search_paths::{SearchPath, is_manifest_name};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, sort_by, text};

const MANIFEST_LIMIT: usize = 4096;

pub(super) struct Manifest {
    pub(super) path: Text,
    pub(super) found_in: usize,
}

/// Searches every search path, each folder once, and adds the paths to `searched`.
pub(super) fn look(
    inquiry: &mut Inquiry<'_>,
    search_paths: Vec<SearchPath>,
    searched: &mut Vec<Searched>,
    notes: &mut Vec<Note>,
) -> Result<Vec<Manifest>, Incomplete> {
    let before = searched.len();
    let key = |at: usize| search_paths.get(at).map(|entry| (entry.is_manifest, entry.path.as_slice()));
    let firsts = first_equal(search_paths.len(), &mut |(one, other)| key(one).cmp(&key(other)))?;
    for ((at, entry), first) in search_paths.iter().enumerate().zip(&firsts) {
        if !entry.is_manifest && at == *first {
            inquiry.listing(&entry.path)?.ok();
        }
    }
    inquiry.settle()?;
    let mut found = Vec::new();
    let mut left_out = 0usize;
    // The list stays as long as the process, and gets no more manifests from these paths.
    searched.try_fit(search_paths.len())?;
    for ((at, entry), first) in search_paths.into_iter().enumerate().zip(firsts) {
        let found_in = before.saturating_add(at);
        let result = if entry.is_manifest {
            add(&mut found, Manifest { path: text(&[&entry.path])?, found_in }, &mut left_out)?;
            SearchResult::File
        } else if at != first {
            SearchResult::Repeated
        } else {
            match inquiry.listing(&entry.path)? {
                Ok(names) => SearchResult::Folder {
                    manifests: take(names, &entry.path, found_in, &mut found, &mut left_out)?,
                },
                Err(error) => SearchResult::Failed(error),
            }
        };
        searched.try_push(Searched { path: entry.path, origin: entry.origin, result })?;
    }
    if left_out > 0 {
        notes.try_push(Note::TooManyManifests { left_out })?;
    }
    Ok(found)
}

pub(super) fn first_of_path(manifests: &[Manifest]) -> Result<Vec<usize>, OutOfMemory> {
    // By length first, as the keys of questions.
    let path = |at: usize| manifests.get(at).map(|manifest| (manifest.path.len(), manifest.path.as_slice()));
    first_equal(manifests.len(), &mut |(one, other)| path(one).cmp(&path(other)))
}

/// Adds the manifests among `names` in the order of their names, and returns their number.
fn take(
    names: &[Text],
    folder: &[u8],
    found_in: usize,
    found: &mut Vec<Manifest>,
    left_out: &mut usize,
) -> Result<usize, OutOfMemory> {
    let mut manifests = Vec::new();
    for name in names.iter().filter(|name| is_manifest_name(name)) {
        manifests.try_push(name.as_slice())?;
    }
    sort_by(&mut manifests, |one, other| natural(one, other));
    let slash = if folder.ends_with(b"/") { &b""[..] } else { b"/" };
    for name in &manifests {
        add(found, Manifest { path: text(&[folder, slash, name])?, found_in }, left_out)?;
    }
    Ok(manifests.len())
}

fn add(found: &mut Vec<Manifest>, manifest: Manifest, left_out: &mut usize) -> Result<(), OutOfMemory> {
    if found.len() < MANIFEST_LIMIT {
        return found.try_push(manifest);
    }
    *left_out = left_out.saturating_add(1);
    Ok(())
}

/// Returns the library to open: a relative path with a slash is relative to the folder of the manifest.
pub(super) fn library(written: Text, manifest: &[u8]) -> Result<Text, OutOfMemory> {
    let relative = written.contains(&b'/') && !written.starts_with(b"/");
    match manifest.iter().rposition(|byte| *byte == b'/') {
        Some(slash) if relative => text(&[manifest.get(..=slash).unwrap_or_default(), &written]),
        _ => Ok(written),
    }
}
