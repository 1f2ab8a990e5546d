//! The application's window, with the loader's references to it.

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;

use crate::system::System;
use crate::wsi::buffer::Buffer;
use crate::wsi::fence::OwnedFence;
use crate::wsi::native_window::{API_EGL, NativeWindow, OnFrame, Rectangle, SCALE_TO_WINDOW, perform, query};

/// A function of the window failed, with this negative error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowError(pub c_int);

impl WindowError {
    pub const NOT_FOUND: Self = Self(-2);
    /// `-EAGAIN`: no buffer is available, and the window does not wait for one.
    pub const WOULD_BLOCK: Self = Self(-11);
    pub const BAD_VALUE: Self = Self(-22);
    pub const NO_MEMORY: Self = Self(-12);
    /// `-ENOSYS`, which the system's own code calls an invalid operation.
    pub const INVALID_OPERATION: Self = Self(-38);
    pub const TIMED_OUT: Self = Self(-110);
}

pub struct Window(NonNull<NativeWindow>);

// SAFETY: windows are thread-safe: producers and consumers call them from any thread.
unsafe impl Send for Window {}
// SAFETY: windows are thread-safe: producers and consumers call them from any thread.
unsafe impl Sync for Window {}

/// Calls `perform` with an operation and its arguments. They must have the types that [`perform`] states, since the
/// compiler does not check variadic arguments.
macro_rules! perform {
    ($window:expr, $operation:ident $(, $argument:expr)*) => {{
        let window = $window.0.as_ptr();
        // SAFETY: this value holds a reference, so the window is alive; `perform` states that the
        // operation takes these arguments.
        checked(unsafe { ((*window).perform)(window, perform::$operation $(, $argument)*) })
    }};
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) = $operation:ident($($argument:expr),*);)*) => {
        $($(#[$doc])*
        pub fn $name(&self, $($parameter: $type),*) -> Result<(), WindowError> {
            perform!(self, $operation $(, $argument)*)
        })*
    };
}

/// Methods that perform an operation which returns a value.
macro_rules! values {
    ($($(#[$doc:meta])* $name:ident: $type:ident = $operation:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(&self) -> Result<$type, WindowError> {
            let mut value: $type = 0;
            perform!(self, $operation, &raw mut value)?;
            Ok(value)
        })*
    };
}

impl Window {
    /// Takes a reference to the window.
    ///
    /// # Safety
    /// `window` is an `ANativeWindow` that is referenced during the call.
    pub unsafe fn new(window: NonNull<NativeWindow>) -> Self {
        // SAFETY: by this function's `# Safety` the window is alive.
        unsafe { (window.as_ref().base.inc_ref)(window.as_ptr().cast()) };
        Self(window)
    }

    pub fn query(&self, what: c_int) -> Result<c_int, WindowError> {
        let mut value = 0;
        // SAFETY: this value holds a reference, so the window is alive; `value` is writable.
        checked(unsafe { (self.0.as_ref().query)(self.0.as_ptr(), what, &mut value) })?;
        Ok(value)
    }

    pub fn size(&self) -> Result<(c_int, c_int), WindowError> {
        Ok((self.query(query::DEFAULT_WIDTH)?, self.query(query::DEFAULT_HEIGHT)?))
    }

