//! Steps that reach the line that sets a variable.

use super::super::case::Case;
use super::super::finding::Finding;
use crate::command::{Command, Step};
use crate::facts::{Assignment, Setter};

/// More lines than these are not named.
const SHOWN: usize = 3;

/// Adds the location of the assignment to each step that unsets a variable. A process gets its variables from there and from nowhere else.
pub(super) fn add_steps(case: &Case, findings: &mut [Finding]) {
    for finding in findings {
        let mut steps = Vec::new();
        for step in std::mem::take(&mut finding.next) {
            let lines: Vec<Step> = lines(case, &step).into_iter().chain(flatpak(case, &step)).collect();
            let has_others = case.target.process.is_some() || case.facts.environment.flatpak.is_some();
            let is_enough = !lines.is_empty() && has_others;
            steps.extend(lines);
            if !is_enough {
                steps.push(step);
            }
        }
        finding.next = steps;
    }
}

fn lines(case: &Case, step: &Step) -> Vec<Step> {
    let unsets = |it: &&Assignment| *step == Command::unset(&it.variable).into();
    case.facts.assignments.iter().filter(unsets).take(SHOWN).map(line).collect()
}

/// Returns how an application in a Flatpak gets another environment.
fn flatpak(case: &Case, step: &Step) -> Option<Step> {
    let flatpak = case.facts.environment.flatpak.as_ref()?;
    let name = case.facts.variables.keys().find(|name| *step == Command::unset(name).into())?;
    let syntax = "flatpak override --user --unset-env={} {}";
    Some(Command::new(syntax, &[name, &flatpak.application]).into())
}

fn line(assignment: &Assignment) -> Step {
    let Assignment { variable, file, line, setter } = assignment;
    let location = format!("{file}, line {line}");
    match setter {
        Setter::LogIn => {
            format!("Remove {variable} from {location}, where each log-in or shell sets it").into()
        }
        Setter::Desktop => {
            format!("Remove {variable} from the command in {location}, and start the program again").into()
        }
        Setter::Unit { name, of_user } => {
            let (edit, restart) = if *of_user {
                ("systemctl --user edit {}", "systemctl --user daemon-reload && systemctl --user restart {}")
            } else {
                ("sudo systemctl edit {}", "sudo systemctl daemon-reload && sudo systemctl restart {}")
            };
            let by = format!("Remove {variable} from {location}, or add UnsetEnvironment={variable} by: ");
            let step = Step::say(by).run(Command::new(edit, &[name]));
            step.and_say("; then: ").run(Command::new(restart, &[name]))
        }
        Setter::Steam => {
            format!("Remove {variable} from the game's launch options in Steam ({location})").into()
        }
    }
}
