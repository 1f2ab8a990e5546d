//! The search: the runs to make, and the conclusions from them.

use std::cell::RefCell;

use crate::bisection;
use crate::output::progress;
use crate::program_run::{Ended, Program};
use crate::switches::Changes;

/// A run, or of several that were the same the last one.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) layers: Vec<usize>,
    pub(super) ended: Ended,
    /// The last lines that the program printed.
    pub(super) printed: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    NothingFails,
    FailsWithoutLayers,
    /// These layers make it fail, each group of them together, by their indices.
    Found(Vec<Vec<usize>>),
}

struct Runs<'a> {
    program: &'a Program<'a>,
    /// How often the program must work with the same layers.
    repeat: u32,
    changes: &'a dyn Fn(&[usize]) -> Result<Changes, String>,
    done: RefCell<Vec<Attempt>>,
    /// How many there will be about.
    expected: usize,
    problem: RefCell<Option<String>>,
}

/// Runs the program with all of `count` layers, with none, and with some of them.
pub(super) fn search(
    program: &Program<'_>,
    repeat: u32,
    count: usize,
    changes: &dyn Fn(&[usize]) -> Result<Changes, String>,
) -> Result<(Verdict, Vec<Attempt>), String> {
    // All, none, two for each halving, and once without the culprit.
    let halvings = count.next_power_of_two().trailing_zeros() as usize;
    let runs = Runs {
        program,
        repeat,
        changes,
        done: RefCell::default(),
        expected: 3 + 2 * halvings,
        problem: RefCell::default(),
    };
    let verdict = runs.verdict(count);
    match runs.problem.into_inner() {
        Some(problem) => Err(problem),
        None => Ok((verdict?, runs.done.into_inner())),
    }
}

impl Runs<'_> {
    fn verdict(&self, count: usize) -> Result<Verdict, String> {
        if !self.fails(&Vec::from_iter(0..count)) {
            return Ok(Verdict::NothingFails);
        }
        if self.fails(&[]) {
            return Ok(Verdict::FailsWithoutLayers);
        }
        let found = bisection::groups(count, &|some| self.fails(some));
        if found.iter().all(|group| self.fails(group)) {
            Ok(Verdict::Found(found))
        } else {
            Err(self.unsteady())
        }
    }

    fn unsteady(&self) -> String {
        format!(
            "the runs contradict each other after {} of them: the program seems to fail at random; --repeat {} runs it several times with the same layers",
            self.done.borrow().len(),
            self.repeat.saturating_mul(5)
        )
    }

    /// Returns whether the program fails with these layers. Does not repeat a run, and runs nothing after a problem.
    fn fails(&self, layers: &[usize]) -> bool {
        let known = self.done.borrow().iter().find(|run| run.layers == layers).map(|run| run.ended.failed());
        if known.is_some() || self.problem.borrow().is_some() {
            return known.unwrap_or(false);
        }
        let number = self.done.borrow().len() + 1;
        let which = match layers.len() {
            0 => "without layers".to_owned(),
            1 => "with 1 layer".to_owned(),
            count => format!("with {count} layers"),
        };
        progress(&format!("try {number} of about {}: {which}", self.expected.max(number)));
        let attempt = (self.changes)(layers).and_then(|changes| self.attempt(layers, &changes));
        match attempt {
            Ok(attempt) => {
                let failed = attempt.ended.failed();
                self.done.borrow_mut().push(attempt);
                failed
            }
            Err(problem) => {
                *self.problem.borrow_mut() = Some(problem);
                false
            }
        }
    }

    /// Runs the program until it fails or has worked as often as it must.
    fn attempt(&self, layers: &[usize], changes: &Changes) -> Result<Attempt, String> {
        let mut run = self.program.run(changes)?;
        for _ in 1..self.repeat {
            if run.ended.failed() {
                break;
            }
            run = self.program.run(changes)?;
        }
        Ok(Attempt { layers: layers.to_vec(), ended: run.ended, printed: run.printed })
    }
}
