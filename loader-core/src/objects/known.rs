//! What goes down a chain as the object that is being created, and how the lower end knows it again without following
//! what a layer may have put in its place (LLP_LAYER_21, LLP_LAYER_22).

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use ash::vk;

use super::device::Device;
use super::driver::PhysicalDevice;
use super::instance::Instance;
use super::kept::Kept;
use crate::abi::name;
use crate::loader::{Loader, fatal};
use crate::log::Topic;
use crate::memory::OutOfMemory;

/// What a device under creation begins with, as Khronos' loader has it.
const MAGIC: u64 = 0x10AD_ED04_0410_ADED;

/// Notes an instance before its handle goes down the chain.
///
/// # Errors
/// [`OutOfMemory`].
pub(crate) fn add_under_layers(instance: &Instance) -> Result<(), OutOfMemory> {
    let address = core::ptr::from_ref(instance).expose_provenance();
    instance.loader.known.under_layers.add(instance.loader.platform.waiting, address)
}

/// The instance with this handle that has layers.
///
/// # Safety
/// The instance, if there is one, stays alive for as long as the reference is used.
unsafe fn instance_under_layers<'a>(loader: &Loader, handle: u64) -> Option<&'a Instance> {
    let address = usize::try_from(handle).ok()?;
    let known = loader.known.under_layers.contains(loader.platform.waiting, address);
    // SAFETY: what is in the list is alive, and the caller vouches for it to stay so.
    known.then(|| unsafe { &*core::ptr::with_exposed_provenance(address) })
}

/// The instance with layers whose objects begin with `word`.
///
/// # Safety
/// As for [`instance_under_layers`].
pub(crate) unsafe fn instance_with_word<'a>(loader: &Loader, word: usize) -> Option<&'a Instance> {
    // SAFETY: what is in the list is alive.
    let instance = |address: usize| unsafe { &*core::ptr::with_exposed_provenance::<Instance>(address) };
    let has_word = |address: &&usize| core::ptr::from_ref(&*instance(**address).table).addr() == word;
    let find = |list: &[usize]| list.iter().find(has_word).copied();
    let found = loader.known.under_layers.read(loader.platform.waiting, find)?;
    Some(instance(found))
}

/// Notes an instance that is complete. Without memory for it, it is not found.
pub(crate) fn add_instance(instance: &Instance) {
    let address = core::ptr::from_ref(instance).expose_provenance();
    let _ = instance.loader.known.instances.add(instance.loader.platform.waiting, address);
}

/// Forgets an instance that is going to be destroyed.
pub(crate) fn remove_instance(instance: &Instance) {
    let address = core::ptr::from_ref(instance).addr();
    instance.loader.known.instances.remove(instance.loader.platform.waiting, address);
}

/// The instance to which belongs what a driver calls `device`.
///
/// # Safety
/// The instance is not destroyed as long as the reference is used: the caller is in a command on one of its devices.
pub(super) unsafe fn instance_of<'a>(loader: &Loader, device: vk::PhysicalDevice) -> Option<&'a Instance> {
    let waiting = loader.platform.waiting;
    // SAFETY: instances leave the list before they are destroyed, and physical devices live as long as theirs.
    let is_its = |known: &Kept<PhysicalDevice>| unsafe { known.0.as_ref() }.driver_handle() == device;
    // SAFETY: as above.
    let instance = |address: usize| unsafe { &*core::ptr::with_exposed_provenance::<Instance>(address) };
    let has = |address: &&usize| {
        let drivers = &instance(**address).drivers;
        drivers.iter().any(|driver| driver.devices.read(waiting, |known| known.iter().any(is_its)))
    };
    let find = |list: &[usize]| list.iter().find(has).copied();
    loader.known.instances.read(waiting, find).map(instance)
}

/// Forgets a device that a layer destroys while it creates devices.
pub(super) fn device_destroyed(loader: &Loader, device: &Device) {
    let device = core::ptr::from_ref(device).cast_mut();
    loader.known.under_creation.read(loader.platform.waiting, |list| {
        for address in list {
            // SAFETY: what is in the list is alive, and leaves it under the lock.
            let creation = unsafe { &*core::ptr::with_exposed_provenance::<DeviceUnderCreation>(*address) };
            let none = core::ptr::null_mut();
            let _ = creation.made.compare_exchange(device, none, Ordering::AcqRel, Ordering::Relaxed);
        }
    });
}

