//! Objects that are created and destroyed and do nothing else.

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::Null;
use crate::device::{create, device};

/// An object without anything in it, and its commands.
macro_rules! objects {
    ($($type:ident($info:ty): $create:ident, $destroy:ident;)*) => {$(
        struct $type;

        impl VkObject for $type {
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
            unsafe { create(device, callbacks, out, $type) }
        }

        objects!(destroy $type $destroy);
    )*};
    (destroy $type:ident $destroy:ident) => {
        unsafe extern "system" fn $destroy(
            _: vk::Device,
            handle: vk::$type,
            callbacks: *const vk::AllocationCallbacks<'_>,
        ) {
            // SAFETY: the caller passes a live or null handle.
            unsafe { Object::<$type>::destroy(handle, callbacks) };
        }
    };
}

objects! {
    BufferView(vk::BufferViewCreateInfo<'_>): create_buffer_view, destroy_buffer_view;
    DescriptorSetLayout(vk::DescriptorSetLayoutCreateInfo<'_>):
        create_descriptor_set_layout, destroy_descriptor_set_layout;
    DescriptorUpdateTemplate(vk::DescriptorUpdateTemplateCreateInfo<'_>):
        create_descriptor_update_template, destroy_descriptor_update_template;
    Framebuffer(vk::FramebufferCreateInfo<'_>): create_framebuffer, destroy_framebuffer;
    ImageView(vk::ImageViewCreateInfo<'_>): create_image_view, destroy_image_view;
    PipelineCache(vk::PipelineCacheCreateInfo<'_>): create_pipeline_cache, destroy_pipeline_cache;
    PipelineLayout(vk::PipelineLayoutCreateInfo<'_>): create_pipeline_layout, destroy_pipeline_layout;
    RenderPass(vk::RenderPassCreateInfo<'_>): create_render_pass, destroy_render_pass;
    Sampler(vk::SamplerCreateInfo<'_>): create_sampler, destroy_sampler;
    SamplerYcbcrConversion(vk::SamplerYcbcrConversionCreateInfo<'_>):
        create_sampler_ycbcr_conversion, destroy_sampler_ycbcr_conversion;
    ShaderModule(vk::ShaderModuleCreateInfo<'_>): create_shader_module, destroy_shader_module;
}

struct Pipeline;

impl VkObject for Pipeline {
    type Handle = vk::Pipeline;
    type Parent = Device<Null>;
}

objects!(destroy Pipeline destroy_pipeline);

/// Pipelines of any kind: so many of them.
///
/// # Safety
/// `device` is a live handle, `callbacks` are valid or NULL, and `out` has room for the handles.
pub(crate) unsafe fn create_pipelines(
    device: vk::Device,
    count: u32,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let mut all = vk::Result::SUCCESS;
    for place in 0..count as usize {
        // SAFETY: the caller vouches for handle and pointers.
        unsafe {
            let result = create(device, callbacks, out.add(place), Pipeline);
            if result != vk::Result::SUCCESS {
                out.add(place).write(vk::Pipeline::null());
                all = result;
            }
        }
    }
    all
}

macro_rules! create_pipelines {
    ($($create:ident($info:ty);)*) => {$(
        unsafe extern "system" fn $create(
            device: vk::Device,
            _: vk::PipelineCache,
            count: u32,
            _: *const $info,
            callbacks: *const vk::AllocationCallbacks<'_>,
            out: *mut vk::Pipeline,
        ) -> vk::Result {
            // SAFETY: the caller passes live handles and an array with room for them.
            unsafe { create_pipelines(device, count, callbacks, out) }
        }
    )*};
}

create_pipelines! {
    create_graphics_pipelines(vk::GraphicsPipelineCreateInfo<'_>);
    create_compute_pipelines(vk::ComputePipelineCreateInfo<'_>);
}

unsafe extern "system" fn create_render_pass_2(
    device: vk::Device,
    _: *const vk::RenderPassCreateInfo2<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { create(device, callbacks, out, RenderPass) }
}

/// A cache with nothing behind its header (section "Retrieving Pipeline Cache Data").
unsafe extern "system" fn get_pipeline_cache_data(
    handle: vk::Device,
    _: vk::PipelineCache,
    size: *mut usize,
    out: *mut core::ffi::c_void,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, a valid pointer and so many bytes.
    unsafe {
        let known = &device(handle).physical().description().properties;
        let header = vk::PipelineCacheHeaderVersionOne {
            header_size: size_of::<vk::PipelineCacheHeaderVersionOne>() as u32,
            header_version: vk::PipelineCacheHeaderVersion::ONE,
            vendor_id: known.vendor_id,
            device_id: known.device_id,
            pipeline_cache_uuid: known.pipeline_cache_uuid,
        };
        let room = size.read();
        if out.is_null() || room < size_of_val(&header) {
            size.write(if out.is_null() { size_of_val(&header) } else { 0 });
            return if out.is_null() { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE };
        }
        out.cast::<vk::PipelineCacheHeaderVersionOne>().write_unaligned(header);
        size.write(size_of_val(&header));
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn merge_pipeline_caches(
    _: vk::Device,
    _: vk::PipelineCache,
    _: u32,
    _: *const vk::PipelineCache,
) -> vk::Result {
    vk::Result::SUCCESS
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
pub(crate) const COMMANDS: EntryPoints = entry_points! {
    CREATE_BUFFER_VIEW: PFN_vkCreateBufferView = create_buffer_view,
    DESTROY_BUFFER_VIEW: PFN_vkDestroyBufferView = destroy_buffer_view,
    CREATE_DESCRIPTOR_SET_LAYOUT: PFN_vkCreateDescriptorSetLayout = create_descriptor_set_layout,
    DESTROY_DESCRIPTOR_SET_LAYOUT: PFN_vkDestroyDescriptorSetLayout = destroy_descriptor_set_layout,
    CREATE_DESCRIPTOR_UPDATE_TEMPLATE: PFN_vkCreateDescriptorUpdateTemplate = create_descriptor_update_template,
    DESTROY_DESCRIPTOR_UPDATE_TEMPLATE: PFN_vkDestroyDescriptorUpdateTemplate = destroy_descriptor_update_template,
    CREATE_FRAMEBUFFER: PFN_vkCreateFramebuffer = create_framebuffer,
    DESTROY_FRAMEBUFFER: PFN_vkDestroyFramebuffer = destroy_framebuffer,
    CREATE_IMAGE_VIEW: PFN_vkCreateImageView = create_image_view,
    DESTROY_IMAGE_VIEW: PFN_vkDestroyImageView = destroy_image_view,
    CREATE_PIPELINE_CACHE: PFN_vkCreatePipelineCache = create_pipeline_cache,
    DESTROY_PIPELINE_CACHE: PFN_vkDestroyPipelineCache = destroy_pipeline_cache,
    GET_PIPELINE_CACHE_DATA: PFN_vkGetPipelineCacheData = get_pipeline_cache_data,
    MERGE_PIPELINE_CACHES: PFN_vkMergePipelineCaches = merge_pipeline_caches,
    CREATE_PIPELINE_LAYOUT: PFN_vkCreatePipelineLayout = create_pipeline_layout,
    DESTROY_PIPELINE_LAYOUT: PFN_vkDestroyPipelineLayout = destroy_pipeline_layout,
    CREATE_GRAPHICS_PIPELINES: PFN_vkCreateGraphicsPipelines = create_graphics_pipelines,
    CREATE_COMPUTE_PIPELINES: PFN_vkCreateComputePipelines = create_compute_pipelines,
    DESTROY_PIPELINE: PFN_vkDestroyPipeline = destroy_pipeline,
    CREATE_RENDER_PASS: PFN_vkCreateRenderPass = create_render_pass,
    CREATE_RENDER_PASS_2: PFN_vkCreateRenderPass2 = create_render_pass_2,
    DESTROY_RENDER_PASS: PFN_vkDestroyRenderPass = destroy_render_pass,
    CREATE_SAMPLER: PFN_vkCreateSampler = create_sampler,
    DESTROY_SAMPLER: PFN_vkDestroySampler = destroy_sampler,
    CREATE_SAMPLER_YCBCR_CONVERSION: PFN_vkCreateSamplerYcbcrConversion = create_sampler_ycbcr_conversion,
    DESTROY_SAMPLER_YCBCR_CONVERSION: PFN_vkDestroySamplerYcbcrConversion = destroy_sampler_ycbcr_conversion,
    CREATE_SHADER_MODULE: PFN_vkCreateShaderModule = create_shader_module,
    DESTROY_SHADER_MODULE: PFN_vkDestroyShaderModule = destroy_shader_module,
    GET_RENDER_AREA_GRANULARITY: PFN_vkGetRenderAreaGranularity = get_render_area_granularity,
    GET_RENDERING_AREA_GRANULARITY_KHR: PFN_vkGetRenderingAreaGranularityKHR = get_rendering_area_granularity,
};
