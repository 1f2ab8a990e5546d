//! The form in which the generated files state commands and extensions. It exists only at compile
//! time: [`layout`] turns it into tables of bytes and small integers that need no relocation when
//! the library is loaded.
//!
//! [`layout`]: super::layout

use super::{Class, CommandId, ExtensionId, ExtensionKind, Platform};

/// A command as a generated file states it.
pub(super) struct Command {
    pub(super) id: u16,
    pub(super) name: &'static str,
    pub(super) class: Class,
    /// The minor version of Vulkan 1 that made the command core, or [`NOT_CORE`].
    pub(super) core: u8,
    /// Empty, or the command that this one is an alias of.
    pub(super) alias: &'static [CommandId],
    pub(super) providers: &'static [Provider],
}

/// The core version of a command that is not core.
pub(super) const NOT_CORE: u8 = u8::MAX;

/// An extension that provides a command, and what else is required.
pub(super) struct Provider {
    pub(super) extension: ExtensionId,
    pub(super) condition: Condition,
}

/// An extension as a generated file states it.
pub(super) struct Extension {
    pub(super) id: u16,
    pub(super) name: &'static str,
    pub(super) kind: ExtensionKind,
    pub(super) spec_version: u32,
    pub(super) platform: Platform,
    pub(super) promoted_to: super::Promotion,
    pub(super) needs: Condition,
}

/// A `depends` expression of the registry.
pub(super) enum Condition {
    /// This version 1.x of Vulkan or newer.
    Core(u8),
    /// The extension is enabled.
    Has(ExtensionId),
    /// All of these; an empty list always holds.
    All(&'static [Condition]),
    /// One of these; an empty list never holds.
    Any(&'static [Condition]),
}

/// The commands of a generated file: their constants, and [`Command`]s in `ROWS`.
macro_rules! commands {
    ($(
        $id:literal $constant:ident $name:literal $class:ident $(core $core:literal)? $(alias $alias:ident)?
        $(by $extension:ident $(if $condition:expr)?)*;
    )*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: $crate::registry::CommandId = $crate::registry::CommandId::new($id);
        )*

        pub(in crate::registry) const ROWS: &[$crate::registry::source::Command] = {
            #[allow(unused_imports, reason = "not every file has extensions and conditions")]
            use $crate::registry::{extension::*, source::Condition::{All, Any, Core, Has}};
            &[$(
                $crate::registry::source::Command {
                    id: $id,
                    name: $name,
                    class: $crate::registry::Class::$class,
                    core: [$($core,)? $crate::registry::source::NOT_CORE][0],
                    alias: &[$($crate::registry::command::$alias)?],
                    providers: &[$(
                        $crate::registry::source::Provider {
                            extension: $extension,
                            condition: All(&[$($condition)?]),
                        }
                    ),*],
                },
            )*]
        };
    };
}
pub(super) use commands;

/// The extensions of a generated file: their constants, and [`Extension`]s in `ROWS`.
macro_rules! extensions {
    ($(
        $id:literal $constant:ident $name:literal $kind:ident version $version:literal $(on $platform:ident)?
        $(became $promotion:ident($target:tt))? $(needs $condition:expr)?;
    )*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: $crate::registry::ExtensionId = $crate::registry::ExtensionId::new($id);
        )*

        pub(in crate::registry) const ROWS: &[$crate::registry::source::Extension] = {
            #[allow(unused_imports, reason = "not every file has extensions and conditions")]
            use $crate::registry::{extension::*, source::Condition::{All, Any, Core, Has}};
            use $crate::registry::{Platform, Promotion};
            &[$(
                $crate::registry::source::Extension {
                    id: $id,
                    name: $name,
                    kind: $crate::registry::ExtensionKind::$kind,
                    spec_version: $version,
                    platform: [$(Platform::$platform,)? Platform::None][0],
                    promoted_to: [$(Promotion::$promotion($target),)? Promotion::None][0],
                    needs: All(&[$($condition)?]),
                },
            )*]
        };
    };
}
pub(super) use extensions;
