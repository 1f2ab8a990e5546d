//! The form in which the generated files state formats.

use ash::vk;

/// A format of the registry.
pub struct FormatInfo {
    /// Its value.
    pub format: vk::Format,
    /// The class: formats of the same class are compatible. As `32-bit` or `BC1_RGBA`.
    pub class: &'static str,
    /// The bytes of a block; with several planes, of all of them together.
    pub block_size: u32,
    /// Texels of a block: width, height, depth.
    pub block_extent: [u32; 3],
    /// The minor version of Vulkan 1 that has the format, if it is not only in extensions.
    pub core: Option<u8>,
    /// Bits of the words in which components are counted from the highest bit, instead of byte by byte.
    pub packed: Option<u8>,
    /// How blocks are compressed.
    pub compression: Option<Compression>,
    /// How colour is stored with less detail than brightness.
    pub chroma: Option<Chroma>,
    /// The components in order.
    pub components: &'static [Component],
    /// The planes, if colour has several.
    pub planes: &'static [PlaneInfo],
}

/// A component of a texel.
#[derive(Debug)]
pub struct Component {
    /// `R`, `G`, `B`, `A`, `D` or `S`.
    pub name: u8,
    /// The number of bits, or 0 for a compressed format.
    pub bits: u32,
    /// The meaning of the bits.
    pub kind: NumericFormat,
    /// The component's plane.
    pub plane: u8,
}

/// A plane of a format.
pub struct PlaneInfo {
    /// The format of one plane that a view of the plane may have.
    pub compatible: vk::Format,
    /// By how much width and height are divided.
    pub divisors: [u32; 2],
}

/// The meaning of a component's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub enum NumericFormat {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Ufloat,
    Sfloat,
    Srgb,
    /// Fixed point with five bits behind the point.
    Sfixed5,
    Bool,
}

/// How blocks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the specification")]
#[non_exhaustive]
pub enum Compression {
    Bc,
    Etc2,
    Eac,
    AstcLdr,
    AstcHdr,
    Pvrtc,
}

/// How many texels share their colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chroma {
    /// Four: half the width and height.
    C420,
    /// Two: half the width.
    C422,
    /// One, in a plane of its own.
    C444,
}

/// Returns the only letter of a name.
pub(super) const fn letter(name: &str) -> u8 {
    match name.as_bytes() {
        [letter, ..] => *letter,
        [] => 0,
    }
}

macro_rules! rows {
    ($(
        $value:literal $class:literal $bytes:literal [$width:literal $height:literal $depth:literal]
        $(core $core:literal)? $(packed $packed:literal)? $(compressed $compression:ident)? $(chroma $chroma:ident)?
        [$($name:ident $bits:literal $kind:ident $(in $plane:literal)?),*]
        [$($compatible:literal $across:literal $down:literal),*];
    )*) => {
        pub(super) static ROWS: &[crate::format::rows::FormatInfo] = &[$(
            crate::format::rows::FormatInfo {
                format: ash::vk::Format::from_raw($value),
                class: $class,
                block_size: $bytes,
                block_extent: [$width, $height, $depth],
                core: crate::format::rows::some!($($core)?),
                packed: crate::format::rows::some!($($packed)?),
                compression: crate::format::rows::some!($(crate::format::rows::Compression::$compression)?),
                chroma: crate::format::rows::some!($(crate::format::rows::Chroma::$chroma)?),
                components: &[$(crate::format::rows::Component {
                    name: crate::format::rows::letter(stringify!($name)),
                    bits: $bits,
                    kind: crate::format::rows::NumericFormat::$kind,
                    plane: 0 $(+ $plane)?,
                }),*],
                planes: &[$(crate::format::rows::PlaneInfo {
                    compatible: ash::vk::Format::from_raw($compatible),
                    divisors: [$across, $down],
                }),*],
            },
        )*];
    };
}
pub(super) use rows;

macro_rules! some {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}
pub(super) use some;
