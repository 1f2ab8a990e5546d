//! Which types of synchronisation objects a driver has, and what follows from that.

use core::ops::BitOr;

/// What objects of a type can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ability(u32);

impl Ability {
    /// Has the values 0 and 1.
    pub const BINARY: Self = Self(1);
    /// Has values that only grow.
    pub const TIMELINE: Self = Self(1 << 1);
    /// A queue can wait for it.
    pub const GPU_WAIT: Self = Self(1 << 2);
    /// The host can wait for it.
    pub const CPU_WAIT: Self = Self(1 << 3);
    /// The host can set it back.
    pub const CPU_RESET: Self = Self(1 << 4);
    /// The host can signal it.
    pub const CPU_SIGNAL: Self = Self(1 << 5);
    /// The host can wait until something is submitted that signals it.
    pub const WAIT_PENDING: Self = Self(1 << 6);
    /// A queue can wait for it before something is submitted that signals it.
    pub const WAIT_BEFORE_SIGNAL: Self = Self(1 << 7);

    const fn has(self, all: Self) -> bool {
        self.0 & all.0 == all.0
    }
}

impl BitOr for Ability {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}

impl Ability {
    /// Both, for constants.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A type of synchronisation objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncType {
    abilities: Ability,
    emulated: bool,
}

impl SyncType {
    /// Timelines that the runtime makes of one binary object for each value. They cannot be shared with other processes,
    /// and the driver sees the binary objects only.
    pub const EMULATED_TIMELINE: Self = Self { abilities: Ability::TIMELINE, emulated: true };

    /// A type of the driver.
    #[must_use]
    pub const fn new(abilities: Ability) -> Self {
        Self { abilities, emulated: false }
    }
}

/// How timeline semaphores work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineMode {
    /// There are none.
    None,
    /// Each value is a binary object; the runtime holds submissions back until what they wait for is submitted.
    Emulated,
    /// The driver has timelines, but a queue can wait only for what is submitted; the runtime holds submissions back.
    Assisted,
    /// The driver's queues wait for anything.
    Native,
}

/// How submissions reach the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitMode {
    /// At once.
    Immediate,
    /// As soon as everything that they wait for is submitted, by whichever call of the application makes that so.
    Deferred,
}

impl TimelineMode {
    /// The way in which submissions reach the driver.
    #[must_use]
    pub fn submit_mode(self) -> SubmitMode {
        match self {
            Self::None | Self::Native => SubmitMode::Immediate,
            Self::Emulated | Self::Assisted => SubmitMode::Deferred,
        }
    }
}

/// Why a list of types cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncTypeError {
    /// There are two types of timelines.
    TwoTimelines,
    /// Timelines are emulated, but there is no type that queues can wait for to emulate them with.
    NothingToEmulateWith,
    /// Timelines need assistance, but a type that queues can wait for cannot tell whether it is pending.
    CannotTellPending,
    /// Timelines need assistance, but a binary type that queues can wait for cannot be reset by the host.
    CannotReset,
}

/// A driver's types, checked, with what each is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncTypes {
    fence: Option<usize>,
    semaphore: Option<usize>,
    timeline: Option<usize>,
    mode: TimelineMode,
}

impl SyncTypes {
    /// Chooses from `list`, in which types stand in the order of preference; the first that can do what is needed is taken.
    ///
    /// # Errors
    /// [`SyncTypeError`].
    pub fn new(list: &[SyncType]) -> Result<Self, SyncTypeError> {
        let first = |needed: Ability| {
            list.iter().position(|kind| kind.abilities.has(needed) && !kind.abilities.has(Ability::TIMELINE))
        };
        let fence = first(Ability::CPU_WAIT | Ability::CPU_RESET);
        let semaphore = first(Ability::GPU_WAIT);
        let is_timeline = |kind: &&SyncType| kind.abilities.has(Ability::TIMELINE);
        if list.iter().filter(is_timeline).count() > 1 {
            return Err(SyncTypeError::TwoTimelines);
        }
        let timeline = list.iter().position(|kind| is_timeline(&kind));
        let mode = match timeline.and_then(|at| list.get(at)) {
            None => TimelineMode::None,
            Some(kind) if kind.emulated => TimelineMode::Emulated,
            Some(kind) if kind.abilities.has(Ability::WAIT_BEFORE_SIGNAL) => TimelineMode::Native,
            Some(_) => TimelineMode::Assisted,
        };
        if mode == TimelineMode::Emulated && first(Ability::GPU_WAIT | Ability::CPU_WAIT).is_none() {
            return Err(SyncTypeError::NothingToEmulateWith);
        }
        for kind in
            list.iter().filter(|kind| mode == TimelineMode::Assisted && kind.abilities.has(Ability::GPU_WAIT))
        {
            if !kind.abilities.has(Ability::WAIT_PENDING) {
                return Err(SyncTypeError::CannotTellPending);
            }
            if kind.abilities.has(Ability::BINARY) && !kind.abilities.has(Ability::CPU_RESET) {
                return Err(SyncTypeError::CannotReset);
            }
        }
        let semaphore = match mode {
            TimelineMode::Emulated => first(Ability::GPU_WAIT | Ability::CPU_WAIT),
            _ => semaphore,
        };
        Ok(Self { fence, semaphore, timeline, mode })
    }

    /// How timeline semaphores work.
    #[must_use]
    pub fn timeline_mode(&self) -> TimelineMode {
        self.mode
    }

    /// How submissions reach the driver.
    #[must_use]
    pub fn submit_mode(&self) -> SubmitMode {
        self.mode.submit_mode()
    }

    /// The number of the type that serves fences: no timeline, the host can wait for it and reset it.
    #[must_use]
    pub fn fence(&self) -> Option<usize> {
        self.fence
    }

    /// The number of the type that serves binary semaphores, and the values of emulated timelines: no timeline, queues can
    /// wait for it.
    #[must_use]
    pub fn semaphore(&self) -> Option<usize> {
        self.semaphore
    }

    /// The number of the type of timelines.
    #[must_use]
    pub fn timeline(&self) -> Option<usize> {
        self.timeline
    }
}
