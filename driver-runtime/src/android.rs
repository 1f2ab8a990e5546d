//! Which extensions a driver may have on Android, by the level of the API.
//!
//! Android's tests refuse drivers that have Khronos or Google extensions newer than the system; they accept other
//! vendors' extensions and `EXT` ones. A driver calls [`allowed`] on the extensions that it would have on other
//! systems.

use vkload_core::registry::extension as e;
use vkload_core::registry::{ExtensionId, ExtensionSet};

/// For each level, the extensions that it allows and no lower level does. A `KHR`, `KHX`, `GOOGLE` or `ANDROID`
/// extension missing from this list is never allowed: extensions for video and performance queries, and any extension
/// newer than the list. A driver passes further extensions as `more`.
///
/// Source: the lists of Android's conformance tests of each release, as Mesa's `vk_extensions.py` gathers them.
const LEVELS: &[(u32, &[ExtensionId])] = &[
    (
        26,
        &[
            e::GOOGLE_DISPLAY_TIMING,
            e::KHR_16BIT_STORAGE,
            e::KHR_ANDROID_SURFACE,
            e::KHR_BIND_MEMORY2,
            e::KHR_DEDICATED_ALLOCATION,
            e::KHR_DESCRIPTOR_UPDATE_TEMPLATE,
            e::KHR_DISPLAY,
            e::KHR_DISPLAY_SWAPCHAIN,
            e::KHR_EXTERNAL_FENCE,
            e::KHR_EXTERNAL_FENCE_CAPABILITIES,
            e::KHR_EXTERNAL_FENCE_FD,
            e::KHR_EXTERNAL_FENCE_WIN32,
            e::KHR_EXTERNAL_MEMORY,
            e::KHR_EXTERNAL_MEMORY_CAPABILITIES,
            e::KHR_EXTERNAL_MEMORY_FD,
            e::KHR_EXTERNAL_MEMORY_WIN32,
            e::KHR_EXTERNAL_SEMAPHORE,
            e::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
            e::KHR_EXTERNAL_SEMAPHORE_FD,
            e::KHR_EXTERNAL_SEMAPHORE_WIN32,
            e::KHR_GET_MEMORY_REQUIREMENTS2,
            e::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
            e::KHR_GET_SURFACE_CAPABILITIES2,
            e::KHR_IMAGE_FORMAT_LIST,
            e::KHR_INCREMENTAL_PRESENT,
            e::KHR_MAINTENANCE1,
            e::KHR_MAINTENANCE2,
            e::KHR_PUSH_DESCRIPTOR,
            e::KHR_RELAXED_BLOCK_LAYOUT,
            e::KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE,
            e::KHR_SAMPLER_YCBCR_CONVERSION,
            e::KHR_SHADER_DRAW_PARAMETERS,
            e::KHR_SHARED_PRESENTABLE_IMAGE,
            e::KHR_STORAGE_BUFFER_STORAGE_CLASS,
            e::KHR_SURFACE,
            e::KHR_SWAPCHAIN,
            e::KHR_VARIABLE_POINTERS,
            e::KHR_WAYLAND_SURFACE,
            e::KHR_WIN32_KEYED_MUTEX,
            e::KHR_WIN32_SURFACE,
            e::KHR_XCB_SURFACE,
            e::KHR_XLIB_SURFACE,
        ],
    ),
    (27, &[e::KHR_DRAW_INDIRECT_COUNT]),
    (
        28,
        &[
            e::ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER,
            e::KHR_CREATE_RENDERPASS2,
            e::KHR_DEVICE_GROUP,
            e::KHR_DEVICE_GROUP_CREATION,
            e::KHR_DRIVER_PROPERTIES,
            e::KHR_GET_DISPLAY_PROPERTIES2,
            e::KHR_MAINTENANCE3,
            e::KHR_MULTIVIEW,
        ],
    ),
    (
        29,
        &[
            e::KHR_8BIT_STORAGE,
            e::KHR_DEPTH_STENCIL_RESOLVE,
            e::KHR_SHADER_ATOMIC_INT64,
            e::KHR_SHADER_FLOAT16_INT8,
            e::KHR_SHADER_FLOAT_CONTROLS,
            e::KHR_SURFACE_PROTECTED_CAPABILITIES,
            e::KHR_SWAPCHAIN_MUTABLE_FORMAT,
            e::KHR_UNIFORM_BUFFER_STANDARD_LAYOUT,
            e::KHR_VULKAN_MEMORY_MODEL,
        ],
    ),
    (
        30,
        &[
            e::GOOGLE_DECORATE_STRING,
            e::GOOGLE_HLSL_FUNCTIONALITY1,
            e::KHR_BUFFER_DEVICE_ADDRESS,
            e::KHR_COPY_COMMANDS2,
            e::KHR_IMAGELESS_FRAMEBUFFER,
            e::KHR_PIPELINE_EXECUTABLE_PROPERTIES,
            e::KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS,
            e::KHR_SHADER_CLOCK,
            e::KHR_SHADER_NON_SEMANTIC_INFO,
            e::KHR_SHADER_SUBGROUP_EXTENDED_TYPES,
            e::KHR_SPIRV_1_4,
            e::KHR_TIMELINE_SEMAPHORE,
        ],
    ),
    (
        31,
        &[
            e::KHR_ACCELERATION_STRUCTURE,
            e::KHR_DEFERRED_HOST_OPERATIONS,
            e::KHR_FRAGMENT_SHADING_RATE,
            e::KHR_PIPELINE_LIBRARY,
            e::KHR_RAY_QUERY,
            e::KHR_RAY_TRACING_PIPELINE,
            e::KHR_SHADER_INTEGER_DOT_PRODUCT,
            e::KHR_SHADER_TERMINATE_INVOCATION,
            e::KHR_SYNCHRONIZATION2,
            e::KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT,
            e::KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY,
        ],
    ),
    (
        33,
        &[
            e::GOOGLE_SURFACELESS_QUERY,
            e::KHR_DYNAMIC_RENDERING,
            e::KHR_FORMAT_FEATURE_FLAGS2,
            e::KHR_GLOBAL_PRIORITY,
            e::KHR_MAINTENANCE4,
            e::KHR_PORTABILITY_ENUMERATION,
            e::KHR_PORTABILITY_SUBSET,
            e::KHR_PRESENT_ID,
            e::KHR_PRESENT_WAIT,
            e::KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW,
        ],
    ),
    (34, &[e::KHR_FRAGMENT_SHADER_BARYCENTRIC, e::KHR_RAY_TRACING_MAINTENANCE1]),
    (
        35,
        &[
            e::ANDROID_EXTERNAL_FORMAT_RESOLVE,
            e::KHR_CALIBRATED_TIMESTAMPS,
            e::KHR_COOPERATIVE_MATRIX,
            e::KHR_DYNAMIC_RENDERING_LOCAL_READ,
            e::KHR_INDEX_TYPE_UINT8,
            e::KHR_LINE_RASTERIZATION,
            e::KHR_LOAD_STORE_OP_NONE,
            e::KHR_MAINTENANCE5,
            e::KHR_MAINTENANCE6,
            e::KHR_MAP_MEMORY2,
            e::KHR_RAY_TRACING_POSITION_FETCH,
            e::KHR_SHADER_EXPECT_ASSUME,
            e::KHR_SHADER_FLOAT_CONTROLS2,
            e::KHR_SHADER_MAXIMAL_RECONVERGENCE,
            e::KHR_SHADER_QUAD_CONTROL,
            e::KHR_SHADER_SUBGROUP_ROTATE,
            e::KHR_VERTEX_ATTRIBUTE_DIVISOR,
        ],
    ),
    (
        36,
        &[
            e::KHR_COMPUTE_SHADER_DERIVATIVES,
            e::KHR_MAINTENANCE7,
            e::KHR_PIPELINE_BINARY,
            e::KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION,
        ],
    ),
];

