//! The exported functions: the Vulkan commands, and the functions that `vkload.h` declares.
#![allow(non_snake_case, reason = "exported functions have the names of their commands")]

pub mod entry {
    vkload_core::global_commands!(platform_android_apk::LOADER);
}

vkload_core::registry::for_each_export!(android, vkload_core::look_up_exports);
platform_android_apk::interface!(
    platform_android_apk::APK,
    platform_android_apk::LOADER,
    vkGetInstanceProcAddr
);
