//! Sync objects on the nodes of this machine, if one has them, and always on a stand-in for the kernel. Tests that
//! need no submissions run on both and print which; tests that submit work need the stand-in. A virtual machine has
//! such nodes with a virtio GPU and Linux 6.12.

mod kernel;

use std::fs::OpenOptions;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::LazyLock;
use std::vec::Vec;
use std::{eprintln, thread};

use ash::vk;

use super::*;
use crate::host::Host;
use crate::host::Linux;
use crate::result::{ExportError, ImportError, SubmitError};
use crate::sync_object::{SyncObject, SyncTypes, TimelineMode};
use kernel::StandIn;

/// The nodes of this machine that have sync objects. They stay open.
static REAL: LazyLock<Vec<(Node, OwnedFd)>> = LazyLock::new(|| {
    let found = crate::drm::scan(c"/").unwrap();
    let nodes = found.devices().iter().flat_map(crate::drm::DrmDevice::nodes);
    let open = |node: &crate::drm::DrmNode| {
        let path = std::ffi::OsStr::from_bytes(node.path.as_c_str().to_bytes());
        let file = OwnedFd::from(OpenOptions::new().read(true).write(true).open(path).ok()?);
        // SAFETY: the file is stored with the node, and never closed.
        let node = Node::probe(unsafe { Fd::new(file.as_raw_fd()) }).ok()??;
        Some((node, file))
    };
    nodes.filter_map(open).collect()
});

/// Runs a test on each kind of kernel. `$node` is a node with timelines.
macro_rules! on_each_kernel {
    ($name:ident, |$node:ident| $test:block) => {
        #[test]
        #[cfg_attr(miri, ignore = "looks for nodes of this machine")]
        fn $name() {
            let real: Vec<&Node> =
                REAL.iter().map(|(node, _)| node).filter(|node| node.has_timelines).collect();
            eprintln!("{}: on a stand-in, and on {} nodes of this machine", stringify!($name), real.len());
            for $node in real {
                $test
            }
            let stand_in = StandIn::new([1, 1]);
            {
                let $node = &Node::probe(stand_in.clone()).unwrap().unwrap();
                $test
            }
            assert_eq!(stand_in.left(), (0, 0), "objects and files that are left");
        }
    };
}

/// A time that has passed, and one that never comes.
const PAST: u64 = 0;
const NEVER: u64 = u64::MAX;

on_each_kernel!(binary_objects_are_signalled_and_reset, |node| {
    let object = node.create(BINARY, 0).unwrap();
    assert_eq!((object.value(), object.is_pending(1)), (0, false));
    object.signal(1);
    assert_eq!((object.value(), object.is_pending(1)), (1, true));
    object.reset();
    assert_eq!((object.value(), object.is_pending(1)), (0, false));
    assert_eq!(node.create(BINARY, 1).unwrap().value(), 1);
});

on_each_kernel!(timelines_have_values, |node| {
    let timeline = node.create(TIMELINE, 5).unwrap();
    assert_eq!((timeline.value(), timeline.is_timeline()), (5, true));
    timeline.signal(70_000_000_000);
    assert_eq!(timeline.value(), 70_000_000_000);
    assert!(timeline.is_pending(70_000_000_000) && !timeline.is_pending(70_000_000_001));
    let fresh = node.create(TIMELINE, 0).unwrap();
    assert!(fresh.value() == 0 && fresh.is_pending(0) && !fresh.is_pending(1));
});

on_each_kernel!(a_wait_is_for_all_or_for_any_and_has_a_deadline, |node| {
    let (binary, timeline) = (node.create(BINARY, 0).unwrap(), node.create(TIMELINE, 3).unwrap());
    let wait = |points: &[(&Syncobj<_>, u64)], want, deadline| {
        node.wait(points, want, Until::Signalled, deadline).unwrap()
    };
    assert_eq!(wait(&[], Want::All, NEVER), Waited::All);
    assert_eq!(wait(&[(&binary, 1)], Want::All, PAST), Waited::TimedOut);
    assert_eq!(wait(&[(&binary, 1)], Want::Any, Linux.now() + 1_000_000), Waited::TimedOut);
    assert_eq!(wait(&[(&binary, 1), (&timeline, 3)], Want::Any, NEVER), Waited::One(1));
    assert_eq!(wait(&[(&binary, 1), (&timeline, 3)], Want::All, PAST), Waited::TimedOut);
    binary.signal(1);
    assert_eq!(wait(&[(&binary, 1), (&timeline, 3)], Want::All, NEVER), Waited::All);
    assert_eq!(wait(&[(&timeline, 4), (&binary, 1)], Want::Any, NEVER), Waited::One(1));
    assert_eq!(wait(&[(&timeline, 4)], Want::All, PAST), Waited::TimedOut);
    // Every timeline has reached 0, even one without any submission.
    let fresh = node.create(TIMELINE, 0).unwrap();
    assert_eq!(wait(&[(&fresh, 0)], Want::All, NEVER), Waited::All);
    assert_eq!(wait(&[(&timeline, 9), (&fresh, 0)], Want::Any, NEVER), Waited::One(1));
});

