//! `cargo xtask layers`: the top-level modules of each crate have an order, and a module may use only those below it. Reads the sources,
//! prints the order, and fails on an upward use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree};

use crate::Failure;
use crate::build::root;

/// The top-level modules of each crate, the lowest first. A new module needs an entry here.
const CRATES: &[(&str, &[&str])] = &[
    (
        "loader-core",
        &[
            "sync",
            "memory",
            "registry",
            "abi",
            "machine",
            "platform",
            "log",
            "manifest",
            "discovery",
            "logger",
            "flavour",
            "negotiation",
            "drivers",
            "layers",
            "loader",
            "dispatch",
            "objects",
            "chain",
            "entry",
        ],
    ),
    (
        "driver-runtime",
        &[
            "result",
            "chain",
            "out_array",
            "drm",
            "host",
            "extensions",
            "features",
            "format",
            "properties",
            "android",
            "fuchsia",
            "types",
            "icd",
            "dispatch",
            "object",
            "forward",
            "log",
            "trace",
            "parts",
            "sync",
            "physical_device",
            "reflect",
            "instance",
            "device",
            "descriptor_template",
            "driver",
            "hal",
            "proc_addr",
            "time",
            "command_buffer",
            "pipeline_cache",
            "commands",
        ],
    ),
    (
        "layers/statistics",
        &[
            "clock", "message", "settings", "threads", "report", "next", "call", "tools", "instance",
            "device", "wrappers", "entry",
        ],
    ),
    (
        "platform-android",
        &[
            "level",
            "switches",
            "native_buffer",
            "system",
            "once",
            "listening",
            "host",
            "trace",
            "os",
            "hal",
            "layers",
            "loader",
            "log",
            "objects",
            "debug",
            "statistics",
            "wsi",
            "driver",
            "api",
            "apk",
            "process",
        ],
    ),
    ("platform-linux", &["c_path", "policy", "os", "exports_gen"]),
    (
        "platform-fuchsia",
        &[
            "exports_gen",
            "api_level",
            "policy",
            "system",
            "service",
            "os",
            "fuchsia",
            "of_core",
            "zircon",
            "process",
        ],
    ),
    (
        "vkload",
        &[
            "table",
            "output",
            "arguments",
            "completions",
            "advice",
            "halves",
            "facts",
            "planned",
            "searched",
            "settings",
            "exec",
            "switches",
            "page",
            "paths",
            "recording",
            "info",
            "probe",
            "chain",
            "doctor",
            "replay",
            "bisect",
            "layers",
            "compare",
            "main",
        ],
    ),
];

/// A circle of imports may have so many files.
const LARGEST_CIRCLE: usize = 3;

/// Fails if a top-level module uses one above it or is not listed, or if files import each other in too large a cycle.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut wrong = 0usize;
    for (krate, order) in CRATES {
        let sources = Sources::read(&root().join(krate).join("src"))?;
        println!("{krate}");
        wrong += report_order(order, &sources) + report_circles(&sources);
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} things are wrong with the layers").into()) }
}

fn report_order(order: &[&str], sources: &Sources) -> usize {
    let uses = sources.rooms();
    let is_used = |room: &str, other: &str| uses.contains_key(&(room, other));
    for (place, room) in order.iter().enumerate().rev() {
        let below: Vec<_> = order.iter().take(place).filter(|lower| is_used(room, lower)).copied().collect();
        println!("  {room:12} {}", below.join(" "));
    }
    let mut wrong = 0;
    let rooms: BTreeSet<_> = sources.modules.keys().filter_map(|module| module.first()).collect();
    for room in rooms.iter().filter(|room| !order.contains(&room.as_str())) {
        println!("  {room} has no place in the order (xtask/src/layers.rs)");
        wrong += 1;
    }
    for (place, room) in order.iter().enumerate() {
        for upper in order.iter().skip(place + 1) {
            for found in uses.get(&(*room, *upper)).into_iter().flatten() {
                println!("  {room} -> {upper}: {found}");
                wrong += 1;
            }
        }
    }
    wrong
}

