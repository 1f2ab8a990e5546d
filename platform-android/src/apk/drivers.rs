//! The drivers that the options name: which can be used, and what they are.

use core::fmt;

use loader_core::memory::{OutOfMemory, Shown, Text, text};

use super::files::c_path;
use super::options::{Choice, Place};
use super::package::{self, Fault, Package, Stop};
use super::policy::SYSTEM_LOADER;
use super::{Apk, ApplicationSystem};
use crate::hal;
use crate::system::{Door, Library};

/// A driver that the options name.
#[derive(Debug)]
pub struct Driver {
    /// What the application calls it; empty where there is only one.
    pub name: Text,
    /// What was looked at: a library, or a package.
    pub path: Text,
    /// The library that is opened: a path, or a bare name.
    pub library: Text,
    /// By which door.
    pub door: Door,
    /// What it is.
    pub kind: Kind,
    /// What its package says, if it is in one.
    pub package: Option<Package>,
    /// Whether it is used. Another one is where it is not.
    pub used: bool,
}

/// What a driver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The system's loader.
    System,
    /// One that speaks the driver interface.
    Icd,
    /// A HAL module, for which this loader does the window system.
    Module,
}

/// Why a driver cannot be used.
#[derive(Debug)]
pub enum Refusal {
    /// Its package is broken.
    Package(Fault),
    /// The dynamic linker refuses the library.
    DoesNotOpen(Text),
    /// The library is no driver.
    NoDriver,
    /// It is a HAL module that does not start.
    Module(hal::Decision),
    /// Another HAL module is open.
    SecondModule(Text),
    /// Its path cannot be.
    Path,
}

impl Refusal {
    /// A short name that stays the same, for programs.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Package(fault) => fault.id(),
            Self::DoesNotOpen(_) => "does-not-open",
            Self::NoDriver => "no-entry-point",
            Self::Module(decision) => decision.id(),
            Self::SecondModule(_) => "second-module",
            Self::Path => "path",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(fault) => fault.fmt(f),
            Self::DoesNotOpen(error) => write!(
                f,
                "the library does not open: {}; bring what it needs beside it, or a build for applications and this processor",
                Shown(error)
            ),
            Self::NoDriver => f.write_str(
                "the library is no Vulkan driver: it has neither HMI nor vk_icdGetInstanceProcAddr; check the path",
            ),
            Self::Module(hal::Decision::OpenFailed { result }) => {
                write!(f, "the driver does not start (its open returned {result}); often it is for another GPU")
            }
            Self::Module(hal::Decision::OtherModule) => {
                f.write_str("the library is a HAL module for something else than Vulkan; check the path")
            }
            Self::Module(_) => f.write_str("the driver opens without its functions; get another build of it"),
            Self::SecondModule(other) => write!(
                f,
                "{} is open already, and a process can have one HAL module; start the application anew to change it",
                Shown(other)
            ),
            Self::Path => f.write_str("the driver's path is empty or has a colon in it; rename it"),
        }
    }
}

/// Why a driver is not there.
pub(super) enum NotReady {
    Refused(Refusal),
    OutOfMemory,
}

impl From<Refusal> for NotReady {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<OutOfMemory> for NotReady {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<Stop> for NotReady {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fault(fault) => Self::Refused(Refusal::Package(fault)),
            Stop::OutOfMemory => Self::OutOfMemory,
        }
    }
}

impl Driver {
    /// A driver that is not used, of which nothing is known yet.
    pub(super) fn named(choice: &Choice) -> Result<Self, OutOfMemory> {
        let path: &[u8] = match &choice.place {
            Place::System => SYSTEM_LOADER,
            Place::Library(path) | Place::Package { path, .. } => path,
        };
        Ok(Self {
            name: text(&[&choice.name])?,
            path: text(&[path])?,
            library: text(&[path])?,
            door: Door::Linker,
            kind: Kind::System,
            package: None,
            used: false,
        })
    }

    /// Gets a driver ready: unpacks it, opens it, and sees what it is.
    pub(super) fn prepare(&mut self, apk: &'static Apk, choice: &Choice) -> Result<(), NotReady> {
        self.used = true;
        match &choice.place {
            Place::System => return Ok(()),
            Place::Library(_) => {}
            Place::Package { path, unpack_to } => {
                let (package, library) = package::unpack(apk.system, path, unpack_to)?;
                (self.package, self.library) = (Some(package), library);
            }
        }
        if self.library.is_empty() || self.library.contains(&b':') {
            return Err(Refusal::Path.into());
        }
        self.door = door(apk.system, &self.library)?;
        let path = c_path(&self.library)?;
        let library = apk.system.open(path.as_c(), self.door).map_err(Refusal::DoesNotOpen)?;
        match self.examine(apk, library) {
            // A module stays open, it has begun to work.
            Ok(Kind::Module) => self.kind = Kind::Module,
            Ok(kind) => {
                // SAFETY: nothing of the library is used; the core opens it again.
                unsafe { apk.system.close(library) };
                self.kind = kind;
            }
            Err(refused) => {
                // SAFETY: nothing of the library has been kept.
                unsafe { apk.system.close(library) };
                return Err(refused);
            }
        }
        Ok(())
    }

    /// What the library is. Drivers of Mesa's are both: as a module the window system is done for them.
    fn examine(&self, apk: &'static Apk, library: Library) -> Result<Kind, NotReady> {
        let has = |name| apk.system.symbol(library, name).is_some();
        if has(c"HMI") {
            return self.bring(apk, library);
        }
        let is_icd = has(c"vk_icdGetInstanceProcAddr") || has(c"vk_icdNegotiateLoaderICDInterfaceVersion");
        if is_icd { Ok(Kind::Icd) } else { Err(Refusal::NoDriver.into()) }
    }

    fn bring(&self, apk: &'static Apk, library: Library) -> Result<Kind, NotReady> {
        let open = apk.state.lock(apk.system).module.clone();
        if let Some(open) = open {
            if *open != self.library {
                return Err(Refusal::SecondModule(text(&[&open])?).into());
            }
            // SAFETY: the module has been opened once more before.
            unsafe { apk.system.close(library) };
            return Ok(Kind::Module);
        }
        let path = loader_core::memory::Counted::try_new(text(&[&self.library])?)?;
        // SAFETY: HAL modules are recognised by their symbol.
        unsafe { apk.modules.hal.bring(&apk.modules, library) }.map_err(Refusal::Module)?;
        apk.state.lock(apk.system).module = Some(path);
        Ok(Kind::Module)
    }
}

/// By which door a driver of the application's is opened: its own namespace, where the system makes some for applications. What a
/// driver loads is then looked for in its folder first and does not get into the way of anybody else's.
fn door(system: &dyn ApplicationSystem, library: &[u8]) -> Result<Door, OutOfMemory> {
    let slash = library.iter().rposition(|byte| *byte == b'/');
    let Some(folder) = slash.and_then(|slash| library.get(..slash)) else { return Ok(Door::Linker) };
    let folder = c_path(folder)?;
    let namespace = system.namespace(c"vkload-driver", folder.as_c());
    Ok(namespace.map_or(Door::Linker, Door::Namespace))
}
