//! Payloads that come from elsewhere and go there.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk;

use super::bench::Bench;
use super::machine::{ASSISTED, EMULATED, Machine, NATIVE, PLAIN, State, TIMELINES, WITH_EVENTS, WITH_FDS};
use crate::driver::Driver;
use crate::testing::commands;

const NULL: vk::Fence = vk::Fence::null();
const OPAQUE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const SYNC: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD;
const EVENT: vk::ExternalSemaphoreHandleTypeFlags =
    vk::ExternalSemaphoreHandleTypeFlags::ZIRCON_EVENT_FUCHSIA;
const FENCE_OPAQUE: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
const FENCE_SYNC: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::SYNC_FD;

impl<D: Driver> Bench<D> {
    fn import_fence(
        &self,
        fence: vk::Fence,
        kind: vk::ExternalFenceHandleTypeFlags,
        fd: i32,
        temporary: bool,
    ) -> vk::Result {
        let flags = if temporary { vk::FenceImportFlags::TEMPORARY } else { Default::default() };
        let info = vk::ImportFenceFdInfoKHR::default().fence(fence).handle_type(kind).fd(fd).flags(flags);
        // SAFETY: live handles and a valid structure, here and below.
        unsafe { commands::import_fence_fd::<D>()(self.device, &info) }
    }

    fn export_fence(
        &self,
        fence: vk::Fence,
        kind: vk::ExternalFenceHandleTypeFlags,
    ) -> Result<i32, vk::Result> {
        let (mut fd, info) = (0, vk::FenceGetFdInfoKHR::default().fence(fence).handle_type(kind));
        unsafe { commands::get_fence_fd::<D>()(self.device, &info, &mut fd) }.result_with_success(fd)
    }

    fn import(
        &self,
        semaphore: vk::Semaphore,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
        fd: i32,
        temporary: bool,
    ) -> vk::Result {
        let flags = if temporary { vk::SemaphoreImportFlags::TEMPORARY } else { Default::default() };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(kind)
            .fd(fd)
            .flags(flags);
        unsafe { commands::import_semaphore_fd::<D>()(self.device, &info) }
    }

    fn export(
        &self,
        semaphore: vk::Semaphore,
        kind: vk::ExternalSemaphoreHandleTypeFlags,
    ) -> Result<i32, vk::Result> {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(kind);
        let mut fd = 0;
        unsafe { commands::get_semaphore_fd::<D>()(self.device, &info, &mut fd) }.result_with_success(fd)
    }

    fn shared_binary(&self, kinds: vk::ExternalSemaphoreHandleTypeFlags) -> vk::Semaphore {
        self.try_semaphore(vk::SemaphoreType::BINARY, kinds).unwrap()
    }
}

/// Lets another process signal the timeline, by changing the shared state.
pub(super) fn share_timeline(bench: &Bench<Machine<ASSISTED>>, line: vk::Semaphore) -> Arc<State> {
    let fd = bench.export(line, OPAQUE).unwrap();
    bench.world().open.lock().unwrap()[&fd].clone()
}

fn open<const MODE: u8>(bench: &Bench<Machine<MODE>>) -> usize {
    bench.world().open.lock().unwrap().len()
}

#[test]
fn handles_asked_for_at_creation_choose_the_type() {
    let bench = Bench::<Machine<ASSISTED>>::new();
    let semaphores = [
        bench.binary(),
        bench.shared_binary(OPAQUE),
        bench.shared_binary(OPAQUE | SYNC),
        bench.shared_binary(EVENT),
        bench.try_semaphore(vk::SemaphoreType::TIMELINE, OPAQUE).unwrap(),
    ];
    let fences = [bench.fence(), bench.shared_fence()];
    let made = bench.world().made.lock().unwrap().clone();
    assert_eq!(made, [PLAIN, WITH_FDS, WITH_FDS, WITH_EVENTS, TIMELINES, PLAIN, WITH_FDS]);
    for (kind, handles) in [
        (vk::SemaphoreType::BINARY, OPAQUE | EVENT),
        (vk::SemaphoreType::BINARY, vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32),
        (vk::SemaphoreType::TIMELINE, SYNC),
    ] {
        assert_eq!(bench.try_semaphore(kind, handles), Err(vk::Result::ERROR_UNKNOWN));
    }
    bench.destroy(&semaphores, &fences);
}

