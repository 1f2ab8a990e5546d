//! Java's arrays, read and written in place.

use core::ffi::{CStr, c_char};
use core::ptr::null_mut;

use jni_sys::{JNIEnv, jarray, jbyte, jbyteArray, jint, jlong, jlongArray};

/// The elements of a `byte[]`, released on drop.
pub(crate) struct Bytes {
    env: *mut JNIEnv,
    array: jbyteArray,
    elements: *mut jbyte,
    length: usize,
}

impl Bytes {
    /// Gets the elements. Returns `None` if `array` is null, or if memory for a copy runs out: then
    /// an exception is pending.
    ///
    /// # Safety
    /// `env` is this thread's, no exception is pending, and `array` is NULL or a reference that outlives this.
    pub(crate) unsafe fn of(env: *mut JNIEnv, array: jbyteArray) -> Option<Self> {
        if array.is_null() {
            return None;
        }
        // SAFETY: by this function's `# Safety` `env` is this thread's, no exception is pending,
        // and `array` is a valid reference; NULL was checked.
        let (length, elements) = unsafe {
            let length = ((**env).v1_2.GetArrayLength)(env, array as jarray);
            (length, ((**env).v1_2.GetByteArrayElements)(env, array, null_mut()))
        };
        if elements.is_null() {
            // SAFETY: by this function's `# Safety` `env` is this thread's.
            unsafe { throw_out_of_memory(env) };
            return None;
        }
        let length = usize::try_from(length).unwrap_or(0);
        Some(Self { env, array, elements, length })
    }

    /// Returns the address of the first element.
    pub(crate) fn start(&self) -> *mut c_char {
        self.elements.cast()
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns the C string that they begin with; `None` if no element is 0.
    pub(crate) fn text(&self) -> Option<&CStr> {
        // SAFETY: the elements are readable for their length until they are released, and no Java
        // code has the array meanwhile.
        let bytes = unsafe { core::slice::from_raw_parts(self.elements.cast::<u8>(), self.length) };
        CStr::from_bytes_until_nul(bytes).ok()
    }

    /// Writes a C string, as much of it as fits.
    pub(crate) fn write_text(&mut self, text: &CStr) {
        let Some(room) = self.length.checked_sub(1) else { return };
        let length = text.count_bytes().min(room);
        // SAFETY: the text is readable for `length`; the elements are writable for `length + 1` and
        // do not overlap it.
        unsafe {
            self.elements.copy_from_nonoverlapping(text.as_ptr().cast(), length);
            self.elements.add(length).write(0);
        }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: `of` got these elements of this array, and its `# Safety` makes the environment
        // and the reference outlive this. JNI allows the call while an exception is pending.
        unsafe {
            ((**self.env).v1_2.ReleaseByteArrayElements)(self.env, self.array, self.elements, 0);
        }
    }
}

/// Throws `OutOfMemoryError`, unless the JVM has thrown something itself: not all do if memory for
/// a copy runs out.
///
/// # Safety
/// `env` is this thread's.
unsafe fn throw_out_of_memory(env: *mut JNIEnv) {
    // SAFETY: by this function's `# Safety` `env` is this thread's. If the class is not found, an
    // exception is pending as well.
    unsafe {
        if ((**env).v1_2.ExceptionCheck)(env) {
            return;
        }
        let class = ((**env).v1_2.FindClass)(env, c"java/lang/OutOfMemoryError".as_ptr());
        if !class.is_null() {
            ((**env).v1_2.ThrowNew)(env, class, c"no memory for a copy of an array".as_ptr());
        }
    }
}

/// Writes the beginning of a `long[]`. If the array is too short, returns false with an exception
/// pending.
///
/// # Safety
/// `env` is this thread's, no exception is pending, and `array` is a reference.
pub(crate) unsafe fn write_longs(env: *mut JNIEnv, array: jlongArray, values: &[jlong]) -> bool {
    let length = jint::try_from(values.len()).unwrap_or(0);
    // SAFETY: by this function's `# Safety` `env` is this thread's, no exception is pending and
    // `array` is a valid reference; the values are readable for their length.
    unsafe {
        ((**env).v1_2.SetLongArrayRegion)(env, array, 0, length, values.as_ptr());
        !((**env).v1_2.ExceptionCheck)(env)
    }
}

/// Creates a `byte[]`, or returns NULL with an exception pending.
///
/// # Safety
/// `env` is this thread's, and no exception is pending.
pub(crate) unsafe fn new_bytes(env: *mut JNIEnv, bytes: &[u8]) -> jbyteArray {
    let Ok(length) = jint::try_from(bytes.len()) else { return null_mut() };
    // SAFETY: by this function's `# Safety` `env` is this thread's and no exception is pending; the
    // bytes are readable for their length.
    unsafe {
        let array = ((**env).v1_2.NewByteArray)(env, length);
        if !array.is_null() {
            ((**env).v1_2.SetByteArrayRegion)(env, array, 0, length, bytes.as_ptr().cast());
        }
        array
    }
}
