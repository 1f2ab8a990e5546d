//! The device under creation that goes down a call chain. The lower end recognises it without dereferencing
//! whatever a layer may have substituted for it (LLP_LAYER_22).

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ash::vk;

use super::Device;
use crate::abi::name;
use crate::loader::{Loader, fatal};
use crate::log::Topic;
use crate::memory::OutOfMemory;

/// The first word of a device under creation, as in Khronos' loader; on 32-bit processors its lower half.
const MAGIC: usize = 0x10AD_ED04_0410_ADED_u64 as usize;

/// Forgets a device that a layer destroys while it creates devices.
pub(super) fn device_destroyed(loader: &Loader, device: &Device) {
    let device = core::ptr::from_ref(device).cast_mut();
    loader.known.under_creation.read(loader.platform.waiting, |list| {
        for address in list {
            // SAFETY: the lock of the list is held, and `Noted` takes the address out before the
            // object dies.
            let creation = unsafe { &*core::ptr::with_exposed_provenance::<DeviceUnderCreation>(*address) };
            let none = core::ptr::null_mut();
            let _ = creation.made.compare_exchange(device, none, Ordering::AcqRel, Ordering::Relaxed);
        }
    });
}

/// A device under creation: the object behind `*pDevice` on the way down.
#[repr(C)]
pub(crate) struct DeviceUnderCreation {
    magic: AtomicUsize,
    /// The names of the device extensions that the application enables. Layers do not pass on the extensions
    /// that they provide themselves, and may add others.
    names: (*const *const c_char, u32),
    pub(super) callbacks: *const vk::AllocationCallbacks<'static>,
    /// The first device that the lower end created and that is still alive: a layer may create
    /// several.
    pub(crate) made: AtomicPtr<Device>,
}

impl DeviceUnderCreation {
    /// Creates a device under creation for which the application enables the extensions of `info`.
    pub(crate) fn new(
        info: &vk::DeviceCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'static>,
    ) -> Self {
        let names = (info.pp_enabled_extension_names, info.enabled_extension_count);
        let made = AtomicPtr::new(core::ptr::null_mut());
        Self { magic: AtomicUsize::new(MAGIC), names, callbacks, made }
    }

    /// # Safety
    /// The create info's array is NULL or a counted array of NULL or valid C strings, and is still
    /// there.
    pub(crate) unsafe fn asked_for(&self) -> impl Iterator<Item = &CStr> + Clone {
        // SAFETY: by this function's `# Safety` the array is still there and holds valid C strings.
        unsafe { name::list(self.names.0, self.names.1) }
    }

    pub(crate) fn add(&self, device: *mut Device) {
        let _ =
            self.made.compare_exchange(core::ptr::null_mut(), device, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Registers it while the result lives.
    pub(crate) fn note<'a>(&'a self, loader: &'a Loader) -> Result<Noted<'a>, OutOfMemory> {
        let address = core::ptr::from_ref(self).expose_provenance();
        loader.known.under_creation.add(loader.platform.waiting, address)?;
        Ok(Noted { loader, address })
    }
}

pub(crate) struct Noted<'a> {
    loader: &'a Loader,
    address: usize,
}

impl Noted<'_> {
    pub(crate) fn handle(&self) -> u64 {
        self.address as u64
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.loader.known.under_creation.remove(self.loader.platform.waiting, self.address);
    }
}

/// Returns the device under creation that came down the chain as `*pDevice`. Aborts if the handle is not
/// the one that the chain was entered with.
///
/// # Safety
/// The chain was entered with the handle of a [`Noted`], which is still alive.
pub(super) unsafe fn device_under_creation<'a>(loader: &Loader, handle: u64) -> &'a DeviceUnderCreation {
    let address = usize::try_from(handle).unwrap_or_default();
    let known = loader.known.under_creation.contains(loader.platform.waiting, address);
    // SAFETY: an address in the list belongs to a live object until its `Noted` is dropped, which by this
    // function's `# Safety` is still alive.
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
