//! An open driver.

use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk::{self, Handle as _};

use super::open::OpenDrivers;
use crate::abi::{Command, array};
use crate::discovery::{Candidate, DriverKind};
use crate::manifest::Version;
use crate::memory::{Box, OrOutOfMemory, OutOfMemory, Process, Text, Vec, text};
use crate::negotiation::DriverStatus;
use crate::negotiation::{self, DriverInterface};
use crate::platform::{Library, Turn, Turns, Waiting};

pub struct Driver {
    /// The library's path, or a description of a driver that the application supplied: for messages.
    pub library_path: Text,
    pub interface: DriverInterface,
    pub(super) first_manifest: Version,
    pub(crate) first_api_version: Version,
    pub kind: DriverKind,
    pub(super) library: Option<Library>,
    pub(super) turns: Turns,
    /// The turns of all drivers that applications supply, if this is one of them: each instance then has its
    /// own `Driver`.
    pub(super) shared_turns: Option<&'static Turns>,
    pub(super) waiting: &'static dyn Waiting,
    /// Whether one of its global commands has called the loader, which would have called it again.
    pub(super) calls_back: AtomicBool,
}

/// A driver that stays open until the loader's own library is unloaded, and the manifest's part in it.
#[derive(Clone, Copy)]
pub struct DriverRef {
    driver: NonNull<Driver>,
    /// The version of Vulkan used for it: the lower of the manifest's and its own.
    pub api_version: Version,
}

// SAFETY: a driver is never changed once it is made.
unsafe impl Send for DriverRef {}
// SAFETY: a driver is never changed once it is made.
unsafe impl Sync for DriverRef {}

impl PartialEq for DriverRef {
    fn eq(&self, other: &Self) -> bool {
        self.driver == other.driver
    }
}

impl Deref for DriverRef {
    type Target = Driver;
    fn deref(&self) -> &Driver {
        // SAFETY: drivers of the list are freed only by `close`, when nothing uses them any more.
        unsafe { self.driver.as_ref() }
    }
}

pub struct DriverTurn<'a> {
    turn: Turn<'a>,
    _shared: Option<Turn<'static>>,
}

impl From<DriverStatus> for OrOutOfMemory<DriverStatus> {
    fn from(error: DriverStatus) -> Self {
        Self::Failed(error)
    }
}

impl DriverRef {
    /// Refers to no driver: may be compared, but not used.
    #[cfg(test)]
    pub(super) fn dangling(number: usize) -> Self {
        let address = core::num::NonZero::new(number.saturating_mul(align_of::<Driver>()));
        let driver = NonNull::without_provenance(address.unwrap_or(core::num::NonZero::<usize>::MAX));
        Self { driver, api_version: Version::default() }
    }

    pub(super) fn new(driver: Driver) -> Result<Self, OutOfMemory> {
        let api_version = driver.first_api_version;
        Ok(Self { driver: Box::into_non_null(Box::try_new_in(driver, Process)?), api_version })
    }

    /// Uses the version in the manifest of `candidate`, which may differ from the version that the driver was
    /// opened for.
    #[inline(never)]
    pub(super) fn use_manifest(&mut self, candidate: &Candidate) -> Result<(), DriverStatus> {
        let driver = *self;
        if candidate.api_version != driver.first_manifest {
            let _turn = driver.turn();
            self.api_version = driver.interface.version_with(candidate)?;
        }
        Ok(())
    }

    /// Returns the outcome of a manifest that promises more than the driver has, if it does.
    pub(super) fn overstated_version(&self, manifest: Version) -> Option<DriverStatus> {
        let too_much = manifest >= Version::new(1, 1, 0) && self.api_version < Version::new(1, 1, 0);
        too_much.then_some(DriverStatus::ApiVersionLie { manifest, driver: self.api_version })
    }

    /// # Safety
    /// The driver is no longer used.
    pub(super) unsafe fn free(self) {
        // SAFETY: `new` made the value with Box::into_non_null; by this function's `# Safety` it is no longer
        // used.
        drop(unsafe { Box::from_non_null_in(self.driver, Process) });
    }
}

impl Driver {
    /// Returns a driver that the application supplied as a function.
    ///
    /// # Safety
    /// As for [`negotiation::with_function`].
    pub unsafe fn direct(
        gipa: vk::PFN_vkGetInstanceProcAddr,
        all: &'static OpenDrivers,
        waiting: &'static dyn Waiting,
    ) -> Result<Self, DriverStatus> {
        let _turn = all.given.take(waiting);
        // SAFETY: by this function's `# Safety` the function behaves as the driver interface document says.
        let interface = unsafe { negotiation::with_function(gipa) }?;
        let first_api_version = interface.api_version(None)?;
        let first_manifest = first_api_version;
        let turns = Turns::new();
        let library_path = text(&[b"a driver that the application gave"]).unwrap_or_default();
        let kind = DriverKind::Icd;
        let calls_back = AtomicBool::new(false);
        let shared_turns = Some(&all.given);
        Ok(Self {
            library_path,
            interface,
            first_manifest,
            first_api_version,
            kind,
            library: None,
            turns,
            shared_turns,
            waiting,
            calls_back,
        })
    }

