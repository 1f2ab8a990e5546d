//! Timelines made of binary objects.

use loader_core::memory::{Counted, OutOfMemory, TryGrow, Vec};
use loader_core::platform::Lock;

use super::payload::SyncRef;
use super::{Primitive, Readiness};
use crate::object::ParentMemory;
use crate::parts::Parts;

/// A timeline of which each value that is signalled by a queue is a binary object. Submissions own it, too.
pub(crate) type SharedTimeline<D> = Counted<Timeline<D>, ParentMemory>;

pub(crate) struct Timeline<D: Parts>(Lock<State<D>>);

struct State<D: Parts> {
    /// The highest value that was reached.
    past: u64,
    /// What signals are submitted for and was not reached when somebody looked last.
    points: Vec<Point<D>, ParentMemory>,
}

struct Point<D: Parts> {
    value: u64,
    sync: SyncRef<D>,
    /// The driver was given the signal, so queues may wait for it.
    given: bool,
}

/// What a queue's wait for a value amounts to.
pub(crate) enum Reach<D: Parts> {
    /// Nothing: the value was reached.
    Past,
    /// Waiting for a binary object.
    Pending(SyncRef<D>),
    /// The driver was given nothing yet that reaches the value.
    NotGiven,
}

impl<D: Parts> Timeline<D> {
    pub(crate) fn new(memory: ParentMemory, initial: u64) -> Self {
        Self(Lock::new(State { past: initial, points: Vec::new_in(memory) }))
    }

    /// The highest value that was reached.
    pub(crate) fn value(&self) -> u64 {
        loop {
            // What was reached is dropped when the lock is free again, one point at a time.
            let mut state = self.0.lock(D::host());
            let past = state.settle();
            let reached = state.take_reached();
            drop(state);
            if reached.is_none() {
                return past;
            }
        }
    }

    /// Whether and how a value is going to be reached. Of several points the lowest one is taken.
    pub(crate) fn reach(&self, value: u64) -> Reach<D> {
        let mut state = self.0.lock(D::host());
        if state.settle() >= value {
            return Reach::Past;
        }
        let reaches = |point: &&Point<D>| point.given && point.value >= value;
        match state.points.iter().filter(reaches).min_by_key(|point| point.value) {
            Some(point) => Reach::Pending(point.sync.clone()),
            None => Reach::NotGiven,
        }
    }

    /// Whether a queue can be given a wait for the value.
    pub(crate) fn readiness(&self, value: u64) -> Readiness {
        let mut state = self.0.lock(D::host());
        let is_given =
            state.settle() >= value || state.points.iter().any(|point| point.given && point.value >= value);
        if is_given { Readiness::Ready } else { Readiness::Held }
    }

    /// A submission is going to signal `sync`, which is this value. After [`Timeline::give`] others can wait for it.
    pub(crate) fn add(&self, value: u64, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        // The list is moved under the lock only after the memory for it was taken outside of it.
        let memory = *self.0.lock(D::host()).points.allocator();
        let mut larger = Vec::new_in(memory);
        loop {
            let wanted = {
                let mut state = self.0.lock(D::host());
                if state.points.capacity() == state.points.len() && larger.capacity() > state.points.len() {
                    larger.append(&mut state.points);
                    core::mem::swap(&mut state.points, &mut larger);
                }
                if state.points.capacity() > state.points.len() {
                    return state.points.try_push(Point { value, sync, given: false });
                }
                state.points.len().saturating_mul(2).max(4)
            };
            larger.try_reserve_exact(wanted).map_err(|_| OutOfMemory)?;
        }
    }

    /// The driver was given the signal of `sync`.
    pub(crate) fn give(&self, sync: &SyncRef<D>) {
        let mut state = self.0.lock(D::host());
        if let Some(point) = state.points.iter_mut().find(|point| point.sync.is(sync)) {
            point.given = true;
        }
    }

    /// The signal of `sync` is not going to be submitted after all.
    pub(crate) fn withdraw(&self, sync: &SyncRef<D>) {
        let mut state = self.0.lock(D::host());
        let at = state.points.iter().position(|point| !point.given && point.sync.is(sync));
        let point = at.map(|at| state.points.remove(at));
        drop(state);
        drop(point);
    }

    /// The host sets the value.
    pub(crate) fn signal(&self, value: u64) {
        let mut state = self.0.lock(D::host());
        state.past = state.past.max(value);
    }
}

impl<D: Parts> State<D> {
    /// Looks at what was given and moves on to the highest value that was reached.
    fn settle(&mut self) -> u64 {
        for point in &self.points {
            if point.given && point.value > self.past && point.sync.value() != 0 {
                self.past = point.value;
            }
        }
        self.past
    }

    /// Takes a point out that was reached.
    fn take_reached(&mut self) -> Option<Point<D>> {
        let past = self.past;
        let at = self.points.iter().position(|point| point.given && point.value <= past)?;
        Some(self.points.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::tests::make;
    use crate::object::ParentObject;
    use crate::testing::TestDriver;
    use ash::vk;

    fn is_pending(timeline: &Timeline<TestDriver>, value: u64) -> bool {
        matches!(timeline.reach(value), Reach::Pending(_))
    }

    #[test]
    fn a_value_is_pending_from_its_submission_to_its_signal() {
        let made = make(&vk::DeviceCreateInfo::default()).unwrap();
        let timeline = Timeline::<TestDriver>::new(made.get().root().shared_memory(), 1);
        assert!(matches!(timeline.reach(1), Reach::Past));
        assert!(matches!(timeline.reach(2), Reach::NotGiven));
        let points = [5u64, 3].map(|value| {
            let sync = SyncRef::create(made.get(), 0, 0).unwrap();
            timeline.add(value, sync.clone()).unwrap();
            assert_eq!(timeline.readiness(6), Readiness::Held);
            timeline.give(&sync);
            sync
        });
        assert!(is_pending(&timeline, 2) && is_pending(&timeline, 3) && is_pending(&timeline, 5));
        let Reach::Pending(lowest) = timeline.reach(2) else { panic!("not pending") };
        assert!(lowest.is(&points[1]));
        assert!(matches!(timeline.reach(6), Reach::NotGiven));
        points[1].signal(1);
        assert!(matches!(timeline.reach(3), Reach::Past) && is_pending(&timeline, 4));
        assert_eq!(timeline.value(), 3);
        points[0].signal(1);
        assert_eq!((timeline.value(), timeline.value()), (5, 5));
    }

    #[test]
    fn what_is_withdrawn_is_never_reached() {
        let made = make(&vk::DeviceCreateInfo::default()).unwrap();
        let timeline = Timeline::<TestDriver>::new(made.get().root().shared_memory(), 0);
        let sync = SyncRef::create(made.get(), 0, 0).unwrap();
        timeline.add(1, sync.clone()).unwrap();
        timeline.withdraw(&sync);
        timeline.give(&sync);
        sync.signal(1);
        assert!(matches!(timeline.reach(1), Reach::NotGiven));
        assert_eq!(timeline.value(), 0);
    }
}
