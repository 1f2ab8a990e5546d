//! Property queries as an application makes them.

use ash::vk::{self, TaggedStructure};

use super::Description;
use super::tests::with_device;
use super::vulkan_1_4::Chained;
use crate::reflect;
use crate::testing::{TestDriver, commands, plan};
use vkload_core::registry::{ExtensionSet, extension};

/// Returns a structure whose bytes repeat only after 251.
fn pattern<T>() -> T {
    let mut value = core::mem::MaybeUninit::<T>::uninit();
    let first = value.as_mut_ptr().cast::<u8>();
    // SAFETY: used for structures of numbers only; the bytes are inside the value.
    unsafe {
        (0..size_of::<T>()).for_each(|at| first.add(at).write((at % 251) as u8));
        value.assume_init()
    }
}

fn describe() -> Description {
    let mut known = Description::new(b"x", vk::make_api_version(0, 1, 4, 0), vk::PhysicalDeviceType::CPU);
    known.vulkan_1_1 = pattern();
    known.vulkan_1_2 = pattern();
    known.vulkan_1_3 = pattern();
    let layouts = (known.vulkan_1_4.copy_src_layouts, known.vulkan_1_4.copy_dst_layouts);
    // SAFETY: the members before the layouts are numbers.
    unsafe {
        let words: [u32; 19] = pattern();
        core::ptr::from_mut(&mut known.vulkan_1_4).cast::<[u32; 19]>().write(words);
    }
    (known.vulkan_1_4.copy_src_layouts, known.vulkan_1_4.copy_dst_layouts) = layouts;
    known.vulkan_1_4.copy_src_layouts = &[vk::ImageLayout::GENERAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL];
    known.vulkan_1_4.optimal_tiling_layout_uuid = [7; 16];
    known
}

fn ask<T>(device: vk::PhysicalDevice, structure: &mut T) {
    let mut all =
        vk::PhysicalDeviceProperties2 { p_next: core::ptr::from_mut(structure).cast(), ..Default::default() };
    // SAFETY: a live handle and a chain of one structure.
    unsafe { commands::get_properties_2::<TestDriver>()(device, &mut all) };
}

/// Every structure has the members of the one that gathers it; the first and the last are compared.
macro_rules! same {
    ($device:expr, $($source:expr => { $($part:ident { $($member:ident = $of:ident),* })* })*) => {$($({
        let mut part = vk::$part::default();
        ask($device, &mut part);
        $(
            let (has, wants) = (part.$member, $source.$of);
            assert!(has == wants, "{} {}", stringify!($part), stringify!($member));
        )*
        assert!(part.s_type == vk::$part::STRUCTURE_TYPE && part.p_next.is_null());
    })*)*};
}

