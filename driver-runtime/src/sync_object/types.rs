//! The types of a driver's synchronisation objects, and the modes that follow from them.

use core::ops::BitOr;

use super::handles::HandleKinds;

/// The abilities of a type's objects.
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
    /// Every signal goes through [`Signal::done`](crate::work::Signal::done) or
    /// [`SyncRef::signal`](super::SyncRef::signal), which wake the threads that wait for it on the host. They sleep
    /// until then. Without this ability, and if another process may signal an object, they poll it, unless
    /// [`Driver::wait`](crate::Driver::wait) can sleep.
    pub const WAKES: Self = Self(1 << 8);

    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn has(self, all: Self) -> bool {
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
    /// Returns both sets combined: `|`, which constants cannot use.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What the objects of one of the driver's types can do, and how other processes can share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncType {
    abilities: Ability,
    emulated: bool,
    imports: HandleKinds,
    exports: HandleKinds,
}

impl SyncType {
    /// Timelines that the runtime builds from one binary object for each value. They cannot be shared with other
    /// processes, and the driver sees only the binary objects.
    pub const EMULATED_TIMELINE: Self = Self { emulated: true, ..Self::new(Ability::TIMELINE) };

    /// Creates a driver's type.
    #[must_use]
    pub const fn new(abilities: Ability) -> Self {
        Self { abilities, emulated: false, imports: HandleKinds::NONE, exports: HandleKinds::NONE }
    }

    /// Returns the type with the handle kinds that it can import and export:
    /// [`Driver::import_sync`](crate::Driver::import_sync), [`Driver::export_sync`](crate::Driver::export_sync).
    #[must_use]
    pub const fn sharing(self, imports: HandleKinds, exports: HandleKinds) -> Self {
        Self { imports, exports, ..self }
    }

    pub(crate) const fn has(self, all: Ability) -> bool {
        self.abilities.has(all)
    }

    pub(crate) const fn abilities(self) -> Ability {
        self.abilities
    }

    pub(crate) const fn is_emulated(self) -> bool {
        self.emulated
    }

    pub(crate) const fn imports(self) -> HandleKinds {
        self.imports
    }

    pub(crate) const fn exports(self) -> HandleKinds {
        self.exports
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A fence: no timeline, the host can wait for it and reset it.
    Fence,
    /// A binary semaphore: no timeline, queues can wait for it.
    Semaphore,
    Timeline,
    /// A value of an emulated timeline: no timeline, queues and the host can wait for it.
    Point,
    /// Something that a queue signals and the host waits for, once.
    Idle,
}

impl Purpose {
    const fn is_served_by(self, kind: SyncType) -> bool {
        let needed = match self {
            Self::Timeline => return kind.has(Ability::TIMELINE),
            Self::Fence => Ability::CPU_WAIT.and(Ability::CPU_RESET),
            Self::Semaphore => Ability::GPU_WAIT,
            Self::Point => Ability::GPU_WAIT.and(Ability::CPU_WAIT),
            Self::Idle => Ability::CPU_WAIT,
        };
        kind.has(needed) && !kind.has(Ability::TIMELINE)
    }
}

/// Returns the number of the first type in `list` that serves the purpose and has all these handle kinds.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "indices are below the length")]
pub(crate) const fn choose(
    list: &[SyncType],
    purpose: Purpose,
    imports: HandleKinds,
    exports: HandleKinds,
) -> Option<usize> {
    let mut index = 0;
    while index < list.len() {
        let kind = list[index];
        if purpose.is_served_by(kind) && kind.imports.has(imports) && kind.exports.has(exports) {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// How timeline semaphores work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineMode {
    /// The device has no timelines.
    None,
    /// Each value is a binary object; the runtime holds submissions back until the signals that they wait for
    /// are submitted.
    Emulated,
    /// The driver has timelines, but a queue can wait only for submitted work; the runtime holds submissions
    /// back.
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
    /// At once, until one comes that has to wait for the submission of something else. From then on its queue has a thread.
    ThreadedIfNeeded,
    /// By a thread of the queue.
    Threaded,
}

impl TimelineMode {
    /// Returns the way in which submissions reach the driver. `thread` is the setting
    /// [`Host::submit_thread`](crate::host::Host): whether every queue in assisted mode has a thread, or none. Without one,
    /// submissions are held back as in the emulated mode.
    pub fn submit_mode(self, thread: Option<bool>) -> SubmitMode {
        match (self, thread) {
            (Self::None | Self::Native, _) => SubmitMode::Immediate,
            (Self::Emulated, _) | (Self::Assisted, Some(false)) => SubmitMode::Deferred,
            (Self::Assisted, None) => SubmitMode::ThreadedIfNeeded,
            (Self::Assisted, Some(true)) => SubmitMode::Threaded,
        }
    }
}
