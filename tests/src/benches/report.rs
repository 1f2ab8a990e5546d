//! The figures as tables for a person, and as JSON.
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::benches::loader::Loader;
use crate::benches::measure::{Cost, Row, Tools};
use crate::benches::scaling::Series;

/// Bytes that the stripped library may have.
const SIZE: u64 = 390_000;

/// All that was measured. The first loader is ours, the second, if any, the distribution's.
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
        for (name, loader) in ["ours", "Khronos"].iter().zip(&self.loaders) {
            let _ = writeln!(text, "{name:8} {} ({} bytes)", loader.file.display(), loader.size);
        }
        let reached = verdict(Some(self.loaders[0].size <= SIZE));
        let _ = writeln!(text, "size     {} bytes, to reach {SIZE}: {reached}", self.loaders[0].size);
        self.instruction_table(&mut text);
        self.system_call_table(&mut text);
        self.time_table(&mut text);
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
            (self.loaders.len() > 1, "Khronos' column is left out: the package libvulkan1 is not installed"),
        ];
        missing.into_iter().filter(|(there, _)| !there).map(|(_, note)| note).collect()
    }

    fn instruction_table(&self, text: &mut String) {
        if !self.tools.instructions || self.rows.is_empty() {
            return;
        }
        let _ = writeln!(
            text,
            "\n{:46} {:>10} {:>10} {:>6} {:>9}",
            "instructions of a call", "Khronos", "ours", "ratio", "to reach"
        );
        for row in &self.rows {
            let [ours, theirs] = both(row, |cost| cost.instructions);
            let target = row.operation.instructions.map_or_else(String::new, |number| number.to_string());
            let _ = writeln!(
                text,
                "{:46} {:>10} {:>10} {:>6} {target:>9} {}",
                row.operation.title,
                rounded(theirs),
                rounded(ours),
                ratio(ours, theirs),
                verdict(reached(row)),
            );
        }
    }

    fn system_call_table(&self, text: &mut String) {
        if !self.tools.system_calls || self.rows.is_empty() {
            return;
        }
        let _ =
            writeln!(text, "\n{:46} {:>10} {:>10}", "system calls of a call, never more", "Khronos", "ours");
        for row in &self.rows {
            let [ours, theirs] = both(row, Cost::all_system_calls);
            let fewer = ours.zip(theirs).map(|(ours, theirs)| ours <= theirs);
            let calls = row.costs[0].system_calls.iter().flatten();
            let names: Vec<_> =
                calls.map(|(name, count)| format!("{name} {}", rounded(Some(*count)))).collect();
            let title = row.operation.title;
            let _ = writeln!(
                text,
                "{title:46} {:>10} {:>10}   {:4} {}",
                rounded(theirs),
                rounded(ours),
                verdict(fewer),
                names.join(", ")
            );
        }
    }

    fn time_table(&self, text: &mut String) {
        if self.rows.is_empty() {
            return;
        }
        let _ = writeln!(
            text,
            "\n{:46} {:>22} {:>22} {:>6}",
            "nanoseconds of a call: shortest, median", "Khronos", "ours", "ratio"
        );
        for row in &self.rows {
            let pair = |cost: Option<&Cost>| {
                cost.map_or_else(String::new, |cost| format!("{:>11.1}{:>11.1}", cost.shortest, cost.median))
            };
            let [ours, theirs] = both(row, |cost| Some(cost.shortest));
            let _ = writeln!(
                text,
                "{:46} {:>22} {:>22} {:>6}",
                row.operation.title,
                pair(row.costs.get(1)),
                pair(row.costs.first()),
                ratio(ours, theirs)
            );
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
        for (index, name) in ["ours", "Khronos"].iter().enumerate().take(self.loaders.len()).rev() {
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

fn both(row: &Row, figure: impl Fn(&Cost) -> Option<f64>) -> [Option<f64>; 2] {
    [0, 1].map(|index| row.costs.get(index).and_then(&figure))
}

fn cost(cost: &Cost) -> Value {
    json!({
        "instructions": cost.instructions,
        "system_calls": cost.system_calls,
        "nanoseconds": {"shortest": cost.shortest, "median": cost.median},
    })
}

fn rounded(number: Option<f64>) -> String {
    match number {
        None => "-".to_owned(),
        Some(number) if number.fract().abs() < 0.05 || number >= 100.0 => format!("{number:.0}"),
        Some(number) => format!("{number:.1}"),
    }
}

fn ratio(ours: Option<f64>, theirs: Option<f64>) -> String {
    let ratio = ours.zip(theirs).filter(|(_, theirs)| *theirs > 0.0).map(|(ours, theirs)| ours / theirs);
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

fn verdict(reached: Option<bool>) -> &'static str {
    match reached {
        None => "",
        Some(true) => "yes",
        Some(false) => "NO",
    }
}
