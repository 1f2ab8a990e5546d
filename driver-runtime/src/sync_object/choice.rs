//! A checked list of synchronisation-object types, and the use of each type.

use core::fmt;

use super::handles::HandleKinds;
use super::types::{Ability, Purpose, SyncType, TimelineMode, choose};

/// The most types that a list can have.
pub const SYNC_TYPES: usize = 8;

/// Why a list of types cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncTypeError {
    /// The list has more than [`SYNC_TYPES`] types.
    TooMany,
    /// The list has two timeline types.
    TwoTimelines,
    /// Queues or the host cannot wait for the type of timelines.
    TimelineCannotWait,
    /// Timelines are emulated, but no type that both queues and the host can wait for is available to emulate
    /// them.
    NothingToEmulateWith,
    /// No type serves fences.
    NothingForFences,
    /// No type serves binary semaphores.
    NothingForSemaphores,
    /// Timelines need assistance, but a type that queues can wait for cannot report whether it is pending.
    CannotTellPending,
    /// Timelines need assistance, but a binary type that queues can wait for cannot be reset by the host.
    CannotReset,
}

impl SyncTypeError {
    /// Returns the broken rule, and the change to make.
    pub const fn text(self) -> &'static str {
        match self {
            Self::TooMany => {
                "a list of synchronisation types has at most 8 of them: remove those that are never the first choice"
            }
            Self::TwoTimelines => {
                "a list of synchronisation types has at most one with TIMELINE: remove one of the two"
            }
            Self::TimelineCannotWait => {
                "a type with TIMELINE needs GPU_WAIT and CPU_WAIT: add them, or use SyncType::EMULATED_TIMELINE"
            }
            Self::NothingToEmulateWith => {
                "SyncType::EMULATED_TIMELINE needs a binary type with GPU_WAIT and CPU_WAIT in the same list: add one, or remove \
                 the timelines"
            }
            Self::NothingForFences => {
                "fences need a type with CPU_WAIT and CPU_RESET that is not a timeline: add one"
            }
            Self::NothingForSemaphores => {
                "binary semaphores need a type with GPU_WAIT that is not a timeline: add one"
            }
            Self::CannotTellPending => {
                "with timelines that have no WAIT_BEFORE_SIGNAL, every type with GPU_WAIT needs WAIT_PENDING: add it, or use \
                 SyncType::EMULATED_TIMELINE"
            }
            Self::CannotReset => {
                "with timelines that have no WAIT_BEFORE_SIGNAL, every binary type with GPU_WAIT needs CPU_RESET: add it, or use \
                 SyncType::EMULATED_TIMELINE"
            }
        }
    }
}

impl fmt::Display for SyncTypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The checked types of a driver or of one of its physical devices, and the use of each if no handle types
/// are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncTypes {
    types: [SyncType; SYNC_TYPES],
    count: usize,
    fence: Option<usize>,
    semaphore: Option<usize>,
    timeline: Option<usize>,
    point: Option<usize>,
    idle: Option<usize>,
    mode: TimelineMode,
}

