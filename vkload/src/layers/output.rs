//! The layers as a table and as JSON.

use serde_json::{Value, json};

use super::Row;
use crate::command::Command;
use crate::output;
use crate::switches::Changes;
use crate::table::Table;

/// Returns the layers, what changes to variables make them so, and what else is known about the search.
pub(super) fn render(rows: &[Row], changes: &Changes, notes: &[String], json: bool) -> String {
    if json { output::json(to_json(rows, changes, notes)) } else { text(rows, changes, notes) }
}

fn text(rows: &[Row], changes: &Changes, notes: &[String]) -> String {
    let notes: String = notes.iter().map(|note| format!("\n{note}\n")).collect();
    if rows.is_empty() {
        return format!("No layer is found; `vkload paths` lists the search paths.\n{notes}");
    }
    let mut table = Table::new(&["LAYER", "ACTIVE", "WHY"]);
    for row in rows {
        let is_active = row.view.is_active();
        // The problem of a layer that is not active is the reason.
        let why = if is_active && !row.problem.is_empty() {
            format!("{}; problem: {}", row.why, row.problem)
        } else {
            row.why.clone()
        };
        table.row([row.view.title(), if is_active { "yes" } else { "no" }, &why]);
    }
    let mut out = table.render();
    out.push_str(&notes);
    if !changes.is_empty() {
        out.push_str("\nThe same for every program that you start from this shell:\n");
        for (name, value) in changes {
            out.push_str(&format!("  {}\n", Command::change(name, value.as_deref())));
        }
    }
    out
}

fn to_json(rows: &[Row], changes: &Changes, notes: &[String]) -> Value {
    let layer = |row: &Row| {
        json!({
            "name": row.view.name,
            "manifest": row.view.manifest,
            "library": row.view.library,
            "description": row.description,
            "implicit": row.view.implicit,
            "active": row.view.is_active(),
            "outcome": row.view.outcome,
            "why": row.why,
            "problem": row.problem,
        })
    };
    let change = |(name, value): (&String, &Option<String>)| json!({ "variable": name, "value": value });
    json!({
        "layers": rows.iter().map(layer).collect::<Vec<_>>(),
        "notes": notes,
        "changes": changes.iter().map(change).collect::<Vec<_>>(),
    })
}
