//! Sandboxes that refuse system calls, like the sandboxes of browsers and containers.

use std::io::Error;

/// From now on the system refuses this call in this process with this error number; with `flags`, only if its third parameter has
/// any of them. Nothing takes that back.
pub fn refuse(call: libc::c_long, flags: Option<libc::c_int>, error: libc::c_int) {
    // The offset of the third parameter in the filter's data: the lower half of eight bytes.
    const THIRD: u32 = 16 + 2 * 8 + if cfg!(target_endian = "big") { 4 } else { 0 };
    let step = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let load = |place| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, place);
    let end = |answer| step(libc::BPF_RET | libc::BPF_K, 0, 0, answer);
    let wanted = flags.unwrap_or(0) as u32;
    let any_of = if flags.is_some() { libc::BPF_JSET } else { libc::BPF_JGE };
    let mut filter = [
        load(0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 3, call as u32),
        load(THIRD),
        step(libc::BPF_JMP | any_of | libc::BPF_K, 0, 1, wanted),
        end(libc::SECCOMP_RET_ERRNO | error as u32),
        end(libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    no_new_privileges();
    // SAFETY: the program is valid while the call runs.
    let made = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) };
    assert_eq!(made, 0, "{}", Error::last_os_error());
}

/// Lets this process and those that it starts get no more privileges than it has.
pub fn no_new_privileges() {
    // SAFETY: the call takes numbers only.
    let result = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    assert_eq!(result, 0, "{}", Error::last_os_error());
}