impl SyncTypes {
    /// Chooses from `list`, in which types are in order of preference; takes the first with the required
    /// abilities.
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "indices are below both lengths"
    )]
    pub const fn new(list: &[SyncType]) -> Result<Self, SyncTypeError> {
        if list.len() > SYNC_TYPES {
            return Err(SyncTypeError::TooMany);
        }
        let mode = match mode(list) {
            Ok(mode) => mode,
            Err(error) => return Err(error),
        };
        let mut types = [SyncType::new(Ability::NONE); SYNC_TYPES];
        let mut index = 0;
        while index < list.len() {
            types[index] = list[index];
            index += 1;
        }
        let none = HandleKinds::NONE;
        let timeline = choose(list, Purpose::Timeline, none, none);
        let (fence, semaphore) =
            (choose(list, Purpose::Fence, none, none), choose(list, Purpose::Semaphore, none, none));
        if fence.is_none() {
            return Err(SyncTypeError::NothingForFences);
        }
        if semaphore.is_none() {
            return Err(SyncTypeError::NothingForSemaphores);
        }
        Ok(Self {
            types,
            count: list.len(),
            fence,
            semaphore,
            timeline,
            point: choose(list, Purpose::Point, none, none),
            idle: choose(list, Purpose::Idle, none, none),
            mode,
        })
    }

    /// Does the same as [`SyncTypes::new`] for a constant list: an unusable list does not compile, and the compiler's
    /// error gives the broken rule.
    ///
    /// ```
    /// # use vkload_driver_runtime::sync_object::{Ability, SyncType, SyncTypes};
    /// const ABILITIES: Ability = Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::CPU_RESET);
    /// const BINARY: SyncType = SyncType::new(ABILITIES);
    /// const TYPES: SyncTypes = SyncTypes::checked(&[BINARY, SyncType::EMULATED_TIMELINE]);
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use vkload_driver_runtime::sync_object::{SyncType, SyncTypes};
    /// const TYPES: SyncTypes = SyncTypes::checked(&[SyncType::EMULATED_TIMELINE]);
    /// ```
    ///
    /// # Panics
    /// For a list that cannot work.
    #[expect(clippy::panic, reason = "evaluated by the compiler")]
    #[must_use]
    pub const fn checked(list: &[SyncType]) -> Self {
        match Self::new(list) {
            Ok(types) => types,
            Err(error) => panic!("{}", error.text()),
        }
    }

    /// Returns the types.
    pub fn list(&self) -> &[SyncType] {
        self.types.get(..self.count).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn abilities(&self, kind: usize) -> Ability {
        self.types.get(kind).map_or(Ability::NONE, |kind| kind.abilities())
    }

    /// Returns the number of the first type that serves the purpose and has all these handle kinds.
    pub(crate) fn choose(
        &self,
        purpose: Purpose,
        imports: HandleKinds,
        exports: HandleKinds,
    ) -> Option<usize> {
        if imports != HandleKinds::NONE || exports != HandleKinds::NONE {
            return choose(self.list(), purpose, imports, exports);
        }
        match purpose {
            Purpose::Fence => self.fence,
            Purpose::Semaphore => self.semaphore,
            Purpose::Timeline => self.timeline,
            Purpose::Point => self.point,
            Purpose::Idle => self.idle,
        }
    }

    /// Returns how timeline semaphores work.
    pub fn timeline_mode(&self) -> TimelineMode {
        self.mode
    }

    /// Returns the number of the type that serves fences.
    pub fn fence(&self) -> Option<usize> {
        self.fence
    }

    /// Returns the number of the type that serves binary semaphores.
    pub fn semaphore(&self) -> Option<usize> {
        self.semaphore
    }

    /// Returns the number of the type of timelines.
    pub fn timeline(&self) -> Option<usize> {
        self.timeline
    }
}

/// Returns the timeline mode of the list, if the list is usable.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "indices are below the length")]
const fn mode(list: &[SyncType]) -> Result<TimelineMode, SyncTypeError> {
    let Some(index) = choose(list, Purpose::Timeline, HandleKinds::NONE, HandleKinds::NONE) else {
        return Ok(TimelineMode::None);
    };
    let mut other = index + 1;
    while other < list.len() {
        if list[other].has(Ability::TIMELINE) {
            return Err(SyncTypeError::TwoTimelines);
        }
        other += 1;
    }
    let timeline = list[index];
    if timeline.is_emulated() {
        return match choose(list, Purpose::Point, HandleKinds::NONE, HandleKinds::NONE) {
            Some(_) => Ok(TimelineMode::Emulated),
            None => Err(SyncTypeError::NothingToEmulateWith),
        };
    }
    if !timeline.has(Ability::GPU_WAIT.and(Ability::CPU_WAIT)) {
        return Err(SyncTypeError::TimelineCannotWait);
    }
    if timeline.has(Ability::WAIT_BEFORE_SIGNAL) {
        return Ok(TimelineMode::Native);
    }
    let mut index = 0;
    while index < list.len() {
        if let Err(error) = check_assisted(list[index]) {
            return Err(error);
        }
        index += 1;
    }
    Ok(TimelineMode::Assisted)
}

/// Checks the assisted mode's demands on every type that queues can wait for.
const fn check_assisted(kind: SyncType) -> Result<(), SyncTypeError> {
    if !kind.has(Ability::GPU_WAIT) {
        return Ok(());
    }
    if !kind.has(Ability::WAIT_PENDING) {
        return Err(SyncTypeError::CannotTellPending);
    }
    if kind.has(Ability::BINARY) && !kind.has(Ability::CPU_RESET) {
        return Err(SyncTypeError::CannotReset);
    }
    Ok(())
}
