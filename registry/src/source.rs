//! The form in which the generated files state commands and extensions. It exists only at compile
//! time: [`layout`] turns it into tables of bytes and small integers that need no relocation when
//! the library is loaded.
//!
//! [`layout`]: super::layout

use super::{Class, CommandId, ExtensionId, ExtensionKind, VulkanPlatform};

pub(super) struct Command {
    pub(super) id: u16,
    pub(super) name: &'static str,
    pub(super) class: Class,
    /// The minor version of Vulkan 1 that made the command core, or [`NOT_CORE`].
    pub(super) core: u8,
    /// Empty, or the command that this one is an alias of.
    pub(super) alias: &'static [CommandId],
    pub(super) returns_result: bool,
    pub(super) providers: &'static [ExtensionId],
}

/// Returns whether a type of the generated files is `VkResult`.
pub(super) const fn is_result(of_type: &str) -> bool {
    // The compiler may print blanks around the colons.
    matches!(of_type.as_bytes(), [b'v', b'k', .., b'R', b'e', b's', b'u', b'l', b't'])
}

pub(super) const NOT_CORE: u8 = u8::MAX;

pub(super) struct Extension {
    pub(super) id: u16,
    pub(super) name: &'static str,
    pub(super) kind: ExtensionKind,
    pub(super) spec_version: u32,
    pub(super) platform: VulkanPlatform,
}

/// The commands of a generated file: their constants, and [`Command`]s in `ROWS`.
macro_rules! commands {
    ($(
        $id:literal $constant:ident $name:ident ($($parameter:ident: $type:ty $([$count:ident])?,)*) -> $result:ty,
        $class:ident
        $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        $(
            #[doc = concat!("`vk", stringify!($name), "`")]
            pub const $constant: $crate::CommandId = $crate::CommandId::new($id);
        )*

        pub(crate) const ROWS: &[$crate::source::Command] = {
            #[allow(unused_imports, reason = "core commands name no extension")]
            use $crate::extension::*;
            &[$(
                $crate::source::Command {
                    id: $id,
                    name: concat!("vk", stringify!($name)),
                    class: $crate::Class::$class,
                    core: [$($core,)? $crate::source::NOT_CORE][0],
                    alias: &[$($crate::command::$alias)?],
                    returns_result: $crate::source::is_result(stringify!($result)),
                    providers: &[$($extension),*],
                },
            )*]
        };
    };
}
pub(super) use commands;

/// The extensions of a generated file: their constants, and [`Extension`]s in `ROWS`.
macro_rules! extensions {
    ($(
        $id:literal $constant:ident $name:literal $kind:ident version $version:literal $(on $platform:ident)?;
    )*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: $crate::ExtensionId = $crate::ExtensionId::new($id);
        )*

        pub(crate) const ROWS: &[$crate::source::Extension] = {
            use $crate::VulkanPlatform;
            &[$(
                $crate::source::Extension {
                    id: $id,
                    name: $name,
                    kind: $crate::ExtensionKind::$kind,
                    spec_version: $version,
                    platform: [$(VulkanPlatform::$platform,)? VulkanPlatform::None][0],
                },
            )*]
        };
    };
}
pub(super) use extensions;
