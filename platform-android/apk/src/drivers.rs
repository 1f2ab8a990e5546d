//! The drivers that the options name: their kinds, and which of them can be used.

use core::fmt;

use vkload_core::memory::{Escaped, OrOutOfMemory, OutOfMemory, Text, text};

use super::Apk;
use super::modules::{MOST, ModuleError, OpenedModule};
use super::options::{Choice, DriverSource};
use super::others::Others;
use super::package::{self, Package, PackageError};
use super::policy::SYSTEM_LOADER;
use platform_android::hal::ModuleFault;
use platform_android::system::{Library, OpenMethod};

#[derive(Debug)]
pub struct Driver {
    /// The application's name for it; empty if it is the only one.
    pub name: Text,
    /// The path that was examined: a library, or a package.
    pub path: Text,
    /// The library to open: a path, or a bare name.
    pub library: Text,
    pub method: OpenMethod,
    pub kind: Kind,
    /// Why it is in the application's linker namespace; `None` if it has its own, or is not the
    /// application's.
    pub not_apart: Option<Text>,
    /// Whether it could also be used as [`Kind::Icd`].
    pub has_both_interfaces: bool,
    pub package: Option<Package>,
    pub used: bool,
    pub(super) others: Option<Others>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    System,
    Icd,
    /// A HAL module, for which this loader provides the window system.
    Module,
}

vkload_core::reasons! {
    #[derive(Debug)]
    pub enum DriverError [] {
        Package(fault: PackageError) = [(fault.id(); &[])] ("{fault}");
        /// The dynamic linker refuses the library; its header says why.
        Header(reason: Text) = ["wrong-library"] ("the library does not open: {}", Escaped(reason));
        DoesNotOpen(error: Text) = ["does-not-open"]
            ("the library does not open: {}; bring the libraries that it needs, or a build for applications and this processor", Escaped(error));
        NoDriver = ["no-entry-point"]
            ("the library is not a Vulkan driver: it has neither HMI nor vk_icdGetInstanceProcAddr; check the path");
        Module(fault: ModuleFault) = [(fault.id(); &[])] ("{}", NotStarted(fault));
        TooManyModules = ["too-many-modules"]
            ("{MOST} HAL modules are open already, and they stay open; restart the application to use this one");
        Path = ["path"] ("the driver's path is empty or has a colon in it; rename it");
    }
}

struct NotStarted<'a>(&'a ModuleFault);

impl fmt::Display for NotStarted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ModuleFault::OpenFailed { result } => {
                write!(f, "the driver does not start (its open returned {result}); often it is for another GPU")
            }
            ModuleFault::OtherModule => {
                f.write_str("the library is a HAL module for something other than Vulkan; check the path")
            }
            ModuleFault::IncompleteDevice => f.write_str(
                "the driver opens without vkCreateInstance, vkGetInstanceProcAddr or vkEnumerateInstanceExtensionProperties; get \
                 another build of it",
            ),
            ModuleFault::Structure(fault) => fault.fmt(f),
            ModuleFault::NoModule => Ok(()),
        }
    }
}

impl From<DriverError> for OrOutOfMemory<DriverError> {
    fn from(error: DriverError) -> Self {
        Self::Failed(error)
    }
}

impl Driver {
    pub(super) fn named(choice: &Choice) -> Result<Self, OutOfMemory> {
        let path: &[u8] = match &choice.source {
            DriverSource::System => SYSTEM_LOADER,
            DriverSource::Library(path) | DriverSource::Package { path, .. } => path,
        };
        Ok(Self {
            name: text(&[&choice.name])?,
            path: text(&[path])?,
            library: text(&[path])?,
            method: OpenMethod::Linker,
            kind: Kind::System,
            not_apart: None,
            has_both_interfaces: false,
            package: None,
            used: false,
            others: None,
        })
    }

