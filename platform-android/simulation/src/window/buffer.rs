//! The buffers of a fake window.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering};

use platform_android::wsi::native_window::{BUFFER_MAGIC, Base, NativeWindowBuffer};

/// A buffer. The window's own references are not counted, and it is never freed: its count shows
/// who leaked one.
#[repr(C)]
pub(super) struct FakeBuffer {
    pub(super) table: NativeWindowBuffer,
    references: AtomicI64,
    pub(super) number: usize,
}

// SAFETY: the table never changes, and the count is atomic.
unsafe impl Sync for FakeBuffer {}
// SAFETY: the table never changes, and the count is atomic.
unsafe impl Send for FakeBuffer {}

impl FakeBuffer {
    pub(super) fn new(number: usize, size: (c_int, c_int), format: c_int, usage: u64) -> &'static Self {
        let table = NativeWindowBuffer {
            base: Base {
                magic: BUFFER_MAGIC,
                version: size_of::<NativeWindowBuffer>() as c_int,
                reserved: [ptr::null_mut(); 4],
                inc_ref,
                dec_ref,
            },
            width: size.0,
            height: size.1,
            stride: (size.0 + 15) & !15,
            format,
            usage_deprecated: 0,
            layer_count: 1,
            reserved: [ptr::null_mut()],
            handle: ptr::without_provenance::<c_void>(0x1000 + number * 16),
            usage,
            reserved_for_process: [ptr::null_mut(); _],
        };
        Box::leak(Box::new(Self { table, references: AtomicI64::new(0), number }))
    }

    pub(super) fn references(&self) -> i64 {
        self.references.load(Ordering::SeqCst)
    }

    pub(super) fn pointer(&'static self) -> *mut NativeWindowBuffer {
        ptr::from_ref(self).cast::<NativeWindowBuffer>().cast_mut()
    }
}

unsafe extern "C" fn inc_ref(base: *mut Base) {
    // SAFETY: only the tables of buffers hold this function, and buffers are never freed.
    unsafe { (*base.cast::<FakeBuffer>()).references.fetch_add(1, Ordering::SeqCst) };
}

unsafe extern "C" fn dec_ref(base: *mut Base) {
    // SAFETY: only the tables of buffers hold this function, and buffers are never freed.
    let before = unsafe { (*base.cast::<FakeBuffer>()).references.fetch_sub(1, Ordering::SeqCst) };
    assert!(before > 0, "a reference to a buffer is given back that nobody has");
}
