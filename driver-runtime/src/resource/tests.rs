use ash::vk::{self, Handle};
use std::vec::Vec;

use super::*;
use vkload_core::memory::Arc;

fn image(info: &vk::ImageCreateInfo<'_>) -> ImageInfo {
    // SAFETY: the chain is valid.
    unsafe { ImageInfo::new(info) }.unwrap()
}

#[test]
fn uses_of_buffers_have_64_bits() {
    let narrow = vk::BufferCreateInfo::default().size(100).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    let mut wide = vk::BufferUsageFlags2CreateInfoKHR::default()
        .usage(vk::BufferUsageFlags2KHR::SHADER_BINDING_TABLE | vk::BufferUsageFlags2KHR::from_raw(1 << 40));
    // SAFETY: the chains are valid.
    let (first, second) =
        unsafe { (BufferInfo::new(&narrow), BufferInfo::new(&narrow.push_next(&mut wide))) };
    assert_eq!(first.usage.as_raw(), u64::from(vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()));
    assert_eq!(second.usage.as_raw(), wide.usage.as_raw());
}

#[test]
fn ranges_end_with_their_buffer() {
    let info = vk::BufferCreateInfo::default().size(100);
    // SAFETY: the chain is empty.
    let buffer = unsafe { BufferInfo::new(&info) };
    assert_eq!(buffer.range(40, vk::WHOLE_SIZE), Some(60));
    assert_eq!(buffer.range(40, 10), Some(10));
    assert_eq!(buffer.range(100, vk::WHOLE_SIZE), Some(0));
    assert_eq!(buffer.range(101, 1), None);
    let view = |format| vk::BufferViewCreateInfo::default().format(format).offset(10).range(vk::WHOLE_SIZE);
    let texels = |format| BufferViewInfo::new(&buffer, &view(format)).map(|view| view.texels);
    assert_eq!(texels(vk::Format::R32G32B32A32_SFLOAT), Some(5));
    assert_eq!(texels(vk::Format::UNDEFINED), None);
}

#[test]
fn levels_of_planes_are_rounded_up_and_never_empty() {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::G8_B8R8_2PLANE_420_UNORM)
        .extent(vk::Extent3D { width: 10, height: 6, depth: 1 })
        .mip_levels(4)
        .array_layers(3);
    let planar = image(&info);
    assert_eq!([planar.level_extent(0, 0), planar.level_extent(1, 0)], [[10, 6, 1], [5, 3, 1]]);
    assert_eq!([planar.level_extent(0, 3), planar.level_extent(1, 9)], [[1, 1, 1], [1, 1, 1]]);
    assert_eq!(planar.levels_from(1, vk::REMAINING_MIP_LEVELS), 3);
    assert_eq!(planar.layers_from(1, vk::REMAINING_ARRAY_LAYERS), 2);
    let planes = vk::ImageAspectFlags::PLANE_0 | vk::ImageAspectFlags::PLANE_1;
    assert!(planar.format.expanded(vk::ImageAspectFlags::COLOR) == planes);
    let blocks = image(&info.format(vk::Format::BC1_RGB_UNORM_BLOCK));
    assert_eq!(blocks.level_blocks(0, 0), [3, 2, 1]);
    assert!(blocks.format.aspects() == vk::ImageAspectFlags::COLOR);
}

#[test]
fn stencil_may_have_uses_of_its_own() {
    let mut own = vk::ImageStencilUsageCreateInfo::default().stencil_usage(vk::ImageUsageFlags::SAMPLED);
    let depth_usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let info = vk::ImageCreateInfo::default()
        .format(vk::Format::D24_UNORM_S8_UINT)
        .usage(depth_usage)
        .push_next(&mut own);
    let image = image(&info);
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    assert!(image.format.aspects() == (depth | stencil));
    assert!(image.usage_of(depth) == depth_usage);
    assert!(image.usage_of(stencil) == vk::ImageUsageFlags::SAMPLED);
    assert!(image.usage_of(depth | stencil) == (depth_usage | vk::ImageUsageFlags::SAMPLED));
}

