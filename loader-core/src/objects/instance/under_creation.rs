//! Instances under creation, and all others with layers: the lower end of a call chain recognises them without
//! dereferencing whatever a layer may have substituted for them (LLP_LAYER_21).

use super::Instance;
use crate::loader::{Loader, fatal};
use crate::log::Topic;
use crate::memory::OutOfMemory;

/// Records an instance before its handle goes down the chain.
pub(crate) fn add_under_layers(instance: &Instance) -> Result<(), OutOfMemory> {
    let address = core::ptr::from_ref(instance).expose_provenance();
    instance.loader.known.under_layers.add(instance.loader.platform.waiting, address)
}

/// Returns the instance with this handle, if it has layers.
///
/// # Safety
/// The instance, if found, stays alive while the reference is used.
unsafe fn instance_under_layers<'a>(loader: &Loader, handle: u64) -> Option<&'a Instance> {
    let address = usize::try_from(handle).ok()?;
    let known = loader.known.under_layers.contains(loader.platform.waiting, address);
    // SAFETY: an instance leaves the list before it is freed, and by this function's `# Safety` it
    // stays alive while the reference is used.
    known.then(|| unsafe { &*core::ptr::with_exposed_provenance(address) })
}

/// Returns the instance with layers whose objects begin with `word`.
///
/// # Safety
/// The instance, if found, stays alive while the reference is used.
pub(crate) unsafe fn instance_with_word<'a>(loader: &Loader, word: usize) -> Option<&'a Instance> {
    // SAFETY: `Instance::drop` takes the instance out of the list before it is freed: under the
    // lock it is alive, and later by this function's `# Safety`.
    let instance = |address: usize| unsafe { &*core::ptr::with_exposed_provenance::<Instance>(address) };
    let has_word = |address: &&usize| core::ptr::from_ref(&*instance(**address).table).addr() == word;
    let find = |list: &[usize]| list.iter().find(has_word).copied();
    let found = loader.known.under_layers.read(loader.platform.waiting, find)?;
    Some(instance(found))
}

/// Returns the instance under creation whose handle came down the chain. Aborts if the handle is not the
/// one that the chain was entered with.
///
/// # Safety
/// The chain was entered with an instance that has been [noted](add_under_layers), and has not
/// returned yet.
pub(super) unsafe fn instance_under_creation<'a>(loader: &Loader, handle: u64) -> &'a Instance {
    // SAFETY: by this function's `# Safety` the chain has not returned, and until then the instance
    // stays alive.
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
