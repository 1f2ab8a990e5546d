//! Sync objects of DRM as a driver's synchronisation objects.
//!
//! [`Node::probe`] asks an open node which types it has; [`Node::types`] is the list for the runtime. A
//! driver whose kernel driver takes sync objects with its submissions uses [`Syncobj`] as its
//! [`Driver::Sync`](crate::Driver::Sync), and hands
//! [`Syncobj::handle`] to the kernel.
//!
//! A kernel driver's queue waits only for submitted work, so timelines are
//! [assisted](crate::sync_object::TimelineMode::Assisted). A node without timelines has emulated ones.

mod abi;
mod error;
mod syncobj;
#[cfg(test)]
mod tests;

use core::ffi::c_int;
use core::ops::Deref;
use core::ptr::NonNull;

use loader_core::memory::{TryGrow, Vec};

use super::{Ability, Handle, HandleKind, HandleKinds, SyncType};
use crate::drm::Errno;
use abi::{Request, call};

pub use error::SyncobjError;
pub use syncobj::Syncobj;

/// Binary sync objects. They can be shared as such, and copied as sync files.
pub const BINARY: SyncType = {
    let abilities = Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::WAIT_PENDING);
    let kinds = HandleKinds::of(&[HandleKind::OpaqueFd, HandleKind::SyncFd]);
    SyncType::new(abilities.and(Ability::CPU_RESET).and(Ability::CPU_SIGNAL)).sharing(kinds, kinds)
};

/// Timeline sync objects.
pub const TIMELINE: SyncType = {
    let abilities =
        Ability::TIMELINE.and(Ability::GPU_WAIT).and(Ability::CPU_WAIT).and(Ability::WAIT_PENDING);
    let kinds = HandleKinds::of(&[HandleKind::OpaqueFd]);
    SyncType::new(abilities.and(Ability::CPU_SIGNAL)).sharing(kinds, kinds)
};

/// Makes `ioctl` calls: implemented by [`Fd`], and by a stand-in for tests.
pub trait Ioctl: Clone + Send + Sync + 'static {
    /// Makes the call with this number.
    ///
    /// # Errors
    /// [`Errno`], but not `EINTR` or `EAGAIN`, after which the call is made again.
    ///
    /// # Safety
    /// `argument` is the structure that belongs to the number, and its pointers are valid for the call's
    /// accesses.
    unsafe fn ioctl(&self, number: u32, argument: NonNull<()>) -> Result<(), Errno>;

    /// Closes a descriptor whose object was imported.
    ///
    /// # Safety
    /// The descriptor is open and belongs to the caller.
    unsafe fn close(&self, fd: c_int);
}

/// The borrowed descriptor of an open node.
#[derive(Clone, Copy, Debug)]
pub struct Fd(c_int);

impl Fd {
    /// Returns the descriptor of a primary node or a render node.
    ///
    /// # Safety
    /// It stays open as long as this value, its copies, and the nodes and objects made with it. The driver's part of a device
    /// is a good place to keep it: the runtime destroys a device's objects first.
    #[must_use]
    pub const unsafe fn new(fd: c_int) -> Self {
        Self(fd)
    }
}

impl Ioctl for Fd {
    unsafe fn ioctl(&self, number: u32, argument: NonNull<()>) -> Result<(), Errno> {
        loop {
            // SAFETY: by the `# Safety` of `new` the descriptor is open; the caller vouches for the argument. The type of the
            // number differs between C libraries.
            let result = unsafe { libc::ioctl(self.0, number as _, argument.as_ptr()) };
            let error = Errno::last();
            if result >= 0 {
                return Ok(());
            }
            // Deadlines are absolute, so retrying loses no time.
            if !matches!(error.0, libc::EINTR | libc::EAGAIN) {
                return Err(error);
            }
        }
    }

    unsafe fn close(&self, fd: c_int) {
        // SAFETY: the caller gives the descriptor away.
        unsafe { libc::close(fd) };
    }
}

/// Which of several objects a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// All of them.
    All,
    /// One of them, whichever is first.
    Any,
}

/// The condition that ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// It has happened.
    Signalled,
    /// Something was submitted that makes it happen. Needs a node with timelines.
    Submitted,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// All objects have reached the condition, or the list was empty.
    All,
    /// The object with this index in the list has reached the condition.
    One(usize),
    /// The deadline has passed.
    TimedOut,
}

/// A node that has sync objects.
#[derive(Clone, Copy, Debug)]
pub struct Node<K: Ioctl = Fd> {
    kernel: K,
    has_timelines: bool,
}

impl<K: Ioctl> Node<K> {
    /// Queries a node's abilities (`DRM_CAP_SYNCOBJ`, `DRM_CAP_SYNCOBJ_TIMELINE`). Returns `None` if it has no sync
    /// objects.
    ///
    /// # Errors
    /// [`SyncobjError`] if the query fails.
    pub fn probe(kernel: K) -> Result<Option<Self>, SyncobjError> {
        let has = |capability| {
            let mut asked = drm_sys::drm_get_cap { capability: u64::from(capability), value: 0 };
            // SAFETY: the structure has no addresses.
            match unsafe { call(&kernel, Request::GET_CAP, &mut asked) } {
                Ok(()) => Ok(asked.value != 0),
                // The kernel is older than the capability.
                Err(Errno(libc::EINVAL)) => Ok(false),
                Err(error) => Err(SyncobjError::from(error)),
            }
        };
        if !has(drm_sys::DRM_CAP_SYNCOBJ)? {
            return Ok(None);
        }
        let has_timelines = has(drm_sys::DRM_CAP_SYNCOBJ_TIMELINE)?;
        Ok(Some(Self { kernel, has_timelines }))
    }

