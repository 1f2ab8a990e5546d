//! What goes down a chain as the object that is being created, and how the lower end knows it again without following
//! what a layer may have put in its place (LLP_LAYER_21, LLP_LAYER_22).

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use ash::vk;

use crate::abi::name;
use crate::loader::{Loader, fatal};
use crate::log::Topic;
use crate::memory::{OutOfMemory, SharedList};
use crate::objects::{Device, Instance};
use crate::platform::Waiting;

/// What a device under creation begins with, as Khronos' loader has it.
const MAGIC: u64 = 0x10AD_ED04_0410_ADED;

/// The addresses of what layers may be handed: instances with layers, and devices that are being created.
#[derive(Default)]
pub struct KnownObjects {
    instances: SharedList<usize>,
    devices: SharedList<usize>,
    /// What drivers called devices that they have destroyed, until the layers are done.
    destroyed: SharedList<usize>,
}

impl KnownObjects {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self { instances: SharedList::new(), devices: SharedList::new(), destroyed: SharedList::new() }
    }

    /// Notes an instance before its handle goes down the chain.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn add_instance(&self, waiting: &dyn Waiting, instance: &Instance) -> Result<(), OutOfMemory> {
        self.instances.insert(waiting, core::ptr::from_ref(instance).expose_provenance())
    }

    /// Forgets an instance that is about to be freed.
    pub fn remove_instance(&self, waiting: &dyn Waiting, instance: &Instance) {
        let address = core::ptr::from_ref(instance).addr();
        forget(&self.instances, waiting, address);
    }

    /// The instance with this handle.
    ///
    /// # Safety
    /// The instance, if there is one, stays alive for as long as the reference is used.
    pub unsafe fn instance<'a>(&self, waiting: &dyn Waiting, handle: u64) -> Option<&'a Instance> {
        let address = usize::try_from(handle).ok()?;
        let known = contains(&self.instances, waiting, address);
        // SAFETY: what is in the list is alive, and the caller vouches for it to stay so.
        known.then(|| unsafe { &*core::ptr::with_exposed_provenance(address) })
    }

    /// The instance whose objects begin with `word`.
    ///
    /// # Safety
    /// As for [`Self::instance`].
    pub unsafe fn instance_with_word<'a>(&self, waiting: &dyn Waiting, word: usize) -> Option<&'a Instance> {
        // SAFETY: what is in the list is alive.
        let instance = |address: usize| unsafe { &*core::ptr::with_exposed_provenance::<Instance>(address) };
        let has_word = |address: &&usize| core::ptr::from_ref(&*instance(**address).table).addr() == word;
        let found = self.instances.read(waiting, |list| list.iter().find(has_word).copied())?;
        Some(instance(found))
    }

    /// Forgets a device that a layer destroys while it creates devices.
    pub(crate) fn device_destroyed(&self, waiting: &dyn Waiting, device: &Device) {
        let device = core::ptr::from_ref(device).cast_mut();
        self.devices.read(waiting, |list| {
            for address in list {
                // SAFETY: what is in the list is alive, and leaves it under the lock.
                let creation =
                    unsafe { &*core::ptr::with_exposed_provenance::<DeviceUnderCreation>(*address) };
                let none = core::ptr::null_mut();
                let _ = creation.made.compare_exchange(device, none, Ordering::AcqRel, Ordering::Relaxed);
            }
        });
    }

    /// Notes that the driver has destroyed the device with this handle of its own. Where memory is short, nothing is noted.
    pub(crate) fn add_destroyed(&self, waiting: &dyn Waiting, handle: u64) {
        let _ = self.destroyed.insert(waiting, handle as usize);
    }

    /// The layers are done with that device, or the driver has made another one at its place.
    pub(crate) fn remove_destroyed(&self, waiting: &dyn Waiting, handle: u64) {
        forget(&self.destroyed, waiting, handle as usize);
    }

    /// Whether a device that the driver has destroyed comes down the chain.
    pub(crate) fn is_destroyed(&self, waiting: &dyn Waiting, handle: u64) -> bool {
        contains(&self.destroyed, waiting, handle as usize)
    }

    /// Gives back the memory of the lists if `unused`.
    pub fn forget(&self, waiting: &dyn Waiting, unused: impl Fn() -> bool) {
        drop(self.instances.take_if(waiting, &unused));
        drop(self.devices.take_if(waiting, &unused));
        drop(self.destroyed.take_if(waiting, &unused));
    }
}

#[inline(never)]
fn contains(list: &SharedList<usize>, waiting: &dyn Waiting, address: usize) -> bool {
    list.read(waiting, |list| list.contains(&address))
}

#[inline(never)]
fn forget(list: &SharedList<usize>, waiting: &dyn Waiting, address: usize) {
    let _ = list.remove(waiting, |known| *known == address);
}

/// The instance under creation whose handle came down the chain. Aborts if that is not as the chain was entered with it.
///
/// # Safety
/// The chain was entered with an instance that has been [noted](KnownObjects::add_instance).
pub unsafe fn instance_under_creation<'a>(loader: &Loader, handle: u64) -> &'a Instance {
    // SAFETY: an instance lives while it is created.
    match unsafe { loader.known.instance(loader.platform.waiting, handle) } {
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
pub struct DeviceUnderCreation {
    magic: AtomicU64,
    /// The names of the device extensions that the application enables: layers keep those to themselves that they
    /// provide, and may add others.
    names: (*const *const c_char, u32),
    /// The first device that the lower end made and that is still alive: a layer may make several.
    pub made: AtomicPtr<Device>,
}

impl DeviceUnderCreation {
    /// One for which the application enables the extensions of `info`.
    #[must_use]
    pub fn new(info: &vk::DeviceCreateInfo<'_>) -> Self {
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
    pub fn add(&self, device: *mut Device) {
        let _ =
            self.made.compare_exchange(core::ptr::null_mut(), device, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Notes it for as long as the result lives.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn note<'a>(&'a self, loader: &'a Loader) -> Result<Noted<'a>, OutOfMemory> {
        let address = core::ptr::from_ref(self).expose_provenance();
        loader.known.devices.insert(loader.platform.waiting, address)?;
        Ok(Noted { loader, address })
    }
}

/// A device under creation whose address is known.
pub struct Noted<'a> {
    loader: &'a Loader,
    address: usize,
}

impl Noted<'_> {
    /// What goes down the chain as `*pDevice`.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.address as u64
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        let address = self.address;
        forget(&self.loader.known.devices, self.loader.platform.waiting, address);
    }
}

/// The device under creation that came down the chain as `*pDevice`. Aborts if that is not as the chain was entered with
/// it.
///
/// # Safety
/// The chain was entered with the handle of a [`Noted`], which is still alive.
pub unsafe fn device_under_creation<'a>(loader: &Loader, handle: u64) -> &'a DeviceUnderCreation {
    let address = usize::try_from(handle).unwrap_or_default();
    let known = contains(&loader.known.devices, loader.platform.waiting, address);
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