#[test]
fn structures_have_the_members_of_those_that_gather_them() {
    let (_made, device) = with_device(describe);
    let known = describe();
    let (v11, v12, v13, v14) = (known.vulkan_1_1, known.vulkan_1_2, known.vulkan_1_3, known.vulkan_1_4);
    same! { device,
        v11 => {
            PhysicalDeviceVulkan11Properties {
                device_uuid = device_uuid, max_memory_allocation_size = max_memory_allocation_size
            }
            PhysicalDeviceIDProperties { device_uuid = device_uuid, device_luid_valid = device_luid_valid }
            PhysicalDeviceSubgroupProperties {
                subgroup_size = subgroup_size,
                quad_operations_in_all_stages = subgroup_quad_operations_in_all_stages
            }
            PhysicalDevicePointClippingProperties { point_clipping_behavior = point_clipping_behavior }
            PhysicalDeviceMultiviewProperties { max_multiview_instance_index = max_multiview_instance_index }
            PhysicalDeviceProtectedMemoryProperties { protected_no_fault = protected_no_fault }
            PhysicalDeviceMaintenance3Properties {
                max_per_set_descriptors = max_per_set_descriptors,
                max_memory_allocation_size = max_memory_allocation_size
            }
        }
        v12 => {
            PhysicalDeviceVulkan12Properties {
                framebuffer_integer_color_sample_counts = framebuffer_integer_color_sample_counts
            }
            PhysicalDeviceDriverProperties { driver_id = driver_id, driver_info = driver_info }
            PhysicalDeviceFloatControlsProperties {
                shader_rounding_mode_rtz_float64 = shader_rounding_mode_rtz_float64
            }
            PhysicalDeviceDescriptorIndexingProperties {
                max_descriptor_set_update_after_bind_input_attachments
                    = max_descriptor_set_update_after_bind_input_attachments
            }
            PhysicalDeviceDepthStencilResolveProperties { independent_resolve = independent_resolve }
            PhysicalDeviceSamplerFilterMinmaxProperties {
                filter_minmax_image_component_mapping = filter_minmax_image_component_mapping
            }
            PhysicalDeviceTimelineSemaphoreProperties {
                max_timeline_semaphore_value_difference = max_timeline_semaphore_value_difference
            }
        }
        v13 => {
            PhysicalDeviceVulkan13Properties { max_buffer_size = max_buffer_size }
            PhysicalDeviceSubgroupSizeControlProperties {
                required_subgroup_size_stages = required_subgroup_size_stages
            }
            PhysicalDeviceInlineUniformBlockProperties {
                max_descriptor_set_update_after_bind_inline_uniform_blocks
                    = max_descriptor_set_update_after_bind_inline_uniform_blocks
            }
            PhysicalDeviceShaderIntegerDotProductProperties {
                integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated
                    = integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated
            }
            PhysicalDeviceTexelBufferAlignmentProperties {
                uniform_texel_buffer_offset_single_texel_alignment
                    = uniform_texel_buffer_offset_single_texel_alignment
            }
            PhysicalDeviceMaintenance4Properties { max_buffer_size = max_buffer_size }
        }
        v14 => {
            PhysicalDeviceLineRasterizationPropertiesKHR {
                line_sub_pixel_precision_bits = line_sub_pixel_precision_bits
            }
            PhysicalDeviceVertexAttributeDivisorPropertiesKHR {
                supports_non_zero_first_instance = supports_non_zero_first_instance
            }
            PhysicalDevicePushDescriptorPropertiesKHR { max_push_descriptors = max_push_descriptors }
            PhysicalDeviceMaintenance5PropertiesKHR {
                non_strict_wide_lines_use_parallelogram = non_strict_wide_lines_use_parallelogram
            }
            PhysicalDeviceMaintenance6PropertiesKHR {
                fragment_shading_rate_clamp_combiner_inputs = fragment_shading_rate_clamp_combiner_inputs
            }
            PhysicalDevicePipelineRobustnessPropertiesEXT {
                default_robustness_images = default_robustness_images
            }
        }
    }
}

#[test]
fn properties_of_1_4_fill_the_arrays_of_the_application() {
    let (_made, device) = with_device(describe);
    // SAFETY: a structure of numbers and pointers; every pointer that is followed is set first or NULL.
    let mut chained: Chained = unsafe { core::mem::zeroed() };
    // SAFETY: the type is the first member.
    unsafe { core::ptr::from_mut(&mut chained).cast::<vk::StructureType>().write(Chained::TYPE) };
    ask(device, &mut chained);
    assert_eq!((chained.copy_src_layout_count, chained.copy_dst_layout_count), (2, 0));
    let mut one = [vk::ImageLayout::UNDEFINED];
    chained.copy_src_layout_count = 1;
    chained.p_copy_src_layouts = one.as_mut_ptr();
    ask(device, &mut chained);
    assert_eq!(chained.copy_src_layout_count, 1);
    assert!(one[0] == vk::ImageLayout::GENERAL && chained.p_copy_dst_layouts.is_null());
    assert_eq!(chained.optimal_tiling_layout_uuid, [7; 16]);
    let mut two = [vk::ImageLayout::UNDEFINED; 3];
    let mut own = vk::PhysicalDeviceHostImageCopyPropertiesEXT::default().copy_src_layouts(&mut two);
    ask(device, &mut own);
    assert_eq!((own.copy_src_layout_count, own.identical_memory_type_requirements), (2, 0));
    assert!(two[1] == vk::ImageLayout::TRANSFER_SRC_OPTIMAL && two[2] == vk::ImageLayout::UNDEFINED);
}

#[test]
fn properties_of_newer_versions_are_left_alone() {
    let (_made, device) =
        with_device(|| Description::new(b"x", vk::API_VERSION_1_1, vk::PhysicalDeviceType::CPU));
    let mut gathered = vk::PhysicalDeviceVulkan13Properties::default().max_buffer_size(77);
    ask(device, &mut gathered);
    assert_eq!(gathered.max_buffer_size, 77);
}