fn report_circles(sources: &Sources) -> usize {
    let mut graph = DiGraph::<&str, ()>::new();
    // Generated tables refer to each other's numbers; their order does not matter to readers.
    let written = sources.modules.values().filter(|file| !file.ends_with("_gen.rs"));
    let nodes: BTreeMap<_, _> = written.map(|file| (file, graph.add_node(file))).collect();
    for import in &sources.imports {
        if let (Some(from), Some(to)) = (nodes.get(&import.file), nodes.get(&import.leads_to)) {
            graph.update_edge(*from, *to, ());
        }
    }
    let mut circles = tarjan_scc(&graph);
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    println!("  largest circle of imports: {} files", circles.first().map_or(0, Vec::len));
    let too_large = circles.iter().filter(|circle| circle.len() > LARGEST_CIRCLE);
    too_large
        .map(|circle| {
            println!("  {} files import each other:", circle.len());
            for file in circle {
                let others = graph.neighbors(*file).filter(|other| circle.contains(other));
                let others: Vec<_> = others.map(|other| graph[other]).collect();
                println!("    {} -> {}", graph[*file], others.join(" "));
            }
        })
        .count()
}

/// The modules of a crate, and their imports from each other.
#[derive(Default)]
struct Sources {
    /// The file of each module.
    modules: BTreeMap<Module, String>,
    /// A module's re-exports: the path behind each name.
    exports: BTreeMap<(Module, String), Module>,
    imports: Vec<Import>,
}

/// The path of a module in its crate.
type Module = Vec<String>;

struct Import {
    room: String,
    file: String,
    line: usize,
    /// The top-level module named, which may re-export an item of a lower one.
    names: String,
    /// The file in which the imported thing is.
    leads_to: String,
}

impl Sources {
    fn read(source: &Path) -> Result<Self, Failure> {
        let mut sources = Self::default();
        let mut found = Vec::new();
        let mut files = files(source)?;
        let tests: Vec<_> = files.iter().flat_map(|(_, module, file)| test_modules(module, file)).collect();
        files.retain(|(_, module, _)| !tests.iter().any(|test| module.starts_with(test)));
        for (path, module, file) in files {
            let name = path.strip_prefix(source).unwrap_or(&path).display().to_string();
            let mut reader = Reader { module: module.clone(), found: Vec::new(), exports: Vec::new() };
            reader.visit_file(&file);
            sources.modules.insert(module.clone(), name.clone());
            sources.exports.extend(reader.exports);
            found.extend(
                reader.found.into_iter().map(|(path, line)| (module.clone(), name.clone(), path, line)),
            );
        }
        for (module, file, path, line) in found {
            let Some(room) = module.first().cloned() else { continue };
            let Some(names) = sources.room_of(&path) else { continue };
            let leads_to = sources.file_of(&path);
            if leads_to != file {
                sources.imports.push(Import { room, file, line, names, leads_to });
            }
        }
        Ok(sources)
    }

    /// Returns the top-level module that `path` names, even through a re-export of the root.
    fn room_of(&self, path: &[String]) -> Option<String> {
        let first = path.first()?;
        let behind = self.exports.get(&(Module::new(), first.clone())).and_then(|behind| behind.first());
        [Some(first), behind]
            .into_iter()
            .flatten()
            .find(|room| self.modules.contains_key(&vec![(*room).clone()]))
            .cloned()
    }

    /// Returns the file in which the item at `path` is.
    fn file_of(&self, path: &[String]) -> String {
        let mut module = Module::new();
        for (step, name) in path.iter().enumerate() {
            if let Some(behind) = self.exports.get(&(module.clone(), name.clone()))
                && !path.starts_with(behind)
            {
                let whole: Vec<_> = behind.iter().chain(path.iter().skip(step + 1)).cloned().collect();
                return self.file_of(&whole);
            }
            module.push(name.clone());
            if !self.modules.contains_key(&module) {
                module.pop();
                break;
            }
        }
        self.modules.get(&module).cloned().unwrap_or_default()
    }

