//! The functions of a fake window.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::Duration;

use platform_android::wsi::native_window::{
    Base, NativeWindow, NativeWindowBuffer, OnFrame, Rectangle, WINDOW_MAGIC, perform, query,
};
use platform_android::wsi::window::WindowError;

use super::queue::DequeueError;
use super::{ACQUIRED, DROPPED, Inside, Listener, NextBuffer, State, Told, WithoutBuffers};

unsafe extern "C" {
    /// Written in C.
    fn fake_window_perform(window: *mut NativeWindow, operation: c_int, ...) -> c_int;
}

/// `-ENODEV`: the window is gone, or has no producer.
const GONE: c_int = -19;
/// `-ENOENT`: no such operation.
const NOT_FOUND: c_int = -2;
/// `-ENODATA`
const NOT_ENOUGH_DATA: c_int = -61;
/// `-EINVAL`
const BAD_VALUE: c_int = -22;

pub(super) fn new() -> NativeWindow {
    NativeWindow {
        base: Base {
            magic: WINDOW_MAGIC,
            version: size_of::<NativeWindow>() as c_int,
            reserved: [ptr::null_mut(); 4],
            inc_ref,
            dec_ref,
        },
        flags: 0,
        min_swap_interval: 0,
        max_swap_interval: 1,
        xdpi: 160.0,
        ydpi: 160.0,
        oem: [0; 4],
        set_swap_interval,
        dequeue_buffer_deprecated: ptr::null_mut(),
        lock_buffer_deprecated: ptr::null_mut(),
        queue_buffer_deprecated: ptr::null_mut(),
        query: query_window,
        perform: fake_window_perform,
        cancel_buffer_deprecated: ptr::null_mut(),
        dequeue_buffer,
        queue_buffer,
        cancel_buffer,
    }
}

/// # Safety
/// `window` is a fake one.
unsafe fn inside(window: *const NativeWindow) -> &'static Inside {
    // SAFETY: by this function's `# Safety` the window is a fake one, which begins an `Inside` and
    // is never freed.
    unsafe { &*window.cast::<Inside>() }
}

impl Inside {
    /// Records a call, which fails if a test wants that.
    fn call(&self, what: String) -> Result<MutexGuard<'_, State>, c_int> {
        let mut state = self.change();
        state.calls.push(what);
        let number = state.counted;
        state.counted += 1;
        state.lost |= state.lost_from.is_some_and(|first| number >= first);
        match state.fail {
            Some((index, error)) if index == number => Err(error),
            _ if state.lost => Err(GONE),
            _ => Ok(state),
        }
    }
}

/// 0, or the error.
fn number(result: Result<(), c_int>) -> c_int {
    result.err().unwrap_or(0)
}

unsafe extern "C" fn inc_ref(base: *mut Base) {
    // SAFETY: only the tables of fake windows hold this function.
    unsafe { inside(base.cast()) }.change().references += 1;
}

unsafe extern "C" fn dec_ref(base: *mut Base) {
    // SAFETY: only the tables of fake windows hold this function.
    let mut state = unsafe { inside(base.cast()) }.change();
    assert!(state.references > 0, "a reference to a window is given back that nobody has");
    state.references -= 1;
    state.was_freed |= state.references == 0;
}

unsafe extern "C" fn set_swap_interval(window: *mut NativeWindow, interval: c_int) -> c_int {
    // SAFETY: only the tables of fake windows hold this function.
    let result = unsafe { inside(window) }.call(format!("swap-interval {interval}"));
    number(result.map(|mut state| state.told.swap_interval = interval))
}

unsafe extern "C" fn query_window(window: *const NativeWindow, what: c_int, out: *mut c_int) -> c_int {
    let name = match what {
        query::MIN_UNDEQUEUED_BUFFERS => "min-undequeued",
        query::DEFAULT_WIDTH => "width",
        query::DEFAULT_HEIGHT => "height",
        query::TRANSFORM_HINT => "transform-hint",
        query::MAX_BUFFER_COUNT => "max-buffers",
        _ => "?",
    };
    // SAFETY: only the tables of fake windows hold this function.
    let result = unsafe { inside(window) }.call(format!("query {name}")).and_then(|state| {
        let answer = match what {
            query::MIN_UNDEQUEUED_BUFFERS => state.min_undequeued,
            query::DEFAULT_WIDTH => state.size.0,
            query::DEFAULT_HEIGHT => state.size.1,
            query::TRANSFORM_HINT => state.transform_hint,
            query::MAX_BUFFER_COUNT => state.max_buffers,
            _ => return Err(BAD_VALUE),
        };
        // SAFETY: the caller passes a pointer that is valid for a write.
        unsafe { out.write(answer) };
        Ok(())
    });
    number(result)
}

