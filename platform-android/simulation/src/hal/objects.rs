//! The driver's dispatchable objects, each of which begins with a word for the loader.

use std::collections::BTreeMap;

use ash::vk::{self, Handle};
use platform_android::hal::layout::DISPATCH_MAGIC;

#[repr(C)]
struct Object {
    word: usize,
}

/// The kind of an object, and the address of its parent.
struct About {
    kind: vk::ObjectType,
    parent: u64,
    number: usize,
}

#[derive(Default)]
pub(crate) struct Objects(BTreeMap<u64, About>);

impl Objects {
    /// Creates an object, or finds the one with the same parent and number.
    pub(super) fn make<H: Handle>(&mut self, parent: u64, number: usize, magic: bool) -> H {
        let same = |about: &About| about.kind == H::TYPE && about.parent == parent && about.number == number;
        if let Some((address, _)) = self.0.iter().find(|(_, about)| parent != 0 && same(about)) {
            return H::from_raw(*address);
        }
        let word = if magic { DISPATCH_MAGIC } else { 0xBAD };
        let address = (Box::into_raw(Box::new(Object { word })).expose_provenance()) as u64;
        self.0.insert(address, About { kind: H::TYPE, parent, number });
        H::from_raw(address)
    }

    /// Destroys an object and everything that is part of it.
    pub(super) fn destroy(&mut self, address: u64) {
        let parts: Vec<u64> =
            self.0.iter().filter(|(_, about)| about.parent == address).map(|(part, _)| *part).collect();
        parts.into_iter().for_each(|part| self.destroy(part));
        assert!(self.0.remove(&address).is_some(), "{address:#x} is no object of the driver");
        // SAFETY: `make` leaked the box at this address, and the object has just been removed from
        // the list.
        drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<Object>(address as usize)) });
    }

    /// Returns the parent of an object, which must be alive.
    pub(super) fn parent(&self, address: u64) -> u64 {
        self.0.get(&address).unwrap_or_else(|| panic!("{address:#x} is no object of the driver")).parent
    }

    pub(super) fn alive(&self, kind: vk::ObjectType) -> usize {
        self.0.values().filter(|about| about.kind == kind).count()
    }
}
