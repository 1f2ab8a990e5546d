//! A device's abilities with formats: everything that their kind allows.

use vkload_core::abi::chain;
use vkload_driver_runtime::format::FormatInfo;
use vkload_driver_runtime::{calls, vk};

use super::format::find;
use crate::description::{HEAP_SIZE, IMAGE_EXTENT};
use crate::memory::external_properties;
use crate::scenario::{self, FormatSupport, wide_of};

pub(crate) const ARRAY_LAYERS: u32 = 2048;
/// Slices of an image with three dimensions.
pub(crate) const DEPTH: u32 = 2048;

/// Returns the supported uses of images with a format.
fn features(format: &FormatInfo) -> vk::FormatFeatureFlags {
    use vk::FormatFeatureFlags as Can;
    let copies = Can::TRANSFER_SRC | Can::TRANSFER_DST;
    let sampled = copies | Can::SAMPLED_IMAGE | Can::BLIT_SRC;
    let filtered = Can::SAMPLED_IMAGE_FILTER_LINEAR | Can::SAMPLED_IMAGE_FILTER_MINMAX;
    if format.is_depth_or_stencil() {
        return sampled | filtered | Can::BLIT_DST | Can::DEPTH_STENCIL_ATTACHMENT;
    }
    if format.is_subsampled() {
        let sited = Can::MIDPOINT_CHROMA_SAMPLES | Can::COSITED_CHROMA_SAMPLES;
        let disjoint = if format.plane_count() > 1 { Can::DISJOINT } else { Can::empty() };
        return copies | Can::SAMPLED_IMAGE | Can::SAMPLED_IMAGE_FILTER_LINEAR | sited | disjoint;
    }
    if format.compression.is_some() {
        return sampled | filtered;
    }
    let drawn = sampled | Can::BLIT_DST | Can::COLOR_ATTACHMENT | Can::STORAGE_IMAGE;
    match format.is_integer() {
        true if format.block_size == 4 && format.components.len() == 1 => drawn | Can::STORAGE_IMAGE_ATOMIC,
        true => drawn,
        false if format.is_scaled() => copies,
        false => drawn | filtered | Can::COLOR_ATTACHMENT_BLEND,
    }
}

/// Returns the supported uses of buffers with a format.
fn buffer_features(format: &FormatInfo) -> vk::FormatFeatureFlags {
    use vk::FormatFeatureFlags as Can;
    if format.is_depth_or_stencil() || format.is_subsampled() || format.compression.is_some() {
        return Can::empty();
    }
    let texels =
        if format.is_scaled() { Can::empty() } else { Can::UNIFORM_TEXEL_BUFFER | Can::STORAGE_TEXEL_BUFFER };
    let atomic = format.is_integer() && format.block_size == 4 && format.components.len() == 1;
    let atomics = if atomic { Can::STORAGE_TEXEL_BUFFER_ATOMIC } else { Can::empty() };
    Can::VERTEX_BUFFER | texels | atomics
}

/// Returns a format's supported uses: from a profile, or otherwise everything that its kind allows.
fn support(format: vk::Format) -> FormatSupport {
    if let Some(of_profile) = scenario::get().format(format) {
        return of_profile;
    }
    let Some(known) = find(format) else { return FormatSupport::default() };
    let images = wide(known, features(known));
    FormatSupport { linear: images, optimal: images, buffer: wide_of(buffer_features(known)) }
}

/// Returns the same features in 64 bits, with those that do not fit into 32.
fn wide(format: &FormatInfo, image: vk::FormatFeatureFlags) -> vk::FormatFeatureFlags2 {
    use vk::FormatFeatureFlags2 as Can;
    let mut images = wide_of(image);
    if image.contains(vk::FormatFeatureFlags::STORAGE_IMAGE) {
        images |= Can::STORAGE_READ_WITHOUT_FORMAT | Can::STORAGE_WRITE_WITHOUT_FORMAT;
    }
    if format.is_depth_or_stencil() {
        images |= Can::SAMPLED_IMAGE_DEPTH_COMPARISON;
    }
    if image.contains(vk::FormatFeatureFlags::TRANSFER_DST) {
        images |= Can::HOST_IMAGE_TRANSFER_EXT;
    }
    images
}