on_each_kernel!(a_wait_begins_before_the_signal, |node| {
    let (binary, timeline) = (node.create(BINARY, 0).unwrap(), node.create(TIMELINE, 0).unwrap());
    thread::scope(|scope| {
        let points = [(&binary, 1), (&timeline, 7)];
        let waits = scope.spawn(move || node.wait(&points, Want::All, Until::Signalled, NEVER).unwrap());
        binary.signal(1);
        timeline.signal(7);
        assert_eq!(waits.join().unwrap(), Waited::All);
    });
});

/// Creates a handle that owns the descriptor.
fn handle(kind: HandleKind, fd: i32) -> Handle {
    // SAFETY: the tests give their own descriptors away, or keep them if that fails.
    unsafe { Handle::new(kind, fd) }
}

on_each_kernel!(an_object_is_shared_by_its_descriptor, |node| {
    for (kind, value) in [(BINARY, 1), (TIMELINE, 9)] {
        let object = node.create(kind, 0).unwrap();
        let fd = object.export(HandleKind::OpaqueFd).unwrap();
        let same = node.import(kind, handle(HandleKind::OpaqueFd, fd)).unwrap();
        assert_ne!(same.handle(), object.handle());
        same.signal(value);
        assert_eq!(object.value(), value);
    }
});

on_each_kernel!(a_sync_file_is_a_copy, |node| {
    let object = node.create(BINARY, 0).unwrap();
    assert_eq!(object.export(HandleKind::SyncFd), Err(SyncobjError::Invalid), "nothing was submitted");
    object.signal(1);
    let fd = object.export(HandleKind::SyncFd).unwrap();
    let copy = node.import(BINARY, handle(HandleKind::SyncFd, fd)).unwrap();
    object.reset();
    assert_eq!((object.value(), copy.value()), (0, 1));
    let timeline = node.create(TIMELINE, 1).unwrap();
    assert_eq!(timeline.export(HandleKind::SyncFd), Err(SyncobjError::Invalid));
});

on_each_kernel!(what_is_no_handle_is_refused_and_stays_open, |node| {
    let file = std::fs::File::open("/dev/null").unwrap().into_raw_fd();
    for kind in [HandleKind::OpaqueFd, HandleKind::SyncFd, HandleKind::ZirconEvent] {
        assert_eq!(node.import(BINARY, handle(kind, file)).unwrap_err(), SyncobjError::Invalid);
        // SAFETY: reading flags changes nothing.
        assert!(unsafe { libc::fcntl(file, libc::F_GETFD) } >= 0);
    }
    // SAFETY: the descriptor is the test's.
    unsafe { libc::close(file) };
});

#[test]
#[cfg_attr(miri, ignore = "asks the kernel")]
fn a_file_that_is_not_a_device_node_has_no_sync_objects() {
    let null = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
    // SAFETY: open until the end of the test.
    let probed = Node::probe(unsafe { Fd::new(null.as_raw_fd()) });
    assert_eq!(probed.unwrap_err(), SyncobjError::Unsupported);
    // SAFETY: no descriptor is -1, so this is never open.
    let probed = Node::probe(unsafe { Fd::new(-1) });
    assert_eq!(probed.unwrap_err(), SyncobjError::Invalid);
}

#[test]
fn the_types_follow_from_the_nodes_capabilities() {
    assert!(Node::probe(StandIn::new([0, 0])).unwrap().is_none());
    let mode = |capabilities| {
        let node = Node::probe(StandIn::new(capabilities)).unwrap().unwrap();
        SyncTypes::new(node.types()).unwrap().timeline_mode()
    };
    assert_eq!(mode([1, 0]), TimelineMode::Emulated);
    assert_eq!(mode([1, 1]), TimelineMode::Assisted);
}

