//! Memory, semaphores and fences that are shared: by two processes, by two objects, with the application.

use std::env;
use std::ffi::c_int;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};

use ash::{ext, khr, vk};

use super::{Context, run};
use crate::run::CONTENT;

const SIZE: u64 = 64;
const OPAQUE_MEMORY: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
const OPAQUE_SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags =
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const SYNC_FD: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::SYNC_FD;
const OPAQUE_FENCE: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;

/// A device with everything that shares.
struct Sharing {
    context: Context,
    memory: khr::external_memory_fd::Device,
    semaphores: khr::external_semaphore_fd::Device,
    fences: khr::external_fence_fd::Device,
}

impl Sharing {
    fn new() -> Self {
        let names = [
            khr::external_memory_fd::NAME,
            khr::external_semaphore_fd::NAME,
            khr::external_fence_fd::NAME,
            ext::external_memory_host::NAME,
        ];
        let context = Context::with(vk::API_VERSION_1_3, &[], &names);
        let (instance, device) = (&context.instance, &context.device);
        let memory = khr::external_memory_fd::Device::new(instance, device);
        let semaphores = khr::external_semaphore_fd::Device::new(instance, device);
        let fences = khr::external_fence_fd::Device::new(instance, device);
        Self { context, memory, semaphores, fences }
    }

    fn device(&self) -> &ash::Device {
        &self.context.device
    }

    /// Creates a buffer whose memory is allocated with `chained`.
    unsafe fn buffer(
        &self,
        chained: &mut impl vk::ExtendsMemoryAllocateInfo,
    ) -> Result<(vk::Buffer, vk::DeviceMemory), vk::Result> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_MEMORY);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(SIZE).usage(usage).push_next(&mut external);
        let size = vk::MemoryAllocateInfo::default().allocation_size(SIZE).push_next(chained);
        unsafe {
            let buffer = self.device().create_buffer(&info, None).unwrap();
            match self.device().allocate_memory(&size, None) {
                Ok(memory) => {
                    self.device().bind_buffer_memory(buffer, memory, 0).unwrap();
                    Ok((buffer, memory))
                }
                Err(error) => {
                    self.device().destroy_buffer(buffer, None);
                    Err(error)
                }
            }
        }
    }

    unsafe fn free(&self, (buffer, memory): (vk::Buffer, vk::DeviceMemory)) {
        // SAFETY: the handles are live and not in use.
        unsafe {
            self.device().destroy_buffer(buffer, None);
            self.device().free_memory(memory, None);
        }
    }

    unsafe fn semaphore(&self, kinds: vk::ExternalSemaphoreHandleTypeFlags) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(kinds);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        unsafe { self.device().create_semaphore(&info, None) }.unwrap()
    }

    unsafe fn export(&self, semaphore: vk::Semaphore, kind: vk::ExternalSemaphoreHandleTypeFlags) -> c_int {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(kind);
        unsafe { self.semaphores.get_semaphore_fd(&info) }.unwrap()
    }

    unsafe fn import(&self, semaphore: vk::Semaphore, fd: c_int, kind: vk::ExternalSemaphoreHandleTypeFlags) {
        let flags = if kind == SYNC_FD { vk::SemaphoreImportFlags::TEMPORARY } else { Default::default() };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(kind)
            .fd(fd)
            .flags(flags);
        // SAFETY: a valid structure, a live handle and a descriptor that is given away.
        unsafe { self.semaphores.import_semaphore_fd(&info) }.unwrap();
    }

    /// Waits for one semaphore, does the work, signals another one; either may be null.
    unsafe fn submit(&self, wait: vk::Semaphore, signal: vk::Semaphore, fence: vk::Fence) {
        let (waits, signals) = ([wait], [signal]);
        let mut work = vk::SubmitInfo::default();
        if wait != vk::Semaphore::null() {
            work = work.wait_semaphores(&waits).wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS]);
        }
        if signal != vk::Semaphore::null() {
            work = work.signal_semaphores(&signals);
        }
        unsafe {
            let queue = self.device().get_device_queue(0, 0);
            self.device().queue_submit(queue, &[work], fence).unwrap();
        }
    }

    unsafe fn fill(&self, buffer: vk::Buffer, offset: u64, word: u32) {
        unsafe {
            run(self.device(), |commands| {
                self.device().cmd_fill_buffer(commands, buffer, offset, 16, word);
            });
        }
    }

    unsafe fn read(&self, memory: vk::DeviceMemory) -> Vec<u8> {
        // SAFETY: the memory is live and so large.
        unsafe {
            let start = self.device().map_memory(memory, 0, SIZE, vk::MemoryMapFlags::empty()).unwrap();
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), SIZE as usize).to_vec();
            self.device().unmap_memory(memory);
            bytes
        }
    }
}