/// Returns the features that fit into 32 bits.
fn narrow(wide: vk::FormatFeatureFlags2) -> vk::FormatFeatureFlags {
    // The highest bit of the narrow ones is the newest that both have, `FRAGMENT_SHADING_RATE_ATTACHMENT`.
    const SHARED: u64 = (1 << 31) - 1;
    vk::FormatFeatureFlags::from_raw((wide.as_raw() & SHARED) as u32)
}

pub(crate) fn get_format_properties(call: &calls::GetPhysicalDeviceFormatProperties2<'_>) {
    let known = support(call.format);
    // SAFETY: the call obeys the specification; each structure has the type in its `sType`.
    unsafe {
        let out = call.format_properties.as_mut();
        out.format_properties = vk::FormatProperties {
            linear_tiling_features: narrow(known.linear),
            optimal_tiling_features: narrow(known.optimal),
            buffer_features: narrow(known.buffer),
        };
        for structure in chain::pointers(out.p_next) {
            if (*structure).s_type == vk::StructureType::FORMAT_PROPERTIES_3 {
                let out = structure.cast::<vk::FormatProperties3<'_>>();
                (*out).linear_tiling_features = known.linear;
                (*out).optimal_tiling_features = known.optimal;
                (*out).buffer_features = known.buffer;
            }
        }
    }
}

const USES: &[(vk::ImageUsageFlags, vk::FormatFeatureFlags)] = &[
    (vk::ImageUsageFlags::TRANSFER_SRC, vk::FormatFeatureFlags::TRANSFER_SRC),
    (vk::ImageUsageFlags::TRANSFER_DST, vk::FormatFeatureFlags::TRANSFER_DST),
    (vk::ImageUsageFlags::SAMPLED, vk::FormatFeatureFlags::SAMPLED_IMAGE),
    (vk::ImageUsageFlags::STORAGE, vk::FormatFeatureFlags::STORAGE_IMAGE),
    (vk::ImageUsageFlags::COLOR_ATTACHMENT, vk::FormatFeatureFlags::COLOR_ATTACHMENT),
    (vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT),
];

/// Image flags that need abilities this driver lacks.
const REFUSED: vk::ImageCreateFlags = vk::ImageCreateFlags::from_raw(
    vk::ImageCreateFlags::SPARSE_BINDING.as_raw()
        | vk::ImageCreateFlags::SPARSE_RESIDENCY.as_raw()
        | vk::ImageCreateFlags::SPARSE_ALIASED.as_raw()
        | vk::ImageCreateFlags::PROTECTED.as_raw(),
);

pub(crate) fn get_image_format_properties(
    call: &calls::GetPhysicalDeviceImageFormatProperties2<'_>,
) -> Result<(), vk::Result> {
    let info = &call.image_format_info;
    // SAFETY: the call obeys the specification; each structure has the type in its `sType`.
    unsafe {
        let out = call.image_format_properties.as_mut();
        out.image_format_properties = vk::ImageFormatProperties::default();
        let properties = image_properties(info).ok_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)?;
        let shared = chain::find::<vk::PhysicalDeviceExternalImageFormatInfo<'_>>(info.p_next);
        let mut sharing = vk::ExternalMemoryProperties::default();
        if let Some(shared) = shared.filter(|shared| !shared.handle_type.is_empty()) {
            let known = external_properties(shared.handle_type);
            sharing = known.ok_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)?;
        }
        out.image_format_properties = properties;
        for structure in chain::pointers(out.p_next) {
            write_more(structure, info.format, sharing);
        }
    }
    Ok(())
}