    pub(super) fn prepare(
        &mut self,
        apk: &'static Apk,
        choice: &Choice,
    ) -> Result<(), OrOutOfMemory<DriverError>> {
        self.used = true;
        match &choice.source {
            DriverSource::System => return Ok(()),
            DriverSource::Library(_) => {}
            DriverSource::Package { path, unpack_to } => {
                let (package, library) = package::unpack(apk.system, path, unpack_to)
                    .map_err(|error| error.map(DriverError::Package))?;
                (self.package, self.library) = (Some(package), library);
            }
        }
        if self.library.is_empty() || self.library.contains(&b':') {
            return Err(DriverError::Path.into());
        }
        if let Some((_, opened)) = apk.modules.find(&self.library) {
            self.kind = Kind::Module;
            self.not_apart = opened.not_apart.as_deref().map(|words| text(&[words])).transpose()?;
            self.has_both_interfaces = opened.has_both_interfaces;
            return Ok(());
        }
        let opened = apk.open_driver(&self.library, self.package.is_some())?;
        self.method = opened.library.method;
        self.not_apart = opened.not_apart;
        self.others = opened.others;
        let examined = self.examine(apk, opened.library);
        // A module whose code has run stays open, as others may; everything else the core opens
        // again.
        let stays = match &examined {
            Ok(kind) => *kind == Kind::Module,
            Err(OrOutOfMemory::Failed(DriverError::Module(fault))) => fault.has_begun(),
            Err(_) => false,
        };
        if stays {
            self.keep_others();
        } else {
            // SAFETY: `examine` kept no address in the library.
            unsafe { apk.system.close(opened.library) };
        }
        self.kind = examined?;
        self.tell(apk);
        Ok(())
    }

    /// Keeps the libraries open that were opened for it: the driver may be used from now on.
    pub(super) fn keep_others(&self) {
        self.others.iter().for_each(Others::stay);
    }

    /// Determines the kind of the library. Mesa's drivers are both: a module gets the window system
    /// from the loader.
    fn examine(&mut self, apk: &'static Apk, library: Library) -> Result<Kind, OrOutOfMemory<DriverError>> {
        let has = |name| apk.system.symbol(library, name).is_some();
        let is_icd = has(c"vk_icdGetInstanceProcAddr") || has(c"vk_icdNegotiateLoaderICDInterfaceVersion");
        if !has(c"HMI") {
            return if is_icd { Ok(Kind::Icd) } else { Err(DriverError::NoDriver.into()) };
        }
        self.has_both_interfaces = is_icd;
        let opened = OpenedModule {
            library: text(&[&self.library])?,
            not_apart: self.not_apart.as_deref().map(|words| text(&[words])).transpose()?,
            has_both_interfaces: is_icd,
        };
        // SAFETY: a library with this symbol is by convention a HAL module, of that size and with
        // valid pointers; no other code writes to it.
        match unsafe { apk.modules.bring(opened, library) } {
            Ok(()) => Ok(Kind::Module),
            Err(ModuleError::Unusable(decision)) => Err(DriverError::Module(decision).into()),
            Err(ModuleError::Full) => Err(DriverError::TooManyModules.into()),
            Err(ModuleError::OutOfMemory) => Err(OrOutOfMemory::OutOfMemory),
        }
    }

    fn tell(&self, apk: &Apk) {
        let path = Escaped(&self.library);
        vkload_core::log!(apk.host, Info, Driver: "{path}: {}", self.use_of_interfaces());
        if let Some(reason) = &self.not_apart {
            let reason = Escaped(reason);
            vkload_core::log!(apk.host, Info, Driver:
                "{path}: is in the application's linker namespace: {reason}");
        }
    }

    pub const fn use_of_interfaces(&self) -> &'static str {
        match (self.kind, self.has_both_interfaces) {
            (Kind::System, _) => "used as the system's loader",
            (Kind::Icd, _) => {
                "used by the driver interface (vk_icdGetInstanceProcAddr), as it is not a HAL module: to draw to windows it \
                 has to have VK_KHR_android_surface itself"
            }
            (Kind::Module, true) => {
                "used as a HAL module (HMI), though it speaks the driver interface too: this loader does the window \
                 system for it"
            }
            (Kind::Module, false) => "used as a HAL module (HMI): this loader does the window system for it",
        }
    }
}
