//! The kinds of surfaces: for each, the command that creates it and the layout of the structure
//! that drivers expect if they do not create surfaces themselves (`VkIcdSurface...` of `vk_icd.h`).

use core::mem::offset_of;

use ash::vk;

use crate::registry::{CommandId, ExtensionId, command, extension};

pub(super) struct SurfaceKind {
    pub command: CommandId,
    pub extension: ExtensionId,
    pub platform: u16,
    pub size: u16,
    pub fields: &'static [Field],
}

/// A member of a create info that drivers find in the surface. All values are in bytes.
pub(super) struct Field {
    pub from: usize,
    pub to: usize,
    pub size: usize,
}

pub(super) const LARGEST: usize = 48;

pub(super) const LARGEST_INFO: usize = size_of::<vk::DisplaySurfaceCreateInfoKHR<'_>>();

const fn size<T>() -> u16 {
    assert!(size_of::<T>() <= LARGEST_INFO);
    size_of::<T>() as u16
}

/// Lists members of a create info in the order of the driver's structure, each at the next multiple
/// of its alignment after the platform's number.
macro_rules! fields {
    ($info:ident { $($member:ident: $type:ty),* }) => {{
        const FIELDS: &[Field] = &{
            let mut _end = size_of::<u32>();
            [$({
                let to = _end.next_multiple_of(align_of::<$type>());
                _end = to.wrapping_add(size_of::<$type>());
                assert!(_end <= LARGEST);
                Field { from: offset_of!(vk::$info<'static>, $member), to, size: size_of::<$type>() }
            }),*]
        };
        FIELDS
    }};
}

/// Rows: the number of a kind in `VkIcdWsiPlatform`, its command, extension and create info with the members.
macro_rules! kinds {
    ($($platform:literal $command:ident $extension:ident $info:ident $members:tt)*) => {
        [$(SurfaceKind {
            command: command::$command,
            extension: extension::$extension,
            platform: $platform,
            size: size::<vk::$info<'_>>(),
            fields: fields!($info $members),
        }),*]
    };
}

type Pointer = *const core::ffi::c_void;

/// All kinds. The numbers of Mir (0), and of platforms that no longer have a command, are not used.
pub(super) const KINDS: [SurfaceKind; 15] = kinds! {
    1 CREATE_WAYLAND_SURFACE_KHR KHR_WAYLAND_SURFACE WaylandSurfaceCreateInfoKHR {
        display: Pointer, surface: Pointer
    }
    2 CREATE_WIN32_SURFACE_KHR KHR_WIN32_SURFACE Win32SurfaceCreateInfoKHR {
        hinstance: Pointer, hwnd: Pointer
    }
    3 CREATE_XCB_SURFACE_KHR KHR_XCB_SURFACE XcbSurfaceCreateInfoKHR { connection: Pointer, window: u32 }
    4 CREATE_XLIB_SURFACE_KHR KHR_XLIB_SURFACE XlibSurfaceCreateInfoKHR {
        dpy: Pointer, window: core::ffi::c_ulong
    }
    5 CREATE_ANDROID_SURFACE_KHR KHR_ANDROID_SURFACE AndroidSurfaceCreateInfoKHR { window: Pointer }
    6 CREATE_MACOS_SURFACE_MVK MVK_MACOS_SURFACE MacOSSurfaceCreateInfoMVK { p_view: Pointer }
    7 CREATE_IOS_SURFACE_MVK MVK_IOS_SURFACE IOSSurfaceCreateInfoMVK { p_view: Pointer }
    8 CREATE_DISPLAY_PLANE_SURFACE_KHR KHR_DISPLAY DisplaySurfaceCreateInfoKHR {
        display_mode: u64, plane_index: u32, plane_stack_index: u32, transform: u32, global_alpha: f32,
        alpha_mode: u32, image_extent: vk::Extent2D
    }
    9 CREATE_HEADLESS_SURFACE_EXT EXT_HEADLESS_SURFACE HeadlessSurfaceCreateInfoEXT {}
    10 CREATE_METAL_SURFACE_EXT EXT_METAL_SURFACE MetalSurfaceCreateInfoEXT { p_layer: Pointer }
    11 CREATE_DIRECT_FB_SURFACE_EXT EXT_DIRECTFB_SURFACE DirectFBSurfaceCreateInfoEXT {
        dfb: Pointer, surface: Pointer
    }
    12 CREATE_VI_SURFACE_NN NN_VI_SURFACE ViSurfaceCreateInfoNN { window: Pointer }
    13 CREATE_STREAM_DESCRIPTOR_SURFACE_GGP GGP_STREAM_DESCRIPTOR_SURFACE StreamDescriptorSurfaceCreateInfoGGP {
        stream_descriptor: u32
    }
    14 CREATE_SCREEN_SURFACE_QNX QNX_SCREEN_SURFACE ScreenSurfaceCreateInfoQNX {
        context: Pointer, window: Pointer
    }
    15 CREATE_IMAGE_PIPE_SURFACE_FUCHSIA FUCHSIA_IMAGEPIPE_SURFACE ImagePipeSurfaceCreateInfoFUCHSIA {}
};
