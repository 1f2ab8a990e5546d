//! The memory layout of `ANativeWindow` and its buffers (`system/window.h`): the window system's
//! side of a swapchain.
//!
//! Every function returns 0 or a negative error number.

use core::ffi::{c_float, c_int, c_void};
use core::mem::offset_of;

/// The maximum number of buffers in a queue (`NUM_BUFFER_SLOTS`).
pub const SLOTS: usize = 64;

pub const WINDOW_MAGIC: c_int = 0x5F77_6E64;
pub const BUFFER_MAGIC: c_int = 0x5F62_6672;

/// The common beginning of windows and buffers (`android_native_base_t`).
#[repr(C)]
pub struct Base {
    /// [`WINDOW_MAGIC`] or [`BUFFER_MAGIC`]
    pub magic: c_int,
    /// The size of the structure in bytes.
    pub version: c_int,
    pub reserved: [*mut c_void; 4],
    pub inc_ref: unsafe extern "C" fn(*mut Base),
    /// Releases a reference; the last one frees the object.
    pub dec_ref: unsafe extern "C" fn(*mut Base),
}

/// A function of the window that is no longer called.
pub type Deprecated = *mut c_void;

#[repr(C)]
pub struct NativeWindow {
    pub base: Base,
    pub flags: u32,
    pub min_swap_interval: c_int,
    pub max_swap_interval: c_int,
    pub xdpi: c_float,
    pub ydpi: c_float,
    pub oem: [isize; 4],
    /// 0: frames replace each other; 1: frames wait for each other.
    pub set_swap_interval: unsafe extern "C" fn(*mut NativeWindow, c_int) -> c_int,
    pub dequeue_buffer_deprecated: Deprecated,
    pub lock_buffer_deprecated: Deprecated,
    pub queue_buffer_deprecated: Deprecated,
    pub query: unsafe extern "C" fn(*const NativeWindow, c_int, *mut c_int) -> c_int,
    /// Performs one of [`perform`], whose arguments follow.
    pub perform: unsafe extern "C" fn(*mut NativeWindow, c_int, ...) -> c_int,
    pub cancel_buffer_deprecated: Deprecated,
    /// Takes a buffer out, with a fence that is signalled when it may be written to; the caller
    /// owns the fence.
    pub dequeue_buffer:
        unsafe extern "C" fn(*mut NativeWindow, *mut *mut NativeWindowBuffer, *mut c_int) -> c_int,
    /// Shows a buffer once the fence is signalled; the window owns the fence then, even on failure.
    pub queue_buffer: unsafe extern "C" fn(*mut NativeWindow, *mut NativeWindowBuffer, c_int) -> c_int,
    /// Puts a buffer back unseen; owns the fence like [`NativeWindow::queue_buffer`].
    pub cancel_buffer: unsafe extern "C" fn(*mut NativeWindow, *mut NativeWindowBuffer, c_int) -> c_int,
}

/// A buffer, whose lengths are in texels.
#[repr(C)]
pub struct NativeWindowBuffer {
    pub base: Base,
    pub width: c_int,
    pub height: c_int,
    /// From one row to the next.
    pub stride: c_int,
    /// `HAL_PIXEL_FORMAT_*`
    pub format: c_int,
    pub usage_deprecated: c_int,
    pub layer_count: usize,
    pub reserved: [*mut c_void; 1],
    pub handle: *const c_void,
    pub usage: u64,
    pub reserved_for_process: [*mut c_void; RESERVED],
}

const RESERVED: usize = if size_of::<usize>() == 8 { 7 } else { 6 };

/// The operations of `perform`, with the types of their arguments.
pub mod perform {
    use core::ffi::c_int;