#[test]
fn a_driver_writes_structures_that_no_description_has() {
    let (_made, device) = with_device(describe);
    plan(|plan| {
        plan.properties = |structure| {
            if let Some(own) = structure.get::<vk::PhysicalDevicePresentationPropertiesANDROID<'_>>() {
                own.shared_image = vk::TRUE;
                own.p_next = core::ptr::without_provenance_mut(8);
            }
            assert!(structure.get::<vk::PhysicalDeviceIDProperties<'_>>().is_none());
        }
    });
    let mut own = vk::PhysicalDevicePresentationPropertiesANDROID::default();
    ask(device, &mut own);
    assert!(own.shared_image == vk::TRUE && own.p_next.is_null());
}

#[test]
fn extension_properties_are_the_drivers_values() {
    let (_made, device) = with_device(|| {
        let mut known = describe();
        known.extensions = ExtensionSet::new(&[extension::EXT_MESH_SHADER, extension::EXT_ROBUSTNESS2]);
        let mesh = vk::PhysicalDeviceMeshShaderPropertiesEXT::default()
            .max_task_work_group_count([1, 2, 3])
            .prefers_local_invocation_vertex_output(true);
        assert!(known.set(&mesh));
        assert!(
            known.set(
                &vk::PhysicalDeviceProvokingVertexPropertiesEXT::default()
                    .provoking_vertex_mode_per_pipeline(true)
            )
        );
        assert!(known.set(&vk::PhysicalDeviceMultiviewProperties::default().max_multiview_view_count(9)));
        assert_eq!(known.vulkan_1_1.max_multiview_view_count, 9);
        known
    });
    let mut mesh = vk::PhysicalDeviceMeshShaderPropertiesEXT::default();
    ask(device, &mut mesh);
    assert_eq!((mesh.max_task_work_group_count, mesh.prefers_local_invocation_vertex_output), ([1, 2, 3], 1));
    assert!(
        mesh.s_type == vk::PhysicalDeviceMeshShaderPropertiesEXT::STRUCTURE_TYPE && mesh.p_next.is_null()
    );
    // The driver sets none of these, so they have the minimum that the specification requires.
    let mut robust = vk::PhysicalDeviceRobustness2PropertiesEXT::default();
    ask(device, &mut robust);
    assert_eq!(robust.robust_uniform_buffer_access_size_alignment, 256);
    // The device does not have this extension.
    let mut other = vk::PhysicalDeviceProvokingVertexPropertiesEXT::default();
    ask(device, &mut other);
    assert_eq!(other.provoking_vertex_mode_per_pipeline, 0);
}

#[test]
fn structures_that_the_headers_lack_are_written_too() {
    let (_made, device) = with_device(|| {
        let mut known = describe();
        known.extensions = ExtensionSet::new(&[extension::NV_COOPERATIVE_MATRIX2]);
        let (structure, member) = (
            "VkPhysicalDeviceCooperativeMatrix2PropertiesNV",
            "cooperativeMatrixFlexibleDimensionsMaxDimension",
        );
        reflect::member(&mut known, structure, member).unwrap().set(reflect::Value::Integer(1024)).unwrap();
        known
    });
    // `sType`, `pNext` and three members of four bytes.
    let mut words = [0u64; 4];
    let structure = reflect::structure("VkPhysicalDeviceCooperativeMatrix2PropertiesNV").unwrap();
    // SAFETY: the words are zeros and as many as the structure has.
    unsafe { words.as_mut_ptr().cast::<i32>().write(structure.structure_type().unwrap()) };
    ask(device, &mut words);
    assert_eq!(structure.members[1].name, "cooperativeMatrixFlexibleDimensionsMaxDimension");
    // SAFETY: the member is in the words.
    let value = unsafe { words.as_ptr().byte_add(super::HEADER + structure.offset(1)).cast::<u32>().read() };
    assert_eq!(value, 1024);
}

#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn a_panic_in_a_command_ends_the_process() {
    const CHILD: &str = "DRIVER_RUNTIME_TEST_PANICS";
    if std::env::var_os(CHILD).is_some() {
        let (_made, device) = with_device(describe);
        plan(|plan| plan.properties = |_| panic!("a mistake of the driver"));
        ask(device, &mut vk::PhysicalDevicePresentationPropertiesANDROID::default());
        std::println!("the command returned");
        return;
    }
    let name = "physical_device::properties_tests::a_panic_in_a_command_ends_the_process";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let (out, error) = (std::string::String::from_utf8_lossy(&child.stdout), child.stderr);
    assert!(!child.status.success() && !out.contains("the command returned"), "{out}");
    // Not as a test that fails: the process was ended by a signal.
    assert_eq!(child.status.code(), None, "{out}");
    assert!(std::string::String::from_utf8_lossy(&error).contains("a mistake of the driver"));
}
