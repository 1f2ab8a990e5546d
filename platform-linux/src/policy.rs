//! The locations of manifests on Linux desktops, and other build options.

#[cfg(feature = "fixed-drivers")]
use vkload_core::discovery::FixedDrivers;
#[cfg(not(feature = "fixed-drivers"))]
use vkload_core::discovery::{Policy, Root, build_option};

/// The search paths of this build. Two variables of the build environment change them, as
/// distributions do: `SYSCONFDIR` (default `/usr/local/etc`) and `EXTRASYSCONFDIR` (default
/// `/etc`).
#[cfg(not(feature = "fixed-drivers"))]
pub static POLICY: Policy = Policy::linux(&ROOTS);

/// No search: the drivers are those that `VKLOAD_FIXED_DRIVERS` lists in the build environment,
/// paths separated by colons.
#[cfg(feature = "fixed-drivers")]
pub static POLICY: FixedDrivers = FixedDrivers { libraries: FIXED, option: "VKLOAD_FIXED_DRIVERS" };

#[cfg(feature = "fixed-drivers")]
const FIXED: &str = match option_env!("VKLOAD_FIXED_DRIVERS") {
    Some(list) if names_only_absolute_paths(list.as_bytes()) => list,
    Some(_) => panic!(
        "VKLOAD_FIXED_DRIVERS is not a list of absolute paths separated by colons: the dynamic linker searches the folders \
         of LD_LIBRARY_PATH for a name, and the current folder for another path"
    ),
    None => panic!("VKLOAD_FIXED_DRIVERS is not set; `cargo xtask build --fixed-drivers LIST` sets it"),
};

/// Returns whether each element of the list begins with a slash. A name would be searched for in the folders of `LD_LIBRARY_PATH`, and a
/// relative path in the current folder.
#[cfg(any(test, feature = "fixed-drivers"))]
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

#[cfg(not(feature = "fixed-drivers"))]
static ROOTS: [Root; 6] = Policy::linux_roots(
    build_option(option_env!("SYSCONFDIR"), "/usr/local/etc"),
    build_option(option_env!("EXTRASYSCONFDIR"), "/etc"),
);

/// The end of the message that no driver can be used. The tool explains a search; fixed drivers need none.
#[cfg(not(feature = "fixed-drivers"))]
pub(crate) const MORE_ABOUT_DRIVERS: &str = "; for more, run `vkload doctor`";
#[cfg(feature = "fixed-drivers")]
pub(crate) const MORE_ABOUT_DRIVERS: &str = "";

/// Whether software devices are listed only if no other device is there, without
/// `VK_LOADER_X_SOFTWARE_DEVICES_LAST` and the settings file: if `VKLOAD_SOFTWARE_DEVICES_LAST` is `1` in the build
/// environment.
pub(crate) const SOFTWARE_DEVICES_LAST: bool = is_on(option_env!("VKLOAD_SOFTWARE_DEVICES_LAST"));

/// Whether software devices are never listed: if `VKLOAD_REFUSE_SOFTWARE_DEVICES` is `1` in the build environment.
pub(crate) const REFUSES_SOFTWARE_DEVICES: bool = is_on(option_env!("VKLOAD_REFUSE_SOFTWARE_DEVICES"));

/// Returns whether a variable of the build environment is `1`.
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