/// Returns the extensions of `set` that a driver may have at an API level. `more` are further extensions with their
/// first levels.
pub fn allowed(set: &ExtensionSet, level: u32, more: &[(ExtensionId, u32)]) -> ExtensionSet {
    let mut kept = ExtensionSet::default();
    set.iter().filter(|id| is_allowed(*id, level, more)).for_each(|id| kept.insert(id));
    kept
}

fn is_allowed(id: ExtensionId, level: u32, more: &[(ExtensionId, u32)]) -> bool {
    let name = id.name().to_bytes();
    // VK_ANDROID_native_buffer, which the registry does not list as supported, is allowed always: see
    // Driver::MORE_DEVICE_EXTENSIONS.
    let watched: [&[u8]; 4] = [b"VK_KHR_", b"VK_KHX_", b"VK_GOOGLE_", b"VK_ANDROID_"];
    if !watched.iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    let listed = LEVELS.iter().filter(|(since, _)| *since <= level).any(|(_, ids)| ids.contains(&id));
    listed || more.iter().any(|(known, since)| *known == id && *since <= level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed_at(id: ExtensionId, level: u32) -> bool {
        allowed(&ExtensionSet::new(&[id]), level, &[]).contains(id)
    }

    #[test]
    fn extensions_by_the_level_of_the_system() {
        let rows = [
            (e::KHR_SWAPCHAIN, 26),
            (e::KHR_DRAW_INDIRECT_COUNT, 27),
            (e::KHR_DEVICE_GROUP_CREATION, 28),
            (e::KHR_SURFACE_PROTECTED_CAPABILITIES, 29),
            (e::KHR_TIMELINE_SEMAPHORE, 30),
            (e::KHR_SYNCHRONIZATION2, 31),
            (e::KHR_DYNAMIC_RENDERING, 33),
            (e::KHR_RAY_TRACING_MAINTENANCE1, 34),
            (e::KHR_MAINTENANCE5, 35),
            (e::KHR_PIPELINE_BINARY, 36),
            (e::ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER, 28),
            (e::GOOGLE_SURFACELESS_QUERY, 33),
        ];
        for (id, level) in rows {
            let around = [level - 1, level, level + 1].map(|level| is_allowed_at(id, level));
            assert_eq!(around, [false, true, true], "{:?}", id.name());
        }
        for id in [e::EXT_MESH_SHADER, e::NV_MESH_SHADER, e::FUCHSIA_BUFFER_COLLECTION] {
            assert!(is_allowed_at(id, 1), "{:?}", id.name());
        }
        for id in [e::KHR_VIDEO_QUEUE, e::KHR_VIDEO_DECODE_AV1, e::KHR_PERFORMANCE_QUERY] {
            assert!(!is_allowed_at(id, 99), "{:?}", id.name());
        }
        let set = ExtensionSet::new(&[e::KHR_VIDEO_QUEUE]);
        assert!(allowed(&set, 40, &[(e::KHR_VIDEO_QUEUE, 40)]).contains(e::KHR_VIDEO_QUEUE));
    }

    #[test]
    fn no_extension_is_listed_twice() {
        let mut seen = ExtensionSet::default();
        for id in LEVELS.iter().flat_map(|(_, ids)| ids.iter()) {
            assert!(!seen.contains(*id), "{:?}", id.name());
            seen.insert(*id);
        }
    }
}
