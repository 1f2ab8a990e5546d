//! A surface's create info, kept for drivers that create their own surface later.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use ash::vk;

use super::kinds::{LARGEST_INFO, SurfaceKind};
use crate::abi::chain;

/// A copy of a create info. It points to window-system objects, which by the specification live as long as
/// the surface; and to its pNext chain, of which the structures that the registry allows there are copied.
pub(super) struct SurfaceInfo {
    bytes: MaybeUninit<[u64; LARGEST_INFO.div_ceil(8)]>,
    stereo: Option<Stereo>,
    cut_short: bool,
}

/// `VkDisplaySurfaceStereoCreateInfoNV`, the only structure that extends a create info.
#[derive(Clone, Copy)]
#[repr(C)]
struct Stereo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    stereo_type: i32,
}

// SAFETY: the pointers are only passed to drivers.
unsafe impl Send for SurfaceInfo {}
// SAFETY: the pointers are only passed to drivers, and the copy is never changed.
unsafe impl Sync for SurfaceInfo {}

impl Stereo {
    /// `VK_STRUCTURE_TYPE_DISPLAY_SURFACE_STEREO_CREATE_INFO_NV`.
    const TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_551_000);
}

impl SurfaceInfo {
    /// # Safety
    /// `info` is a valid create info of this kind, which begins a pNext chain.
    pub(super) unsafe fn new(kind: &SurfaceKind, info: *const c_void) -> Self {
        let mut kept = Self { bytes: MaybeUninit::uninit(), stereo: None, cut_short: false };
        // SAFETY: by this function's `# Safety` the create info has the size of its kind, which
        // fits into the copy (surface_kinds), and begins a pNext chain; a structure of this type is
        // what its type says.
        unsafe {
            kept.bytes.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(info.cast(), kind.size.into());
            for found in chain::structures((*info.cast::<vk::BaseInStructure<'_>>()).p_next.cast()) {
                if found.s_type == Stereo::TYPE {
                    let stereo = *core::ptr::from_ref(found).cast::<Stereo>();
                    kept.stereo = Some(Stereo { p_next: core::ptr::null(), ..stereo });
                } else {
                    kept.cut_short = true;
                }
            }
        }
        kept
    }

    /// Returns whether the chain had a structure that the copy lacks.
    pub(super) const fn is_cut_short(&self) -> bool {
        self.cut_short
    }

    /// Calls `use_it` with the create info, which lives for that call.
    pub(super) fn with<T>(&self, use_it: impl FnOnce(*const c_void) -> T) -> T {
        let mut bytes = self.bytes;
        let next = self.stereo.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: `new` copied a create info, and every create info begins with these members.
        unsafe { (*bytes.as_mut_ptr().cast::<vk::BaseInStructure<'_>>()).p_next = next.cast() };
        use_it(bytes.as_ptr().cast())
    }
}
