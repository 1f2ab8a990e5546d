//! The locations of manifests on Linux desktops, and other build options.

use vkload_core::discovery::{FixedDrivers, Policy, Root, Source, build_option};

/// The search paths of this build. Two variables of the build environment change them, as
/// distributions do: `SYSCONFDIR` (default `/usr/local/etc`) and `EXTRASYSCONFDIR` (default
/// `/etc`).
pub static POLICY: Policy = Policy::linux(&ROOTS);

/// Whether the drivers are fixed: then no variable is read, nothing is searched for, and there are no layers.
pub(crate) const IS_FIXED: bool = !FIXED.is_empty();

/// The drivers that `VKLOAD_FIXED_DRIVERS` lists in the build environment, paths separated by colons.
const FIXED: &str = match option_env!("VKLOAD_FIXED_DRIVERS") {
    None => "",
    Some(list) if list.is_empty() || names_only_absolute_paths(list.as_bytes()) => list,
    Some(_) => panic!(
        "VKLOAD_FIXED_DRIVERS is not a list of absolute paths separated by colons: the dynamic linker searches the folders \
         of LD_LIBRARY_PATH for a name, and the current folder for another path"
    ),
};

static FIXED_DRIVERS: FixedDrivers = FixedDrivers { libraries: FIXED, option: "VKLOAD_FIXED_DRIVERS" };

pub(crate) const SOURCE: &dyn Source = if IS_FIXED { &FIXED_DRIVERS } else { &POLICY };

/// Returns whether each element of the list begins with a slash. A name would be searched for in the folders of `LD_LIBRARY_PATH`, and a
/// relative path in the current folder.
const fn names_only_absolute_paths(mut list: &[u8]) -> bool {
    let mut at_start = true;
    while let [byte, rest @ ..] = list {
        if at_start && *byte != b'/' {
            return false;
        }
        at_start = *byte == b':';
        list = rest;
    }
    !at_start
}

static ROOTS: [Root; 6] = Policy::linux_roots(
    build_option(option_env!("SYSCONFDIR"), "/usr/local/etc"),
    build_option(option_env!("EXTRASYSCONFDIR"), "/etc"),
);

/// Returns the end of the message that no driver can be used. The tool explains a search; fixed drivers need none.
pub(crate) fn more_about_drivers() -> &'static str {
    if IS_FIXED { "" } else { "; for more, run `vkload doctor`" }
}

/// Whether software devices are listed only if no other device is there, without
/// `VK_LOADER_X_SOFTWARE_DEVICES_LAST` and the settings file: if `VKLOAD_SOFTWARE_DEVICES_LAST` is `1` in the build
/// environment.
pub(crate) const SOFTWARE_DEVICES_LAST: bool = is_on(option_env!("VKLOAD_SOFTWARE_DEVICES_LAST"));

/// Whether software devices are never listed: if `VKLOAD_REFUSE_SOFTWARE_DEVICES` is `1` in the build environment.
pub(crate) const REFUSES_SOFTWARE_DEVICES: bool = is_on(option_env!("VKLOAD_REFUSE_SOFTWARE_DEVICES"));

#[expect(clippy::panic, reason = "evaluated by the compiler, which reports a failure as an error")]
const fn is_on(value: Option<&str>) -> bool {
    let Some(value) = value else { return false };
    match value.as_bytes() {
        b"" | b"0" => false,
        b"1" => true,
        _ => panic!("a variable of the build that is 0 or 1 has another value"),
    }
}

#[cfg(test)]
mod tests {
    use super::names_only_absolute_paths;

    #[test]
    fn a_list_with_anything_but_absolute_paths_does_not_compile() {
        for list in ["libnull.so", "./libnull.so", "/a/libnull.so:libnull.so", "/a/libnull.so:", ""] {
            assert!(!names_only_absolute_paths(list.as_bytes()), "{list:?}");
        }
        assert!(names_only_absolute_paths(b"/a/libnull.so:/b/libnull.so"));
    }
}