fn waits(without_buffers: WithoutBuffers, told: &Told) -> bool {
    match without_buffers {
        WithoutBuffers::Waits => true,
        WithoutBuffers::WaitsIfTold => told.dequeue_timeout >= 0,
        WithoutBuffers::Fails => false,
    }
}

unsafe extern "C" fn dequeue_buffer(
    window: *mut NativeWindow,
    out: *mut *mut NativeWindowBuffer,
    fence: *mut c_int,
) -> c_int {
    // SAFETY: only the tables of fake windows hold this function.
    let inside = unsafe { inside(window) };
    let result = inside.call("dequeue".into()).and_then(|mut state| {
        loop {
            if !state.connected {
                return Err(GONE);
            }
            let kept = state.min_undequeued;
            let told = state.told.clone();
            let asked = if told.dimensions == (0, 0) { state.size } else { told.dimensions };
            let size = state.buffer_size.unwrap_or(asked);
            let next = state.next_buffer;
            if next == NextBuffer::Null {
                return Ok((ptr::null_mut(), -1));
            }
            match state.queue.dequeue(&told, kept, size, next) {
                Ok(taken) => return Ok(taken),
                Err(DequeueError::TooMany) => return Err(DequeueError::TOO_MANY),
                Err(DequeueError::Wait) if !waits(state.without_buffers, &told) => {
                    return Err(WindowError::WOULD_BLOCK.0);
                }
                // No buffer comes back if no thread shows frames.
                Err(DequeueError::Wait)
                    if !inside.watched.load(Ordering::SeqCst) || told.dequeue_timeout == 0 =>
                {
                    return Err(WindowError::TIMED_OUT.0);
                }
                Err(DequeueError::Wait) => {
                    let most = u64::try_from(told.dequeue_timeout).unwrap_or(u64::MAX);
                    let waited = inside.changed.wait_timeout(state, Duration::from_nanos(most));
                    let (again, ended) = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
                    if ended.timed_out() {
                        return Err(WindowError::TIMED_OUT.0);
                    }
                    state = again;
                    if state.lost {
                        return Err(GONE);
                    }
                }
            }
        }
    });
    match result {
        Ok(taken) => {
            // SAFETY: the caller passes pointers that are valid for a write.
            unsafe {
                out.write(taken.0);
                fence.write(taken.1);
            }
            0
        }
        Err(error) => error,
    }
}

unsafe extern "C" fn queue_buffer(
    window: *mut NativeWindow,
    buffer: *mut NativeWindowBuffer,
    fence: c_int,
) -> c_int {
    // SAFETY: only the tables of fake windows hold this function.
    let inside = unsafe { inside(window) };
    let happens = inside.change().while_queueing.take();
    if let Some(happen) = happens {
        happen();
    }
    let called = inside.call("queue".into());
    let result = match called {
        Ok(mut state) => {
            let told = state.told.clone();
            let queued = state.queue.queue(buffer, fence, &told, inside.android);
            queued.map(|replaced| {
                state.dropped += replaced.len();
                state.last_replaced = replaced.last().copied().or(state.last_replaced);
            })
        }
        // The window owns the buffer all the same.
        Err(error) => inside.change().queue.cancel(buffer, fence, inside.android).and(Err(error)),
    };
    inside.changed.notify_all();
    number(result)
}

unsafe extern "C" fn cancel_buffer(
    window: *mut NativeWindow,
    buffer: *mut NativeWindowBuffer,
    fence: c_int,
) -> c_int {
    // SAFETY: only the tables of fake windows hold this function.
    let inside = unsafe { inside(window) };
    let called = inside.call("cancel".into()).map(drop);
    let cancelled = inside.change().queue.cancel(buffer, fence, inside.android);
    inside.changed.notify_all();
    number(called.and(cancelled))
}

