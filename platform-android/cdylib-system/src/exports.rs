//! The exported functions, generated from a list and checked against
//! `platform-android/libvulkan.map.txt`.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

use platform_android_system::SystemLoader;

fn loader() -> &'static SystemLoader {
    &platform_android_system::LOADER
}

vkload_core::registry::for_each_export!(android, platform_android_system::exports);
