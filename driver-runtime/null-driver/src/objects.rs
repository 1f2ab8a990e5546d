//! Objects that are only created and destroyed.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::Null;

macro_rules! objects {
    ($($type:ident($info:ty): $create:ident, $destroy:ident;)*) => {$(
        struct $type;

        // SAFETY: no other type is behind such handles.
        unsafe impl VkObject for $type {
            type Handle = vk::$type;
            type Parent = Device<Null>;
        }

        unsafe extern "system" fn $create(
            device: vk::Device,
            _: *const $info,
            callbacks: *const vk::AllocationCallbacks<'_>,
            out: *mut vk::$type,
        ) -> vk::Result {
            // SAFETY: the caller passes a live handle and valid pointers.
            unsafe { Object::create_command(device, callbacks, out, $type) }
        }

        unsafe extern "system" fn $destroy(
            _: vk::Device,
            handle: vk::$type,
            callbacks: *const vk::AllocationCallbacks<'_>,
        ) {
            // SAFETY: the caller passes a live or null handle.
            unsafe { Object::<$type>::destroy(handle, callbacks) };
        }
    )*};
}

objects! {
    BufferView(vk::BufferViewCreateInfo<'_>): create_buffer_view, destroy_buffer_view;
    PipelineLayout(vk::PipelineLayoutCreateInfo<'_>): create_pipeline_layout, destroy_pipeline_layout;
    Sampler(vk::SamplerCreateInfo<'_>): create_sampler, destroy_sampler;
    SamplerYcbcrConversion(vk::SamplerYcbcrConversionCreateInfo<'_>):
        create_sampler_ycbcr_conversion, destroy_sampler_ycbcr_conversion;
}

unsafe extern "system" fn get_render_area_granularity(
    _: vk::Device,
    _: vk::RenderPass,
    out: *mut vk::Extent2D,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::Extent2D { width: 1, height: 1 }) };
}

unsafe extern "system" fn get_rendering_area_granularity(
    _: vk::Device,
    _: *const vk::RenderingAreaInfoKHR<'_>,
    out: *mut vk::Extent2D,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::Extent2D { width: 1, height: 1 }) };
}

/// The commands of these objects.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_BUFFER_VIEW: PFN_vkCreateBufferView = create_buffer_view,
        DESTROY_BUFFER_VIEW: PFN_vkDestroyBufferView = destroy_buffer_view,
        CREATE_PIPELINE_LAYOUT: PFN_vkCreatePipelineLayout = create_pipeline_layout,
        DESTROY_PIPELINE_LAYOUT: PFN_vkDestroyPipelineLayout = destroy_pipeline_layout,
        CREATE_SAMPLER: PFN_vkCreateSampler = create_sampler,
        DESTROY_SAMPLER: PFN_vkDestroySampler = destroy_sampler,
        CREATE_SAMPLER_YCBCR_CONVERSION: PFN_vkCreateSamplerYcbcrConversion = create_sampler_ycbcr_conversion,
        DESTROY_SAMPLER_YCBCR_CONVERSION: PFN_vkDestroySamplerYcbcrConversion = destroy_sampler_ycbcr_conversion,
        GET_RENDER_AREA_GRANULARITY: PFN_vkGetRenderAreaGranularity = get_render_area_granularity,
        GET_RENDERING_AREA_GRANULARITY_KHR: PFN_vkGetRenderingAreaGranularityKHR = get_rendering_area_granularity,
    }
};
