//! The environment as a digest.

use core::ffi::{CStr, c_char};

use vkload_core::platform::hash::hash;

use super::lines::any_part;

/// Variables that may differ between starts without affecting drivers' results: shells, terminals, desktops
/// and service managers set them to record how a program was started, or they configure the loader's reports
/// and records. Every other variable counts, so that all drivers' variables do. A name that ends in `*`
/// matches all names with that prefix.
const NO_MATTER: &[u8] = b"PWD OLDPWD SHLVL _ COLUMNS LINES WINDOWID WINDOW STY TMUX TMUX_PANE TILIX_ID WT_SESSION \
    TERM_SESSION_ID SHELL_SESSION_ID GNOME_TERMINAL_* KONSOLE_* KITTY_* ALACRITTY_* WEZTERM_* SSH_* \
    DESKTOP_STARTUP_ID XDG_ACTIVATION_TOKEN GIO_LAUNCHED_* SESSION_MANAGER XDG_SESSION_ID INVOCATION_ID JOURNAL_STREAM \
    SYSTEMD_EXEC_PID MANAGERPID* MEMORY_PRESSURE_WATCH LISTEN_PID WATCHDOG_PID VK_LOADER_DEBUG VK_LOADER_X_START_CACHE";

/// Returns a digest of `variables` (`NAME=VALUE`) in any order. Sums of hashes, unlike their exclusive or,
/// also count duplicates.
pub(super) fn digest<'a>(variables: impl Iterator<Item = &'a [u8]>) -> [u64; 2] {
    let mut digest = [0u64; 2];
    for variable in variables.filter(|variable| !is_of_no_matter(variable)) {
        for (seed, sum) in (1..).zip(&mut digest) {
            *sum = sum.wrapping_add(hash(seed, variable));
        }
    }
    digest
}

fn is_of_no_matter(variable: &[u8]) -> bool {
    let end = variable.iter().position(|byte| *byte == b'=').unwrap_or(variable.len());
    let name = variable.get(..end).unwrap_or_default();
    any_part(NO_MATTER, b' ', &mut |known: &[u8]| match known.strip_suffix(b"*") {
        Some(beginning) => name.starts_with(beginning),
        None => known == name,
    })
}

/// Returns the folders that the dynamic linker searches first for a library without a path: the value of
/// `LD_LIBRARY_PATH`, empty if that is unset.
pub(super) fn library_path() -> &'static [u8] {
    variables().find_map(|variable| variable.strip_prefix(b"LD_LIBRARY_PATH=")).unwrap_or_default()
}

/// Returns the variables of this process. Like `getenv`'s values, they are valid until the environment
/// changes: a program that changes it while another thread reads it breaks the contract of `setenv`.
pub(super) fn variables() -> impl Iterator<Item = &'static [u8]> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library has this variable, and by the contract of `setenv` no thread changes it now.
    let mut next = unsafe { environ };
    core::iter::from_fn(move || {
        // SAFETY: `next` is NULL, or in the array that `environ` points to and not behind the NULL at its end.
        let variable = unsafe { next.as_ref() }.filter(|variable| !variable.is_null())?;
        next = next.wrapping_add(1);
        // SAFETY: each member of the array is a valid C string.
        Some(unsafe { CStr::from_ptr(*variable) }.to_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[&str]) -> [u64; 2] {
        digest(variables.iter().map(|variable| variable.as_bytes()))
    }

    #[test]
    fn every_variable_counts_but_not_their_order() {
        let plain = of(&["A=1", "B=2"]);
        assert_eq!(of(&["B=2", "A=1"]), plain);
        for other in
            [&["A=1"][..], &["A=2", "B=1"], &["A=1", "B=2", "RADV_DEBUG=nocache"], &["A=1", "B="], &[]]
        {
            assert_ne!(of(other)[0], plain[0], "{other:?}");
            assert_ne!(of(other)[1], plain[1], "{other:?}");
        }
        assert_ne!(of(&["A=1", "B=2", "B=2"]), plain);
        assert_ne!(of(&["A=1", "B=2", "B=2"]), of(&["A=1"]), "two are not none");
    }

    #[test]
    fn where_a_program_is_started_does_not_count() {
        let plain = of(&["A=1"]);
        assert_eq!(
            of(&["PWD=/a", "A=1", "_=/bin/x", "VK_LOADER_DEBUG=all", "KITTY_PID=7", "SSH_TTY=/dev/pts/0"]),
            plain
        );
        for other in ["PWDX=/a", "VK_LOADER_DEBUGX=", "XSSH_TTY="] {
            assert_ne!(of(&["A=1", other]), plain, "{other}");
        }
        assert_ne!(of(&["A=1", ""]), plain, "an entry without a name is not ignored");
    }

    #[test]
    fn the_names_are_separate_words() {
        let names: std::vec::Vec<_> = NO_MATTER.split(|byte| *byte == b' ').collect();
        assert!(names.iter().all(|name| !name.is_empty()));
        assert!(names.contains(&b"WT_SESSION".as_slice()) && names.contains(&b"WINDOWID".as_slice()));
    }

    #[test]
    fn all_variables_of_this_process_are_seen() {
        assert_eq!(variables().count(), std::env::vars_os().count());
    }
}
