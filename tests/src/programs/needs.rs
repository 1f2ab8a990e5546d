//! A test's requirements of the machine, and the consequences if one is missing. The library under test is not among them: without it the
//! tests fail.
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::programs::{RealLayer, driver, library};

/// A thing that a test cannot do without.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// The distribution's loader: Debian's libvulkan1.
    Distribution,
    /// Mesa's driver without hardware: Debian's mesa-vulkan-drivers.
    Lavapipe,
    /// Another driver without hardware: Debian's chromium-common.
    SwiftShader,
    /// A C compiler, and the headers of Vulkan, XCB and Xlib: Debian's gcc, libvulkan-dev, libxcb1-dev and libx11-dev.
    Compiler,
    Layer(&'static RealLayer),
    /// A program found through `PATH`, or a file; `test.sh` lists the packages.
    Program(&'static str),
    /// The right to mount file systems in a namespace of its own.
    Root,
}

impl Need {
    /// Returns whether something is missing, which is said on standard error. [`skip_unless!`](crate::skip_unless) then returns.
    pub fn missing(needs: &[Self]) -> bool {
        let Some(need) = needs.iter().find(|need| !need.is_met()) else { return false };
        let complete = env::var_os("VKLOAD_TESTS_COMPLETE").is_some_and(|value| value == "1");
        assert!(!complete, "missing: {need:?}");
        eprintln!("skipped: missing {need:?}");
        true
    }

    fn is_met(self) -> bool {
        match self {
            Self::Distribution => Path::new(library::DISTRIBUTION).exists(),
            Self::Lavapipe => Path::new(driver::LAVAPIPE).exists(),
            Self::SwiftShader => Path::new(driver::SWIFTSHADER).exists(),
            Self::Compiler => {
                let headers = ["vulkan/vulkan.h", "xcb/xcb.h", "X11/Xlib.h"];
                in_path("cc") && headers.iter().all(|header| Path::new("/usr/include").join(header).exists())
            }
            Self::Layer(layer) => layer.is_installed(),
            Self::Program(name) => in_path(name),
            Self::Root => {
                let mount = ["--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"];
                Command::new("unshare")
                    .args(mount)
                    .stderr(Stdio::null())
                    .status()
                    .is_ok_and(|it| it.success())
            }
        }
    }
}

fn in_path(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).exists()))
}

/// Returns from a test that [lacks](Need::missing) something.
#[macro_export]
macro_rules! skip_unless {
    ($needs:expr) => {
        if $crate::programs::Need::missing($needs) {
            return;
        }
    };
}
