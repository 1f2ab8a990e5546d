//! A stand-in for the kernel: sync objects as the kernel's documentation describes them, behind the request
//! numbers that a C compiler computes from `drm.h`. A test plays the queue: it submits fences and signals
//! them.

use core::ffi::c_int;
use core::ptr::{self, NonNull};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use std::vec::Vec;

use drm_sys::{
    drm_get_cap, drm_syncobj_array, drm_syncobj_create, drm_syncobj_destroy, drm_syncobj_handle,
    drm_syncobj_timeline_array, drm_syncobj_timeline_wait, drm_syncobj_wait,
};

use super::super::Ioctl;
use crate::drm::Errno;
use crate::host::Host;
use crate::host::Linux;

/// Something that a queue does, by its number.
type Fence = usize;

/// The contents of an object: a binary object's fence, and the fences of a timeline's values.
#[derive(Debug, Default)]
struct Object {
    fence: Option<Fence>,
    points: Vec<(u64, Fence)>,
}

/// An open file.
#[derive(Debug)]
enum File {
    Object(usize),
    Sync(Fence),
}

#[derive(Debug, Default)]
struct State {
    /// Whether each fence is signalled.
    fences: Vec<bool>,
    objects: Vec<Object>,
    handles: BTreeMap<u32, usize>,
    last_handle: u32,
    files: BTreeMap<c_int, File>,
    /// How often a thread had to wait.
    sleeps: u32,
    /// The error of every call.
    failure: Option<Errno>,
}

#[derive(Debug)]
pub(super) struct Kernel {
    state: Mutex<State>,
    changed: Condvar,
    capabilities: [u64; 2],
}

/// An open node of it.
#[derive(Clone, Debug)]
pub(super) struct StandIn(Arc<Kernel>);

const EINVAL: Errno = Errno(libc::EINVAL);
const ENOENT: Errno = Errno(libc::ENOENT);

impl StandIn {
    /// Creates a kernel whose `DRM_CAP_SYNCOBJ` and `DRM_CAP_SYNCOBJ_TIMELINE` are these.
    pub(super) fn new(capabilities: [u64; 2]) -> Self {
        Self(Arc::new(Kernel { state: Mutex::default(), changed: Condvar::new(), capabilities }))
    }

    fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let result = change(&mut self.0.state.lock().unwrap());
        self.0.changed.notify_all();
        result
    }

    /// Submits work that will signal an object, or a timeline at this value. Returns the work's fence.
    pub(super) fn submit(&self, handle: u32, value: u64) -> Fence {
        self.change(|state| {
            let fence = state.fence(false);
            state.attach(handle, value, fence).unwrap();
            fence
        })
    }

    /// Signals a fence.
    pub(super) fn finish(&self, fence: Fence) {
        self.change(|state| state.fences[fence] = true);
    }

    pub(super) fn fail(&self, failure: Option<Errno>) {
        self.change(|state| state.failure = failure);
    }

    /// Waits until a thread had to wait for the first time.
    pub(super) fn wait_for_a_sleeper(&self) {
        let state = self.0.state.lock().unwrap();
        drop(self.0.changed.wait_while(state, |state| state.sleeps == 0).unwrap());
    }

    /// Returns the number of handles and of open files.
    pub(super) fn left(&self) -> (usize, usize) {
        self.change(|state| (state.handles.len(), state.files.len()))
    }
}

impl State {
    fn fence(&mut self, is_signalled: bool) -> Fence {
        self.fences.push(is_signalled);
        self.fences.len() - 1
    }

    fn object(&mut self, handle: u32) -> Result<&mut Object, Errno> {
        let number = self.handles.get(&handle).ok_or(ENOENT)?;
        Ok(&mut self.objects[*number])
    }

    fn attach(&mut self, handle: u32, value: u64, fence: Fence) -> Result<(), Errno> {
        let object = self.object(handle)?;
        if value == 0 {
            object.fence = Some(fence);
        } else {
            object.points.push((value, fence));
        }
        Ok(())
    }

    fn handle(&mut self, object: usize) -> u32 {
        self.last_handle += 1;
        self.handles.insert(self.last_handle, object);
        self.last_handle
    }