#[test]
fn an_imported_fence_shares_its_payload() {
    let bench = Bench::<Machine<EMULATED>>::new();
    let (first, second) = (bench.shared_fence(), bench.shared_fence());
    let fd = bench.export_fence(first, FENCE_OPAQUE).unwrap();
    assert_eq!(bench.import_fence(second, FENCE_OPAQUE, fd, false), vk::Result::SUCCESS);
    assert_eq!(open(&bench), 0);
    bench.submit_ok(0, &[], &[], first);
    assert_eq!((bench.status(first), bench.status(second)), (vk::Result::SUCCESS, vk::Result::SUCCESS));
    bench.reset(second);
    assert_eq!((bench.status(first), bench.status(second)), (vk::Result::NOT_READY, vk::Result::NOT_READY));
    bench.destroy(&[], &[first, second]);
}

#[test]
fn a_fence_has_its_own_payload_back_when_it_is_reset() {
    let bench = Bench::<Machine<EMULATED>>::new();
    let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
    let (fence, other) = (bench.try_fence(&info).unwrap(), bench.shared_fence());
    let fd = bench.export_fence(other, FENCE_OPAQUE).unwrap();
    assert_eq!(bench.import_fence(fence, FENCE_OPAQUE, fd, true), vk::Result::SUCCESS);
    assert_eq!(bench.status(fence), vk::Result::NOT_READY);
    bench.submit_ok(0, &[], &[], fence);
    assert_eq!((bench.status(fence), bench.status(other)), (vk::Result::SUCCESS, vk::Result::SUCCESS));
    bench.reset(fence);
    // Restored and reset, and the other one is as it was.
    assert_eq!((bench.status(fence), bench.status(other)), (vk::Result::NOT_READY, vk::Result::SUCCESS));
    bench.submit_ok(0, &[], &[], fence);
    bench.reset(other);
    assert_eq!((bench.status(fence), bench.status(other)), (vk::Result::SUCCESS, vk::Result::NOT_READY));
    bench.destroy(&[], &[fence, other]);
}

#[test]
fn a_copied_fence_is_reset() {
    let bench = Bench::<Machine<EMULATED>>::new();
    let (fence, copy) = (bench.shared_fence(), bench.shared_fence());
    bench.submit_ok(0, &[], &[], fence);
    let fd = bench.export_fence(fence, FENCE_SYNC).unwrap();
    assert_eq!(bench.status(fence), vk::Result::NOT_READY);
    // A copied payload is temporary whatever the flags say, and exporting the copy restores the original.
    assert_eq!(bench.import_fence(copy, FENCE_SYNC, fd, false), vk::Result::SUCCESS);
    assert_eq!(bench.status(copy), vk::Result::SUCCESS);
    bench.export_fence(copy, FENCE_SYNC).unwrap();
    assert_eq!(bench.status(copy), vk::Result::NOT_READY);
    // No sync file at all is one that is signalled.
    assert_eq!(bench.import_fence(copy, FENCE_SYNC, -1, true), vk::Result::SUCCESS);
    assert_eq!(bench.status(copy), vk::Result::SUCCESS);
    bench.reset(copy);
    assert_eq!(bench.status(copy), vk::Result::NOT_READY);
    bench.destroy(&[], &[fence, copy]);
}

#[test]
fn a_wait_uses_up_a_temporary_payload() {
    fn waits<const MODE: u8>() {
        let bench = Bench::<Machine<MODE>>::new();
        let (binary, fence) = (bench.shared_binary(SYNC), bench.fence());
        bench.submit_ok(0, &[], &[(binary, 0)], NULL);
        let own = bench.export(binary, SYNC).unwrap();
        // Exported as a copy it is unsignalled, so it can be signalled again.
        bench.submit_ok(0, &[], &[(binary, 0)], NULL);
        assert_eq!(bench.import(binary, SYNC, own, true), vk::Result::SUCCESS);
        // Two waits in one call: one for the temporary payload, one for its own.
        let wait = [vk::SemaphoreSubmitInfo::default().semaphore(binary)];
        let info = vk::SubmitInfo2::default().wait_semaphore_infos(&wait);
        assert_eq!(bench.submit_all(1, &[info, info], fence), vk::Result::SUCCESS);
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        bench.reset(fence);
        // A wait and a signal in one submission: the signal goes to the semaphore's own payload, where the next wait
        // finds it.
        assert_eq!(bench.import(binary, SYNC, -1, false), vk::Result::SUCCESS);
        bench.submit_ok(1, &[(binary, 0)], &[(binary, 0)], NULL);
        bench.submit_ok(0, &[(binary, 0)], &[], fence);
        assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
        bench.destroy(&[binary], &[fence]);
    }
    waits::<ASSISTED>();
    waits::<EMULATED>();
    waits::<NATIVE>();
}

