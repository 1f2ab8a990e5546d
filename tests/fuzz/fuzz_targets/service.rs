//! Answers of Fuchsia's loader service: no bytes and no number of handles make their reader fail, it takes exactly what
//! the protocol has, and nothing stays open.
//!
//! The input: how many handles come with the first answer and with the second, how many bytes the first one has, then the
//! bytes of both.
#![no_main]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

use libfuzzer_sys::fuzz_target;
use platform_fuchsia::{
    Descriptor, ErrorNumber, FileState, FileSystem, Fuchsia, Handle, RawHandle, Received, Status, System,
};
use vkload_core::memory::{Text, text};
use vkload_core::platform::{Files, Libraries, LibraryKind};

const MANIFESTS: &[u8] = b"/svc/fuchsia.vulkan.loader.Loader/manifests";
const GET: u64 = 0x73db_bfb6_2e99_320a;
const GET_SUPPORTED_FEATURES: u64 = 0x381a_bfce_1728_92bd;

fuzz_target!(|input: &[u8]| {
    let [of_features, of_get, length, bytes @ ..] = input else { return };
    let (features, get) = bytes.split_at(bytes.len().min(usize::from(*length)));
    let handles = [of_features, of_get].map(|count| usize::from(count % 5));
    let answers = [features, get].map(|bytes| &bytes[..bytes.len().min(LONGEST)]);
    *SYSTEM.world() = World::new(answers, handles);

    let has_features = parameter(GET_SUPPORTED_FEATURES, answers[0])
        .is_some_and(|features| features & 0x7 == 0x7 && handles[0] == 0);
    let has_library = has_features
        && match parameter(GET, answers[1]) {
            Some(u32::MAX) => handles[1] == 1,
            _ => false,
        };
    let fuchsia = Fuchsia::new(&SYSTEM, 0, open_nothing);
    assert_eq!(fuchsia.exists(MANIFESTS), has_features);
    let opened = fuchsia.open(b"driver", LibraryKind::Driver).expect_err("there are no libraries");
    assert!(!opened.is_empty());
    assert_eq!(SYSTEM.world().libraries, usize::from(has_library));
    drop(fuchsia);
    assert_eq!(SYSTEM.world().open, 0, "something stays open");
});

/// Returns the parameter of an answer to the method with this ordinal, if the bytes form one.
fn parameter(ordinal: u64, answer: &[u8]) -> Option<u32> {
    let answer: &[u8; 24] = answer.try_into().ok()?;
    let number = |range: std::ops::Range<usize>| u32::from_le_bytes(answer[range].try_into().unwrap());
    let is_good = answer[4] & 2 != 0
        && answer[6..8] == [0, 1]
        && answer[8..16] == ordinal.to_le_bytes()
        && answer[3] >= 0x80
        && number(20..24) == 0;
    is_good.then(|| number(16..20))
}

/// The maximum size of a message of the loader, in bytes.
const LONGEST: usize = 24;

static SYSTEM: Scripted = Scripted(Mutex::new(World::new([&[]; 2], [0; 2])));

/// A system whose service gives the two answers of the input.
struct Scripted(Mutex<World>);

struct World {
    answers: [([u8; LONGEST], usize); 2],
    handles: [usize; 2],
    asked: usize,
    /// A bit for each handle and descriptor that is open.
    open: u64,
    made: u32,
    /// Libraries that were opened from memory of the service.
    libraries: usize,
}

impl World {
    const fn new(answers: [&[u8]; 2], handles: [usize; 2]) -> Self {
        let answers = [Self::copy(answers[0]), Self::copy(answers[1])];
        Self { answers, handles, asked: 0, open: 0, made: 0, libraries: 0 }
    }

    const fn copy(from: &[u8]) -> ([u8; LONGEST], usize) {
        let mut bytes = [0; LONGEST];
        let mut place = 0;
        while place < from.len() {
            bytes[place] = from[place];
            place += 1;
        }
        (bytes, place)
    }

