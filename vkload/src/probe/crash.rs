//! Reports which library crashed or hangs, from inside the same process.
//!
//! The handler runs on a separate stack if it can, allocates nothing, and calls only functions that signal handlers may call. It looks up
//! the address of the signal in `/proc/self/maps`. If the address is in the C library, as after `abort`, it searches the stack for the
//! first caller outside it.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use super::notes;

/// The signal that makes a hanging process report its location and exit.
pub(super) const ASKS: i32 = libc::SIGQUIT;

/// Signals that a broken library causes.
const CAUSED: [i32; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP, libc::SIGSYS];

const STACK_SIZE: usize = 256 << 10;
/// How many words of the stack are looked at, and how much of the maps is read.
const STACK_WORDS: usize = 2048;
const MAPS_SIZE: usize = 128 << 10;

/// Parts of the names of files that pass a crash on and do not cause it.
const PASSING_ON: [&[u8]; 8] = [
    b"/libc.so",
    b"/libc-",
    b"/ld-linux",
    b"/ld-musl",
    b"/libpthread",
    b"/libstdc++",
    b"/libc++",
    b"/libgcc_s",
];

/// The buffer for the maps. It may be too large for a thread's own stack.
struct Maps(UnsafeCell<[u8; MAPS_SIZE]>);

// SAFETY: only the first handler that runs uses it, as `BUSY` sees to.
unsafe impl Sync for Maps {}

static MAPS: Maps = Maps(UnsafeCell::new([0; MAPS_SIZE]));
static BUSY: AtomicBool = AtomicBool::new(false);

/// Writes a note on a signal, then lets the signal kill the process.
pub(super) fn report() {
    let stack = Box::leak(vec![0u8; STACK_SIZE].into_boxed_slice());
    let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK_SIZE };
    // SAFETY: the stack lives as long as the process, and the handler has the type that SA_SIGINFO asks for.
    unsafe {
        libc::sigaltstack(&raw const stack, null_mut());
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
        for signal in CAUSED.into_iter().chain([ASKS]) {
            libc::sigaction(signal, &raw const action, null_mut());
        }
    }
}

unsafe extern "C" fn handle(signal: i32, _: *mut libc::siginfo_t, context: *mut c_void) {
    if notes::is_writer() && !BUSY.swap(true, Ordering::AcqRel) {
        // SAFETY: only one thread gets here, and the kernel passes a valid context to a handler with SA_SIGINFO.
        unsafe { note_library(context) };
    }
    // SAFETY: both may be called in a handler. It was reset when it was entered, so the signal kills the process now.
    unsafe {
        // Keeps desktop crash reporters from showing this crash to the user.
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::raise(signal);
    }
}

/// Notes which library's code ran or waits.
///
/// # Safety
/// `context` is a signal handler's, and no other thread is here.
unsafe fn note_library(context: *mut c_void) {
    // SAFETY: the caller vouches for it.
    let (maps, (instruction, stack)) = unsafe { (&mut *MAPS.0.get(), registers(context)) };
    let read = read_maps(maps);
    let maps = maps.get(..read).unwrap_or_default();
    let own = file_at(maps, handle as *const () as usize);
    let guilty = |address: usize| {
        let file = file_at(maps, address).filter(|file| Some(*file) != own)?;
        (!PASSING_ON.iter().any(|part| holds(file, part))).then_some(file)
    };
    let file = guilty(instruction).or_else(|| callers(maps, stack).find_map(guilty)).unwrap_or_default();
    write_line(file.rsplit(|byte| *byte == b'/').next().unwrap_or_default());
}

fn read_maps(buffer: &mut [u8]) -> usize {
    // SAFETY: a valid path; the buffer is written within its bounds.
    unsafe {
        let file = libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match usize::try_from(libc::read(file, rest.as_mut_ptr().cast(), rest.len())) {
                Ok(read) if read > 0 => filled += read,
                _ => break,
            }
        }
        libc::close(file);
        filled
    }
}

/// Returns the addresses of the instruction and of the top of the stack. Zero where this processor's layout is not known.
///
/// # Safety
/// `context` is a signal handler's.
unsafe fn registers(context: *mut c_void) -> (usize, usize) {
    // SAFETY: the caller vouches for it.
    let Some(context) = (unsafe { context.cast::<libc::ucontext_t>().as_ref() }) else { return (0, 0) };
    #[cfg(target_arch = "x86_64")]
    {
        let registers = &context.uc_mcontext.gregs;
        (registers[libc::REG_RIP as usize] as usize, registers[libc::REG_RSP as usize] as usize)
    }
    #[cfg(target_arch = "aarch64")]
    {
        (context.uc_mcontext.pc as usize, context.uc_mcontext.sp as usize)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = context;
        (0, 0)
    }
}

/// Returns the content of the stack, as far as it is mapped.
fn callers(maps: &[u8], stack: usize) -> impl Iterator<Item = usize> {
    let end = lines(maps).find(|line| line.holds(stack)).map_or(0, |line| line.end);
    let start = stack.next_multiple_of(size_of::<usize>());
    let count = (end.saturating_sub(start) / size_of::<usize>()).min(STACK_WORDS);
    // SAFETY: the maps say that the words up to the end are readable, and the thread whose stack it is runs this.
    (0..count).map(move |word| unsafe { (start as *const usize).add(word).read_volatile() })
}

struct Line<'a> {
    start: usize,
    end: usize,
    executable: bool,
    file: &'a [u8],
}

impl Line<'_> {
    fn holds(&self, address: usize) -> bool {
        (self.start..self.end).contains(&address)
    }
}

pub(super) fn file_at(maps: &[u8], address: usize) -> Option<&[u8]> {
    lines(maps)
        .find(|line| line.executable && line.holds(address))
        .map(|line| line.file)
        .filter(|file| file.starts_with(b"/"))
}

fn lines(maps: &[u8]) -> impl Iterator<Item = Line<'_>> {
    maps.split(|byte| *byte == b'\n').filter_map(|line| {
        let mut words = line.splitn(6, |byte| *byte == b' ');
        let mut range = words.next()?.splitn(2, |byte| *byte == b'-');
        let (start, end) = (hexadecimal(range.next()?)?, hexadecimal(range.next()?)?);
        let executable = words.next()?.get(2) == Some(&b'x');
        Some(Line { start, end, executable, file: words.nth(3).unwrap_or_default().trim_ascii() })
    })
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0usize, |number, digit| {
        Some((number << 4) | usize::try_from(char::from(*digit).to_digit(16)?).ok()?)
    })
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn write_line(library: &[u8]) {
    let mut name = [0u8; 256];
    let mut length = 0;
    for (target, byte) in name.iter_mut().zip(library) {
        let plain = byte.is_ascii_graphic() && !matches!(*byte, b'"' | b'\\');
        *target = if plain { *byte } else { b'_' };
        length += 1;
    }
    notes::write(&[br#"{"signal":""#, name.get(..length).unwrap_or_default(), br#""}"#]);
}