/// This process fills the beginning of a buffer, then the other one fills the rest.
#[test]
#[ignore = "run by the other tests"]
fn two_processes() {
    unsafe {
        let here = Sharing::new();
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_MEMORY);
        let shared = here.buffer(&mut export).unwrap();
        let [ready, answered] = [here.semaphore(OPAQUE_SEMAPHORE), here.semaphore(OPAQUE_SEMAPHORE)];
        let info = vk::MemoryGetFdInfoKHR::default().memory(shared.1).handle_type(OPAQUE_MEMORY);
        let handles = [
            here.memory.get_memory_fd(&info).unwrap(),
            here.export(ready, OPAQUE_SEMAPHORE),
            here.export(answered, OPAQUE_SEMAPHORE),
        ];
        here.fill(shared.0, 0, 0x1111_1111);
        here.submit(vk::Semaphore::null(), ready, vk::Fence::null());

        let paths = handles.map(|fd| format!("/proc/{}/fd/{fd}", std::process::id())).join(" ");
        let mut other = Command::new(env::current_exe().unwrap());
        other.args(["--ignored", "--exact", "programs::sharing::the_other_process", "--nocapture"]);
        let mut other = other.env("TEST_HANDLES", paths).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(other.stdout.take().unwrap()).lines().map(Result::unwrap);
        // The process submits before it prints.
        let said: Vec<String> = lines.collect();
        assert!(said.iter().any(|line| line == CONTENT), "{said:?}");
        assert!(other.wait().unwrap().success());

        here.submit(answered, vk::Semaphore::null(), vk::Fence::null());
        here.device().device_wait_idle().unwrap();
        let bytes = here.read(shared.1);
        assert!(
            bytes[..16] == [0x11; 16] && bytes[16..32] == [0x22; 16] && bytes[32..] == [0; 32],
            "{bytes:x?}"
        );
        drop(handles.map(|fd| OwnedFd::from_raw_fd(fd)));
        for semaphore in [ready, answered] {
            here.device().destroy_semaphore(semaphore, None);
        }
        here.free(shared);
        here.context.end();
    }
}

#[test]
#[ignore = "run by another program"]
fn the_other_process() {
    let open = |path: &str| OpenOptions::new().read(true).write(true).open(path).unwrap();
    let handles: Vec<File> = env::var("TEST_HANDLES").unwrap().split(' ').map(open).collect();
    let [memory, ready, answered] = <[File; 3]>::try_from(handles).unwrap().map(IntoRawFd::into_raw_fd);
    unsafe {
        let here = Sharing::new();
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(OPAQUE_MEMORY).fd(memory);
        let shared = here.buffer(&mut import).unwrap();
        assert!(!is_open(memory), "the handle is the driver's, which has the memory");
        let semaphores = [ready, answered].map(|fd| {
            let semaphore = here.semaphore(Default::default());
            here.import(semaphore, fd, OPAQUE_SEMAPHORE);
            semaphore
        });
        here.submit(semaphores[0], vk::Semaphore::null(), vk::Fence::null());
        here.device().device_wait_idle().unwrap();
        assert_eq!(here.read(shared.1)[..16], [0x11; 16]);
        here.fill(shared.0, 16, 0x2222_2222);
        here.submit(vk::Semaphore::null(), semaphores[1], vk::Fence::null());
        here.device().device_wait_idle().unwrap();
        semaphores.iter().for_each(|semaphore| here.device().destroy_semaphore(*semaphore, None));
        here.free(shared);
        here.context.end();
    }
}

fn is_open(fd: c_int) -> bool {
    fs::symlink_metadata(format!("/proc/self/fd/{fd}")).is_ok()
}

/// Prints one process's abilities with handles.
#[test]
#[ignore = "run by the other tests"]
fn handles() {
    unsafe {
        let here = Sharing::new();
        wrong_handles_stay(&here);
        fences_share(&here);
        sync_files(&here);
        host_memory(&here);
        queries(&here.context);
        here.context.end();
    }
}

unsafe fn wrong_handles_stay(here: &Sharing) {
    let file = File::open(Path::new("/dev/null")).unwrap();
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(OPAQUE_MEMORY).fd(file.as_raw_fd());
    unsafe {
        let refused = here.buffer(&mut import).err();
        assert_eq!(refused, Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE));
        let semaphore = here.semaphore(Default::default());
        for kind in [OPAQUE_SEMAPHORE, SYNC_FD] {
            let fd = if kind == SYNC_FD { 9999 } else { file.as_raw_fd() };
            let info = vk::ImportSemaphoreFdInfoKHR::default().semaphore(semaphore).handle_type(kind).fd(fd);
            let refused = here.semaphores.import_semaphore_fd(&info);
            assert_eq!(refused, Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE), "{:#x}", kind.as_raw());
        }
        here.device().destroy_semaphore(semaphore, None);
    }
    assert!(is_open(file.as_raw_fd()));
}

