//! What a surface is made from, kept for drivers that make theirs later.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use ash::vk;

use super::surface_kinds::{LARGEST_INFO, SurfaceKind};
use crate::abi::chain;

/// A copy of a create info. What it points to are objects of the window system, which by the specification live as long as the
/// surface; and its pNext chain, of which what the registry allows there is copied.
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

// SAFETY: the pointers are only handed on to drivers.
unsafe impl Send for SurfaceInfo {}
// SAFETY: as above; the copy is never changed.
unsafe impl Sync for SurfaceInfo {}

impl Stereo {
    /// `VK_STRUCTURE_TYPE_DISPLAY_SURFACE_STEREO_CREATE_INFO_NV`.
    const TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_551_000);
}

impl SurfaceInfo {
    /// # Safety
    /// `info` is a create info of this kind, with a pNext chain.
    pub(super) unsafe fn new(kind: &SurfaceKind, info: *const c_void) -> Self {
        let mut kept = Self { bytes: MaybeUninit::uninit(), stereo: None, cut_short: false };
        // SAFETY: the caller vouches for the structure, which has the size of its kind, at most that of the copy
        // (surface_kinds), and for its chain; the structure of this type is what its type says.
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

    /// Whether there was something in the chain that the copy lacks.
    pub(super) const fn is_cut_short(&self) -> bool {
        self.cut_short
    }

    /// The create info, for as long as `use_it` takes.
    pub(super) fn with<T>(&self, use_it: impl FnOnce(*const c_void) -> T) -> T {
        let mut bytes = self.bytes;
        let next = self.stereo.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: every create info begins with these members.
        unsafe { (*bytes.as_mut_ptr().cast::<vk::BaseInStructure<'_>>()).p_next = next.cast() };
        use_it(bytes.as_ptr().cast())
    }
}