/// # Safety
/// `structure` is valid.
unsafe fn write_more(
    structure: *mut vk::BaseOutStructure<'_>,
    format: vk::Format,
    sharing: vk::ExternalMemoryProperties,
) {
    // SAFETY: each structure has the type in its `sType`.
    unsafe {
        match (*structure).s_type {
            vk::StructureType::SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES => {
                let planes = find(format).map_or(1, |format| format.plane_count() as u32);
                let out = structure.cast::<vk::SamplerYcbcrConversionImageFormatProperties<'_>>();
                (*out).combined_image_sampler_descriptor_count = planes;
            }
            vk::StructureType::EXTERNAL_IMAGE_FORMAT_PROPERTIES => {
                let out = structure.cast::<vk::ExternalImageFormatProperties<'_>>();
                (*out).external_memory_properties = sharing;
            }
            vk::StructureType::HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT => {
                let out = structure.cast::<vk::HostImageCopyDevicePerformanceQueryEXT<'_>>();
                (*out).optimal_device_access = vk::TRUE;
                (*out).identical_memory_layout = vk::TRUE;
            }
            _ => {}
        }
    }
}

fn image_properties(info: &vk::PhysicalDeviceImageFormatInfo2<'_>) -> Option<vk::ImageFormatProperties> {
    let format = find(info.format)?;
    let known = support(info.format);
    let can = narrow(if info.tiling == vk::ImageTiling::LINEAR { known.linear } else { known.optimal });
    if can.is_empty() {
        return None;
    }
    let lacks = |(usage, needed): &(vk::ImageUsageFlags, vk::FormatFeatureFlags)| {
        info.usage.contains(*usage) && !can.contains(*needed)
    };
    if info.flags.intersects(REFUSED) || USES.iter().any(lacks) {
        return None;
    }
    let (is_1d, is_3d) = (info.ty == vk::ImageType::TYPE_1D, info.ty == vk::ImageType::TYPE_3D);
    let flat_only = format.is_subsampled() || format.compression.is_some() || format.is_depth_or_stencil();
    if flat_only && info.ty != vk::ImageType::TYPE_2D {
        return None;
    }
    let linear = info.tiling == vk::ImageTiling::LINEAR;
    let drawn = can.intersects(
        vk::FormatFeatureFlags::COLOR_ATTACHMENT | vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
    );
    let multisampled = drawn
        && !linear
        && info.ty == vk::ImageType::TYPE_2D
        && !info.flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE);
    let [side, depth, layers] = sizes(info.ty, info.flags);
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D {
            width: side,
            height: if is_1d { 1 } else { side },
            depth: if is_3d { depth } else { 1 },
        },
        max_mip_levels: if format.is_subsampled() { 1 } else { side.max(1).ilog2() + 1 },
        max_array_layers: if is_3d || format.is_subsampled() { 1 } else { layers },
        sample_counts: if multisampled { SAMPLES } else { vk::SampleCountFlags::TYPE_1 },
        max_resource_size: HEAP_SIZE,
    })
}

/// Returns the largest width and height, depth, and number of layers of an image.
pub(crate) fn sizes(kind: vk::ImageType, flags: vk::ImageCreateFlags) -> [u32; 3] {
    let Some(limits) = scenario::get().limits() else { return [IMAGE_EXTENT, DEPTH, ARRAY_LAYERS] };
    let side = match kind {
        vk::ImageType::TYPE_1D => limits.max_image_dimension1_d,
        vk::ImageType::TYPE_3D => limits.max_image_dimension3_d,
        _ if flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE) => limits.max_image_dimension_cube,
        _ => limits.max_image_dimension2_d,
    };
    [side, limits.max_image_dimension3_d, limits.max_image_array_layers]
}

/// How many samples a texel may have.
pub(crate) const SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::from_raw(
    vk::SampleCountFlags::TYPE_1.as_raw() | vk::SampleCountFlags::TYPE_4.as_raw(),
);
