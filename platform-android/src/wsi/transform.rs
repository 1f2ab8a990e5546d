//! Rotations and mirroring of pictures, in Vulkan's terms and the window's.
#![forbid(unsafe_code)]

use core::ffi::c_int;

use ash::vk::SurfaceTransformFlagsKHR as Transform;

/// `NATIVE_WINDOW_TRANSFORM_*`: mirrored, upside down, rotated clockwise by 90 degrees, applied in
/// this order.
mod native {
    use core::ffi::c_int;

    pub(super) const FLIP_H: c_int = 1;
    pub(super) const FLIP_V: c_int = 2;
    pub(super) const ROT_90: c_int = 4;
    pub(super) const ROT_180: c_int = FLIP_H | FLIP_V;
    pub(super) const ROT_270: c_int = ROT_180 | ROT_90;
}

/// Vulkan's transforms, the window's value for each, and its inverse there. A mirrored one is its
/// own inverse.
const TRANSFORMS: &[(Transform, c_int, c_int)] = &[
    (Transform::IDENTITY, 0, 0),
    (Transform::ROTATE_90, native::ROT_90, native::ROT_270),
    (Transform::ROTATE_180, native::ROT_180, native::ROT_180),
    (Transform::ROTATE_270, native::ROT_270, native::ROT_90),
    (Transform::HORIZONTAL_MIRROR, native::FLIP_H, native::FLIP_H),
    (
        Transform::HORIZONTAL_MIRROR_ROTATE_90,
        native::FLIP_H | native::ROT_90,
        native::FLIP_H | native::ROT_90,
    ),
    (Transform::HORIZONTAL_MIRROR_ROTATE_180, native::FLIP_V, native::FLIP_V),
    (
        Transform::HORIZONTAL_MIRROR_ROTATE_270,
        native::FLIP_V | native::ROT_90,
        native::FLIP_V | native::ROT_90,
    ),
    (Transform::INHERIT, 0, 0),
];

pub fn all() -> Transform {
    TRANSFORMS.iter().fold(Transform::empty(), |all, (transform, ..)| all | *transform)
}

pub fn to_native(transform: Transform) -> c_int {
    TRANSFORMS.iter().find(|(known, ..)| *known == transform).map_or(0, |(_, native, _)| *native)
}

pub fn to_native_inverse(transform: Transform) -> c_int {
    TRANSFORMS.iter().find(|(known, ..)| *known == transform).map_or(0, |(.., inverse)| *inverse)
}

/// Vulkan's value for a window's transform. One that depends on the display has none.
pub fn from_native(native: c_int) -> Transform {
    TRANSFORMS
        .iter()
        .find(|(_, known, _)| *known == native)
        .map_or(Transform::IDENTITY, |(transform, ..)| *transform)
}