    pub const SET_BUFFER_COUNT: c_int = 4;
    pub const SET_BUFFERS_TRANSFORM: c_int = 6;
    /// `i64`
    pub const SET_BUFFERS_TIMESTAMP: c_int = 7;
    pub const SET_BUFFERS_DIMENSIONS: c_int = 8;
    pub const SET_BUFFERS_FORMAT: c_int = 9;
    pub const SET_SCALING_MODE: c_int = 10;
    pub const API_CONNECT: c_int = 13;
    pub const API_DISCONNECT: c_int = 14;
    pub const SET_BUFFERS_DATASPACE: c_int = 19;
    pub const SET_SURFACE_DAMAGE: c_int = 20;
    pub const SET_SHARED_BUFFER_MODE: c_int = 21;
    pub const SET_AUTO_REFRESH: c_int = 22;
    /// `*mut i64`
    pub const GET_REFRESH_CYCLE_DURATION: c_int = 23;
    /// `*mut u64`
    pub const GET_NEXT_FRAME_ID: c_int = 24;
    pub const ENABLE_FRAME_TIMESTAMPS: c_int = 25;
    /// `u64`, then nine `*mut i64`: requested, acquired, latched, first and last refresh,
    /// composition done, presented, dequeue ready, released.
    pub const GET_FRAME_TIMESTAMPS: c_int = 27;
    /// `u64`
    pub const SET_USAGE64: c_int = 30;
    /// `*mut u64`
    pub const GET_CONSUMER_USAGE64: c_int = 31;
    /// `*const` ten `f32`
    pub const SET_BUFFERS_SMPTE2086_METADATA: c_int = 32;
    /// `*const` two `f32`
    pub const SET_BUFFERS_CTA861_3_METADATA: c_int = 33;
    /// `i64`, nanoseconds
    pub const SET_DEQUEUE_TIMEOUT: c_int = 37;
    /// `c_int`, one of [`present_mode`](super::present_mode). Since Android 17.
    pub const SET_PRESENT_MODE: c_int = 53;
    /// `*mut u64`; fails if no frame was replaced. Since Android 17.
    pub const GET_LAST_REPLACED_FRAME_ID: c_int = 54;
    /// [`OnFrame`](super::OnFrame)`, *mut c_void`. Since Android 17.
    pub const SET_ON_ACQUIRED_CALLBACK: c_int = 55;
    /// [`OnFrame`](super::OnFrame)`, *mut c_void`. Since Android 17.
    pub const SET_ON_DROPPED_CALLBACK: c_int = 56;
    /// `c_int` as for [`API_CONNECT`], and three `c_int` that select reports of buffers that are
    /// released, acquired and dropped. Since Android 17.
    pub const API_CONNECT_WITH_LISTENER: c_int = 57;
}

pub mod query {
    use core::ffi::c_int;

    pub const MIN_UNDEQUEUED_BUFFERS: c_int = 3;
    pub const DEFAULT_WIDTH: c_int = 6;
    pub const DEFAULT_HEIGHT: c_int = 7;
    pub const TRANSFORM_HINT: c_int = 8;
    pub const MAX_BUFFER_COUNT: c_int = 21;
}

/// The order of frames that wait for the consumer (`ANATIVEWINDOW_PRESENT_*`).
pub mod present_mode {
    use core::ffi::c_int;

    pub const DEFAULT: c_int = 1;
    /// The consumer takes the latest, and drops those before it.
    pub const FIFO_LATEST_READY: c_int = 2;
}

/// Called when the consumer has taken or dropped a frame, with the number of its buffer, the number
/// of the frame (as from [`perform::GET_NEXT_FRAME_ID`]), and the data given with the function: by
/// any thread, as late as when the window no longer exists.
pub type OnFrame = unsafe extern "C" fn(buffer: u64, frame: u64, data: *mut c_void);

/// `NATIVE_WINDOW_API_EGL`: the API as which a swapchain connects.
pub const API_EGL: c_int = 1;
pub const SCALE_TO_WINDOW: c_int = 1;

/// A rectangle in texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Rectangle {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

const _: () = {
    let wide = size_of::<usize>() == 8;
    assert!(size_of::<Base>() == if wide { 56 } else { 32 });
    assert!(size_of::<NativeWindow>() == if wide { 192 } else { 108 });
    assert!(offset_of!(NativeWindow, oem) == if wide { 80 } else { 52 });
    assert!(offset_of!(NativeWindow, set_swap_interval) == if wide { 112 } else { 68 });
    assert!(offset_of!(NativeWindow, query) == if wide { 144 } else { 84 });
    assert!(offset_of!(NativeWindow, perform) == if wide { 152 } else { 88 });
    assert!(offset_of!(NativeWindow, dequeue_buffer) == if wide { 168 } else { 96 });
    assert!(offset_of!(NativeWindow, queue_buffer) == if wide { 176 } else { 100 });
    assert!(offset_of!(NativeWindow, cancel_buffer) == if wide { 184 } else { 104 });
    assert!(size_of::<NativeWindowBuffer>() == if wide { 168 } else { 96 });
    assert!(offset_of!(NativeWindowBuffer, layer_count) == if wide { 80 } else { 52 });
    assert!(offset_of!(NativeWindowBuffer, handle) == if wide { 96 } else { 60 });
    assert!(offset_of!(NativeWindowBuffer, usage) == if wide { 104 } else { 64 });
};
