//! Window systems that variables select.

use super::super::case::Case;
use super::super::finding::{Finding, Id};
use crate::command::Command;

/// Reports variables that name a window system which is not there.
pub(super) fn dead(case: &Case) -> Vec<Finding> {
    let of = |(name, value): &(String, String)| {
        let what =
            format!("is \"{value}\", and nothing answers there, so programs cannot open a window by it");
        Finding::new(case, Id::DisplayDead, name, what)
            .step(Command::unset(name))
            .step("Or start the program from a terminal of the session on the screen")
    };
    case.facts.dead_displays.iter().map(of).collect()
}
