//! The fields of manifests.
#![forbid(unsafe_code)]

use super::version::{Version, VersionError};

macro_rules! fields {
    (of_others { $($field:ident $key:literal,)* } of_layer { $($layer_field:ident $layer_key:literal,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Field {
            $(
                #[doc = concat!("`", $key, "`.")]
                $field,
            )*
            $(
                #[doc = concat!("`", $layer_key, "`.")]
                $layer_field,
            )*
        }

        impl Field {
            pub(super) const OF_LAYER: [Self; [$($layer_key),*].len()] = [$(Self::$layer_field),*];

            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$field => $key,)*
                    $(Self::$layer_field => $layer_key,)*
                }
            }
        }
    };
}

fields! {
    of_others {
        FormatVersion "file_format_version",
        Icd "ICD", // the object of a driver.
        Portability "is_portability_driver",
        Layer "layer", // the object of a layer.
        Layers "layers", // a list of such objects.
        SpecVersion "spec_version", // of an extension.
        EntryPoints "entrypoints", // of an extension.
    }
    of_layer {
        Name "name", // also of an extension.
        Type "type",
        LibraryPath "library_path", // also of a driver.
        ComponentLayers "component_layers",
        LibraryArch "library_arch", // also of a driver.
        ApiVersion "api_version", // also of a driver.
        ImplementationVersion "implementation_version",
        Description "description",
        Functions "functions",
        PreInstanceFunctions "pre_instance_functions",
        InstanceExtensions "instance_extensions",
        DeviceExtensions "device_extensions",
        EnableEnvironment "enable_environment",
        DisableEnvironment "disable_environment",
        OverridePaths "override_paths",
        BlacklistedLayers "blacklisted_layers",
        AppKeys "app_keys",
    }
}

crate::reasons! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FieldProblem [] {
        Missing = ["manifest-field-missing"] ("is missing");
        WrongType { expected: &'static str } = ["manifest-field-invalid"] ("must be {expected}");
        Empty = ["manifest-field-invalid"] ("is empty");
        HoldsNul = ["manifest-field-invalid"] ("holds a NUL character");
        Version(error: VersionError) = ["manifest-field-invalid"] ("{}", match error {
            VersionError::NotAVersion => "is not a version such as 1.3.290",
            VersionError::OutOfRange => "has a number that is too large for a version",
        });
        Unknown = ["manifest-field-invalid"] ("has a value that the format does not define");
        TooLong = ["manifest-field-invalid"] ("is longer than Vulkan has room for");
        TooMany = ["manifest-field-invalid"] ("has too many values, and the last ones are left out");
        Excluded { by: &'static str } = ["manifest-field-invalid"] ("must not be used with \"{by}\"");
        FormatTooOld { needed: Version } = ["manifest-field-invalid"] ("needs file format version {needed}");
        UnknownField = ["manifest-field-invalid"] ("is not a field of this object");
        Repeated = ["manifest-field-invalid"] ("appears a second time");
        WrongEntry = ["manifest-field-invalid"] ("has an entry that cannot be used");
        Elevated = ["manifest-field-invalid"] ("is not allowed in elevated processes");
    }
}

impl FieldProblem {
    #[inline(never)]
    pub(super) fn of_text(text: &[u8]) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::Empty);
        }
        text.contains(&0).then_some(Self::HoldsNul)
    }
}
