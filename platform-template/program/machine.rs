//! The machine below the program: an emulator of Linux programs, which has two calls. A board would write to its serial
//! line and reset instead.

use core::arch::{asm, global_asm};
use core::fmt::{self, Write as _};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;

use platform_template::{init_heap, used_heap};

/// The memory of the loader and the driver, in bytes.
const HEAP: usize = 512 << 10;

static mut MEMORY: [MaybeUninit<u8>; HEAP] = [MaybeUninit::uninit(); HEAP];

#[cfg(target_arch = "x86_64")]
global_asm!(".globl _start", "_start:", "and rsp, -16", "call {begin}", "ud2", begin = sym begin);
#[cfg(target_arch = "aarch64")]
global_asm!(".globl _start", "_start:", "bl {begin}", "udf #0", begin = sym begin);
#[cfg(target_arch = "arm")]
global_asm!(".globl _start", ".thumb_func", "_start:", "bl {begin}", "udf #0", begin = sym begin);
#[cfg(target_arch = "riscv64")]
global_asm!(".globl _start", "_start:", "call {begin}", "unimp", begin = sym begin);

#[cfg(target_arch = "loongarch64")]
global_asm!(".globl _start", "_start:", "bl {begin}", "break 0", begin = sym begin);

extern "C" fn begin() -> ! {
    // SAFETY: this function runs once, and nothing else names the memory.
    init_heap(unsafe { &mut *(&raw mut MEMORY) });
    let report = |when: &str| {
        let _ = writeln!(Console, "{when}: {} bytes of heap in use", used_heap());
    };
    match crate::vulkan::run(&|| report("with a device")) {
        Ok(()) => {
            report("instance, device and submission: right");
            exit(0)
        }
        Err(error) => {
            let _ = writeln!(Console, "a Vulkan command failed: {error}");
            exit(1)
        }
    }
}

struct Console;

impl fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write_log(text.as_bytes());
        Ok(())
    }
}

#[unsafe(no_mangle)]
fn write_log(line: &[u8]) {
    call(WRITE, [1, line.as_ptr().addr(), line.len()]);
}

/// Ends the program with the exit code 2.
#[unsafe(no_mangle)]
fn stop() -> ! {
    exit(2)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Console, "{info}");
    exit(3)
}

fn exit(code: usize) -> ! {
    loop {
        call(EXIT, [code, 0, 0]);
    }
}

/// The numbers of the calls `write` and `exit_group`.
#[cfg(target_arch = "x86_64")]
const WRITE: usize = 1;
#[cfg(target_arch = "x86_64")]
const EXIT: usize = 231;
#[cfg(target_arch = "arm")]
const WRITE: usize = 4;
#[cfg(target_arch = "arm")]
const EXIT: usize = 248;
#[cfg(any(target_arch = "aarch64", target_arch = "loongarch64", target_arch = "riscv64"))]
const WRITE: usize = 64;
#[cfg(any(target_arch = "aarch64", target_arch = "loongarch64", target_arch = "riscv64"))]
const EXIT: usize = 94;

fn call(number: usize, [first, second, third]: [usize; 3]) {
    // SAFETY: the calls only read the memory that they are given, and change no register but those named.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("syscall", inlateout("rax") number => _, in("rdi") first, in("rsi") second, in("rdx") third,
            lateout("rcx") _, lateout("r11") _, options(nostack));
        #[cfg(target_arch = "aarch64")]
        asm!("svc #0", in("x8") number, inlateout("x0") first => _, in("x1") second, in("x2") third, options(nostack));
        // The number's register is the frame pointer, which the compiler does not give away.
        #[cfg(target_arch = "arm")]
        asm!("mov {saved}, r7", "mov r7, {number}", "svc #0", "mov r7, {saved}", number = in(reg) number, saved = out(reg) _,
            inlateout("r0") first => _, in("r1") second, in("r2") third);
        #[cfg(target_arch = "loongarch64")]
        asm!("syscall 0", in("$a7") number, inlateout("$a0") first => _, in("$a1") second, in("$a2") third,
            lateout("$t0") _, lateout("$t1") _, lateout("$t2") _, lateout("$t3") _, lateout("$t4") _, lateout("$t5") _, lateout("$t6") _, lateout("$t7") _, lateout("$t8") _, options(nostack));
        #[cfg(target_arch = "riscv64")]
        asm!("ecall", in("a7") number, inlateout("a0") first => _, in("a1") second, in("a2") third, options(nostack));
    }
}
