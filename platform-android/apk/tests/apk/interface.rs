//! The functions of `vkload.h` as it describes them.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use platform_android_apk as apk;

use super::{Application, LOADER};

/// Returns the text written into a buffer of this size, and the result.
fn written<R>(room: usize, write: impl FnOnce(*mut c_char, usize) -> R) -> (Vec<u8>, R) {
    let mut buffer = vec![0x7f_u8; room + 1];
    let result = write(buffer.as_mut_ptr().cast(), room);
    assert_eq!(buffer.pop(), Some(0x7f), "more than {room} bytes are written");
    (buffer, result)
}

#[test]
fn a_text_is_cut_off_at_the_end_of_the_buffer() {
    let application = Application::new();
    let configure = |message: *mut c_char, size| {
        // SAFETY: a C string, and a buffer of the given size.
        unsafe { apk::configure(application.apk, c"[]".as_ptr(), message, size) }
    };
    let whole = application.configure("[]").unwrap_err();
    for room in [0, 1, 2, 20] {
        let (message, result) = written(room, configure);
        assert_eq!(result, -1);
        let end = room.saturating_sub(1);
        assert_eq!(&message[..end], &whole.as_bytes()[..end]);
        assert!(room == 0 || message[end] == 0);
    }
    assert_eq!(configure(null_mut(), 0), -1);
    assert_eq!(configure(null_mut(), 20), -1);
}

#[test]
fn a_report_says_how_long_it_is_whatever_room_there_is() {
    let application = Application::new();
    for format in [0, 1] {
        let whole = application.report(format);
        // SAFETY: a buffer of the given size.
        let report = |buffer, size| unsafe { apk::report(application.apk, &LOADER, format, buffer, size) };
        for room in [0, 1, 2, 20, whole.len(), whole.len() + 1, whole.len() + 2] {
            let (text, length) = written(room, report);
            assert_eq!(length, whole.len());
            let end = room.saturating_sub(1).min(whole.len());
            assert_eq!(&text[..end], &whole.as_bytes()[..end]);
            assert!(room == 0 || text[end] == 0);
        }
        assert_eq!(report(null_mut(), 20), whole.len());
    }
}

#[test]
fn no_options_are_empty_ones() {
    let application = Application::new();
    application.configure(r#"{"environment": {"VK_LOADER_DEBUG": "all"}}"#).unwrap();
    let (message, result) = written(20, |message, size| {
        // SAFETY: no string, and a buffer of the given size.
        unsafe { apk::configure(application.apk, null(), message, size) }
    });
    assert_eq!((message[0], result), (0, 0));
    assert!(!application.report(1).contains("VK_LOADER_DEBUG"));
}

/// The progress of a callback.
#[derive(Default)]
struct Call {
    begun: AtomicUsize,
    somebody_waits: AtomicBool,
    ended: AtomicBool,
}

unsafe extern "C" fn slow(_: c_int, _: *const c_char, data: *mut c_void) {
    // SAFETY: the test passes a `Call` that outlives the callback.
    let call = unsafe { &*data.cast::<Call>() };
    call.begun.fetch_add(1, Ordering::SeqCst);
    while !call.somebody_waits.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    for _ in 0..1000 {
        thread::yield_now();
    }
    call.ended.store(true, Ordering::SeqCst);
}

#[test]
fn who_ends_a_callback_waits_until_it_is_not_under_way() {
    for next in [None, Some(slow as apk::LogCallback)] {
        let application = Application::new();
        let (call, other) = (Call::default(), Call::default());
        let listen = |callback, call: &Call| {
            // SAFETY: both live until the end of the test, which ends the callback.
            unsafe { apk::set_log(application.apk, 0, callback, (&raw const *call).cast_mut().cast()) };
        };
        listen(Some(slow), &call);
        thread::scope(|scope| {
            // It is an error, which the callback gets in this thread.
            scope.spawn(|| application.configure("[]").unwrap_err());
            while call.begun.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
            call.somebody_waits.store(true, Ordering::SeqCst);
            listen(next, &other);
            assert!(call.ended.load(Ordering::SeqCst));
        });
        listen(None, &other);
        assert_eq!((call.begun.into_inner(), other.begun.into_inner()), (1, 0));
    }
}
