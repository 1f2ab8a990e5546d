//! The loader's calls of the system, answered from its folder and its state.

use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileExt as _;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

use platform_android::system::{
    BufferKind, Fence, Library, Namespace, OpenMethod, PropertyValue, Statistic, System,
};
use vkload_core::log::Level;
use vkload_core::memory::{OutOfMemory, Text, TryGrow as _, Vec as TryVec, text};
use vkload_core::platform::{FileError, Waiting};

use crate::{Android, fences};

impl Waiting for Android {
    fn wait(&self, _: u32) {
        std::thread::yield_now();
    }

    fn thread(&self) -> usize {
        // SAFETY: `pthread_self` has no preconditions.
        (unsafe { libc::pthread_self() }) as usize
    }

    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        self.sleepers.sleep(word, value, None);
    }

    fn wake_all(&self, _: &AtomicU32) {
        self.sleepers.wake();
    }
}

impl System for Android {
    fn property(&self, name: &CStr) -> PropertyValue {
        let name = name.to_string_lossy();
        self.change()
            .properties
            .get(name.as_ref())
            .map_or(PropertyValue::empty(), |value| PropertyValue::new(value.as_bytes()))
    }

    fn whole_property(&self, name: &CStr) -> Result<Text, OutOfMemory> {
        let value =
            self.change().properties.get(name.to_string_lossy().as_ref()).cloned().unwrap_or_default();
        text(&[value.as_bytes()])
    }

    fn dumpable(&self) -> bool {
        self.change().dumpable
    }

    fn process(&self) -> u32 {
        self.change().process
    }

    fn page_size(&self) -> usize {
        self.change().page_size
    }

    fn leave_message(&self, text: &CStr) {
        eprintln!("abort message: {}", text.to_string_lossy());
    }

    fn abort(&self) -> ! {
        // SAFETY: `abort` has no preconditions and does not return.
        unsafe { libc::abort() }
    }

    fn log(&self, level: Level, _tag: &CStr, text: &CStr) {
        let text = text.to_string_lossy().into_owned();
        let mut world = self.change();
        if world.echoes {
            eprintln!("{level:?}: {text}");
        }
        world.log.push((level, text));
    }

    fn now(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }

    fn open(&self, path: &CStr, method: OpenMethod) -> Result<Library, Text> {
        let name = path.to_string_lossy().into_owned();
        let (location, folder) = {
            let mut world = self.change();
            let (word, folder) = match method {
                OpenMethod::Linker => ("dlopen", None),
                OpenMethod::Application => ("open-in-application", None),
                OpenMethod::Vendor => ("open-vendor", Some(world.vendor_folder.clone())),
                OpenMethod::Namespace(namespace) => {
                    let named = world.named(namespace);
                    ("open-in-namespace", world.namespaces.get(&named).cloned())
                }
            };
            world.calls.push(format!("{word} {name}"));
            let location = match &folder {
                Some(folder) => format!("{folder}/{name}"),
                // A name leads to the open library that has it.
                None if !name.contains('/') => world.libraries.path_of(&name).unwrap_or(name),
                None => name,
            };
            (location, folder)
        };
        let library = self.library_at(&location, folder.as_deref());
        let mut world = self.change();
        match library {
            Ok(library) => Ok(world.libraries.add(library, &location, method)),
            Err(error) => Err(text(&[error.as_bytes()]).unwrap_or_default()),
        }
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        self.change().libraries.symbol(library, name)
    }

    unsafe fn close(&self, library: Library) -> bool {
        let taken = self.change().libraries.take(library);
        let Some((taken, path)) = taken else { return false };
        self.change().calls.push(format!("close {path}"));
        drop(taken);
        true
    }

    fn hardware_module(&self, id: &CStr) -> Option<Result<NonNull<c_void>, c_int>> {
        self.record("hw_get_module", id);
        let path = self.change().hardware_module.clone()?;
        Some(self.module_of(&path).ok_or(-libc::ENOENT))
    }

    fn exported_namespace(&self, name: &CStr) -> Option<Namespace> {
        self.record("exported-namespace", name);
        let mut world = self.change();
        let name = name.to_str().ok()?;
        if world.namespaces.contains_key(name) { Some(world.namespace(name)) } else { None }
    }

    fn list(&self, folder: &CStr) -> Result<TryVec<Text>, FileError> {
        self.record("list", folder);
        let mut names = TryVec::new();
        for entry in fs::read_dir(self.here(folder)).map_err(|error| reason(&error))? {
            let name = entry.map_err(|error| reason(&error))?.file_name().into_vec();
            names.try_push(text(&[&name])?)?;
        }
        Ok(names)
    }

    fn file_size(&self, path: &CStr) -> Result<u64, FileError> {
        self.record("size", path);
        let state = fs::metadata(self.here(path)).map_err(|error| reason(&error))?;
        if state.is_file() { Ok(state.len()) } else { Err(FileError::NotAFile) }
    }

    fn read_at(&self, path: &CStr, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        let file = fs::File::open(self.here(path)).map_err(|error| reason(&error))?;
        file.read_exact_at(bytes, offset).map_err(|error| reason(&error))
    }

    fn updatable_driver(&self) -> Option<Namespace> {
        let mut world = self.change();
        let name = world.updatable_driver.clone()?;
        Some(world.namespace(&name))
    }

    fn has_application_namespace(&self) -> bool {
        self.change().application_namespace
    }

    fn layer_paths(&self) -> Result<Text, OutOfMemory> {
        text(&[self.change().layer_paths.as_bytes()])
    }

    fn debug_layers(&self) -> Result<Text, OutOfMemory> {
        text(&[self.change().debug_layers.as_bytes()])
    }

    fn count(&self, statistic: Statistic) {
        self.change().statistics.push(statistic);
    }

    fn count_engine(&self, name: &CStr) {
        self.change().engines.push(name.to_string_lossy().into_owned());
    }

    fn count_extensions(&self, of_device: bool, names: &[&CStr]) {
        let names = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        self.change().extensions.push((of_device, names));
    }

    fn recorded_tags(&self) -> Option<&'static AtomicU32> {
        Some(self.recorded)
    }

    fn begin_slice(&self, name: &CStr) -> bool {
        self.begin(name)
    }

    fn end_slice(&self) {
        self.end();
    }

    fn wait_for_fence(&self, fence: Fence, milliseconds: c_int) -> bool {
        self.change().fence_waits.push(milliseconds);
        fences::wait(fence, milliseconds)
    }

    fn duplicate_fence(&self, fence: Fence) -> Option<Fence> {
        let mut world = self.change();
        if world.no_more_descriptors { None } else { world.fences.duplicate(fence) }
    }

    fn close_fence(&self, fence: Fence) {
        self.change().fences.close(fence);
    }

    fn sleep(&self, word: &AtomicU32, value: u32, nanoseconds: Option<i64>) {
        self.sleepers.sleep(word, value, nanoseconds);
    }

    fn buffer_supported(&self, kind: BufferKind) -> bool {
        let supported = self.change().buffer_supported;
        supported(kind)
    }

    fn hardware_buffer_of(&self, window_buffer: *mut c_void) -> *mut c_void {
        window_buffer
    }
}

pub(super) fn reason(error: &io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::NotFound => FileError::NotFound,
        io::ErrorKind::PermissionDenied => FileError::Denied,
        _ => FileError::Other(error.raw_os_error().unwrap_or(0)),
    }
}