    operations! {
        /// Connects as the producer that draws to the window, with the number of EGL, since Vulkan has none.
        connect() = API_CONNECT(API_EGL);
        /// Sets one of [`present_mode`](crate::wsi::native_window::present_mode).
        set_present_mode(mode: c_int) = SET_PRESENT_MODE(mode);
        disconnect() = API_DISCONNECT(API_EGL);
        /// Sets how long [`Window::dequeue`] waits, in nanoseconds; for ever if negative.
        set_dequeue_timeout(nanoseconds: i64) = SET_DEQUEUE_TIMEOUT(nanoseconds);
        /// Sets whether one buffer is shown while being drawn to.
        set_shared_buffer_mode(on: bool) = SET_SHARED_BUFFER_MODE(c_int::from(on));
        /// Sets whether a shared buffer is shown repeatedly without being queued.
        set_auto_refresh(on: bool) = SET_AUTO_REFRESH(c_int::from(on));
        set_format(format: c_int) = SET_BUFFERS_FORMAT(format);
        /// Sets the meaning of the numbers in the buffers (`HAL_DATASPACE_*`).
        set_dataspace(dataspace: c_int) = SET_BUFFERS_DATASPACE(dataspace);
        set_dimensions(width: c_int, height: c_int) = SET_BUFFERS_DIMENSIONS(width, height);
        set_transform(transform: c_int) = SET_BUFFERS_TRANSFORM(transform);
        /// Makes the window stretch buffers of another size than its own.
        scale_to_window() = SET_SCALING_MODE(SCALE_TO_WINDOW);
        set_buffer_count(count: usize) = SET_BUFFER_COUNT(count);
        /// Sets the usage of the buffers on both sides (`AHARDWAREBUFFER_USAGE_*`).
        set_usage(usage: u64) = SET_USAGE64(usage);
        /// Sets the change since the last frame, for the next one that is queued.
        set_damage(rectangles: &[Rectangle]) = SET_SURFACE_DAMAGE(rectangles.as_ptr(), rectangles.len());
        /// Sets when the next frame is to be shown, in nanoseconds of the monotonic clock, or
        /// [`Window::AUTOMATIC`].
        set_timestamp(nanoseconds: i64) = SET_BUFFERS_TIMESTAMP(nanoseconds);
        /// Sets whether the window remembers when frames were shown.
        enable_frame_timestamps(on: bool) = ENABLE_FRAME_TIMESTAMPS(c_int::from(on));
        /// Sets the colours of the display on which the content was mastered: x and y of red, green,
        /// blue, white; maximum and minimum luminance.
        set_smpte2086(metadata: &[f32; 10]) = SET_BUFFERS_SMPTE2086_METADATA(metadata.as_ptr());
        /// Sets the maximum light level, and the maximum average level of a frame.
        set_cta861_3(metadata: &[f32; 2]) = SET_BUFFERS_CTA861_3_METADATA(metadata.as_ptr());
    }

    values! {
        /// Returns the number of the last frame that another one has replaced before the consumer saw
        /// it.
        last_replaced_frame: u64 = GET_LAST_REPLACED_FRAME_ID;
        /// Returns the usage of the buffers on the consumer's side (`AHARDWAREBUFFER_USAGE_*`).
        consumer_usage: u64 = GET_CONSUMER_USAGE64;
        refresh_duration: i64 = GET_REFRESH_CYCLE_DURATION;
        next_frame: u64 = GET_NEXT_FRAME_ID;
    }

    /// Connects as [`Self::connect`] does, to receive reports of frames ([`Self::set_on_frame`]).
    pub fn connect_with_listener(&self) -> Result<(), WindowError> {
        let (released, acquired, dropped): (c_int, c_int, c_int) = (0, 1, 1);
        perform!(self, API_CONNECT_WITH_LISTENER, API_EGL, released, acquired, dropped)
    }

    /// Makes the window call `tell` with `data` whenever the consumer has taken or dropped a frame.
    ///
    /// # Safety
    /// `tell` may be called with `data` by any thread at any time, even after the window's end.
    pub unsafe fn set_on_frame(&self, tell: OnFrame, data: *mut c_void) -> Result<(), WindowError> {
        perform!(self, SET_ON_ACQUIRED_CALLBACK, tell, data)?;
        perform!(self, SET_ON_DROPPED_CALLBACK, tell, data)
    }

