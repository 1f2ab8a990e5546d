//! The kinds of surfaces: for each, the command that creates it and the layout of the structure
//! that drivers expect if they do not create surfaces themselves (`VkIcdSurface...` of `vk_icd.h`).

use core::mem::offset_of;

use ash::vk;

use crate::registry::{CommandId, ExtensionId, command, extension};

pub(super) struct SurfaceKind {
    pub command: CommandId,
    /// The extension that the command belongs to.
    pub extension: ExtensionId,
    /// Its number in `VkIcdWsiPlatform`.
    pub platform: u16,
    /// The size of the create info in bytes.
    pub size: u16,
    /// The members that are copied from the create info.
    pub fields: &'static [Field],
}

/// A member of a create info that drivers find in the surface. All values are in bytes.
pub(super) struct Field {
    pub from: usize,
    pub to: usize,
    pub size: usize,
}

/// The size of the drivers' largest structure in bytes.
pub(super) const LARGEST: usize = 48;

/// The size of the largest create info in bytes.
pub(super) const LARGEST_INFO: usize = size_of::<vk::DisplaySurfaceCreateInfoKHR<'_>>();

/// Returns the size of a create info.
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

type Pointer = *const core::ffi::c_void;

/// All kinds. The numbers of Mir (0), and of platforms that no longer have a command, are not used.
pub(super) const KINDS: [SurfaceKind; 15] = [
    SurfaceKind {
        command: command::CREATE_WAYLAND_SURFACE_KHR,
        extension: extension::KHR_WAYLAND_SURFACE,
        platform: 1,
        size: size::<vk::WaylandSurfaceCreateInfoKHR<'_>>(),
        fields: fields!(WaylandSurfaceCreateInfoKHR { display: Pointer, surface: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_WIN32_SURFACE_KHR,
        extension: extension::KHR_WIN32_SURFACE,
        platform: 2,
        size: size::<vk::Win32SurfaceCreateInfoKHR<'_>>(),
        fields: fields!(Win32SurfaceCreateInfoKHR { hinstance: Pointer, hwnd: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_XCB_SURFACE_KHR,
        extension: extension::KHR_XCB_SURFACE,
        platform: 3,
        size: size::<vk::XcbSurfaceCreateInfoKHR<'_>>(),
        fields: fields!(XcbSurfaceCreateInfoKHR { connection: Pointer, window: u32 }),
    },
    SurfaceKind {
        command: command::CREATE_XLIB_SURFACE_KHR,
        extension: extension::KHR_XLIB_SURFACE,
        platform: 4,
        size: size::<vk::XlibSurfaceCreateInfoKHR<'_>>(),
        fields: fields!(XlibSurfaceCreateInfoKHR { dpy: Pointer, window: core::ffi::c_ulong }),
    },
    SurfaceKind {
        command: command::CREATE_ANDROID_SURFACE_KHR,
        extension: extension::KHR_ANDROID_SURFACE,
        platform: 5,
        size: size::<vk::AndroidSurfaceCreateInfoKHR<'_>>(),
        fields: fields!(AndroidSurfaceCreateInfoKHR { window: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_MACOS_SURFACE_MVK,
        extension: extension::MVK_MACOS_SURFACE,
        platform: 6,
        size: size::<vk::MacOSSurfaceCreateInfoMVK<'_>>(),
        fields: fields!(MacOSSurfaceCreateInfoMVK { p_view: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_IOS_SURFACE_MVK,
        extension: extension::MVK_IOS_SURFACE,
        platform: 7,
        size: size::<vk::IOSSurfaceCreateInfoMVK<'_>>(),
        fields: fields!(IOSSurfaceCreateInfoMVK { p_view: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_DISPLAY_PLANE_SURFACE_KHR,
        extension: extension::KHR_DISPLAY,
        platform: 8,
        size: size::<vk::DisplaySurfaceCreateInfoKHR<'_>>(),
        fields: fields!(DisplaySurfaceCreateInfoKHR {
            display_mode: u64,
            plane_index: u32,
            plane_stack_index: u32,
            transform: u32,
            global_alpha: f32,
            alpha_mode: u32,
            image_extent: vk::Extent2D
        }),
    },
    SurfaceKind {
        command: command::CREATE_HEADLESS_SURFACE_EXT,
        extension: extension::EXT_HEADLESS_SURFACE,
        platform: 9,
        size: size::<vk::HeadlessSurfaceCreateInfoEXT<'_>>(),
        fields: &[],
    },
    SurfaceKind {
        command: command::CREATE_METAL_SURFACE_EXT,
        extension: extension::EXT_METAL_SURFACE,
        platform: 10,
        size: size::<vk::MetalSurfaceCreateInfoEXT<'_>>(),
        fields: fields!(MetalSurfaceCreateInfoEXT { p_layer: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_DIRECT_FB_SURFACE_EXT,
        extension: extension::EXT_DIRECTFB_SURFACE,
        platform: 11,
        size: size::<vk::DirectFBSurfaceCreateInfoEXT<'_>>(),
        fields: fields!(DirectFBSurfaceCreateInfoEXT { dfb: Pointer, surface: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_VI_SURFACE_NN,
        extension: extension::NN_VI_SURFACE,
        platform: 12,
        size: size::<vk::ViSurfaceCreateInfoNN<'_>>(),
        fields: fields!(ViSurfaceCreateInfoNN { window: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_STREAM_DESCRIPTOR_SURFACE_GGP,
        extension: extension::GGP_STREAM_DESCRIPTOR_SURFACE,
        platform: 13,
        size: size::<vk::StreamDescriptorSurfaceCreateInfoGGP<'_>>(),
        fields: fields!(StreamDescriptorSurfaceCreateInfoGGP { stream_descriptor: u32 }),
    },
    SurfaceKind {
        command: command::CREATE_SCREEN_SURFACE_QNX,
        extension: extension::QNX_SCREEN_SURFACE,
        platform: 14,
        size: size::<vk::ScreenSurfaceCreateInfoQNX<'_>>(),
        fields: fields!(ScreenSurfaceCreateInfoQNX { context: Pointer, window: Pointer }),
    },
    SurfaceKind {
        command: command::CREATE_IMAGE_PIPE_SURFACE_FUCHSIA,
        extension: extension::FUCHSIA_IMAGEPIPE_SURFACE,
        platform: 15,
        size: size::<vk::ImagePipeSurfaceCreateInfoFUCHSIA<'_>>(),
        fields: &[],
    },
];