    /// Keeps other threads out of the driver's commands that create, destroy and enumerate until the turn is
    /// over.
    ///
    /// The specification lets applications call these from several threads at once, but drivers have only
    /// been used with loaders that admit one thread at a time: NVIDIA's (580.159.04) crashes otherwise.
    #[must_use]
    pub fn turn(&self) -> DriverTurn<'_> {
        let shared = self.shared_turns.map(|turns| turns.take(self.waiting));
        DriverTurn { turn: self.turns.take(self.waiting), _shared: shared }
    }

    /// Returns a turn to call one of the driver's global commands. `None` if this thread is in one of them
    /// already: the driver calls the loader, and would be called again endlessly.
    fn turn_at_the_top(&self) -> Option<DriverTurn<'_>> {
        let turn = self.turn();
        if turn.turn.is_within_another() {
            self.calls_back.store(true, Ordering::Relaxed);
            return None;
        }
        Some(turn)
    }

    /// Returns whether its calls have shown that it only leads to other drivers. A driver that negotiated may
    /// well be built on other drivers, and use a loader to reach them.
    fn leads_back(&self) -> bool {
        let told_apart = self.interface.version > 0 && !self.kind.is_foreign();
        !told_apart && self.calls_back.load(Ordering::Relaxed)
    }

    /// # Safety
    /// The parameters are valid for the Vulkan command.
    pub(crate) unsafe fn create_instance(
        &self,
        info: &vk::InstanceCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'static>,
    ) -> Result<vk::Instance, OrOutOfMemory<DriverStatus>> {
        let left_out =
            || if self.leads_back() { DriverStatus::LeadsBack } else { DriverStatus::WithinItself };
        let turn = self.turn_at_the_top().ok_or_else(left_out)?;
        let mut handle = vk::Instance::null();
        // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateInstance; the driver's
        // function has the type of its name.
        let result = unsafe { (self.interface.create_instance)(info, callbacks, &mut handle) };
        drop(turn);
        let made = result == vk::Result::SUCCESS && !handle.is_null();
        if self.leads_back() {
            if made {
                // SAFETY: no other code knows the instance.
                unsafe { self.destroy_instance(handle, callbacks) };
            }
            return Err(DriverStatus::LeadsBack.into());
        }
        if made { Ok(handle) } else { Err(refused(result)) }
    }

    /// # Safety
    /// The handle is NULL or an instance of this driver that no other thread uses, made with these callbacks.
    pub(crate) unsafe fn destroy_instance(
        &self,
        handle: vk::Instance,
        callbacks: *const vk::AllocationCallbacks<'static>,
    ) {
        if handle.is_null() {
            return;
        }
        let _turn = self.turn();
        // SAFETY: by this function's `# Safety` the handle is an unused instance of this driver, made with
        // these callbacks; the driver's function has the type of its name.
        unsafe {
            let find = self.interface.get_instance_proc_addr;
            let Some(function) = find(handle, c"vkDestroyInstance".as_ptr()) else { return };
            let destroy = core::mem::transmute::<Command, vk::PFN_vkDestroyInstance>(function);
            destroy(handle, callbacks);
        }
    }

    /// Returns the driver's instance extensions; an empty list if the driver leads back to the loader. Layer
    /// names are never passed to the driver (LDP_LOADER_12).
    pub fn instance_extensions(&self) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        let Some(_turn) = self.turn_at_the_top() else { return Ok(Vec::new()) };
        let enumerate = self.interface.enumerate_instance_extension_properties;
        let all = array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
            // SAFETY: `collect` passes a counted out-array; the layer name is NULL.
            unsafe { enumerate(core::ptr::null(), count, out) }
        });
        if self.leads_back() { Ok(Vec::new()) } else { all }
    }
}

/// Returns why a driver whose global command returned this result has no instance.
pub(crate) fn refused(result: vk::Result) -> OrOutOfMemory<DriverStatus> {
    if result == vk::Result::ERROR_OUT_OF_HOST_MEMORY {
        return OrOutOfMemory::OutOfMemory;
    }
    OrOutOfMemory::Failed(DriverStatus::CreateInstanceFailed { result: result.as_raw() })
}

impl DriverInterface {
    /// Returns the version to use for the driver that the manifest of `candidate` names.
    /// A version of another API (LDP_LOADER_4).
    #[inline(never)]
    pub(super) fn version_with(&self, candidate: &Candidate) -> Result<Version, DriverStatus> {
        self.api_version(candidate.manifest_version())
    }

    /// Returns the version to use: 1.0 if the manifest claims less than 1.1, or the driver cannot be queried,
    /// or it reports less than 1.1 (section "Driver API Version" of the driver interface document).
    fn api_version(&self, manifest: Option<Version>) -> Result<Version, DriverStatus> {
        const OLDEST: Version = Version::new(1, 0, 0);
        const ASKED: Version = Version::new(1, 1, 0);
        if manifest.is_some_and(|version| version < ASKED) {
            return Ok(OLDEST);
        }
        let Some(enumerate) = self.enumerate_instance_version else { return Ok(OLDEST) };
        let mut version = 0;
        // SAFETY: `version` is a local variable, so the pointer to it is valid.
        let result = unsafe { enumerate(&mut version) };
        if result != vk::Result::SUCCESS {
            return Ok(OLDEST);
        }
        let said = Version::from_encoded(version);
        if said.variant != 0 || said.major != 1 {
            return Err(DriverStatus::OtherApi { version: said });
        }
        Ok(if said < ASKED { OLDEST } else { manifest.map_or(said, |manifest| manifest.min(said)) })
    }
}
