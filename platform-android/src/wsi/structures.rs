//! Structures and constants of extensions that are newer than the bindings. The registry's types lack them, since no command
//! takes them but through a pNext chain.

use core::ffi::c_void;

use ash::vk;

macro_rules! tagged {
    ($(
        #[doc = $name:literal]
        $kind:ident = $number:literal, next $next:ty { $($field:ident: $type:ty,)* }
    )*) => { $(
        #[doc = concat!("`", $name, "`")]
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $kind {
            pub s_type: vk::StructureType,
            pub p_next: $next,
            $(pub $field: $type,)*
        }

        // SAFETY: the structure is `repr(C)` and begins with `sType` and `pNext`.
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
    /// VkPresentTimingSurfaceCapabilitiesEXT
    PresentTimingSurfaceCapabilities = 1_000_208_008, next *mut c_void {
        present_timing_supported: vk::Bool32,
        present_at_absolute_time_supported: vk::Bool32,
        present_at_relative_time_supported: vk::Bool32,
        present_stage_queries: u32,
    }
    /// VkPresentTimingsInfoEXT
    PresentTimingsInfo = 1_000_208_003, next *const c_void {
        swapchain_count: u32,
        p_timing_infos: *const PresentTimingInfo,
    }
    /// VkPresentTimingInfoEXT
    PresentTimingInfo = 1_000_208_004, next *const c_void {
        flags: u32,
        target_time: u64,
        time_domain_id: u64,
        present_stage_queries: u32,
        target_time_domain_present_stage: u32,
    }
}

pub const CREATE_DEFERRED: vk::SwapchainCreateFlagsKHR = vk::SwapchainCreateFlagsKHR::from_raw(1 << 3);

pub const CREATE_PRESENT_TIMING: vk::SwapchainCreateFlagsKHR = vk::SwapchainCreateFlagsKHR::from_raw(1 << 9);

pub const CREATE_PRESENT_WAIT2: vk::SwapchainCreateFlagsKHR = vk::SwapchainCreateFlagsKHR::from_raw(1 << 7);

pub const ERROR_PRESENT_TIMING_QUEUE_FULL: vk::Result = vk::Result::from_raw(-1_000_208_000);
pub const AT_RELATIVE_TIME: u32 = 1 << 0;
