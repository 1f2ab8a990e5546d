//! The loader of an application on Android.

use core::ffi::{CStr, c_int};
use core::fmt::Display;
use core::mem::MaybeUninit;

use platform_android::os::{Android, errno};
use platform_android::system::{Namespace, System as _};
use vkload_core::loader::Loader;
use vkload_core::log::Level;
use vkload_core::memory::{OutOfMemory, Text, TryGrow as _, format_into, text};
use vkload_core::platform::{FileError, Platform};

use super::namespace::make_namespace;
use super::slices::LibAndroid;
use super::{Apk, ApplicationSystem, FLAVOUR, NamespaceRequest};

static ANDROID: Android = Android::new(&LibAndroid);

pub static APK: Apk = Apk::new(&ANDROID);

static PLATFORM: Platform = APK.platform(abort);

pub static LOADER: Loader = Loader::new(&PLATFORM, FLAVOUR);

fn abort() -> ! {
    ANDROID.abort()
}

/// Reports that the loader has failed and aborts the process. The loader is written not to panic;
/// if it does, its state cannot be trusted any more.
pub fn report_and_abort(failure: &dyn Display) -> ! {
    let mut words = Text::new();
    format_into(&mut words, format_args!("internal error: {failure}\0"));
    let words = CStr::from_bytes_until_nul(&words).unwrap_or(c"internal error");
    ANDROID.log(Level::Error, c"vkload", words);
    ANDROID.leave_message(words);
    ANDROID.abort()
}

impl ApplicationSystem for Android {
    fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory> {
        // SAFETY: the name is a C string.
        let value = unsafe { libc::getenv(name.as_ptr()) };
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: a value is a NUL-terminated string; an application that sets variables while
        // other threads read them must exclude that itself.
        text(&[unsafe { CStr::from_ptr(value) }.to_bytes()]).map(Some)
    }

    fn own_folders(&self) -> Result<[Text; 2], OutOfMemory> {
        let mut name = [0; 256];
        // The file is shorter than the array, which counts as an error.
        let _ = self.read_at(c"/proc/self/cmdline", 0, &mut name);
        let package = name.split(|byte| matches!(byte, 0 | b':')).next().unwrap_or_default();
        let mut data = Text::new();
        if !package.contains(&b'/') {
            // SAFETY: `getuid` has no preconditions. Each user of a device has 100,000 ids.
            let user = unsafe { libc::getuid() } / 100_000;
            format_into(&mut data, format_args!("/data/user/{user}/"));
            data.try_extend(package)?;
        }
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the address is in this library. `dladdr` fills the structure, whose name is a C string or, like
        // everything in a structure of zeros, NULL.
        let path = unsafe {
            libc::dladdr((&raw const APK).cast(), found.as_mut_ptr());
            let path = found.assume_init().dli_fname;
            if path.is_null() { c"" } else { CStr::from_ptr(path) }
        };
        let end = path.to_bytes().iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        Ok([data, text(&[path.to_bytes().get(..end).unwrap_or_default()])?])
    }

    fn make_folder(&self, path: &CStr) -> Result<(), FileError> {
        // SAFETY: the path is a C string.
        match check(unsafe { libc::mkdir(path.as_ptr(), 0o700) }) {
            Err(FileError::NotAFile) => Ok(()),
            other => other,
        }
    }

    fn create(&self, path: &CStr, content: &[u8]) -> Result<(), FileError> {
        const FLAGS: c_int = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        // SAFETY: the path is a C string; the mode belongs to `O_CREAT`.
        let file = unsafe { libc::open(path.as_ptr(), FLAGS, 0o400) };
        check(file)?;
        let result = write_to(file, content);
        // SAFETY: `open` returned this descriptor, and no code uses it after this.
        let closed = check(unsafe { libc::close(file) });
        result.and(closed)
    }

    fn rename(&self, from: &CStr, to: &CStr) -> Result<(), FileError> {
        // SAFETY: both are C strings.
        check(unsafe { libc::rename(from.as_ptr(), to.as_ptr()) })
    }

    fn remove(&self, path: &CStr) {
        // SAFETY: the path is a C string.
        unsafe { libc::remove(path.as_ptr()) };
    }

    /// A process of another user cannot be asked, but has not written this one's files either.
    fn is_running(&self, process: u32) -> bool {
        // SAFETY: signal 0 only checks for existence, and the id is positive, so it denotes one
        // process.
        i32::try_from(process).is_ok_and(|process| process > 0 && unsafe { libc::kill(process, 0) } == 0)
    }

    fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text> {
        make_namespace(request)
    }
}

fn write_to(file: c_int, mut content: &[u8]) -> Result<(), FileError> {
    while !content.is_empty() {
        // SAFETY: the bytes are readable for their length.
        let written = unsafe { libc::write(file, content.as_ptr().cast(), content.len()) };
        match usize::try_from(written) {
            Ok(written) => content = content.get(written..).unwrap_or_default(),
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => return Err(last_error()),
        }
    }
    Ok(())
}

fn check(result: c_int) -> Result<(), FileError> {
    if result < 0 { Err(last_error()) } else { Ok(()) }
}

fn last_error() -> FileError {
    match errno() {
        libc::ENOENT => FileError::NotFound,
        libc::EACCES | libc::EPERM | libc::EROFS => FileError::Denied,
        libc::EEXIST | libc::EISDIR | libc::ENOTDIR => FileError::NotAFile,
        other => FileError::Other(other),
    }
}
