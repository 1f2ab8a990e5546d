//! `cargo xtask layers`: each crate's rooms (the modules of its root) stand in an order, and a room uses only those below it.
//! Reads the sources, prints the order, and fails on what runs up.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree};

use crate::Failure;
use crate::build::root;

/// The rooms of each crate, the lowest first. A new room needs a place here.
const CRATES: &[(&str, &[&str])] = &[(
    "loader-core",
    &[
        "sync",
        "memory",
        "registry",
        "abi",
        "platform",
        "log",
        "manifest",
        "discovery",
        "logger",
        "flavour",
        "negotiation",
        "dispatch",
        "chain",
        "objects",
        "loader",
        "entry",
    ],
)];

/// Fails if a room uses one above it, or has no place.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut wrong = 0usize;
    for (krate, order) in CRATES {
        let uses = uses(&root().join(krate).join("src"))?;
        println!("{krate}");
        for (place, room) in order.iter().enumerate().rev() {
            let below: Vec<_> =
                order.iter().take(place).filter(|lower| uses.has(room, lower)).copied().collect();
            println!("  {room:12} {}", below.join(" "));
        }
        for room in uses.rooms.iter().filter(|room| !order.contains(&room.as_str())) {
            println!("  {room} has no place in the order (xtask/src/layers.rs)");
            wrong += 1;
        }
        for (place, room) in order.iter().enumerate() {
            for upper in order.iter().skip(place + 1) {
                for found in uses.of(room, upper) {
                    println!("  {room} -> {upper}: {found}");
                    wrong += 1;
                }
            }
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} places use a room above theirs").into()) }
}

/// Which room uses which, and where.
#[derive(Default)]
struct Uses {
    rooms: BTreeSet<String>,
    places: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Uses {
    fn has(&self, room: &str, other: &str) -> bool {
        self.places.contains_key(&(room.to_owned(), other.to_owned()))
    }

    fn of(&self, room: &str, other: &str) -> impl Iterator<Item = &String> {
        self.places.get(&(room.to_owned(), other.to_owned())).into_iter().flatten()
    }
}

fn uses(source: &Path) -> Result<Uses, Failure> {
    let mut uses = Uses::default();
    let files = files(source)?;
    for (path, module) in &files {
        if let [room] = module.as_slice() {
            uses.rooms.insert(room.clone());
        }
        let text = fs::read_to_string(path)?;
        let file = syn::parse_file(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let place = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        let mut reader = Reader { module: module.clone(), place, found: Vec::new() };
        reader.visit_file(&file);
        let Some(room) = module.first() else { continue };
        for (other, found) in reader.found.into_iter().filter(|(other, _)| other != room) {
            uses.places.entry((room.clone(), other)).or_default().insert(found);
        }
    }
    let rooms = uses.rooms.clone();
    uses.places.retain(|(_, other), _| rooms.contains(other));
    Ok(uses)
}

/// The files below `source` that are not tests, each with the module that it is.
fn files(source: &Path) -> Result<Vec<(PathBuf, Vec<String>)>, Failure> {
    let mut all = Vec::new();
    let mut folders = vec![(source.to_owned(), Vec::new())];
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut inside: Vec<String> = module.clone();
            if name == "tests" {
                continue;
            }
            if path.is_dir() {
                inside.push(name);
                folders.push((path, inside));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                if name != "mod" && name != "lib" {
                    inside.push(name);
                }
                all.push((path, inside));
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Collects the rooms that a file mentions.
struct Reader {
    module: Vec<String>,
    place: String,
    found: Vec<(String, String)>,
}

impl Reader {
    /// Notes the room that a path from the file's module leads to, if that is in the crate.
    fn note(&mut self, path: &[String], span: Span) {
        let mut from = self.module.clone();
        let mut rest = path.iter();
        match rest.next().map(String::as_str) {
            Some("crate") => from.clear(),
            Some("super") => _ = from.pop(),
            _ => return,
        }
        for step in rest {
            if step == "super" {
                from.pop();
            } else {
                from.push(step.clone());
                break;
            }
        }
        if let Some(room) = from.into_iter().next() {
            self.found.push((room, format!("{}:{}", self.place, span.start().line)));
        }
    }

    fn tree(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
            UseTree::Name(name) => self.leaf(before, &name.ident),
            UseTree::Rename(rename) => self.leaf(before, &rename.ident),
            UseTree::Glob(glob) => self.note(before, glob.star_token.spans[0]),
        }
    }

    fn leaf(&mut self, before: &[String], last: &syn::Ident) {
        let mut path = before.to_vec();
        path.push(last.to_string());
        self.note(&path, last.span());
    }

    /// Paths in the arguments of a macro, which are not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut at = Span::call_site();
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    self.note(&std::mem::take(&mut path), at);
                    self.tokens(group.stream());
                }
                TokenTree::Ident(ident) => {
                    if path.is_empty() {
                        at = ident.span();
                    }
                    path.push(ident.to_string());
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {}
                _ => self.note(&std::mem::take(&mut path), at),
            }
        }
        self.note(&path, at);
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a Item) {
        if !attributes(item).iter().any(is_for_tests) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        self.module.push(module.ident.to_string());
        syn::visit::visit_item_mod(self, module);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.note(&names, first.ident.span());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.tokens(call.tokens.clone());
        syn::visit::visit_macro(self, call);
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`
fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
}
