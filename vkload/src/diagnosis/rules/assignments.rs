//! Steps that reach the line that sets a variable.

use super::super::case::Case;
use super::super::finding::Finding;
use crate::facts::{Assignment, Setter};

/// More lines than these are not named.
const SHOWN: usize = 3;

/// Adds the location of the assignment to each step that unsets a variable. A process gets its variables from there and from nowhere else.
pub(super) fn add_steps(case: &Case, findings: &mut [Finding]) {
    for finding in findings {
        let mut steps = Vec::new();
        for step in std::mem::take(&mut finding.next) {
            let lines: Vec<String> =
                step.strip_prefix("unset ").map_or_else(Vec::new, |name| lines(case, name));
            let is_enough = !lines.is_empty() && case.target.process.is_some();
            steps.extend(lines);
            if !is_enough {
                steps.push(step);
            }
        }
        finding.next = steps;
    }
}

fn lines(case: &Case, variable: &str) -> Vec<String> {
    let of_variable = case.facts.assignments.iter().filter(|assignment| assignment.variable == variable);
    of_variable.take(SHOWN).map(line).collect()
}

fn line(assignment: &Assignment) -> String {
    let Assignment { variable, file, line, setter } = assignment;
    let location = format!("{file}, line {line}");
    match setter {
        Setter::LogIn => format!("Remove {variable} from {location}, where each log-in or shell sets it"),
        Setter::Desktop => {
            format!("Remove {variable} from the command in {location}, and start the program again")
        }
        Setter::Unit { name, of_user } => {
            let systemctl = if *of_user { "systemctl --user" } else { "sudo systemctl" };
            format!(
                "Remove {variable} from {location}, or add UnsetEnvironment={variable} by: {systemctl} edit {name}; then: {systemctl} daemon-reload && {systemctl} restart {name}"
            )
        }
        Setter::Steam => format!("Remove {variable} from the game's launch options in Steam ({location})"),
    }
}
