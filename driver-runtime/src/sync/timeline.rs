//! Timelines made of binary objects.

use vkload_core::memory::{Arc, OutOfMemory};
use vkload_core::platform::Lock;

use super::ring::Ring;
use crate::driver_types::{DriverTypes, SyncObject};
use crate::object::ParentMemory;
use crate::sync_object::{Readiness, SyncRef};

/// A timeline whose queue signals are binary objects, one for each value. Submissions share ownership.
pub(crate) type SharedTimeline<D> = Arc<Timeline<D>, ParentMemory>;

pub(crate) struct Timeline<D: DriverTypes>(Lock<State<D>>);

struct State<D: DriverTypes> {
    reached: u64,
    /// Submitted signals that were not reached at the last check, the lowest value first.
    points: Ring<Point<D>>,
    /// The object of a value that was reached, for another value.
    spare: Option<SyncRef<D>>,
}

struct Point<D: DriverTypes> {
    value: u64,
    sync: SyncRef<D>,
    /// The driver has received the signal, so queues may wait for it.
    submitted: bool,
}

/// With this many points pending, reached points are removed faster than new ones arrive.
const MANY: usize = 64;

/// Whether and how a value will be reached.
pub(crate) enum ValueState<D: DriverTypes> {
    Reached,
    /// The driver has received a signal that reaches it: this binary object's.
    Submitted(SyncRef<D>),
    /// The driver has not received such a signal.
    NotSubmitted,
}

impl<D: DriverTypes> Timeline<D> {
    pub(crate) fn new(memory: ParentMemory, initial: u64) -> Self {
        Self(Lock::new(State { reached: initial, points: Ring::new(memory), spare: None }))
    }

    /// Returns the highest value that was reached.
    pub(crate) fn value(&self) -> u64 {
        loop {
            // Reached points are dropped after the lock is released, one at a time.
            let mut state = self.0.lock(D::host());
            let Some(point) = state.take_reached() else { return state.reached };
            let surplus = state.spare.replace(point);
            drop(state);
            drop(surplus);
        }
    }

    /// Returns whether and how a value will be reached. Of several points the lowest one is taken.
    pub(crate) fn state_of(&self, value: u64) -> ValueState<D> {
        let state = self.0.lock(D::host());
        match state.submitted_at(value) {
            _ if state.reached >= value => ValueState::Reached,
            Some(point) if point.sync.value() != 0 => ValueState::Reached,
            Some(point) => ValueState::Submitted(point.sync.clone()),
            None => ValueState::NotSubmitted,
        }
    }

    /// Returns whether a queue can receive a wait for the value.
    pub(crate) fn readiness(&self, value: u64) -> Readiness {
        let state = self.0.lock(D::host());
        let is_submitted = state.reached >= value || state.submitted_at(value).is_some();
        if is_submitted { Readiness::Ready } else { Readiness::NotSubmitted }
    }

    /// Returns an object for another value: one whose value was reached, if it has no other owner. As each
    /// submission takes one out, the points need no more memory than the pending ones, even if the
    /// application never queries the value.
    pub(crate) fn reuse(&self) -> Option<SyncRef<D>> {
        let mut state = self.0.lock(D::host());
        let first = state.spare.take().or_else(|| state.take_reached());
        let surplus = if state.points.len() > MANY { state.take_reached() } else { None };
        drop(state);
        drop(surplus);
        first?.reuse()
    }

    /// Notes that a submission will signal `sync`, which represents this value. After [`Timeline::set_submitted`] others can
    /// wait for it.
    pub(crate) fn add(&self, value: u64, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        let mut point = Point { value, sync, submitted: false };
        // The list is moved under the lock only after the memory for it was taken outside of it.
        let mut larger = None;
        loop {
            let (memory, wanted) = {
                let mut state = self.0.lock(D::host());
                if let (true, Some(larger)) = (state.points.is_full(), &mut larger) {
                    state.points.move_into(larger);
                }
                match state.insert(point) {
                    None => return Ok(()),
                    Some(back) => point = back,
                }
                (state.points.memory(), state.points.wanted())
            };
            larger = Some(Ring::with_slots(memory, wanted)?);
        }
    }

    /// Notes that the driver has received the signal of `sync`, which represents this value.
    pub(crate) fn set_submitted(&self, value: u64, sync: &SyncRef<D>) {
        let mut state = self.0.lock(D::host());
        if let Some(point) = state.find(value, sync).and_then(|number| state.points.get_mut(number)) {
            point.submitted = true;
        }
    }