#[test]
fn a_submission_that_fails_leaves_the_temporary_payload() {
    let bench = Bench::<Machine<NATIVE>>::new();
    let binary = bench.shared_binary(SYNC);
    assert_eq!(bench.import(binary, SYNC, -1, true), vk::Result::SUCCESS);
    *bench.world().fails.lock().unwrap() = Err(sync_error());
    assert_eq!(bench.submit(0, &[(binary, 0)], &[], NULL), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    *bench.world().fails.lock().unwrap() = Ok(());
    let fd = bench.export(binary, SYNC).unwrap();
    assert_eq!(bench.world().open.lock().unwrap()[&fd].value.load(Ordering::SeqCst), 1);
    bench.destroy(&[binary], &[]);
}

fn sync_error() -> crate::result::SubmitError {
    crate::result::SubmitError::OutOfDeviceMemory
}

#[test]
fn a_permanent_payload_is_shared_both_ways() {
    fn shares<const MODE: u8>() {
        let bench = Bench::<Machine<MODE>>::new();
        let (first, second, fence) =
            (bench.shared_binary(OPAQUE), bench.shared_binary(OPAQUE), bench.fence());
        let fd = bench.export(first, OPAQUE).unwrap();
        assert_eq!(bench.import(second, OPAQUE, fd, false), vk::Result::SUCCESS);
        for (signalled, waited) in [(first, second), (second, first), (first, first)] {
            bench.submit_ok(0, &[], &[(signalled, 0)], NULL);
            bench.submit_ok(1, &[(waited, 0)], &[], fence);
            assert_eq!(bench.wait(fence, u64::MAX), vk::Result::SUCCESS);
            bench.reset(fence);
        }
        bench.destroy(&[first, second], &[fence]);
    }
    shares::<ASSISTED>();
    shares::<EMULATED>();
    shares::<NATIVE>();
}

#[test]
fn timelines_are_shared_if_they_are_the_drivers() {
    let bench = Bench::<Machine<ASSISTED>>::new();
    let (first, second) = (bench.timeline(), bench.timeline());
    let fd = bench.export(first, OPAQUE).unwrap();
    assert_eq!(bench.import(second, OPAQUE, fd, false), vk::Result::SUCCESS);
    bench.signal(first, 9);
    assert_eq!(bench.value(second), 9);
    bench.destroy(&[first, second], &[]);
    let bench = Bench::<Machine<EMULATED>>::new();
    let line = bench.timeline();
    assert_eq!(bench.export(line, OPAQUE), Err(vk::Result::ERROR_UNKNOWN));
    assert_eq!(bench.import(line, OPAQUE, 3, false), vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    bench.destroy(&[line], &[]);
}

/// A copy needs a submitted signal, so the thread must have passed it to the driver.
#[test]
fn an_export_of_a_copy_waits_for_the_thread() {
    let bench = Bench::<Machine<ASSISTED>>::new();
    let (binary, line, fence) = (bench.shared_binary(SYNC), bench.timeline(), bench.shared_fence());
    bench.submit_ok(0, &[(line, 1)], &[(binary, 0)], fence);
    std::thread::scope(|scope| {
        scope.spawn(|| bench.signal(line, 1));
        let copies = [bench.export(binary, SYNC).unwrap(), bench.export_fence(fence, FENCE_SYNC).unwrap()];
        for fd in copies {
            assert_eq!(bench.world().open.lock().unwrap()[&fd].pending.load(Ordering::SeqCst), 1);
        }
    });
    bench.destroy(&[binary, line], &[fence]);
}

#[test]
fn an_invalid_descriptor_is_refused_and_stays_the_applications() {
    let bench = Bench::<Machine<EMULATED>>::new();
    let (fence, binary, invalid) =
        (bench.shared_fence(), bench.shared_binary(SYNC), vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    let fd = bench.world().open(Arc::default());
    let win32 = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32;
    assert_eq!(bench.import_fence(fence, FENCE_OPAQUE, 999, false), invalid);
    assert_eq!(bench.import_fence(fence, FENCE_OPAQUE | FENCE_SYNC, fd, false), invalid);
    assert_eq!(bench.import(binary, win32, fd, false), invalid);
    assert_eq!(bench.export(binary, win32), Err(vk::Result::ERROR_UNKNOWN));
    assert_eq!(open(&bench), 1);
    bench.destroy(&[binary], &[fence]);
}

#[test]
fn zircon_events_are_shared() {
    let bench = Bench::<Machine<EMULATED>>::new();
    let (first, second, fence) = (bench.shared_binary(EVENT), bench.binary(), bench.fence());
    let info = vk::SemaphoreGetZirconHandleInfoFUCHSIA::default().semaphore(first).handle_type(EVENT);
    let mut import =
        vk::ImportSemaphoreZirconHandleInfoFUCHSIA::default().semaphore(second).handle_type(OPAQUE);
    unsafe {
        let exported = commands::get_semaphore_zircon_handle::<Machine<EMULATED>>()(
            bench.device,
            &info,
            &mut import.zircon_handle,
        );
        assert_eq!(exported, vk::Result::SUCCESS);
        let imported = commands::import_semaphore_zircon_handle::<Machine<EMULATED>>()(bench.device, &import);
        assert_eq!(imported, vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
        import.handle_type = EVENT;
        let imported = commands::import_semaphore_zircon_handle::<Machine<EMULATED>>()(bench.device, &import);
        assert_eq!(imported, vk::Result::SUCCESS);
    }
    bench.submit_ok(0, &[], &[(first, 0)], NULL);
    bench.submit_ok(1, &[(second, 0)], &[], fence);
    assert_eq!(bench.wait(fence, 0), vk::Result::SUCCESS);
    bench.destroy(&[first, second], &[fence]);
}

#[test]
fn what_can_be_shared_is_what_creation_and_import_accept() {
    use vk::{ExternalFenceFeatureFlags as FenceFeature, ExternalSemaphoreFeatureFlags as Feature};
    let bench = Bench::<Machine<ASSISTED>>::new();
    let fence = |kind| {
        let info = vk::PhysicalDeviceExternalFenceInfo::default().handle_type(kind);
        let mut out = vk::ExternalFenceProperties::default();
        unsafe {
            commands::get_physical_device_external_fence_properties::<Machine<ASSISTED>>()(
                bench.physical,
                &info,
                &mut out,
            );
        }
        (out.export_from_imported_handle_types, out.compatible_handle_types, out.external_fence_features)
    };
    let (both, all) = (FENCE_OPAQUE | FENCE_SYNC, FenceFeature::EXPORTABLE | FenceFeature::IMPORTABLE);
    assert!(fence(FENCE_OPAQUE) == (both, both, all) && fence(FENCE_SYNC) == (both, both, all));
    let nothing = Default::default();
    assert!(fence(vk::ExternalFenceHandleTypeFlags::OPAQUE_WIN32) == nothing);

    let all = Feature::EXPORTABLE | Feature::IMPORTABLE;
    let rows = [
        (vk::SemaphoreType::BINARY, OPAQUE, OPAQUE | SYNC, all),
        (vk::SemaphoreType::BINARY, SYNC, OPAQUE | SYNC, all),
        (vk::SemaphoreType::BINARY, EVENT, EVENT, all),
        (vk::SemaphoreType::TIMELINE, OPAQUE, OPAQUE, all),
        (vk::SemaphoreType::TIMELINE, SYNC, Default::default(), Feature::empty()),
    ];
    for (kind, handle, compatible, features) in rows {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
        let info =
            vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(handle).push_next(&mut kind);
        let mut out = vk::ExternalSemaphoreProperties::default();
        unsafe {
            commands::get_physical_device_external_semaphore_properties::<Machine<ASSISTED>>()(
                bench.physical,
                &info,
                &mut out,
            );
        }
        assert!(out.compatible_handle_types == compatible && out.external_semaphore_features == features);
        assert!(out.export_from_imported_handle_types == compatible);
    }
}
