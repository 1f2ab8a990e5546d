//! The answer as text and as JSON.

use serde_json::{Value, json};

use super::search::{Attempt, Verdict};
use super::{BisectResult, Suspect};
use crate::command::Command;
use crate::escape;
use crate::output;
use crate::program_run::{Ended, Run, file_name};

pub(super) fn render(answer: &BisectResult, json: bool) -> String {
    if json { output::json(to_json(answer)) } else { text(answer) }
}

impl BisectResult {
    /// Returns the main result, in one line.
    fn headline(&self) -> String {
        let name = self.name();
        let with_all = self.run(&self.all()).map(|run| run.ended.words()).unwrap_or_default();
        match &self.verdict {
            Verdict::NothingFails if self.layers.is_empty() => {
                format!("{name} works; it has no active layer that could be left out.")
            }
            Verdict::NothingFails => {
                format!("{name} works with {}.", active_layers(self.layers.len()))
            }
            Verdict::FailsWithoutLayers if self.layers.is_empty() => {
                format!("{name} {with_all}, and has no active layer that could be left out.")
            }
            Verdict::FailsWithoutLayers => {
                let without = self.run(&[]).map(|run| run.ended.words()).unwrap_or_default();
                let which = if self.stuck.is_empty() { "layers" } else { "the layers that can be left out" };
                format!("{name} fails even without {which}: it {without}.")
            }
            Verdict::Found(groups) => {
                let all: Vec<_> = groups.iter().map(|group| self.names(group).join(" with ")).collect();
                let verb = if all.len() > 1 { "each break" } else { "breaks" };
                format!("{} {verb} {name}.", all.join(" and "))
            }
        }
    }

    fn name(&self) -> &str {
        file_name(&self.program)
    }

    /// Returns the command line of another run.
    fn again(&self, syntax: &'static str) -> Command {
        Command::new(syntax, &[]).then_line(&self.program)
    }

    fn all(&self) -> Vec<usize> {
        (0..self.layers.len()).collect()
    }

    fn run(&self, layers: &[usize]) -> Option<&Run> {
        self.runs.iter().find(|(with, _)| with == layers).map(|(_, run)| run)
    }

    fn names<'a>(&'a self, indices: &'a [usize]) -> Vec<&'a str> {
        self.suspects(indices).map(|suspect| suspect.layer.name.as_str()).collect()
    }

    fn suspects<'a>(&'a self, indices: &'a [usize]) -> impl Iterator<Item = &'a Suspect> {
        indices.iter().filter_map(|index| self.layers.get(*index))
    }
}

fn active_layers(count: usize) -> String {
    if count == 1 { "its active layer".to_owned() } else { format!("all {count} active layers") }
}

fn text(answer: &BisectResult) -> String {
    let mut out = format!("{}\n", answer.headline());
    match &answer.verdict {
        Verdict::NothingFails => {
            out.push_str(&format!(
                "  -> If it fails only sometimes: {}\n",
                answer.again("vkload bisect --repeat 10")
            ));
        }
        Verdict::FailsWithoutLayers => out.push_str(&without_layers(answer)),
        Verdict::Found(groups) => groups.iter().for_each(|group| out.push_str(&culprits(answer, group))),
    }
    for name in &answer.stuck {
        out.push_str(&format!("\n{name} was active in every run: nothing turns it off for one run.\n"));
    }
    let (runs, layers) = (counted(answer.runs.len(), "run"), counted(answer.layers.len(), "layer"));
    let all = answer.all();
    let names = if all.is_empty() { "none".to_owned() } else { answer.names(&all).join(", ") };
    out + &format!("\n{runs} among {layers}: {names}.\n")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn without_layers(answer: &BisectResult) -> String {
    let run = answer.run(&[]);
    let mut out = String::new();
    if let Some(Ended::TimedOut(_)) = run.map(|run| run.ended) {
        out.push_str(&format!(
            "  -> If it is meant to keep running: {}\n",
            answer.again("vkload bisect --runs-for 10")
        ));
    }
    let missing = answer.asked.iter().flat_map(|asked| &asked.missing);
    let lines: Vec<_> = missing.map(|it| format!("  It asks for {it}, which is not here.\n")).collect();
    out.push_str(&lines.concat());
    let how = if lines.is_empty() { "" } else { "To get it: " };
    out.push_str(&format!("  -> {how}{}\n", answer.again("vkload doctor")));
    out + &run.map(Run::quoted).unwrap_or_default()
}

/// Returns why these layers are to blame, why each is active, and how to turn it off.
fn culprits(answer: &BisectResult, group: &[usize]) -> String {
    let run = answer.run(group);
    let ended = run.map(|run| run.ended.words()).unwrap_or_default();
    let (with, remedy) = match group {
        [_] => ("this layer alone", ""),
        _ => ("these layers together", " Turn off one of them."),
    };
    let names = answer.names(group).join(" and ");
    let mut out = format!("\n{names}: with {with} {} {ended}.{remedy}\n", answer.name());
    for Suspect { layer, why, off } in answer.suspects(group) {
        let (name, manifest) = (escape::line(&layer.name), escape::line(&layer.manifest));
        out.push_str(&format!("  {name} is {}.\n  -> {off}\n", escape::line(why)));
        out.push_str(&format!("  -> Update or remove the layer: {manifest}\n"));
    }
    out + &run.map(Run::quoted).unwrap_or_default()
}

fn to_json(answer: &BisectResult) -> Value {
    let (result, culprits) = match &answer.verdict {
        Verdict::NothingFails => ("nothing-fails", Vec::new()),
        Verdict::FailsWithoutLayers => ("fails-without-layers", Vec::new()),
        Verdict::Found(groups) => ("found", groups.iter().map(|group| answer.names(group)).collect()),
    };
    let layer = |suspect: &Suspect| {
        json!({
            "name": suspect.layer.name,
            "manifest": suspect.layer.manifest,
            "library": suspect.layer.library,
            "implicit": suspect.layer.implicit,
            "why": suspect.why,
            "off": suspect.off,
        })
    };
    let run = |(layers, run): &Attempt| {
        json!({
            "layers": answer.names(layers),
            "failed": run.ended.failed(),
            "ended": run.ended.to_json(),
            "printed": run.printed,
        })
    };
    json!({
        "program": answer.program,
        "headline": answer.headline(),
        "result": result,
        "culprits": culprits,
        "layers": answer.layers.iter().map(layer).collect::<Vec<_>>(),
        "stuck": answer.stuck,
        "runs": answer.runs.iter().map(run).collect::<Vec<_>>(),
    })
}