#[test]
fn views_have_the_extent_of_their_own_texels() {
    let all = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 1,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 2,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    };
    let of = |image: &ImageInfo, kind, format| {
        let info = vk::ImageViewCreateInfo::default().view_type(kind).format(format).subresource_range(all);
        // SAFETY: the chain is empty.
        unsafe { ImageViewInfo::new(image, &info) }.unwrap()
    };
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_3D)
        .format(vk::Format::BC1_RGB_UNORM_BLOCK)
        .extent(vk::Extent3D { width: 32, height: 16, depth: 8 })
        .mip_levels(3)
        .array_layers(1);
    let (deep, array) = (vk::ImageViewType::TYPE_3D, vk::ImageViewType::TYPE_2D_ARRAY);
    let blocks = image(&info);
    let same = of(&blocks, deep, vk::Format::BC1_RGB_SRGB_BLOCK);
    assert_eq!((same.extent, same.levels), ([16, 8, 4], (1, 2)));
    assert_eq!(of(&blocks, deep, vk::Format::R32G32_UINT).extent, [4, 2, 4]);
    let slices = of(&blocks, array, vk::Format::BC1_RGB_UNORM_BLOCK);
    assert_eq!((slices.extent, slices.layers), ([16, 8, 1], (2, 2)));
    use vk::ComponentSwizzle as From;
    assert!(slices.components == [From::R, From::G, From::B, From::A]);
}

#[test]
fn samplers_have_the_colour_that_the_application_brings() {
    let mut own = vk::SamplerCustomBorderColorCreateInfoEXT::default()
        .custom_border_color(vk::ClearColorValue { uint32: [1, 2, 3, 4] })
        .format(vk::Format::R8G8B8A8_UINT);
    let info = vk::SamplerCreateInfo::default().max_anisotropy(4.0).compare_op(vk::CompareOp::LESS);
    // SAFETY: the chains are valid.
    let border = |info: &vk::SamplerCreateInfo<'_>| unsafe { SamplerInfo::new(info) }.border;
    let white = info.border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE);
    assert!(border(&white) == BorderColour::Float([1.0f32.to_bits(); 4]));
    let custom = info.border_color(vk::BorderColor::INT_CUSTOM_EXT).push_next(&mut own);
    assert!(border(&custom) == BorderColour::Integer([1, 2, 3, 4]));
    // SAFETY: as above.
    let unused = unsafe { SamplerInfo::new(&white) };
    assert!(unused.anisotropy.is_none() && unused.compare.is_none());
}

fn set_layout(bindings: &[vk::DescriptorSetLayoutBinding<'_>]) -> Arc<SetLayoutInfo> {
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
    // SAFETY: the arrays are valid.
    unsafe { SetLayoutInfo::new(&info) }.unwrap()
}

fn binding(number: u32, kind: vk::DescriptorType, count: u32) -> vk::DescriptorSetLayoutBinding<'static> {
    vk::DescriptorSetLayoutBinding::default().binding(number).descriptor_type(kind).descriptor_count(count)
}

#[test]
fn bindings_are_in_the_order_of_their_numbers() {
    let samplers = [vk::Sampler::from_raw(1), vk::Sampler::from_raw(2)];
    let dangling = core::ptr::NonNull::dangling().as_ptr();
    let mut ignored = binding(0, vk::DescriptorType::STORAGE_BUFFER, 7);
    ignored.p_immutable_samplers = dangling;
    let layout = set_layout(&[
        binding(9, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, 3),
        binding(4, vk::DescriptorType::SAMPLER, 2).immutable_samplers(&samplers),
        ignored,
    ]);
    let numbers: Vec<_> = layout.bindings().iter().map(|it| (it.number, it.first)).collect();
    assert_eq!(numbers, [(0, 0), (4, 7), (9, 9)]);
    assert_eq!(layout.immutable_samplers(layout.binding(4).unwrap()), samplers);
    assert!(layout.immutable_samplers(layout.binding(0).unwrap()).is_empty());
    assert!(layout.binding(5).is_none());
    assert_eq!((layout.descriptors(None), layout.dynamic_offsets()), (12, 3));
}