    /// Returns the types of its objects, for the runtime.
    #[must_use]
    pub fn types(&self) -> &'static [SyncType] {
        if self.has_timelines { &[BINARY, TIMELINE] } else { &[BINARY, SyncType::EMULATED_TIMELINE] }
    }

    /// Makes an object of a type of [`Node::types`]: a binary one that is signalled if `initial` is not 0, or a timeline with this
    /// value.
    ///
    /// # Errors
    /// [`SyncobjError`]
    pub fn create(&self, kind: SyncType, initial: u64) -> Result<Syncobj<K>, SyncobjError> {
        let is_timeline = kind.has(Ability::TIMELINE);
        let is_signalled = !is_timeline && initial != 0;
        let flags = if is_signalled { drm_sys::DRM_SYNCOBJ_CREATE_SIGNALED } else { 0 };
        let mut made = drm_sys::drm_syncobj_create { handle: 0, flags };
        // SAFETY: the structure has no addresses.
        unsafe { call(&self.kernel, Request::CREATE, &mut made)? };
        let object = Syncobj::new(self.kernel.clone(), made.handle, is_timeline);
        if is_timeline && initial != 0 {
            object.try_signal(initial)?;
        }
        Ok(object)
    }

    /// Makes an object of a handle. On success the descriptor is closed: the object does not need it.
    ///
    /// # Errors
    /// [`SyncobjError`]; the descriptor stays open.
    pub fn import(&self, kind: SyncType, handle: Handle) -> Result<Syncobj<K>, SyncobjError> {
        let mut moved = drm_sys::drm_syncobj_handle { fd: handle.fd(), ..Default::default() };
        let object = match handle.kind() {
            HandleKind::OpaqueFd => {
                // SAFETY: the structure has no addresses.
                unsafe { call(&self.kernel, Request::FD_TO_HANDLE, &mut moved)? };
                Syncobj::new(self.kernel.clone(), moved.handle, kind.has(Ability::TIMELINE))
            }
            // A sync file is imported into an existing object.
            HandleKind::SyncFd => {
                let object = self.create(BINARY, 0)?;
                (moved.handle, moved.flags) =
                    (object.handle(), drm_sys::DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE);
                // SAFETY: the structure has no addresses.
                unsafe { call(&self.kernel, Request::FD_TO_HANDLE, &mut moved)? };
                object
            }
            HandleKind::ZirconEvent => return Err(SyncobjError::Invalid),
        };
        // SAFETY: this function received the handle and no longer needs it.
        unsafe { self.kernel.close(handle.fd()) };
        Ok(object)
    }

    /// Waits for objects with values until a deadline, a time of `CLOCK_MONOTONIC` in nanoseconds, or
    /// `u64::MAX` to wait for ever. The wait includes values that are not submitted yet. The value of a
    /// binary object does not matter.
    ///
    /// # Errors
    /// [`SyncobjError`]. A timeout is not an error.
    pub fn wait(
        &self,
        points: &[(impl Deref<Target = Syncobj<K>>, u64)],
        want: Want,
        until: Until,
        deadline: u64,
    ) -> Result<Waited, SyncobjError> {
        if until == Until::Submitted && !self.has_timelines {
            return Err(SyncobjError::Unsupported);
        }
        // The kernel takes 0 for the latest point of a timeline, but every timeline has reached it.
        let is_there = |object: &Syncobj<K>, value| object.is_timeline() && value == 0;
        let place = points.iter().position(|(object, value)| is_there(object, *value));
        if let (Want::Any, Some(place)) = (want, place) {
            return Ok(Waited::One(place));
        }
        let (mut handles, mut values) = (Vec::new(), Vec::new());
        for (object, value) in points.iter().filter(|(object, value)| !is_there(object, *value)) {
            handles.try_push(object.handle())?;
            values.try_push(if object.is_timeline() { *value } else { 0 })?;
        }
        if handles.is_empty() {
            return Ok(Waited::All);
        }
        let needs_points = until == Until::Submitted || values.iter().any(|value| *value != 0);
        let all = if want == Want::All { drm_sys::DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL } else { 0 };
        let available =
            if until == Until::Submitted { drm_sys::DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE } else { 0 };
        let flags = all | available | drm_sys::DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
        let first = if needs_points {
            abi::timeline_wait(&self.kernel, &handles, &values, flags, deadline)
        } else {
            abi::wait(&self.kernel, &handles, flags, deadline)
        };
        match (first, want) {
            (Ok(_), Want::All) => Ok(Waited::All),
            (Ok(first), Want::Any) => Ok(Waited::One(first)),
            (Err(Errno(libc::ETIME)), _) => Ok(Waited::TimedOut),
            (Err(error), _) => Err(error.into()),
        }
    }
}
