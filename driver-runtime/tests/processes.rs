//! Two processes share a timeline semaphore: each waits for the other's submissions, with queues that have threads.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use vkload_driver_runtime::host::Linux;
use vkload_driver_runtime::prelude::*;
use vkload_driver_runtime::registry::{ExtensionSet, extension};
use vkload_driver_runtime::vk;
use vkload_driver_runtime::work::{Signal, Wait};

#[path = "../src/testing/no_parts.rs"]
mod no_parts;
use no_parts::no_parts;

struct Neighbour;

vkload_driver_runtime::export_icd!(Neighbour);

/// A timeline's value, and the value that its submissions will reach, in a file that processes map.
struct Shared {
    file: File,
    numbers: NonNull<[AtomicU64; 2]>,
}

const SIZE: usize = size_of::<[AtomicU64; 2]>();

// SAFETY: the numbers are atomic, and the file is only duplicated.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(initial: u64) -> io::Result<Self> {
        // SAFETY: a valid name.
        let fd = unsafe { libc::memfd_create(c"timeline".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and has no other owner.
        let file = unsafe { File::from_raw_fd(fd) };
        file.set_len(SIZE as u64)?;
        let shared = Self::of(file)?;
        shared.signal(initial);
        Ok(shared)
    }

    fn of(file: File) -> io::Result<Self> {
        if file.metadata()?.len() != SIZE as u64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (access, fd) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd());
        // SAFETY: the file is large enough, and a mapping at an address of the system's choice affects no other code.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), SIZE, access, libc::MAP_SHARED, fd, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let numbers = NonNull::new(address.cast()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { file, numbers })
    }

    fn numbers(&self) -> &[AtomicU64; 2] {
        // SAFETY: the mapping lives as long as this, and zeros are numbers.
        unsafe { self.numbers.as_ref() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: this value made the mapping, and no reference into it remains.
        unsafe { libc::munmap(self.numbers.as_ptr().cast(), SIZE) };
    }
}

impl SyncObject for Shared {
    fn value(&self) -> u64 {
        self.numbers()[0].load(Ordering::SeqCst)
    }
    fn signal(&self, value: u64) {
        self.numbers()[1].fetch_max(value, Ordering::SeqCst);
        self.numbers()[0].store(value, Ordering::SeqCst);
    }
    fn reset(&self) {
        self.numbers().iter().for_each(|number| number.store(0, Ordering::SeqCst));
    }
    fn is_pending(&self, value: u64) -> bool {
        self.numbers()[1].load(Ordering::SeqCst) >= value
    }
}

const OPAQUE: HandleKinds = HandleKinds::of(&[HandleKind::OpaqueFd]);
const WAITS: Ability = Ability::GPU_WAIT.and(Ability::CPU_WAIT).and(Ability::WAIT_PENDING);

impl Driver for Neighbour {
    no_parts!();
    type Sync = Shared;
    const SYNC_TYPES: &'static [SyncType] = &[
        SyncType::new(Ability::BINARY.and(WAITS).and(Ability::CPU_RESET)),
        SyncType::new(Ability::TIMELINE.and(WAITS)).sharing(OPAQUE, OPAQUE),
    ];

    fn host() -> &'static dyn Host {
        &Linux
    }
    fn enumerate(_: &Instance<Self>, found: &mut Enumeration<'_, Self>) -> Result<Search, EnumerateError> {
        let mut known = Description::new(b"neighbour", vk::API_VERSION_1_3, vk::PhysicalDeviceType::OTHER);
        known.extensions = ExtensionSet::new(&[extension::KHR_EXTERNAL_SEMAPHORE_FD]);
        known.queue_family_count = 1;
        known.queue_families[0].queue_count = 1;
        found.push(known, ())?;
        Ok(Search::Done)
    }
    fn create_sync(_: &Device<Self>, _: usize, initial: u64) -> Result<Shared, SubmitError> {
        Shared::new(initial).map_err(|_| SubmitError::OutOfDeviceMemory)
    }
    fn import_sync(_: &Device<Self>, _: usize, handle: Handle) -> Result<Shared, ImportError> {
        // SAFETY: the descriptor is open; its owner is decided only afterwards.
        let file = unsafe { File::from_raw_fd(handle.fd()) };
        file.try_clone().and_then(Shared::of).map_err(|_| {
            // It stays the application's.
            let _ = file.into_raw_fd();
            ImportError::InvalidExternalHandle
        })
    }
    fn export_sync(_: &Device<Self>, sync: &Shared, kind: HandleKind) -> Result<Handle, ExportError> {
        let copy = sync.file.as_fd().try_clone_to_owned().map_err(|_| ExportError::TooManyObjects)?;
        // SAFETY: the copy is open, and its owner gives it away.
        Ok(unsafe { Handle::new(kind, copy.into_raw_fd()) })
    }
    /// Runs the work at once. The signals that it waits for are submitted, possibly by the other process, which also
    /// runs its work at once.
    fn submit(_: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError> {
        for wait in work.waits {
            assert!(wait.sync.is_pending(wait.value), "given before its time");
            while wait.sync.value() < wait.value {
                thread::yield_now();
            }
        }
        work.waits.iter().for_each(Wait::done);
        work.signals.iter().for_each(Signal::done);
        Ok(())
    }
}

