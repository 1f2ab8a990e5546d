//! Handles by which fences and semaphores are shared with other processes.

use core::ffi::c_int;

use ash::vk;

/// A kind of handle.
///
/// Android has the kinds of Linux; Fuchsia's are numbers of another size, see [`Handle::zircon`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleKind {
    /// A file descriptor that only drivers of the same kind understand; an import shares the object.
    OpaqueFd,
    /// A file descriptor of a sync file; an import copies the pending state. -1 is a signalled one.
    SyncFd,
    /// A Zircon event of Fuchsia; an import shares the object.
    ZirconEvent,
}

impl HandleKind {
    const ALL: [Self; 3] = [Self::OpaqueFd, Self::SyncFd, Self::ZirconEvent];

    /// Returns whether an import copies the pending state instead of sharing the object (the specification's
    /// copy transference). Such imports are always temporary, and exports leave the object unsignalled.
    pub const fn copies(self) -> bool {
        matches!(self, Self::SyncFd)
    }

    const fn fence_flag(self) -> vk::ExternalFenceHandleTypeFlags {
        match self {
            Self::OpaqueFd => vk::ExternalFenceHandleTypeFlags::OPAQUE_FD,
            Self::SyncFd => vk::ExternalFenceHandleTypeFlags::SYNC_FD,
            Self::ZirconEvent => vk::ExternalFenceHandleTypeFlags::empty(),
        }
    }

    const fn semaphore_flag(self) -> vk::ExternalSemaphoreHandleTypeFlags {
        match self {
            Self::OpaqueFd => vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD,
            Self::SyncFd => vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD,
            Self::ZirconEvent => vk::ExternalSemaphoreHandleTypeFlags::ZIRCON_EVENT_FUCHSIA,
        }
    }
}

/// A handle that goes from an application to a driver or back. The driver owns it once the import succeeds.
#[derive(Debug, PartialEq, Eq)]
pub struct Handle {
    kind: HandleKind,
    fd: c_int,
}

impl Handle {
    /// The sync file of a signal that has occurred.
    pub const SIGNALLED: Self = Self { kind: HandleKind::SyncFd, fd: -1 };

    /// Creates a handle of this kind: a file descriptor, or the bits of a Zircon handle.
    ///
    /// # Safety
    /// It is an open handle, which this value owns, or -1 for a signalled sync file.
    #[must_use]
    pub const unsafe fn new(kind: HandleKind, fd: c_int) -> Self {
        Self { kind, fd }
    }

    /// Returns the handle's kind.
    pub const fn kind(&self) -> HandleKind {
        self.kind
    }

    /// Returns the file descriptor.
    pub const fn fd(&self) -> c_int {
        self.fd
    }

    /// Creates a Fuchsia handle.
    ///
    /// # Safety
    /// As for [`Handle::new`].
    pub(crate) const unsafe fn of_zircon(handle: u32) -> Self {
        Self { kind: HandleKind::ZirconEvent, fd: handle.cast_signed() }
    }

    /// Returns the handle in Fuchsia's form: the bits of the file descriptor.
    pub const fn zircon(&self) -> u32 {
        self.fd.cast_unsigned()
    }

    /// Returns whether this represents a signalled object and is not a real handle.
    pub(crate) fn is_signalled(&self) -> bool {
        self.kind.copies() && self.fd == -1
    }
}

/// A set of kinds of handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandleKinds(u8);

impl HandleKinds {
    /// No kind.
    pub const NONE: Self = Self(0);

    /// Returns the set of these kinds.
    #[must_use]
    pub const fn of(kinds: &[HandleKind]) -> Self {
        let (mut set, mut rest) = (0, kinds);
        while let [kind, more @ ..] = rest {
            set |= 1 << *kind as u8;
            rest = more;
        }
        Self(set)
    }

    /// Returns whether all of `others` are in the set.
    pub const fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns the kinds for the flags, or `None` if the runtime does not know one of them.
    pub(crate) fn of_fence(flags: vk::ExternalFenceHandleTypeFlags) -> Option<Self> {
        let set = Self::filtered(|kind| !kind.fence_flag().is_empty() && flags.contains(kind.fence_flag()));
        (set.fence_flags() == flags).then_some(set)
    }

    /// Does the same as [`HandleKinds::of_fence`], for semaphores.
    pub(crate) fn of_semaphore(flags: vk::ExternalSemaphoreHandleTypeFlags) -> Option<Self> {
        let set = Self::filtered(|kind| flags.contains(kind.semaphore_flag()));
        (set.semaphore_flags() == flags).then_some(set)
    }

    /// Returns the flags of all kinds that fences support.
    pub(crate) fn fence_flags(self) -> vk::ExternalFenceHandleTypeFlags {
        self.kinds().fold(Default::default(), |flags, kind| flags | kind.fence_flag())
    }

    pub(crate) fn semaphore_flags(self) -> vk::ExternalSemaphoreHandleTypeFlags {
        self.kinds().fold(Default::default(), |flags, kind| flags | kind.semaphore_flag())
    }

    /// Returns the kind, if the set has just one.
    pub(crate) fn single(self) -> Option<HandleKind> {
        let mut kinds = self.kinds();
        kinds.next().filter(|_| kinds.next().is_none())
    }

    fn filtered(keep: impl Fn(HandleKind) -> bool) -> Self {
        let kept = HandleKind::ALL.into_iter().filter(|kind| keep(*kind));
        kept.fold(Self::NONE, |set, kind| Self(set.0 | Self::of(&[kind]).0))
    }

    fn kinds(self) -> impl Iterator<Item = HandleKind> {
        HandleKind::ALL.into_iter().filter(move |kind| self.has(Self::of(&[*kind])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_the_flags_of_the_api() {
        let both = HandleKinds::of(&[HandleKind::OpaqueFd, HandleKind::SyncFd]);
        let flags = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD | vk::ExternalFenceHandleTypeFlags::SYNC_FD;
        assert_eq!(HandleKinds::of_fence(flags), Some(both));
        assert!(both.fence_flags() == flags);
        assert_eq!(both.single(), None);
        let event = vk::ExternalSemaphoreHandleTypeFlags::ZIRCON_EVENT_FUCHSIA;
        let kind = HandleKinds::of_semaphore(event).and_then(HandleKinds::single);
        assert_eq!(kind, Some(HandleKind::ZirconEvent));
        assert_eq!(HandleKinds::of_semaphore(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32), None);
        assert_eq!(HandleKinds::of_fence(vk::ExternalFenceHandleTypeFlags::OPAQUE_WIN32), None);
        // SAFETY: nothing closes the handle.
        assert_eq!(unsafe { Handle::of_zircon(u32::MAX) }.zircon(), u32::MAX);
    }
}