#[test]
fn without_timelines_binary_objects_do_all_that_the_runtime_needs() {
    let kernel = StandIn::new([1, 0]);
    let node = Node::probe(kernel.clone()).unwrap().unwrap();
    let object = node.create(node.types()[0], 0).unwrap();
    let fence = kernel.submit(object.handle(), 0);
    assert_eq!((object.value(), object.is_pending(1)), (0, true));
    let wait = |until, deadline| node.wait(&[(&object, 1)], Want::All, until, deadline);
    assert_eq!(wait(Until::Signalled, PAST), Ok(Waited::TimedOut));
    assert_eq!(wait(Until::Submitted, PAST), Err(SyncobjError::Unsupported));
    kernel.finish(fence);
    assert_eq!(wait(Until::Signalled, NEVER), Ok(Waited::All));
}

#[test]
fn a_submission_is_pending_until_it_is_signalled() {
    let kernel = StandIn::new([1, 1]);
    let node = Node::probe(kernel.clone()).unwrap().unwrap();
    let (binary, timeline) = (node.create(BINARY, 0).unwrap(), node.create(TIMELINE, 2).unwrap());
    let points = [(&binary, 1), (&timeline, 5)];
    let wait = |until, deadline| node.wait(&points, Want::All, until, deadline).unwrap();
    assert_eq!(wait(Until::Submitted, PAST), Waited::TimedOut);
    let fences = [kernel.submit(binary.handle(), 0), kernel.submit(timeline.handle(), 6)];
    assert!(
        binary.is_pending(1) && timeline.is_pending(5) && timeline.is_pending(6) && !timeline.is_pending(7)
    );
    assert_eq!((binary.value(), timeline.value()), (0, 2));
    assert_eq!(
        (wait(Until::Submitted, NEVER), wait(Until::Signalled, PAST)),
        (Waited::All, Waited::TimedOut)
    );
    // A thread that waits sleeps in the kernel, once.
    thread::scope(|scope| {
        let waits = scope.spawn(|| wait(Until::Signalled, NEVER));
        kernel.wait_for_a_sleeper();
        fences.into_iter().for_each(|fence| kernel.finish(fence));
        assert_eq!(waits.join().unwrap(), Waited::All);
    });
    assert_eq!((binary.value(), timeline.value()), (1, 6));
}

#[test]
fn errors_of_the_kernel_become_results_that_the_commands_have() {
    use SyncobjError::{DeviceLost, Invalid, Other, OutOfHostMemory, TooManyFiles, Unsupported};
    let rows = [
        (libc::ENOMEM, OutOfHostMemory, SubmitError::OutOfHostMemory, ExportError::OutOfHostMemory),
        (libc::ENODEV, DeviceLost, SubmitError::DeviceLost, ExportError::Unknown),
        (libc::EMFILE, TooManyFiles, SubmitError::OutOfDeviceMemory, ExportError::TooManyObjects),
        (libc::EINVAL, Invalid, SubmitError::OutOfDeviceMemory, ExportError::Unknown),
        (libc::EOPNOTSUPP, Unsupported, SubmitError::OutOfDeviceMemory, ExportError::Unknown),
        (libc::EPERM, Other(Errno(libc::EPERM)), SubmitError::OutOfDeviceMemory, ExportError::Unknown),
    ];
    let kernel = StandIn::new([1, 1]);
    let node = Node::probe(kernel.clone()).unwrap().unwrap();
    let object = node.create(TIMELINE, 4).unwrap();
    for (number, error, submit, export) in rows {
        kernel.fail(Some(Errno(number)));
        assert_eq!(node.create(BINARY, 0).unwrap_err(), error);
        assert_eq!(object.export(HandleKind::OpaqueFd), Err(error));
        assert_eq!(node.wait(&[(&object, 4)], Want::All, Until::Signalled, PAST), Err(error));
        // The runtime's queries cannot return errors, so they report that nothing has happened.
        assert_eq!((object.value(), object.is_pending(4)), (0, false));
        assert_eq!((SubmitError::from(error), ExportError::from(error)), (submit, export));
        let code = vk::Result::from(ImportError::from(error));
        let is_memory = error == OutOfHostMemory;
        assert_eq!(code == vk::Result::ERROR_OUT_OF_HOST_MEMORY, is_memory, "{code:?}");
        kernel.fail(None);
    }
    assert_eq!(object.value(), 4);
}

#[test]
fn a_wait_without_memory_is_an_error_and_leaks_nothing() {
    use crate::testing::{Fail, failing};
    let node = Node::probe(StandIn::new([1, 1])).unwrap().unwrap();
    let object = node.create(TIMELINE, 4).unwrap();
    for number in 0..2 {
        let wait = || node.wait(&[(&object, 4)], Want::All, Until::Signalled, PAST);
        assert_eq!(failing(Fail::Only(number), wait), (Err(SyncobjError::OutOfHostMemory), true, 0));
    }
}
