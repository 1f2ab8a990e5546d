//! The search: the runs to make, and the conclusions from them.

use crate::bisection;
use crate::output::progress;
use crate::program_run::{Program, Run};
use crate::switches::Changes;

/// A run, or of several that were the same the last one, and its layers.
pub(super) type Attempt = (Vec<usize>, Run);

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
    done: Vec<Attempt>,
    /// How many there will be about.
    expected: usize,
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
    let mut runs = Runs { program, repeat, changes, done: Vec::new(), expected: 3 + 2 * halvings };
    Ok((runs.verdict(count)?, runs.done))
}

impl Runs<'_> {
    fn verdict(&mut self, count: usize) -> Result<Verdict, String> {
        if !self.fails(&Vec::from_iter(0..count))? {
            return Ok(Verdict::NothingFails);
        }
        if self.fails(&[])? {
            return Ok(Verdict::FailsWithoutLayers);
        }
        let found = bisection::groups(count, &mut |some| self.fails(some))?;
        for group in &found {
            if !self.fails(group)? {
                return Err(self.unsteady());
            }
        }
        Ok(Verdict::Found(found))
    }

    fn unsteady(&self) -> String {
        format!(
            "the runs contradict each other after {} of them: the program seems to fail at random; --repeat {} runs it several times with the same layers",
            self.done.len(),
            self.repeat.saturating_mul(5)
        )
    }

    /// Returns whether the program fails with these layers, or has failed: it is not run again.
    fn fails(&mut self, layers: &[usize]) -> Result<bool, String> {
        if let Some((_, run)) = self.done.iter().find(|(with, _)| with == layers) {
            return Ok(run.ended.failed());
        }
        let number = self.done.len() + 1;
        let which = match layers.len() {
            0 => "without layers".to_owned(),
            1 => "with 1 layer".to_owned(),
            count => format!("with {count} layers"),
        };
        progress(&format!("try {number} of about {}: {which}", self.expected.max(number)));
        let run = self.repeated(&(self.changes)(layers)?)?;
        let failed = run.ended.failed();
        self.done.push((layers.to_vec(), run));
        Ok(failed)
    }

    /// Runs the program until it fails or has worked as often as it must.
    fn repeated(&self, changes: &Changes) -> Result<Run, String> {
        let mut run = self.program.run(changes)?;
        for _ in 1..self.repeat {
            if run.ended.failed() {
                break;
            }
            run = self.program.run(changes)?;
        }
        Ok(run)
    }
}