/// Called from C with the collected arguments.
///
/// # Safety
/// `window` is a fake one; `arguments` leads to ten values, of which the first are the operation's.
#[unsafe(no_mangle)]
unsafe extern "C" fn fake_window_performed(
    window: *mut NativeWindow,
    operation: c_int,
    arguments: *const u64,
) -> c_int {
    // SAFETY: by this function's `# Safety` the window is a fake one, and `arguments` leads to ten
    // values.
    let (inside, arguments) = unsafe { (inside(window), std::slice::from_raw_parts(arguments, 10)) };
    let name = name_of(operation);
    let plain = !matches!(
        operation,
        perform::SET_SURFACE_DAMAGE
            | perform::GET_REFRESH_CYCLE_DURATION
            | perform::GET_NEXT_FRAME_ID
            | perform::GET_CONSUMER_USAGE64
            | perform::SET_BUFFERS_SMPTE2086_METADATA
            | perform::SET_BUFFERS_CTA861_3_METADATA
            | perform::GET_LAST_REPLACED_FRAME_ID
            | perform::SET_ON_ACQUIRED_CALLBACK
            | perform::SET_ON_DROPPED_CALLBACK
    );
    let what = match operation {
        perform::SET_BUFFERS_DIMENSIONS => format!("{name} {} {}", arguments[0], arguments[1]),
        perform::SET_USAGE64 => format!("{name} {:#x}", arguments[0]),
        perform::GET_FRAME_TIMESTAMPS => format!("{name} {}", arguments[0]),
        _ if plain => format!("{name} {}", arguments[0].cast_signed()),
        _ => name.to_owned(),
    };
    let result = inside.call(what).and_then(|mut state| {
        // SAFETY: by this function's `# Safety` the arguments belong to the operation.
        unsafe { apply(&mut state, inside, operation, arguments) }
    });
    number(result)
}

fn name_of(operation: c_int) -> &'static str {
    match operation {
        perform::SET_BUFFER_COUNT => "buffer-count",
        perform::SET_BUFFERS_TRANSFORM => "transform",
        perform::SET_BUFFERS_TIMESTAMP => "timestamp",
        perform::SET_BUFFERS_DIMENSIONS => "dimensions",
        perform::SET_BUFFERS_FORMAT => "format",
        perform::SET_SCALING_MODE => "scaling",
        perform::API_CONNECT => "connect",
        perform::API_DISCONNECT => "disconnect",
        perform::SET_BUFFERS_DATASPACE => "dataspace",
        perform::SET_SURFACE_DAMAGE => "damage",
        perform::SET_SHARED_BUFFER_MODE => "shared",
        perform::SET_AUTO_REFRESH => "auto-refresh",
        perform::GET_REFRESH_CYCLE_DURATION => "refresh-duration",
        perform::GET_NEXT_FRAME_ID => "next-frame",
        perform::ENABLE_FRAME_TIMESTAMPS => "enable-timestamps",
        perform::GET_FRAME_TIMESTAMPS => "timestamps",
        perform::SET_USAGE64 => "usage",
        perform::GET_CONSUMER_USAGE64 => "consumer-usage",
        perform::SET_BUFFERS_SMPTE2086_METADATA => "smpte2086",
        perform::SET_BUFFERS_CTA861_3_METADATA => "cta861.3",
        perform::SET_DEQUEUE_TIMEOUT => "dequeue-timeout",
        perform::SET_PRESENT_MODE => "present-mode",
        perform::GET_LAST_REPLACED_FRAME_ID => "last-replaced",
        perform::SET_ON_ACQUIRED_CALLBACK => "on-acquired",
        perform::SET_ON_DROPPED_CALLBACK => "on-dropped",
        perform::API_CONNECT_WITH_LISTENER => "connect-with-listener",
        _ => "?",
    }
}

impl State {
    /// Returns whether the window knows an operation, some of which are new in Android 17.
    fn knows(&self, operation: c_int) -> bool {
        match operation {
            perform::SET_PRESENT_MODE => self.knows_present_modes,
            perform::GET_LAST_REPLACED_FRAME_ID
            | perform::SET_ON_ACQUIRED_CALLBACK
            | perform::SET_ON_DROPPED_CALLBACK
            | perform::API_CONNECT_WITH_LISTENER => self.knows_listeners,
            _ => true,
        }
    }
}