    fn file(&mut self, file: File) -> c_int {
        let fd = 1000 + self.files.len() as c_int;
        self.files.insert(fd, file);
        fd
    }

    /// Returns a timeline's value: the last point before which everything is signalled.
    fn value(&mut self, handle: u32) -> Result<u64, Errno> {
        let points = self.object(handle)?.points.clone();
        let reached = points.iter().take_while(|(_, fence)| self.fences[*fence]);
        Ok(reached.last().map_or(0, |(value, _)| *value))
    }

    /// Returns whether a wait for a point is over; `Err(EINVAL)` if nothing was submitted for it and the
    /// flags do not include waiting for a submission.
    fn is_over(&mut self, handle: u32, value: u64, flags: u32) -> Result<bool, Errno> {
        let object = self.object(handle)?;
        let last = object.points.last().map(|(last, _)| *last);
        let fence = object.fence.or(object.points.last().map(|(_, fence)| *fence));
        let is_submitted = if value == 0 { fence.is_some() } else { last >= Some(value) };
        if !is_submitted {
            return if flags & 2 == 0 { Err(EINVAL) } else { Ok(false) };
        }
        if flags & 4 != 0 {
            return Ok(true);
        }
        if value == 0 {
            Ok(fence.is_some_and(|fence| self.fences[fence]))
        } else {
            Ok(self.value(handle)? >= value)
        }
    }
}

impl Ioctl for StandIn {
    unsafe fn ioctl(&self, number: u32, argument: NonNull<()>) -> Result<(), Errno> {
        if let Some(failure) = self.change(|state| state.failure) {
            return Err(failure);
        }
        let has = |index: usize| {
            if self.0.capabilities[index] != 0 { Ok(()) } else { Err(Errno(libc::EOPNOTSUPP)) }
        };
        // SAFETY: each number comes with its structure.
        unsafe {
            match number {
                0xC010_640C => self.capability(argument.cast().as_mut()),
                0xC008_64BF => has(0).and_then(|()| self.create(argument.cast().as_mut())),
                0xC008_64C0 => self.destroy(argument.cast().as_mut()),
                0xC018_64C1 => self.export(argument.cast().as_mut()),
                0xC018_64C2 => self.import(argument.cast().as_mut()),
                0xC028_64C3 => self.wait(argument.cast().as_mut()),
                0xC010_64C4 => self.reset(argument.cast().as_ref()),
                0xC010_64C5 => self.signal(argument.cast().as_ref()),
                0xC030_64CA => has(1).and_then(|()| self.timeline_wait(argument.cast().as_mut())),
                0xC018_64CB => has(1).and_then(|()| self.query(argument.cast().as_ref())),
                0xC018_64CD => has(1).and_then(|()| self.timeline_signal(argument.cast().as_ref())),
                _ => Err(EINVAL),
            }
        }
    }

    unsafe fn close(&self, fd: c_int) {
        self.change(|state| assert!(state.files.remove(&fd).is_some(), "closed twice"));
    }
}

/// Returns the values at an address.
fn values<T: Copy>(address: u64, count: u32) -> Vec<T> {
    let first = ptr::with_exposed_provenance::<T>(address as usize);
    // SAFETY: the caller passes this many values.
    (0..count as usize).map(|place| unsafe { first.add(place).read() }).collect()
}

impl StandIn {
    fn capability(&self, asked: &mut drm_get_cap) -> Result<(), Errno> {
        let index = asked.capability.checked_sub(0x13).filter(|index| *index < 2).ok_or(EINVAL)?;
        asked.value = self.0.capabilities[index as usize];
        Ok(())
    }

    fn create(&self, made: &mut drm_syncobj_create) -> Result<(), Errno> {
        self.change(|state| {
            let fence = (made.flags & 1 != 0).then(|| state.fence(true));
            state.objects.push(Object { fence, points: Vec::new() });
            made.handle = state.handle(state.objects.len() - 1);
            Ok(())
        })
    }

    fn destroy(&self, destroyed: &mut drm_syncobj_destroy) -> Result<(), Errno> {
        self.change(|state| state.handles.remove(&destroyed.handle).map(drop).ok_or(EINVAL))
    }