/// The instance under creation whose handle came down the chain. Aborts if that is not as the chain was entered with it.
///
/// # Safety
/// The chain was entered with an instance that has been [noted](add_under_layers).
pub(super) unsafe fn instance_under_creation<'a>(loader: &Loader, handle: u64) -> &'a Instance {
    // SAFETY: an instance lives while it is created.
    match unsafe { instance_under_layers(loader, handle) } {
        Some(instance) if instance.is_intact() => instance,
        _ => fatal(
            Topic::Layer,
            format_args!(
                "vkCreateInstance: a layer has overwritten *pInstance, or what it points to, before it called down \
                 ({handle:#x}); only on the way back may a layer change it [Policy LLP_LAYER_21]"
            ),
        ),
    }
}

/// A device under creation: what `*pDevice` leads to on the way down.
#[repr(C)]
pub(crate) struct DeviceUnderCreation {
    magic: AtomicU64,
    /// The names of the device extensions that the application enables: layers keep those to themselves that they
    /// provide, and may add others.
    names: (*const *const c_char, u32),
    /// The first device that the lower end made and that is still alive: a layer may make several.
    pub(crate) made: AtomicPtr<Device>,
}

impl DeviceUnderCreation {
    /// One for which the application enables the extensions of `info`.
    #[must_use]
    pub(crate) fn new(info: &vk::DeviceCreateInfo<'_>) -> Self {
        let names = (info.pp_enabled_extension_names, info.enabled_extension_count);
        Self { magic: AtomicU64::new(MAGIC), names, made: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// The names of the extensions that the application enables.
    ///
    /// # Safety
    /// The create info's array is a counted array of valid C strings, and still there.
    pub(crate) unsafe fn asked_for(&self) -> impl Iterator<Item = &CStr> + Clone {
        // SAFETY: the caller vouches for the array.
        unsafe { name::list(self.names.0, self.names.1) }
    }

    /// Notes a device that the lower end made.
    pub(crate) fn add(&self, device: *mut Device) {
        let _ =
            self.made.compare_exchange(core::ptr::null_mut(), device, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Notes it for as long as the result lives.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn note<'a>(&'a self, loader: &'a Loader) -> Result<Noted<'a>, OutOfMemory> {
        let address = core::ptr::from_ref(self).expose_provenance();
        loader.known.under_creation.add(loader.platform.waiting, address)?;
        Ok(Noted { loader, address })
    }
}

/// A device under creation whose address is known.
pub(crate) struct Noted<'a> {
    loader: &'a Loader,
    address: usize,
}

impl Noted<'_> {
    /// What goes down the chain as `*pDevice`.
    #[must_use]
    pub(crate) fn handle(&self) -> u64 {
        self.address as u64
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.loader.known.under_creation.remove(self.loader.platform.waiting, self.address);
    }
}

/// The device under creation that came down the chain as `*pDevice`. Aborts if that is not as the chain was entered with
/// it.
///
/// # Safety
/// The chain was entered with the handle of a [`Noted`], which is still alive.
pub(super) unsafe fn device_under_creation<'a>(loader: &Loader, handle: u64) -> &'a DeviceUnderCreation {
    let address = usize::try_from(handle).unwrap_or_default();
    let known = loader.known.under_creation.contains(loader.platform.waiting, address);
    // SAFETY: what is in the list is alive until the chain has come back.
    let found: Option<&DeviceUnderCreation> =
        known.then(|| unsafe { &*core::ptr::with_exposed_provenance(address) });
    let magic = found.map(|found| found.magic.load(Ordering::Relaxed));
    match found {
        Some(found) if magic == Some(MAGIC) => found,
        _ => fatal(
            Topic::Layer,
            format_args!(
                "vkCreateDevice: a layer has overwritten *pDevice, or what it points to, before it called down: \
                 {handle:#x} should begin with {MAGIC:#x}; only on the way back may a layer change it \
                 [Policy LLP_LAYER_22]"
            ),
        ),
    }
}
