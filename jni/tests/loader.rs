//! The loader inside an Android application as a library for this machine, for Java: `libvkload.so`
//! on an Android system in the folder that the environment variable [`FOLDER`] names.
//! `jni/tests/application` creates its content.

use std::env;
use std::process::abort;
use std::sync::LazyLock;

use android_simulation::Android;
use platform_android_apk::{Apk, FLAVOUR};
use vkload_core::loader::Loader;

/// The variable that names the folder of the Android system.
pub const FOLDER: &str = "VKLOAD_TEST_ANDROID";

/// The state shared by all calls of the process.
static APK: LazyLock<Apk> = LazyLock::new(|| {
    let android = Android::at(env::var_os(FOLDER).unwrap_or_default().into());
    android.set("ro.build.version.sdk", "34");
    android.change().echoes = false;
    Apk::new(android)
});

static LOADER: LazyLock<Loader> = LazyLock::new(|| {
    let apk: &'static Apk = &APK;
    Loader::new(Box::leak(Box::new(apk.platform(|| abort()))), FLAVOUR)
});

pub mod entry {
    vkload_core::global_commands!(crate::LOADER);
}

pub mod exports {
    #![allow(non_snake_case, reason = "exported functions have the names of their commands")]

    use super::entry;

    vkload_core::registry::for_each_export!(android, vkload_core::look_up_exports);
    platform_android_apk::interface!(super::APK, super::LOADER, vkGetInstanceProcAddr);
}