    fn export(&self, moved: &mut drm_syncobj_handle) -> Result<(), Errno> {
        self.change(|state| {
            let file = if moved.flags & 1 != 0 {
                File::Sync(state.object(moved.handle)?.fence.ok_or(EINVAL)?)
            } else {
                File::Object(*state.handles.get(&moved.handle).ok_or(EINVAL)?)
            };
            moved.fd = state.file(file);
            Ok(())
        })
    }

    fn import(&self, moved: &mut drm_syncobj_handle) -> Result<(), Errno> {
        self.change(|state| match state.files.get(&moved.fd) {
            Some(File::Sync(fence)) if moved.flags & 1 != 0 => state.attach(moved.handle, 0, *fence),
            Some(File::Object(object)) if moved.flags & 1 == 0 => {
                moved.handle = state.handle(*object);
                Ok(())
            }
            _ => Err(EINVAL),
        })
    }

    fn reset(&self, which: &drm_syncobj_array) -> Result<(), Errno> {
        self.each(which, |state, handle| {
            *state.object(handle)? = Object::default();
            Ok(())
        })
    }

    fn signal(&self, which: &drm_syncobj_array) -> Result<(), Errno> {
        self.each(which, |state, handle| {
            let fence = state.fence(true);
            state.attach(handle, 0, fence)
        })
    }

    fn each(
        &self,
        which: &drm_syncobj_array,
        change: impl Fn(&mut State, u32) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let handles = values(which.handles, which.count_handles);
        self.change(|state| handles.into_iter().try_for_each(|handle| change(state, handle)))
    }

    fn query(&self, which: &drm_syncobj_timeline_array) -> Result<(), Errno> {
        let first = ptr::with_exposed_provenance_mut::<u64>(which.points as usize);
        for (place, handle) in values(which.handles, which.count_handles).into_iter().enumerate() {
            let value = self.change(|state| state.value(handle))?;
            // SAFETY: the caller passes space for this many values.
            unsafe { first.add(place).write(value) };
        }
        Ok(())
    }

    fn timeline_signal(&self, which: &drm_syncobj_timeline_array) -> Result<(), Errno> {
        let points = values::<u64>(which.points, which.count_handles);
        self.change(|state| {
            for (handle, value) in values(which.handles, which.count_handles).into_iter().zip(points) {
                let fence = state.fence(true);
                state.attach(handle, value, fence)?;
            }
            Ok(())
        })
    }

    fn wait(&self, wait: &mut drm_syncobj_wait) -> Result<(), Errno> {
        if wait.flags & !3 != 0 {
            return Err(EINVAL);
        }
        let points = values(wait.handles, wait.count_handles).into_iter().map(|handle| (handle, 0)).collect();
        wait.first_signaled = self.wait_for(points, wait.flags, wait.timeout_nsec)?;
        Ok(())
    }

    fn timeline_wait(&self, wait: &mut drm_syncobj_timeline_wait) -> Result<(), Errno> {
        if wait.flags & !7 != 0 {
            return Err(EINVAL);
        }
        let handles: Vec<u32> = values(wait.handles, wait.count_handles);
        let points = handles.into_iter().zip(values(wait.points, wait.count_handles)).collect();
        wait.first_signaled = self.wait_for(points, wait.flags, wait.timeout_nsec)?;
        Ok(())
    }

    /// Waits until the absolute time `timeout` of the monotonic clock.
    fn wait_for(&self, points: Vec<(u32, u64)>, flags: u32, timeout: i64) -> Result<u32, Errno> {
        let mut state = self.0.state.lock().unwrap();
        loop {
            let mut over = Vec::new();
            for (handle, value) in &points {
                over.push(state.is_over(*handle, *value, flags)?);
            }
            let first = over.iter().position(|over| *over);
            if flags & 1 != 0 && over.iter().all(|over| *over) {
                return Ok(0);
            }
            if let (Some(first), 0) = (first, flags & 1) {
                return Ok(first as u32);
            }
            let left = (timeout as u64).saturating_sub(Linux.now());
            if left == 0 {
                return Err(Errno(libc::ETIME));
            }
            state.sleeps += 1;
            self.0.changed.notify_all();
            let left = Duration::from_nanos(left.min(1 << 40));
            state = self.0.changed.wait_timeout(state, left).unwrap().0;
        }
    }
}