    /// Sets the swap interval. 0: a frame replaces the waiting one; 1: frames wait for each other.
    pub fn set_swap_interval(&self, interval: c_int) -> Result<(), WindowError> {
        // SAFETY: this value holds a reference, so the window is alive.
        checked(unsafe { (self.0.as_ref().set_swap_interval)(self.0.as_ptr(), interval) })
    }

    /// `NATIVE_WINDOW_TIMESTAMP_AUTO`: frames are shown when ready.
    pub const AUTOMATIC: i64 = i64::MIN;

    /// Returns the known times of a frame, unless the window has forgotten it.
    pub fn frame_timestamps(&self, frame: u64) -> Result<FrameTimestamps, WindowError> {
        let mut times = FrameTimestamps::default();
        perform!(
            self,
            GET_FRAME_TIMESTAMPS,
            frame,
            &raw mut times.requested,
            &raw mut times.rendered,
            &raw mut times.latched,
            &raw mut times.first_refresh,
            &raw mut times.last_refresh,
            &raw mut times.composed,
            &raw mut times.presented,
            &raw mut times.dequeue_ready,
            &raw mut times.released
        )?;
        Ok(times)
    }

    pub fn dequeue(&self, system: &'static dyn System) -> Result<(Buffer, OwnedFence), WindowError> {
        let mut buffer = core::ptr::null_mut();
        let mut fence = -1;
        // SAFETY: this value holds a reference, so the window is alive; both results are writable.
        let result = unsafe { (self.0.as_ref().dequeue_buffer)(self.0.as_ptr(), &mut buffer, &mut fence) };
        checked(result)?;
        let fence = OwnedFence::new(system, fence);
        let buffer = NonNull::new(buffer).ok_or(WindowError::BAD_VALUE)?;
        // SAFETY: the window returned this buffer and holds a reference to it.
        Ok((unsafe { Buffer::new(buffer) }, fence))
    }

    pub fn queue(&self, buffer: &Buffer, fence: OwnedFence) -> Result<(), WindowError> {
        // SAFETY: this value and `buffer` hold references, so both are alive; the window owns the
        // fence from now on.
        checked(unsafe {
            (self.0.as_ref().queue_buffer)(self.0.as_ptr(), buffer.address().as_ptr(), fence.give())
        })
    }

    pub fn cancel(&self, buffer: &Buffer, fence: OwnedFence) -> Result<(), WindowError> {
        // SAFETY: this value and `buffer` hold references, so both are alive; the window owns the
        // fence from now on.
        checked(unsafe {
            (self.0.as_ref().cancel_buffer)(self.0.as_ptr(), buffer.address().as_ptr(), fence.give())
        })
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: this value holds a reference, so the window is alive; that reference is given up
        // here, once.
        unsafe { (self.0.as_ref().base.dec_ref)(self.0.as_ptr().cast()) };
    }
}

fn checked(result: c_int) -> Result<(), WindowError> {
    if result == 0 { Ok(()) } else { Err(WindowError(result)) }
}

/// The times of a frame's events, in nanoseconds of the monotonic clock, or one of the constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTimestamps {
    pub requested: i64,
    pub rendered: i64,
    pub latched: i64,
    pub first_refresh: i64,
    pub last_refresh: i64,
    pub composed: i64,
    pub presented: i64,
    /// When its buffer could be dequeued again.
    pub dequeue_ready: i64,
    /// When its buffer was no longer read.
    pub released: i64,
}

impl FrameTimestamps {
    /// The event has not happened yet.
    pub const PENDING: i64 = -2;
    /// The event will not happen, or its time is unknown.
    pub const INVALID: i64 = -1;
}

impl Default for FrameTimestamps {
    fn default() -> Self {
        let unknown = Self::INVALID;
        Self {
            requested: unknown,
            rendered: unknown,
            latched: unknown,
            first_refresh: unknown,
            last_refresh: unknown,
            composed: unknown,
            presented: unknown,
            dequeue_ready: unknown,
            released: unknown,
        }
    }
}