#[test]
fn the_last_binding_may_have_a_variable_number_of_descriptors() {
    let bindings =
        [binding(0, vk::DescriptorType::SAMPLER, 2), binding(1, vk::DescriptorType::SAMPLED_IMAGE, 100)];
    let flags = [vk::DescriptorBindingFlags::empty(), vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT];
    let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).push_next(&mut flags);
    // SAFETY: the arrays are valid.
    let layout = unsafe { SetLayoutInfo::new(&info) }.unwrap();
    assert_eq!([None, Some(5), Some(101)].map(|count| layout.descriptors(count)), [102, 7, 102]);
    assert_eq!(set_layout(&bindings).descriptors(Some(5)), 102);
}

#[test]
fn pipeline_layouts_keep_set_layouts_that_were_destroyed() {
    let dynamic = vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
    let first = set_layout(&[binding(0, dynamic, 2)]);
    let handles = [1, 0, 1].map(vk::DescriptorSetLayout::from_raw);
    let ranges = [
        vk::PushConstantRange::default().offset(16).size(16),
        vk::PushConstantRange::default().offset(0).size(8),
    ];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&handles).push_constant_ranges(&ranges);
    // SAFETY: the arrays are valid.
    let layout = unsafe { PipelineLayoutInfo::new(&info, |_| Some(first.clone())) }.unwrap();
    assert!(!first.has_one_owner());
    drop(first);
    assert_eq!((layout.sets(), layout.set(2).unwrap().dynamic_offsets()), (3, 2));
    assert!(layout.set(1).is_none() && layout.set(3).is_none());
    assert_eq!([0, 1, 2, 3].map(|set| layout.first_dynamic(set)), [0, 2, 2, 4]);
    assert_eq!(layout.push_constant_size(), 32);
}

#[test]
fn results_of_queries_have_the_form_of_the_flags() {
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::PIPELINE_STATISTICS)
        .query_count(2)
        .pipeline_statistics(
            vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS
                | vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES,
        );
    let pool = QueryPoolInfo::new(&info);
    assert_eq!(pool.values(), 2);
    // The first query is not available.
    let results = |query: u32, values: &mut [u64]| {
        values.fill((1 << 32) + u64::from(query));
        query == 1
    };
    let written = |flags, stride, size: usize| {
        let mut out = [7u32; 12];
        let range = QueryRange { first: 0, count: 2, stride, flags };
        // SAFETY: the array has this many bytes.
        let all = unsafe { pool.write_results(range, out.as_mut_ptr().cast(), size, results) };
        assert!(!all);
        out
    };
    use vk::QueryResultFlags as Form;
    assert_eq!(written(Form::empty(), 8, 48)[..5], [7, 7, 1, 1, 7]);
    assert_eq!(written(Form::PARTIAL, 8, 48)[..5], [0, 0, 1, 1, 7]);
    assert_eq!(written(Form::WITH_AVAILABILITY, 12, 48)[..7], [7, 7, 0, 1, 1, 1, 7]);
    let wide = written(Form::TYPE_64 | Form::WITH_AVAILABILITY, 24, 48);
    let wide: Vec<u64> = wide.chunks(2).map(|it| u64::from(it[0]) | u64::from(it[1]) << 32).collect();
    assert_eq!(wide[2..], [0, (1 << 32) + 1, (1 << 32) + 1, 1]);
    assert_eq!(written(Form::empty(), 8, 12)[..4], [7, 7, 1, 7], "what does not fit is not written");
}
