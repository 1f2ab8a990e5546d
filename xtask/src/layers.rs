//! `cargo xtask layers`: the top-level modules of each crate have an order, and a module may use only those below it. Reads the sources,
//! prints the order, and fails on an upward use.
//!
//! A crate's manifest has its order, the uppermost module first: `order` in `[package.metadata.modules]`. Modules in an inner list may use
//! each other.

mod sources;

use std::path::Path;
use std::slice;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use serde_json::Value;

use crate::Failure;
use crate::workspace::{packages, root};
use sources::Sources;

/// The most files that may import each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// Fails if a module uses one above it or is not listed, or if files import each other in too large a circle.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut wrong = 0;
    for package in packages()? {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(root());
        let sources = Sources::read(&folder.join("src"))?;
        println!("{}", folder.strip_prefix(root()).unwrap_or(folder).display());
        wrong += report_order(&layers(&package["metadata"]["modules"]["order"]), &sources);
        wrong += report_circles(&sources);
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} things are wrong with the layers").into()) }
}

/// Prints the order and the faults in it, and returns their number.
fn report_order(order: &[Vec<&str>], sources: &Sources) -> usize {
    let modules = sources.top_level();
    let listed: Vec<&str> = order.iter().flatten().copied().collect();
    let mut wrong = Vec::new();
    let unlisted = modules.iter().filter(|it| modules.len() > 1 && !listed.contains(*it));
    wrong.extend(unlisted.map(|it| format!("{it} is not in the order of the crate's manifest")));
    wrong.extend(
        listed.iter().filter(|it| !modules.contains(*it)).map(|it| format!("module {it} does not exist")),
    );
    let uses = sources.uses();
    for (index, layer) in order.iter().enumerate() {
        let (above, below) = (&order[..index], &order[index + 1..]);
        for module in layer {
            let is_used = |lower: &&&str| uses.contains_key(&(*module, **lower));
            let used: Vec<_> = below.iter().chain([layer]).flatten().filter(is_used).copied().collect();
            println!("  {module:12} {}", used.join(" "));
            for upper in above.iter().flatten() {
                let found = uses.get(&(*module, *upper)).into_iter().flatten();
                wrong.extend(found.map(|line| format!("{module} -> {upper}: {line}")));
            }
        }
    }
    wrong.iter().for_each(|it| println!("  {it}"));
    wrong.len()
}

/// Returns the modules of each layer of a manifest's list.
fn layers(order: &Value) -> Vec<Vec<&str>> {
    let layers = order.as_array().into_iter().flatten();
    layers
        .map(|layer| {
            layer
                .as_array()
                .map_or(slice::from_ref(layer), Vec::as_slice)
                .iter()
                .filter_map(Value::as_str)
                .collect()
        })
        .collect()
}

/// Prints circles of more than [`LARGEST_CIRCLE`] files, and returns their number.
fn report_circles(sources: &Sources) -> usize {
    let imports: DiGraphMap<&str, ()> = DiGraphMap::from_edges(sources.imports());
    let mut circles = tarjan_scc(&imports);
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    println!("  largest circle of imports: {} files", circles.first().map_or(1, Vec::len));
    circles.retain(|circle| circle.len() > LARGEST_CIRCLE);
    for circle in &circles {
        println!("  {} files import each other:", circle.len());
        for file in circle {
            let others: Vec<_> = imports.neighbors(file).filter(|other| circle.contains(other)).collect();
            println!("    {file} -> {}", others.join(" "));
        }
    }
    circles.len()
}