/// One fence is signalled, and so is the one that has its payload.
unsafe fn fences_share(here: &Sharing) {
    let device = here.device();
    unsafe {
        let mut export = vk::ExportFenceCreateInfo::default().handle_types(OPAQUE_FENCE);
        let one = device.create_fence(&vk::FenceCreateInfo::default().push_next(&mut export), None).unwrap();
        let other = device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let info = vk::FenceGetFdInfoKHR::default().fence(one).handle_type(OPAQUE_FENCE);
        let fd = here.fences.get_fence_fd(&info).unwrap();
        let info = vk::ImportFenceFdInfoKHR::default().fence(other).handle_type(OPAQUE_FENCE).fd(fd);
        here.fences.import_fence_fd(&info).unwrap();
        assert!(!device.get_fence_status(other).unwrap());
        here.submit(vk::Semaphore::null(), vk::Semaphore::null(), one);
        device.wait_for_fences(&[other], true, u64::MAX).unwrap();
        device.reset_fences(&[other]).unwrap();
        assert!(!device.get_fence_status(one).unwrap());
        [one, other].iter().for_each(|fence| device.destroy_fence(*fence, None));
    }
}

/// A signal is copied out, -1 and whatever can be polled is copied in.
unsafe fn sync_files(here: &Sharing) {
    unsafe {
        let semaphore = here.semaphore(SYNC_FD);
        here.submit(vk::Semaphore::null(), semaphore, vk::Fence::null());
        assert_eq!(here.export(semaphore, SYNC_FD), -1, "it has happened");
        // The export has used the signal up, so there can be another one.
        here.submit(vk::Semaphore::null(), semaphore, vk::Fence::null());
        here.submit(semaphore, vk::Semaphore::null(), vk::Fence::null());
        here.import(semaphore, -1, SYNC_FD);
        here.submit(semaphore, vk::Semaphore::null(), vk::Fence::null());
        let (reader, mut writer) = std::io::pipe().unwrap();
        let fd = OwnedFd::from(reader).into_raw_fd();
        here.import(semaphore, fd, SYNC_FD);
        writer.write_all(b"!").unwrap();
        here.submit(semaphore, vk::Semaphore::null(), vk::Fence::null());
        here.device().device_wait_idle().unwrap();
        assert!(!is_open(fd), "the wait has used it up");
        here.device().destroy_semaphore(semaphore, None);
    }
}

/// A buffer in the application's own memory.
unsafe fn host_memory(here: &Sharing) {
    #[repr(align(4096))]
    struct Page([u8; 4096]);
    let mut page = Box::new(Page([7; 4096]));
    let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let device = here.device();
    // SAFETY: valid structures and live handles; the page lives longer than the memory.
    unsafe {
        let host = ext::external_memory_host::Device::new(&here.context.instance, device);
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        let get = host.fp().get_memory_host_pointer_properties_ext;
        let result = get(device.handle(), kind, (&raw const *page).cast(), &mut properties);
        assert_eq!(result, vk::Result::SUCCESS);
        assert_eq!(properties.memory_type_bits, 1);
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
            .handle_type(kind)
            .host_pointer((&raw mut *page).cast());
        let info = vk::MemoryAllocateInfo::default().allocation_size(4096).push_next(&mut import);
        let memory = device.allocate_memory(&info, None).unwrap();
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
        let info = vk::BufferCreateInfo::default().size(SIZE).usage(usage).push_next(&mut external);
        let target = device.create_buffer(&info, None).unwrap();
        device.bind_buffer_memory(target, memory, 64).unwrap();
        run(device, |commands| {
            device.cmd_fill_buffer(commands, target, 0, 8, 0x0505_0505);
        });
        device.destroy_buffer(target, None);
        device.free_memory(memory, None);
    }
    assert!(page.0[..64] == [7; 64] && page.0[64..72] == [5; 8] && page.0[72..] == [7; 4024]);
}

unsafe fn queries(context: &Context) {
    let physical = context.physical;
    unsafe {
        let instance = &context.instance;
        let mut out = vk::ExternalSemaphoreProperties::default();
        for kind in [OPAQUE_SEMAPHORE, SYNC_FD] {
            let info = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(kind);
            instance.get_physical_device_external_semaphore_properties(physical, &info, &mut out);
            let both =
                vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE;
            assert!(out.external_semaphore_features == both);
        }
        for (kind, there) in [(OPAQUE_MEMORY, true), (vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT, false)]
        {
            let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(kind);
            let info = vk::PhysicalDeviceImageFormatInfo2::default()
                .format(vk::Format::R8G8B8A8_UNORM)
                .ty(vk::ImageType::TYPE_2D)
                .usage(vk::ImageUsageFlags::SAMPLED)
                .push_next(&mut external);
            let mut sharing = vk::ExternalImageFormatProperties::default();
            let mut out = vk::ImageFormatProperties2::default().push_next(&mut sharing);
            let result = instance.get_physical_device_image_format_properties2(physical, &info, &mut out);
            assert_eq!(result.is_ok(), there, "{:#x}", kind.as_raw());
            assert_eq!(sharing.external_memory_properties.compatible_handle_types.contains(kind), there);
            let info = vk::PhysicalDeviceExternalBufferInfo::default()
                .usage(vk::BufferUsageFlags::TRANSFER_SRC)
                .handle_type(kind);
            let mut out = vk::ExternalBufferProperties::default();
            instance.get_physical_device_external_buffer_properties(physical, &info, &mut out);
            let known = out.external_memory_properties.external_memory_features;
            assert_eq!(
                known.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE),
                there,
                "{:#x}",
                kind.as_raw()
            );
        }
    }
}
