//! The figures as tables for a person, and as JSON.
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::benches::counts::grouped;
use crate::benches::loader::Loader;
use crate::benches::measure::{Cost, Row, Tools};
use crate::benches::scaling::Series;

/// Bytes that the stripped library may have.
const SIZE: u64 = 390_000;

/// The loaders' names on the page.
const NAMES: [&str; 3] = ["vkload", "Debian", "Chromium"];

/// All that was measured. The first loader is ours, the second, if any, the distribution's, the third Chromium's.
#[derive(Debug)]
pub struct Report {
    pub loaders: Vec<Loader>,
    pub tools: Tools,
    pub rows: Vec<Row>,
    pub series: Vec<Series>,
}

impl Report {
    /// Tables for a person.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, loader) in NAMES.iter().zip(&self.loaders) {
            let _ = writeln!(text, "{name:8} {} ({} bytes)", loader.file.display(), loader.size);
        }
        let reached = verdict(Some(self.loaders[0].size <= SIZE));
        let _ = writeln!(text, "size     {} bytes, to reach {SIZE}: {reached}", self.loaders[0].size);
        self.table(&mut text);
        for series in &self.series {
            self.series_table(series, &mut text);
        }
        text
    }

    pub fn json(&self) -> Value {
        let loader = |loader: &Loader| json!({"file": loader.file, "bytes": loader.size});
        let row = |row: &Row| {
            json!({
                "operation": row.operation.name,
                "to_reach": row.operation.instructions,
                "reached": reached(row),
                "costs": row.costs.iter().map(cost).collect::<Vec<_>>(),
            })
        };
        let series = |series: &Series| {
            let points = series.points.iter().map(|costs| costs.iter().map(cost).collect::<Vec<_>>());
            json!({
                "growing": series.plan.growing.noun(),
                "operation": series.plan.operation,
                "numbers": series.plan.numbers,
                "linear": series.is_linear(0),
                "costs": points.collect::<Vec<_>>(),
            })
        };
        json!({
            "loaders": self.loaders.iter().map(loader).collect::<Vec<_>>(),
            "operations": self.rows.iter().map(row).collect::<Vec<_>>(),
            "series": self.series.iter().map(series).collect::<Vec<_>>(),
            "left_out": self.left_out(),
        })
    }

    /// Returns the failed measurements, with the reasons. A benchmark that leaves something out has failed.
    pub fn left_out(&self) -> Vec<&'static str> {
        let missing = [
            (self.tools.instructions, "instructions are left out: valgrind is not installed"),
            (self.tools.system_calls, "system calls are left out: strace is not installed, or may not trace"),
            (
                self.loaders.len() == NAMES.len(),
                "a column is left out: libvulkan1 or chromium-common is not installed",
            ),
        ];
        missing.into_iter().filter(|(there, _)| !there).map(|(_, note)| note).collect()
    }

    /// Adds a table as in `docs/performance.md`: instructions, the shortest time in nanoseconds, and system calls.
    fn table(&self, text: &mut String) {
        let line = |first: &str, cells: Vec<String>, last: &str| {
            format!("| {first} | {} | {last} |\n", cells.into_iter().rev().collect::<Vec<_>>().join(" | "))
        };
        let names = NAMES.iter().take(self.loaders.len()).map(|name| (*name).to_owned()).collect();
        text.push_str(&line("instructions / nanoseconds / system calls of a call", names, "to reach"));
        for row in &self.rows {
            let target = row.operation.instructions.map(grouped).unwrap_or_default();
            let wrong = if reached(row) == Some(false) { " MISSED" } else { "" };
            let cells = row.costs.iter().map(figures).collect();
            text.push_str(&line(row.operation.title, cells, &format!("{target}{wrong}")));
        }
    }

    fn series_table(&self, series: &Series, text: &mut String) {
        let unit = if series.in_instructions() { "instructions" } else { "nanoseconds, median" };
        let plan = series.plan;
        let which = if plan.calls == 0 { "the first call of a process" } else { "a call" };
        let _ =
            writeln!(text, "\n{} by number of {}, {unit} of {which}", plan.operation, plan.growing.noun());
        let mut line = |name: &str, cells: Vec<String>, end: &str| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>14}")).collect();
            let _ = writeln!(text, "{name:10}{cells}  {end}");
        };
        line("", plan.numbers.iter().map(u32::to_string).collect(), "");
        for (index, name) in NAMES.iter().enumerate().take(self.loaders.len()).rev() {
            let end = if series.is_linear(index) { "linear or better" } else { "worse than linear" };
            line(name, series.costs(index).into_iter().map(|cost| format!("{cost:.0}")).collect(), end);
        }
    }
}

/// Returns whether our library stays within the limit; `None` if the count is not known.
fn reached(row: &Row) -> Option<bool> {
    let target = row.operation.instructions?;
    Some(row.costs.first()?.instructions?.round() <= target as f64)
}

fn figures(cost: &Cost) -> String {
    let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |it| grouped(it.round() as u64));
    let time =
        if cost.shortest < 100.0 { format!("{:.1}", cost.shortest) } else { number(Some(cost.shortest)) };
    format!("{} / {time} / {}", number(cost.instructions), number(cost.all_system_calls()))
}

fn cost(cost: &Cost) -> Value {
    json!({
        "instructions": cost.instructions,
        "system_calls": cost.system_calls,
        "nanoseconds": {"shortest": cost.shortest, "median": cost.median},
    })
}

fn verdict(reached: Option<bool>) -> &'static str {
    match reached {
        None => "",
        Some(true) => "yes",
        Some(false) => "NO",
    }
}
