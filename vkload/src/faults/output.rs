//! The answer as text and as JSON.

use serde_json::{Value, json};

use super::{Failure, Outcome, Report, Trial};
use crate::command::Command;
use crate::output;
use crate::program_run::file_name;
use crate::table::Table;

pub(super) fn render(report: &Report, json: bool) -> String {
    if json { output::json(to_json(report)) } else { text(report) }
}

/// The outcomes, each with a verb.
const OUTCOMES: [(Outcome, &str); 6] = [
    (Outcome::Survives, "survives"),
    (Outcome::GivesUp, "gives up after"),
    (Outcome::Aborts, "aborts after"),
    (Outcome::Crashes, "crashes after"),
    (Outcome::Hangs, "hangs after"),
    (Outcome::NotReached, "does not reach"),
];

impl Report {
    fn name(&self) -> &str {
        file_name(&self.program)
    }

    /// Returns the numbers of outcomes, in one line.
    fn headline(&self) -> String {
        let part = |verb: &str, is_it: &dyn Fn(&Trial) -> bool| {
            let count = self.trials.iter().filter(|trial| is_it(trial)).count();
            (count > 0).then(|| format!("{verb} {count}"))
        };
        let outcomes = OUTCOMES.iter().map(|(outcome, verb)| part(verb, &|trial| trial.outcome == *outcome));
        let leaks = part("leaves objects after", &|trial| !trial.left.is_empty());
        let broken = part("breaks rules of Vulkan after", &|trial| !trial.broken.is_empty());
        let parts: Vec<String> = outcomes.chain([leaks, broken]).flatten().collect();
        let failures = if self.trials.len() == 1 { "failure" } else { "failures" };
        format!("Of {} {failures}, {} {}", self.trials.len(), self.name(), joined(&parts))
    }

    /// Returns notes about missing calls and checks.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.more_calls.is_empty() {
            let more = self.more_calls.iter().map(|(command, count)| format!("{command} ({count})"));
            let most = self.more_calls.iter().map(|(_, count)| *count).max().unwrap_or(0);
            notes.push(format!(
                "Only the first calls of these commands were tried: {}. All of them: --calls {most}",
                more.collect::<Vec<_>>().join(", ")
            ));
        }
        if !self.is_validated {
            notes.push("The validation layer did not check the runs.".to_owned());
        }
        notes
    }

    fn again(&self, trial: &Trial) -> Command {
        Command::new("vkload exec --faults {}", &[&trial.failure.rule()]).then_line(&self.program)
    }
}

impl Trial {
    /// Returns the outcome, to follow the program's name.
    fn words(&self) -> String {
        let mut words = vec![match self.outcome {
            Outcome::Survives => "survives".to_owned(),
            Outcome::NotReached => "does not make the call".to_owned(),
            Outcome::Hangs => format!("hangs: it {}", self.run.ended.words()),
            Outcome::GivesUp | Outcome::Aborts | Outcome::Crashes => self.run.ended.words(),
        }];
        let left: Vec<_> = self.left.iter().map(|(command, count)| format!("{count} of {command}")).collect();
        if !left.is_empty() {
            words.push(format!("leaves {}", left.join(", ")));
        }
        if !self.broken.is_empty() {
            words.push(format!("breaks {}", self.broken.join(", ")));
        }
        words.join("; ")
    }

    fn condition(&self) -> String {
        let Failure { command, call, result } = &self.failure;
        format!("call {call} of {command} returns {result}")
    }
}

fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn text(report: &Report) -> String {
    let mut table = Table::new(&["COMMAND", "CALL", "RESULT", "PROGRAM"]);
    for trial in &report.trials {
        let Failure { command, call, result } = &trial.failure;
        table.row([command, &call.to_string(), result, &trial.words()]);
    }
    let mut out = format!("{}.\n\n{}", report.headline(), table.render());
    for trial in report.trials.iter().filter(|trial| trial.is_bad()) {
        out.push_str(&format!("\n{} {} if {}.\n", report.name(), trial.words(), trial.condition()));
        out.push_str(&format!("  -> {}\n", report.again(trial)));
        if matches!(trial.outcome, Outcome::Crashes | Outcome::Hangs) {
            out.push_str(&trial.run.quoted());
        }
    }
    let notes: String = report.notes().iter().map(|note| format!("\n{note}\n")).collect();
    out + &notes
}

fn to_json(report: &Report) -> Value {
    let trial = |trial: &Trial| {
        json!({
            "command": trial.failure.command,
            "call": trial.failure.call,
            "result": trial.failure.result,
            "outcome": trial.outcome,
            "mistake": trial.is_bad(),
            "ended": trial.run.ended.to_json(),
            "left": trial.left,
            "broken": trial.broken,
            "printed": trial.run.printed,
            "again": report.again(trial).to_string(),
        })
    };
    let more = |(command, count): &(String, u32)| json!({ "command": command, "calls": count });
    json!({
        "program": report.program,
        "headline": report.headline(),
        "validated": report.is_validated,
        "without": report.without.to_json(),
        "trials": report.trials.iter().map(trial).collect::<Vec<_>>(),
        "moreCalls": report.more_calls.iter().map(more).collect::<Vec<_>>(),
    })
}
