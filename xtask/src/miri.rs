//! `cargo xtask miri`: the core's and the driver runtime's tests without machine code, run by an interpreter that finds
//! undefined behaviour.

use std::process::Command;

use crate::Failure;
use crate::command::Run;
use crate::toolchain::nightly;

/// The beginnings of the names of the core's tests. `discovery` has no unsafe code of its own, and its tests take hours. The rest of the
/// core calls trampolines, which Miri cannot interpret; the test of its objects calls tables instead.
const CORE: &[&str] = &["memory::", "manifest::", "abi::chain"];

/// Tests of the driver runtime to skip: those that call trampolines or compare addresses of functions, which differ from one mention to the
/// next under Miri, and those that take hours.
const NOT_OF_THE_RUNTIME: &[&str] = &[
    "trampolines",
    "dispatch::tests",
    "a_driver_with_templates_keeps_its_own",
    "forwarders_fill_what_a_driver_lacks",
    "extensions_that_the_registry_does_not_list",
    "a_device_may_have_functions_of_its_own",
    "an_unsupported_member_of_every_structure",
    "messages_say_why_a_device_is_not_created",
    "private_data_of_ten",
    "many_threads",
    "a_long_call_follows",
    "long_recordings_keep",
    "a_new_description_has_the_limits",
    "features_raise_the_limits",
];

/// Handles are addresses, and chains that a test makes are changed through other pointers than those that made them.
const FLAGS: &str = "-Zmiri-permissive-provenance -Zmiri-tree-borrows";

/// Needs a nightly compiler with the components `miri` and `rust-src`, and half an hour.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    miri("vkload-registry").finish()?;
    miri("vkload-core").args(CORE).finish()?;
    // The test's loader and its imaginary system are never freed: a loader is a static.
    miri("vkload-core")
        .env("MIRIFLAGS", format!("{FLAGS} -Zmiri-ignore-leaks"))
        .arg("entry::tests")
        .finish()?;
    let left_out = NOT_OF_THE_RUNTIME.iter().flat_map(|name| ["--skip", name]);
    miri("vkload-driver-runtime").env("MIRIFLAGS", FLAGS).args(left_out).finish()
}

fn miri(package: &str) -> Command {
    nightly(&format!("miri test --package {package} --lib --"))
}
