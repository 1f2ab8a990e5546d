//! Timelines made of binary objects.

use loader_core::memory::{Counted, OutOfMemory, Process, TryGrow, Vec};
use loader_core::platform::Lock;

use super::Primitive;
use crate::driver::Driver;

/// A timeline of which each value that was submitted is a binary object.
pub(crate) struct Timeline<D: Driver>(Lock<State<D>>);

struct State<D: Driver> {
    /// The highest value that was reached.
    past: u64,
    /// What was submitted and may not have been reached, by value.
    points: Vec<Point<D>, Process>,
}

struct Point<D: Driver> {
    value: u64,
    sync: Counted<D::Sync>,
}

/// What a wait for a value amounts to.
pub(super) enum Reach<D: Driver> {
    /// Nothing: the value was reached.
    Past,
    /// Waiting for a binary object.
    Pending(Counted<D::Sync>),
    /// Nothing was submitted yet that reaches the value.
    NotSubmitted,
}

impl<D: Driver> Timeline<D> {
    pub(super) fn new(initial: u64) -> Self {
        Self(Lock::new(State { past: initial, points: Vec::new_in(Process) }))
    }

    /// The highest value that was reached.
    pub(super) fn value(&self) -> u64 {
        let (past, reached) = {
            let mut state = self.0.lock(D::host());
            (state.settle(), state.take_reached())
        };
        drop(reached);
        past
    }

    /// Whether and how a value is going to be reached.
    pub(super) fn reach(&self, value: u64) -> Reach<D> {
        let mut state = self.0.lock(D::host());
        if state.settle() >= value {
            return Reach::Past;
        }
        match state.points.iter().find(|point| point.value >= value) {
            Some(point) => Reach::Pending(point.sync.clone()),
            None => Reach::NotSubmitted,
        }
    }

    /// Makes room, so that the next [`Timeline::submitted`] does not fail.
    pub(super) fn reserve(&self) -> Result<(), OutOfMemory> {
        // Points are few: the list is copied under the lock only after the memory was taken outside of it.
        let mut larger = Vec::new_in(Process);
        loop {
            let wanted = {
                let mut state = self.0.lock(D::host());
                if state.points.capacity() > state.points.len() {
                    return Ok(());
                }
                if larger.capacity() > state.points.len() {
                    larger.append(&mut state.points);
                    core::mem::swap(&mut state.points, &mut larger);
                    return Ok(());
                }
                state.points.len().saturating_mul(2).max(4)
            };
            larger.try_reserve(wanted).map_err(|_| OutOfMemory)?;
        }
    }

    /// The driver was given something that signals `sync`, which is this value.
    pub(super) fn submitted(&self, value: u64, sync: Counted<D::Sync>) -> Result<(), OutOfMemory> {
        self.0.lock(D::host()).points.try_push(Point { value, sync })
    }

    /// The host sets the value.
    pub(super) fn signal(&self, value: u64) {
        let mut state = self.0.lock(D::host());
        state.past = state.past.max(value);
    }
}

impl<D: Driver> State<D> {
    /// Looks at what was submitted and moves on to the highest value that was reached.
    fn settle(&mut self) -> u64 {
        for point in &self.points {
            if point.value > self.past && point.sync.value() != 0 {
                self.past = point.value;
            }
        }
        self.past
    }

    /// Takes one point out that was reached; the others follow at later calls.
    fn take_reached(&mut self) -> Option<Point<D>> {
        let past = self.past;
        let at = self.points.iter().position(|point| point.value <= past)?;
        Some(self.points.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Number, TestDriver};

    fn is_pending(timeline: &Timeline<TestDriver>, value: u64) -> bool {
        matches!(timeline.reach(value), Reach::Pending(_))
    }

    #[test]
    fn a_value_is_pending_from_its_submission_to_its_signal() {
        let timeline = Timeline::<TestDriver>::new(1);
        assert!(matches!(timeline.reach(1), Reach::Past));
        assert!(matches!(timeline.reach(2), Reach::NotSubmitted));
        let points = [3u64, 5].map(|value| {
            let sync = Counted::try_new(Number::default()).unwrap();
            timeline.reserve().unwrap();
            timeline.submitted(value, sync.clone()).unwrap();
            sync
        });
        assert!(is_pending(&timeline, 2) && is_pending(&timeline, 3) && is_pending(&timeline, 5));
        assert!(matches!(timeline.reach(6), Reach::NotSubmitted));
        points[0].signal(1);
        assert!(matches!(timeline.reach(3), Reach::Past) && is_pending(&timeline, 4));
        assert_eq!(timeline.value(), 3);
        points[1].signal(1);
        assert_eq!((timeline.value(), timeline.value()), (5, 5));
    }
}
