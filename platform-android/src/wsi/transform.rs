//! How pictures are turned: Vulkan's words and the window's.
#![forbid(unsafe_code)]

use core::ffi::c_int;

use ash::vk::SurfaceTransformFlagsKHR as Transform;

/// `NATIVE_WINDOW_TRANSFORM_*`: mirrored, upside down, turned clockwise by a quarter, in this order of application.
mod native {
    use core::ffi::c_int;

    pub(super) const FLIP_H: c_int = 1;
    pub(super) const FLIP_V: c_int = 2;
    pub(super) const ROT_90: c_int = 4;
    pub(super) const ROT_180: c_int = FLIP_H | FLIP_V;
    pub(super) const ROT_270: c_int = ROT_180 | ROT_90;
}

/// Vulkan's transforms, what each is to the window, and its inverse there. A mirrored one undoes itself.
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

/// Every transform there is.
#[must_use]
pub fn all() -> Transform {
    TRANSFORMS.iter().fold(Transform::empty(), |all, (transform, ..)| all | *transform)
}

/// What the window calls a transform.
#[must_use]
pub fn to_native(transform: Transform) -> c_int {
    TRANSFORMS.iter().find(|(known, ..)| *known == transform).map_or(0, |(_, native, _)| *native)
}

/// What the window calls the transform that undoes this one.
#[must_use]
pub fn to_native_inverse(transform: Transform) -> c_int {
    TRANSFORMS.iter().find(|(known, ..)| *known == transform).map_or(0, |(.., inverse)| *inverse)
}

/// What Vulkan calls a window's transform. One that depends on the display has no name.
#[must_use]
pub fn from_native(native: c_int) -> Transform {
    TRANSFORMS
        .iter()
        .find(|(_, known, _)| *known == native)
        .map_or(Transform::IDENTITY, |(transform, ..)| *transform)
}

/// Whether a transform exchanges width and height.
#[must_use]
pub fn is_sideways(native: c_int) -> bool {
    native & native::ROT_90 != 0
}