/// An instance and a device, as an application has them.
struct Application {
    instance: ash::Instance,
    device: ash::Device,
    sharing: ash::khr::external_semaphore_fd::Device,
    queue: vk::Queue,
}

impl Application {
    fn new() -> Self {
        let look_up = ash::StaticFn { get_instance_proc_addr: vk_icdGetInstanceProcAddr };
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let names = [ash::khr::external_semaphore_fd::NAME.as_ptr()];
        let wanted =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
        // SAFETY: valid structures, and the driver's own functions.
        unsafe {
            let instance =
                ash::Entry::from_static_fn(look_up).create_instance(&info, None).expect("an instance");
            let physical = instance.enumerate_physical_devices().expect("devices")[0];
            let device = instance.create_device(physical, &wanted, None).expect("a device");
            let sharing = ash::khr::external_semaphore_fd::Device::new(&instance, &device);
            let queue = device.get_device_queue(0, 0);
            Self { instance, device, sharing, queue }
        }
    }

    fn timeline(&self) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
        // SAFETY: a valid structure.
        unsafe { self.device.create_semaphore(&info, None) }.expect("a semaphore")
    }

    fn submit(&self, semaphore: vk::Semaphore, wait: u64, signal: u64) {
        let at = |value| [vk::SemaphoreSubmitInfo::default().semaphore(semaphore).value(value)];
        let (waits, signals) = (at(wait), at(signal));
        let work = vk::SubmitInfo2::default().wait_semaphore_infos(&waits).signal_semaphore_infos(&signals);
        // SAFETY: live handles and valid structures.
        unsafe { self.device.queue_submit2(self.queue, &[work], vk::Fence::null()) }.expect("a submission");
    }

    fn wait(&self, semaphore: vk::Semaphore, value: u64) {
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: a live handle and a valid structure.
        unsafe { self.device.wait_semaphores(&info, u64::MAX) }.expect("a wait");
    }

    fn end(self, semaphore: vk::Semaphore) {
        // SAFETY: the handles are live, and nothing uses them when the device is idle.
        unsafe {
            self.device.device_wait_idle().expect("an idle device");
            self.device.destroy_semaphore(semaphore, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

const STEPS: u64 = 20;

/// This process signals the odd values and the other one the even ones, and each waits for the value before.
#[test]
fn two_processes_wait_for_each_other() {
    let application = Application::new();
    let semaphore = application.timeline();
    let info = vk::SemaphoreGetFdInfoKHR::default()
        .semaphore(semaphore)
        .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD);
    // SAFETY: a live handle and a valid structure; the descriptor is ours.
    let fd = unsafe { OwnedFd::from_raw_fd(application.sharing.get_semaphore_fd(&info).expect("a handle")) };
    for step in (1..STEPS).step_by(2) {
        application.submit(semaphore, step - 1, step);
    }
    let mut other = Command::new(std::env::current_exe().expect("a path"));
    other.args(["--exact", "the_other_process"]).stdin(Stdio::from(fd)).stdout(Stdio::null());
    let mut other = other.spawn().expect("another process");
    application.wait(semaphore, STEPS);
    assert!(other.wait().expect("the other process").success());
    application.end(semaphore);
}

/// The other process, which has the handle as its standard input; does nothing without one.
#[test]
fn the_other_process() {
    let handle = io::stdin().as_fd().try_clone_to_owned().map(File::from).expect("an input");
    if handle.metadata().expect("facts").len() != SIZE as u64 {
        return;
    }
    let application = Application::new();
    let semaphore = application.timeline();
    let info = vk::ImportSemaphoreFdInfoKHR::default()
        .semaphore(semaphore)
        .handle_type(vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD)
        .fd(handle.into_raw_fd());
    // SAFETY: a live handle and a valid structure, with a descriptor that is given away.
    unsafe { application.sharing.import_semaphore_fd(&info) }.expect("an import");
    for step in (2..=STEPS).step_by(2) {
        application.submit(semaphore, step - 1, step);
    }
    application.wait(semaphore, STEPS);
    application.end(semaphore);
}
