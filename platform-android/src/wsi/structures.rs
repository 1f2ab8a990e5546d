//! Structures of extensions that are newer than the bindings, and numbers of them.

use core::ffi::c_void;

use ash::vk;

/// Defines structures that stand in a pNext chain.
macro_rules! tagged {
    ($(
        #[doc = $name:literal]
        $kind:ident = $number:literal, next $next:ty { $($field:ident: $type:ty,)* }
    )*) => { $(
        #[doc = concat!("`", $name, "`")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        #[allow(missing_docs, reason = "the specification has them")]
        pub struct $kind {
            pub s_type: vk::StructureType,
            pub p_next: $next,
            $(pub $field: $type,)*
        }

        // SAFETY: the structure begins with its type and the rest of the chain.
        unsafe impl vk::TaggedStructure for $kind {
            const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw($number);
        }
    )* };
}

tagged! {
    /// VkSurfaceCapabilitiesPresentId2KHR
    SurfaceCapabilitiesPresentId2 = 1_000_479_000, next *mut c_void { present_id2_supported: vk::Bool32, }
    /// VkPresentId2KHR
    PresentId2 = 1_000_479_001, next *const c_void { swapchain_count: u32, p_present_ids: *const u64, }
    /// VkSurfaceCapabilitiesPresentWait2KHR
    SurfaceCapabilitiesPresentWait2 = 1_000_480_000, next *mut c_void { present_wait2_supported: vk::Bool32, }
    /// VkPresentWait2InfoKHR
    PresentWait2Info = 1_000_480_002, next *const c_void { present_id: u64, timeout: u64, }
}

/// `VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_KHR`
pub const CREATE_DEFERRED: vk::SwapchainCreateFlagsKHR = vk::SwapchainCreateFlagsKHR::from_raw(1 << 3);