    fn make(&mut self) -> u32 {
        self.made += 1;
        self.open |= 1 << self.made;
        self.made
    }

    fn close(&mut self, number: u32) {
        assert!(self.open & (1 << number) != 0, "{number} is closed twice");
        self.open &= !(1 << number);
    }
}

impl Scripted {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }
}

impl System for Scripted {
    fn close_handle(&self, handle: RawHandle) {
        self.world().close(handle);
    }

    fn create_channel(&'static self) -> Result<(Handle, Handle), Status> {
        let [one, other] = {
            let mut world = self.world();
            [world.make(), world.make()]
        };
        Ok((Handle::new(self, one).unwrap(), Handle::new(self, other).unwrap()))
    }

    fn write_channel(&self, _: RawHandle, _: &[u8], handle: Handle) -> Result<(), Status> {
        drop(handle);
        Ok(())
    }

    fn call_channel(
        &self,
        _: RawHandle,
        _: &[u8],
        reply: &mut [u8],
        handles: &mut [RawHandle],
    ) -> Result<Received, Status> {
        let mut world = self.world();
        let (bytes, length) = world.answers[world.asked];
        let count = world.handles[world.asked];
        world.asked += 1;
        reply[..length].copy_from_slice(&bytes[..length]);
        handles[..count].fill_with(|| world.make());
        Ok(Received { bytes: length, handles: count })
    }

    fn connect(&self, _: &CStr, request: Handle) -> Result<(), Status> {
        drop(request);
        Ok(())
    }

    fn connect_at(&self, _: RawHandle, _: &CStr, request: Handle) -> Result<(), Status> {
        drop(request);
        Ok(())
    }

    fn descriptor_of(&self, channel: Handle) -> Result<Descriptor, Status> {
        drop(channel);
        Ok(self.world().make() as Descriptor)
    }

    fn open_executable(&self, _: &CStr) -> Result<Descriptor, Status> {
        Err(Status::BAD_PATH)
    }

    fn executable_memory(&'static self, _: Descriptor) -> Result<Handle, Status> {
        Err(Status::INVALID_ARGS)
    }

    fn files(&self) -> &dyn FileSystem {
        self
    }

    fn open_library(&self, _: &CStr) -> Result<NonNull<c_void>, Text> {
        Err(words())
    }

    fn open_library_in(&self, memory: RawHandle) -> Result<NonNull<c_void>, Text> {
        let mut world = self.world();
        assert!(world.open & (1 << memory) != 0, "the memory is closed");
        world.libraries += 1;
        Err(words())
    }

    fn symbol(&self, _: NonNull<c_void>, _: &CStr) -> Option<NonNull<c_void>> {
        None
    }

    unsafe fn close_library(&self, _: NonNull<c_void>) {}
}

impl FileSystem for Scripted {
    fn open(&self, _: Descriptor, _: &CStr, _: c_int) -> Result<Descriptor, ErrorNumber> {
        Err(ErrorNumber(2))
    }

    fn access(&self, at: Descriptor, _: &CStr) -> Result<(), ErrorNumber> {
        assert!(self.world().open & (1 << at) != 0, "the folder is closed");
        Ok(())
    }

    fn state(&self, _: Descriptor) -> Result<FileState, ErrorNumber> {
        Err(ErrorNumber(9))
    }

    fn read(&self, _: Descriptor, _: &mut [u8]) -> Result<usize, ErrorNumber> {
        Err(ErrorNumber(9))
    }

    fn list(&self, _: Descriptor, _: &mut dyn FnMut(&[u8])) -> Result<(), ErrorNumber> {
        Err(ErrorNumber(9))
    }

    fn close(&self, file: Descriptor) {
        self.world().close(file as u32);
    }
}

fn words() -> Text {
    text(&[b"there are no libraries"]).unwrap_or_default()
}

unsafe extern "system" fn open_nothing(_: *const std::ffi::c_char, _: RawHandle) -> ash::vk::Result {
    ash::vk::Result::ERROR_INITIALIZATION_FAILED
}