    /// Returns the uses of each top-level module by another, and their places.
    fn rooms(&self) -> BTreeMap<(&str, &str), BTreeSet<String>> {
        let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
        for import in self.imports.iter().filter(|import| import.room != import.names) {
            let place = format!("{}:{}", import.file, import.line);
            uses.entry((import.room.as_str(), import.names.as_str())).or_default().insert(place);
        }
        uses
    }
}

/// Returns the files below `source`, each with the module that it is.
fn files(source: &Path) -> Result<Vec<(PathBuf, Module, syn::File)>, Failure> {
    let mut all = Vec::new();
    let mut folders = vec![(source.to_owned(), Vec::new())];
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut inside: Module = module.clone();
            if path.is_dir() {
                inside.push(name);
                folders.push((path, inside));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                if name != "mod" && name != "lib" {
                    inside.push(name);
                }
                let text = fs::read_to_string(&path)?;
                let file = syn::parse_file(&text).map_err(|error| format!("{}: {error}", path.display()))?;
                all.push((path, inside, file));
            }
        }
    }
    all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    Ok(all)
}

/// Returns the modules that `file` declares for tests only.
fn test_modules(module: &[String], file: &syn::File) -> Vec<Module> {
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(inner) if inner.attrs.iter().any(is_for_tests) => Some(inner.ident.to_string()),
        _ => None,
    });
    modules.map(|name| module.iter().cloned().chain([name]).collect()).collect()
}

/// Collects the paths in the crate that a file mentions.
struct Reader {
    module: Module,
    /// Whole paths, with the lines in which they are named.
    found: Vec<(Module, usize)>,
    /// The re-exports, by the module and the name.
    exports: Vec<((Module, String), Module)>,
}

impl Reader {
    /// Returns the whole path of what `path` names in the file's module.
    fn whole(&self, path: &[String]) -> Module {
        let mut whole = self.module.clone();
        for step in path {
            match step.as_str() {
                "crate" => whole.clear(),
                "super" => _ = whole.pop(),
                "self" => {}
                _ => whole.push(step.clone()),
            }
        }
        whole
    }

    fn note(&mut self, path: &[String], span: Span) {
        self.found.push((self.whole(path), span.start().line));
    }

    fn tree(&mut self, tree: &UseTree, before: &mut Vec<String>, is_export: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before, is_export);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before, is_export)),
            UseTree::Name(name) => self.leaf(before, &name.ident, &name.ident, is_export),
            UseTree::Rename(rename) => self.leaf(before, &rename.ident, &rename.rename, is_export),
            UseTree::Glob(glob) => self.note(before, glob.star_token.spans[0]),
        }
    }

    fn leaf(&mut self, before: &[String], last: &syn::Ident, known_as: &syn::Ident, is_export: bool) {
        let mut path = before.to_vec();
        path.push(last.to_string());
        let whole = self.whole(&path);
        // A module that re-exports its own content imports nothing.
        if !is_export || whole.first() != self.module.first() {
            self.note(&path, last.span());
        }
        if is_export {
            self.exports.push(((self.module.clone(), known_as.to_string()), whole));
        }
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
        let is_export = !matches!(item.vis, syn::Visibility::Inherited);
        self.tree(&item.tree, &mut Vec::new(), is_export);
    }

    fn visit_attribute(&mut self, _: &'a Attribute) {}

    /// `pub(super)` names a module and imports nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.note(&names, first.ident.span());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        // Names in a macro's definition are imported at the macro's call site.
        if !item.mac.path.is_ident("macro_rules") {
            syn::visit::visit_item_macro(self, item);
        }
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
