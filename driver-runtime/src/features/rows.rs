//! The form in which the generated files state features.

use loader_core::registry::{ExtensionId, ExtensionSet};

use super::Feature;

/// A feature structure of the registry.
pub(super) struct Structure {
    pub(super) s_type: i32,
    pub(super) name: &'static str,
    /// The minor version of Vulkan 1 that has the structure, or [`NOT_CORE`].
    core: u8,
    extensions: &'static [ExtensionId],
    /// In the order of the members behind the structure's header, each a `VkBool32`.
    pub(super) members: &'static [(Feature, &'static str)],
}

/// The core version of a structure that only extensions have.
const NOT_CORE: u8 = u8::MAX;

impl Structure {
    #[expect(clippy::indexing_slicing, reason = "there is always a first")]
    pub(super) const fn new(
        s_type: i32,
        name: &'static str,
        core: &[u8],
        extensions: &'static [ExtensionId],
        members: &'static [(Feature, &'static str)],
    ) -> Self {
        let core = if core.is_empty() { NOT_CORE } else { core[0] };
        Self { s_type, name, core, extensions, members }
    }

    /// Whether a core version up to 1.`minor` has the structure.
    pub(super) const fn is_core(&self, minor: u8) -> bool {
        self.core != NOT_CORE && self.core <= minor
    }

    /// Whether a device of this version and these extensions has the structure.
    pub(super) fn is_of(&self, core_minor: u32, extensions: &ExtensionSet) -> bool {
        (self.core != NOT_CORE && u32::from(self.core) <= core_minor) || self.is_of_extension(extensions)
    }

    /// Whether one of these extensions has the structure.
    pub(super) fn is_of_extension(&self, extensions: &ExtensionSet) -> bool {
        self.extensions.iter().any(|extension| extensions.contains(*extension))
    }
}

macro_rules! rows {
    ($(
        $s_type:literal $name:literal $(core $core:literal)? $(by $extension:ident)*
        has $($constant:ident $member:literal,)*;
    )*) => {
        pub(super) static ROWS: &[crate::features::rows::Structure] = &[$(
            crate::features::rows::Structure::new(
                $s_type,
                $name,
                &[$($core)?],
                &[$(loader_core::registry::extension::$extension),*],
                &[$((crate::features::name::$constant, $member)),*],
            ),
        )*];
    };
}
pub(super) use rows;

macro_rules! features {
    ($($number:literal $constant:ident $member:literal;)*) => {$(
        #[doc = concat!("`", $member, "`")]
        pub const $constant: crate::features::Feature = crate::features::Feature($number);
    )*};
}
pub(super) use features;
