//! The signal handlers. They call the handlers that the program had installed before.

use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicI32, Ordering};

use crate::report::{self, Reason};

#[cfg(target_os = "android")]
use libc::__errno as errno;
#[cfg(not(target_os = "android"))]
use libc::__errno_location as errno;

/// Signals that end a process after a mistake of its own.
const FATAL: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP, libc::SIGSYS];

/// One more than the highest number of a signal in use.
const COUNT: usize = 64;

/// The actions before this layer's.
struct Previous([UnsafeCell<MaybeUninit<libc::sigaction>>; COUNT]);

// SAFETY: each is written once, before the handler that reads it is installed.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous([const { UnsafeCell::new(MaybeUninit::uninit()) }; COUNT]);

/// The signal that requests a report; 0 if none does.
static REQUEST: AtomicI32 = AtomicI32::new(0);

pub(crate) fn install(request: Option<c_int>) {
    REQUEST.store(request.unwrap_or(0), Ordering::Relaxed);
    for signal in FATAL.into_iter().chain(request) {
        let Some(previous) = usize::try_from(signal).ok().and_then(|signal| PREVIOUS.0.get(signal)) else {
            continue;
        };
        // SAFETY: zeros are an action without flags and with an empty mask. The handler has the type that SA_SIGINFO demands.
        unsafe {
            if libc::sigaction(signal, core::ptr::null(), previous.get().cast()) != 0 {
                continue;
            }
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = handler as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if signal == REQUEST.load(Ordering::Relaxed) {
                action.sa_flags |= libc::SA_RESTART;
            }
            libc::sigaction(signal, &raw const action, core::ptr::null_mut());
        }
    }
}

extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid structure. The location of `errno` is this thread's.
    unsafe {
        let saved = *errno();
        let is_sent = (*info).si_code <= 0;
        if signal == REQUEST.load(Ordering::Relaxed) {
            report::write(&Reason::Request);
        } else {
            let has_address = !is_sent && signal != libc::SIGABRT;
            let address = has_address.then(|| (*info).si_addr().addr());
            report::write_last(&Reason::Signal { number: signal, address });
        }
        *errno() = saved;
        if go_on(signal, info, context, is_sent) {
            report::resume();
        }
    }
}

/// Calls the program's own handler, or lets the signal take its default effect. Returns whether the program goes on.
///
/// # Safety
/// The parameters are a handler's.
unsafe fn go_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void, is_sent: bool) -> bool {
    let Some(previous) = usize::try_from(signal).ok().and_then(|signal| PREVIOUS.0.get(signal)) else {
        return true;
    };
    // SAFETY: it was written before the handler was installed. A function there has the type that its flags state.
    unsafe {
        let previous = (*previous.get()).assume_init_ref();
        match previous.sa_sigaction {
            libc::SIG_IGN | libc::SIG_DFL if signal == REQUEST.load(Ordering::Relaxed) => {}
            libc::SIG_IGN if is_sent => {}
            libc::SIG_IGN | libc::SIG_DFL => {
                libc::sigaction(signal, previous, core::ptr::null_mut());
                // The instruction at fault is executed again. A signal that was sent has to be sent again; it arrives after the handler.
                if is_sent {
                    libc::raise(signal);
                }
                return false;
            }
            function if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                let function = core::mem::transmute::<
                    usize,
                    unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
                >(function);
                function(signal, info, context);
            }
            function => {
                core::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(function)(signal);
            }
        }
    }
    true
}
