//! The row format of the generated file, which lists the extensions' dependencies.

use vkload_driver_runtime::registry::ExtensionId;

/// An extension that needs something, or that may still change.
pub(super) struct Needs {
    pub(super) extension: ExtensionId,
    pub(super) is_provisional: bool,
    /// One alternative suffices; empty if the extension has no dependency.
    pub(super) alternatives: &'static [Alternative],
}

pub(super) struct Alternative {
    /// The minor version of Vulkan 1.
    pub(super) minor: u32,
    pub(super) extensions: &'static [ExtensionId],
}

macro_rules! needs {
    ($($extension:ident $($provisional:ident)? $([$minor:literal $($needed:ident)*])*;)*) => {
        use vkload_driver_runtime::registry::extension::*;

        pub(super) static ROWS: &[super::rows::Needs] = &[$(
            super::rows::Needs {
                extension: $extension,
                is_provisional: super::rows::is_provisional(&[$(stringify!($provisional))?]),
                alternatives: &[$(super::rows::Alternative { minor: $minor, extensions: &[$($needed),*] }),*],
            },
        )*];
    };
}
pub(super) use needs;

pub(super) const fn is_provisional(words: &[&str]) -> bool {
    !words.is_empty()
}