/// # Safety
/// The arguments belong to the operation; its pointers are valid.
unsafe fn apply(
    state: &mut State,
    inside: &Inside,
    operation: c_int,
    arguments: &[u64],
) -> Result<(), c_int> {
    let int = |index: usize| arguments[index] as c_int;
    let pointer = |index: usize| ptr::with_exposed_provenance_mut::<c_void>(arguments[index] as usize);
    if !state.knows(operation) {
        return Err(NOT_FOUND);
    }
    let told = &mut state.told;
    // SAFETY: by this function's `# Safety` the arguments belong to the operation, so its pointers
    // are valid.
    unsafe {
        match operation {
            perform::SET_BUFFER_COUNT => told.buffers = arguments[0] as usize,
            perform::SET_BUFFERS_TRANSFORM => told.transform = int(0),
            perform::SET_BUFFERS_TIMESTAMP => told.timestamp = arguments[0].cast_signed(),
            perform::SET_BUFFERS_DIMENSIONS => told.dimensions = (int(0), int(1)),
            perform::SET_BUFFERS_FORMAT => told.format = int(0),
            perform::SET_SCALING_MODE => told.scaling = int(0),
            perform::SET_BUFFERS_DATASPACE => told.dataspace = int(0),
            perform::SET_SHARED_BUFFER_MODE => told.shared = int(0) != 0,
            perform::SET_AUTO_REFRESH => told.auto_refresh = int(0) != 0,
            perform::ENABLE_FRAME_TIMESTAMPS => told.remembers = int(0) != 0,
            perform::SET_USAGE64 => told.usage = arguments[0],
            perform::SET_DEQUEUE_TIMEOUT => told.dequeue_timeout = arguments[0].cast_signed(),
            perform::SET_BUFFERS_SMPTE2086_METADATA => {
                told.smpte2086 = std::slice::from_raw_parts(pointer(0).cast::<f32>(), 10).to_vec();
            }
            perform::SET_BUFFERS_CTA861_3_METADATA => {
                told.cta861_3 = std::slice::from_raw_parts(pointer(0).cast::<f32>(), 2).to_vec();
            }
            perform::SET_SURFACE_DAMAGE => {
                let rectangles = pointer(0).cast::<Rectangle>();
                state.queue.damage = std::slice::from_raw_parts(rectangles, arguments[1] as usize).to_vec();
            }
            perform::GET_REFRESH_CYCLE_DURATION => pointer(0).cast::<i64>().write(state.refresh_duration),
            perform::GET_NEXT_FRAME_ID => pointer(0).cast::<u64>().write(state.queue.next_frame_number()),
            perform::GET_CONSUMER_USAGE64 => pointer(0).cast::<u64>().write(state.consumer_usage),
            perform::GET_FRAME_TIMESTAMPS => {
                let times = state.timestamps.get(&arguments[0]).ok_or(BAD_VALUE)?;
                for (index, time) in (1..).zip(times) {
                    pointer(index).cast::<i64>().write(*time);
                }
            }
            perform::SET_PRESENT_MODE => told.present_mode = int(0),
            perform::GET_LAST_REPLACED_FRAME_ID => {
                pointer(0).cast::<u64>().write(state.last_replaced.ok_or(NOT_ENOUGH_DATA)?);
            }
            perform::SET_ON_ACQUIRED_CALLBACK | perform::SET_ON_DROPPED_CALLBACK => {
                let tell = std::mem::transmute::<*mut c_void, OnFrame>(pointer(0));
                let index = if operation == perform::SET_ON_ACQUIRED_CALLBACK { ACQUIRED } else { DROPPED };
                state.listeners[index] = Some(Listener { tell, data: arguments[1] as usize });
            }
            perform::API_CONNECT | perform::API_CONNECT_WITH_LISTENER if state.connected => {
                return Err(BAD_VALUE);
            }
            perform::API_CONNECT => (state.connected, told.listens) = (true, [false; 2]),
            perform::API_CONNECT_WITH_LISTENER => {
                (state.connected, told.listens) = (true, [int(2) != 0, int(3) != 0]);
            }
            perform::API_DISCONNECT if !state.connected => return Err(BAD_VALUE),
            perform::API_DISCONNECT => {
                state.connected = false;
                // The next one has to describe the buffers again; everything else stays as it was.
                let (format, dimensions, transform, scaling, usage) = Default::default();
                state.told = Told { format, dimensions, transform, scaling, usage, ..state.told.clone() };
                state.queue.forget_all(inside.android);
            }
            _ => return Err(BAD_VALUE),
        }
    }
    Ok(())
}
