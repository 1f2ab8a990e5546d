//! Which extensions a driver may have on Android, by the level of the API.
//!
//! Android's tests refuse drivers that have Khronos or Google extensions newer than the system; they accept other
//! vendors' extensions and `EXT` ones. A driver calls [`allowed`] on the extensions that it would have on other
//! systems.

use vkload_core::registry::extension as e;
use vkload_core::registry::{ExtensionId, ExtensionSet};

/// Each level with its extensions.
macro_rules! levels {
    ($($level:literal: $($extension:ident)*;)*) => {
        &[$(($level, &[$(e::$extension),*])),*]
    };
}

/// For each level, the extensions that it allows and no lower level does. A `KHR`, `KHX`, `GOOGLE` or `ANDROID`
/// extension missing from this list is never allowed: extensions for video and performance queries, and any extension
/// newer than the list. A driver passes further extensions as `more`.
///
/// Source: the lists of Android's conformance tests of each release, as Mesa's `vk_extensions.py` gathers them.
const LEVELS: &[(u32, &[ExtensionId])] = levels! {
    26: GOOGLE_DISPLAY_TIMING KHR_16BIT_STORAGE KHR_ANDROID_SURFACE KHR_BIND_MEMORY2
        KHR_DEDICATED_ALLOCATION KHR_DESCRIPTOR_UPDATE_TEMPLATE KHR_DISPLAY KHR_DISPLAY_SWAPCHAIN
        KHR_EXTERNAL_FENCE KHR_EXTERNAL_FENCE_CAPABILITIES KHR_EXTERNAL_FENCE_FD KHR_EXTERNAL_FENCE_WIN32
        KHR_EXTERNAL_MEMORY KHR_EXTERNAL_MEMORY_CAPABILITIES KHR_EXTERNAL_MEMORY_FD KHR_EXTERNAL_MEMORY_WIN32
        KHR_EXTERNAL_SEMAPHORE KHR_EXTERNAL_SEMAPHORE_CAPABILITIES KHR_EXTERNAL_SEMAPHORE_FD
        KHR_EXTERNAL_SEMAPHORE_WIN32 KHR_GET_MEMORY_REQUIREMENTS2 KHR_GET_PHYSICAL_DEVICE_PROPERTIES2
        KHR_GET_SURFACE_CAPABILITIES2 KHR_IMAGE_FORMAT_LIST KHR_INCREMENTAL_PRESENT KHR_MAINTENANCE1
        KHR_MAINTENANCE2 KHR_PUSH_DESCRIPTOR KHR_RELAXED_BLOCK_LAYOUT KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE
        KHR_SAMPLER_YCBCR_CONVERSION KHR_SHADER_DRAW_PARAMETERS KHR_SHARED_PRESENTABLE_IMAGE
        KHR_STORAGE_BUFFER_STORAGE_CLASS KHR_SURFACE KHR_SWAPCHAIN KHR_VARIABLE_POINTERS KHR_WAYLAND_SURFACE
        KHR_WIN32_KEYED_MUTEX KHR_WIN32_SURFACE KHR_XCB_SURFACE KHR_XLIB_SURFACE;
    27: KHR_DRAW_INDIRECT_COUNT;
    28: ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER KHR_CREATE_RENDERPASS2 KHR_DEVICE_GROUP
        KHR_DEVICE_GROUP_CREATION KHR_DRIVER_PROPERTIES KHR_GET_DISPLAY_PROPERTIES2 KHR_MAINTENANCE3
        KHR_MULTIVIEW;
    29: KHR_8BIT_STORAGE KHR_DEPTH_STENCIL_RESOLVE KHR_SHADER_ATOMIC_INT64 KHR_SHADER_FLOAT16_INT8
        KHR_SHADER_FLOAT_CONTROLS KHR_SURFACE_PROTECTED_CAPABILITIES KHR_SWAPCHAIN_MUTABLE_FORMAT
        KHR_UNIFORM_BUFFER_STANDARD_LAYOUT KHR_VULKAN_MEMORY_MODEL;
    30: GOOGLE_DECORATE_STRING GOOGLE_HLSL_FUNCTIONALITY1 KHR_BUFFER_DEVICE_ADDRESS KHR_COPY_COMMANDS2
        KHR_IMAGELESS_FRAMEBUFFER KHR_PIPELINE_EXECUTABLE_PROPERTIES KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS
        KHR_SHADER_CLOCK KHR_SHADER_NON_SEMANTIC_INFO KHR_SHADER_SUBGROUP_EXTENDED_TYPES KHR_SPIRV_1_4
        KHR_TIMELINE_SEMAPHORE;
    31: KHR_ACCELERATION_STRUCTURE KHR_DEFERRED_HOST_OPERATIONS KHR_FRAGMENT_SHADING_RATE
        KHR_PIPELINE_LIBRARY KHR_RAY_QUERY KHR_RAY_TRACING_PIPELINE KHR_SHADER_INTEGER_DOT_PRODUCT
        KHR_SHADER_TERMINATE_INVOCATION KHR_SYNCHRONIZATION2 KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT
        KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY;
    33: GOOGLE_SURFACELESS_QUERY KHR_DYNAMIC_RENDERING KHR_FORMAT_FEATURE_FLAGS2 KHR_GLOBAL_PRIORITY
        KHR_MAINTENANCE4 KHR_PORTABILITY_ENUMERATION KHR_PORTABILITY_SUBSET KHR_PRESENT_ID KHR_PRESENT_WAIT
        KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW;
    34: KHR_FRAGMENT_SHADER_BARYCENTRIC KHR_RAY_TRACING_MAINTENANCE1;
    35: ANDROID_EXTERNAL_FORMAT_RESOLVE KHR_CALIBRATED_TIMESTAMPS KHR_COOPERATIVE_MATRIX
        KHR_DYNAMIC_RENDERING_LOCAL_READ KHR_INDEX_TYPE_UINT8 KHR_LINE_RASTERIZATION KHR_LOAD_STORE_OP_NONE
        KHR_MAINTENANCE5 KHR_MAINTENANCE6 KHR_MAP_MEMORY2 KHR_RAY_TRACING_POSITION_FETCH
        KHR_SHADER_EXPECT_ASSUME KHR_SHADER_FLOAT_CONTROLS2 KHR_SHADER_MAXIMAL_RECONVERGENCE
        KHR_SHADER_QUAD_CONTROL KHR_SHADER_SUBGROUP_ROTATE KHR_VERTEX_ATTRIBUTE_DIVISOR;
    36: KHR_COMPUTE_SHADER_DERIVATIVES KHR_MAINTENANCE7 KHR_PIPELINE_BINARY
        KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION;
};

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
