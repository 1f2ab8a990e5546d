//! The content of an AAR: [`FILES`] and, for each ABI, its libraries.
//!
//! The folders `cmake`, `include` and `jni` form a CMake package in the unpacked AAR. `prefab` is the same for Android's Gradle plugin,
//! which makes a CMake package from it (<https://google.github.io/prefab>); the library in it is the one in `jni`. Of the forms of Prefab's
//! files it has the first, which all versions of the plugin know.

use std::path::Path;

use crate::Failure;
use crate::android_abi::{LIBRARIES, Library};
use crate::android_options::{Abi, OLDEST_OF_APPLICATIONS};
use crate::workspace::{self, read, root};

use super::archive::Files;

pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn libraries() -> impl Iterator<Item = &'static Library> {
    LIBRARIES.iter().filter(|library| library.is_brought)
}

/// Files that are taken from the repository in addition to those in `jni/aar`, by their names in the AAR.
const FILES: &[(&str, &str)] = &[
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("cmake/vkload-config-version.cmake", "jni/cmake/vkload-config-version.cmake"),
    ("cmake/vkload-config.cmake", "jni/cmake/vkload-config.cmake"),
    ("include/vkload.h", "jni/include/vkload.h"),
    ("prefab/modules/vkload/include/vkload.h", "jni/include/vkload.h"),
];

/// The library with which C and C++ programs are linked.
const LINKED: &str = "libvkload.so";

/// Returns the name of a library that becomes part of the application.
pub(crate) fn library(abi: &str, file: &str) -> String {
    format!("jni/{abi}/{file}")
}

fn for_linking(abi: &str, name: &str) -> String {
    format!("prefab/modules/vkload/libs/android.{abi}/{name}")
}

pub(crate) fn files(abis: &[Abi], classes: Vec<u8>) -> Result<Files, Failure> {
    // The AAR has no resources.
    let mut files = Files::from([("R.txt".to_owned(), Vec::new()), ("classes.jar".to_owned(), classes)]);
    for (name, path) in workspace::files(&root().join("jni/aar"))? {
        files.insert(name, read(&path)?);
    }
    for (name, source) in FILES {
        files.insert((*name).to_owned(), read(&root().join(source))?);
    }
    for (abi, _) in abis {
        for it in libraries() {
            let content = built(&it.installed(abi), abi)?;
            if it.file == LINKED {
                files.insert(for_linking(abi, LINKED), content.clone());
            }
            files.insert(library(abi, it.file), content);
        }
        // The libraries are made without an NDK; what has a C interface alone goes with the C++ library of every one.
        let abi_json = format!(
            "{{\n    \"abi\": \"{abi}\",\n    \"api\": {OLDEST_OF_APPLICATIONS},\n    \"ndk\": 21,\n    \"stl\": \"none\"\n}}\n"
        );
        files.insert(for_linking(abi, "abi.json"), abi_json.into());
    }
    Ok(files)
}

pub(crate) fn built(path: &Path, abi: &str) -> Result<Vec<u8>, Failure> {
    read(path).map_err(|error| format!("{error}; `cargo xtask android-abi --abi {abi}` makes it").into())
}