    /// Notes that the signal of `sync`, which represents this value, will not be submitted after all.
    pub(crate) fn withdraw(&self, value: u64, sync: &SyncRef<D>) {
        let mut state = self.0.lock(D::host());
        let point = state.find(value, sync).and_then(|number| state.points.remove(number));
        drop(state);
        drop(point);
    }

    pub(crate) fn signal(&self, value: u64) {
        let mut state = self.0.lock(D::host());
        state.reached = state.reached.max(value);
    }
}

impl<D: DriverTypes> State<D> {
    /// Takes the object of the lowest value out if that was reached, and counts the value.
    fn take_reached(&mut self) -> Option<SyncRef<D>> {
        let first = self.points.get(0)?;
        // A higher value is signalled after a lower one: the specification requires it of applications. A
        // driver may signal work before the runtime notes that the driver has received it.
        let is_passed = first.submitted && first.value <= self.reached;
        if !is_passed && first.sync.value() == 0 {
            return None;
        }
        let point = self.points.pop_front()?;
        self.reached = self.reached.max(point.value);
        Some(point.sync)
    }

    /// Returns the first point that reaches the value and that the driver has received.
    fn submitted_at(&self, value: u64) -> Option<&Point<D>> {
        let first = self.points.partition_point(|point| point.value < value);
        (first..self.points.len()).filter_map(|number| self.points.get(number)).find(|point| point.submitted)
    }

    /// Puts a point between lower and higher values, nearly always at the end. Gives it back if the list is
    /// full.
    fn insert(&mut self, point: Point<D>) -> Option<Point<D>> {
        let value = point.value;
        let full = self.points.push_back(point);
        if full.is_some() {
            return full;
        }
        let mut number = self.points.len().saturating_sub(1);
        while number > 0
            && self.points.get(number.wrapping_sub(1)).is_some_and(|previous| previous.value > value)
        {
            self.points.swap_with_previous(number);
            number = number.wrapping_sub(1);
        }
        None
    }

    /// Returns the number of this object's point, which the driver has not received yet.
    fn find(&self, value: u64, sync: &SyncRef<D>) -> Option<usize> {
        let first = self.points.partition_point(|point| point.value < value);
        let same = (first..self.points.len())
            .map_while(|number| Some((number, self.points.get(number)?)))
            .take_while(|(_, point)| point.value == value);
        same.into_iter().find(|(_, point)| !point.submitted && point.sync.is(sync)).map(|(number, _)| number)
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
        matches!(timeline.state_of(value), ValueState::Submitted(_))
    }

    #[test]
    fn a_value_is_pending_from_its_submission_to_its_signal() {
        let made = make(&vk::DeviceCreateInfo::default()).unwrap();
        let timeline = Timeline::<TestDriver>::new(made.get().root().shared_memory(), 1);
        assert!(matches!(timeline.state_of(1), ValueState::Reached));
        assert!(matches!(timeline.state_of(2), ValueState::NotSubmitted));
        let points = [5u64, 3].map(|value| {
            let sync = SyncRef::create(made.get(), 0, 0).unwrap();
            timeline.add(value, sync.clone()).unwrap();
            assert_eq!(timeline.readiness(6), Readiness::NotSubmitted);
            timeline.set_submitted(value, &sync);
            sync
        });
        assert!(is_pending(&timeline, 2) && is_pending(&timeline, 3) && is_pending(&timeline, 5));
        let ValueState::Submitted(lowest) = timeline.state_of(2) else { panic!("not pending") };
        assert!(lowest.is(&points[1]));
        assert!(matches!(timeline.state_of(6), ValueState::NotSubmitted));
        points[1].signal(1);
        assert!(matches!(timeline.state_of(3), ValueState::Reached) && is_pending(&timeline, 4));
        assert_eq!(timeline.value(), 3);
        points[0].signal(1);
        assert_eq!((timeline.value(), timeline.value()), (5, 5));
    }

    #[test]
    fn a_removed_entry_is_never_reached() {
        let made = make(&vk::DeviceCreateInfo::default()).unwrap();
        let timeline = Timeline::<TestDriver>::new(made.get().root().shared_memory(), 0);
        let sync = SyncRef::create(made.get(), 0, 0).unwrap();
        timeline.add(1, sync.clone()).unwrap();
        timeline.withdraw(1, &sync);
        timeline.set_submitted(1, &sync);
        sync.signal(1);
        assert!(matches!(timeline.state_of(1), ValueState::NotSubmitted));
        assert_eq!(timeline.value(), 0);
    }
}
