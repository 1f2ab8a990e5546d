//! Driver manifests, file format versions 1.0.0 and 1.0.1 (driver interface document, "Driver
//! Manifest File Format").
#![forbid(unsafe_code)]

use core::fmt;

use super::fields::{Field, FieldProblem};
use super::json;
use super::version::{Version, VersionError};
use crate::memory::{OrOutOfMemory, OutOfMemory, Text};

#[derive(Debug, PartialEq, Eq)]
pub struct DriverManifest {
    pub format_version: Version,
    /// The library as written: a bare name or a path, relative or absolute. Never empty, no NUL
    /// inside.
    pub library_path: Text,
    pub api_version: Version,
    /// The pointer width of the library in bits, 32 or 64, if stated.
    pub library_arch: Option<u32>,
    /// Whether some of the driver's devices implement only a part of Vulkan (`VK_KHR_portability_subset`).
    pub portability: bool,
    pub warning: Option<ManifestWarning>,
}

crate::reasons! {
    /// Why a manifest cannot be used (LDP_DRIVER_4).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ManifestError [] {
        Json(error: json::Error) = ["manifest-not-json"] ("it is not valid JSON: {error}");
        NotAnObject { line: u32 }
            = ["manifest-not-an-object"] ("line {line}: the document is not an object in braces");
        Field {
            field: Field,
            problem: FieldProblem,
            /// The line of the field, or of the object that should contain it, from 1.
            line: u32,
        } = [(problem.id(); &["manifest-field-missing", "manifest-field-invalid"])] ("line {line}: \"{}\" {problem}", field.key());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestWarning {
    /// The version of the file format is unknown here. The file is read like the newest known
    /// version.
    UnknownFormatVersion(Version),
    OldApiVersion(Version),
    /// An optional field is ignored. `layers` and `api_version` are used anyway.
    FieldIgnored {
        field: Field,
        problem: FieldProblem,
        /// The line of the field, from 1.
        line: u32,
    },
}

impl DriverManifest {
    pub fn parse(bytes: &[u8]) -> Result<Result<Self, ManifestError>, OutOfMemory> {
        match read(bytes) {
            Ok(manifest) => Ok(Ok(manifest)),
            Err(OrOutOfMemory::Failed(error)) => Ok(Err(error)),
            Err(OrOutOfMemory::OutOfMemory) => Err(OutOfMemory),
        }
    }
}

fn read(bytes: &[u8]) -> Result<DriverManifest, OrOutOfMemory<ManifestError>> {
    let names = [Field::Icd.key(), Field::FormatVersion.key()];
    let fields = [Field::LibraryPath, Field::ApiVersion, Field::LibraryArch, Field::Portability];
    let (root, [icd, format_version], [library, api_version, arch, partial]) =
        &json::parse_members(bytes, names, fields.map(Field::key)).map_err(ManifestError::Json)?;
    if root.kind() != json::Kind::Object {
        return Err(ManifestError::NotAnObject { line: root.line() }.into());
    }
    let (format_version, odd_format) =
        version(format_version.as_ref(), Field::FormatVersion, root, Some(NEWEST_FORMAT))?;
    let icd = present(icd.as_ref(), Field::Icd, root)?;
    if icd.kind() != json::Kind::Object {
        let problem = FieldProblem::WrongType { expected: "an object" };
        return Err(ManifestError::at(icd, Field::Icd, problem).into());
    }
    let (library, written) = string(library.as_ref(), Field::LibraryPath, icd)?;
    let (api_version, odd_version) = version(api_version.as_ref(), Field::ApiVersion, icd, None)?;
    let library_path = written.to_text()?;
    if let Some(problem) = FieldProblem::of_text(&library_path) {
        return Err(ManifestError::at(library, Field::LibraryPath, problem).into());
    }
    let (library_arch, arch_warning) = arch.as_ref().map_or((None, None), library_arch);
    let (portability, portability_warning) = partial.as_ref().map_or((false, None), portability);
    let known = [Version::new(1, 0, 0), NEWEST_FORMAT].contains(&format_version);
    let format_warning = (!known).then_some(ManifestWarning::UnknownFormatVersion(format_version));
    Ok(DriverManifest {
        format_version,
        library_path,
        api_version,
        library_arch,
        portability,
        warning: arch_warning.or(portability_warning).or(odd_version).or(odd_format).or(format_warning),
    })
}

const NEWEST_FORMAT: Version = Version::new(1, 0, 1);

impl From<ManifestError> for OrOutOfMemory<ManifestError> {
    fn from(error: ManifestError) -> Self {
        Self::Failed(error)
    }
}

pub(super) fn present<'v, 'a>(
    value: Option<&'v json::Value<'a>>,
    field: Field,
    object: &json::Value<'_>,
) -> Result<&'v json::Value<'a>, ManifestError> {
    value.ok_or_else(|| ManifestError::at(object, field, FieldProblem::Missing))
}

pub(super) fn string<'v, 'a>(
    value: Option<&'v json::Value<'a>>,
    field: Field,
    object: &json::Value<'_>,
) -> Result<(&'v json::Value<'a>, json::Str<'a>), ManifestError> {
    let value = present(value, field, object)?;
    let problem = FieldProblem::WrongType { expected: "a string" };
    let text = value.string().ok_or_else(|| ManifestError::at(value, field, problem))?;
    Ok((value, text))
}

/// Returns a version, with a warning if it is not well-formed; `default` if it cannot be read.
pub(super) fn version(
    value: Option<&json::Value<'_>>,
    field: Field,
    object: &json::Value<'_>,
    default: Option<Version>,
) -> Result<(Version, Option<ManifestWarning>), ManifestError> {
    let (value, text) = string(value, field, object)?;
    let (read, problem) = match Version::parse(text.as_written()) {
        Ok((version, true)) => return Ok((version, None)),
        Ok((version, false)) => (Some(version), VersionError::NotAVersion),
        Err(error) => (default, error),
    };
    let (problem, line) = (FieldProblem::Version(problem), value.line());
    match read {
        Some(version) => Ok((version, Some(ManifestWarning::FieldIgnored { field, problem, line }))),
        None => Err(ManifestError::Field { field, problem, line }),
    }
}

/// Returns the pointer width; an unknown value is ignored with a warning.
pub(super) fn library_arch(value: &json::Value<'_>) -> (Option<u32>, Option<ManifestWarning>) {
    let problem = match value.string() {
        Some(text) if text.is("64") => return (Some(64), None),
        Some(text) if text.is("32") => return (Some(32), None),
        Some(_) => FieldProblem::Unknown,
        None => FieldProblem::WrongType { expected: "a string" },
    };
    (None, Some(ManifestWarning::FieldIgnored { field: Field::LibraryArch, problem, line: value.line() }))
}

/// Returns whether it is a portability driver; a value of another type counts as `false` with a warning.
fn portability(value: &json::Value<'_>) -> (bool, Option<ManifestWarning>) {
    if let Some(truth) = value.truth() {
        return (truth, None);
    }
    let problem = FieldProblem::WrongType { expected: "true or false" };
    (false, Some(ManifestWarning::FieldIgnored { field: Field::Portability, problem, line: value.line() }))
}

impl ManifestError {
    /// Returns the problem of a field with this value, or of one that its object lacks.
    pub(super) fn at(value: &json::Value<'_>, field: Field, problem: FieldProblem) -> Self {
        Self::Field { field, problem, line: value.line() }
    }

    /// Returns the line of the manifest to fix, from 1.
    pub fn line(&self) -> u32 {
        match self {
            Self::Json(error) => error.line,
            Self::NotAnObject { line } | Self::Field { line, .. } => *line,
        }
    }
}

impl fmt::Display for ManifestWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormatVersion(version) => {
                write!(
                    f,
                    "file format version {version} is unknown; the file is read as the newest known version"
                )
            }
            Self::OldApiVersion(version) => {
                write!(f, "its API version {version} is of major version 0; it is taken as 1")
            }
            Self::FieldIgnored { field, problem, line } => {
                let used = matches!(field, Field::Layers | Field::ApiVersion);
                let ignored = if used { "" } else { ", so it is ignored" };
                write!(f, "line {line}: \"{}\" {problem}{ignored}", field.key())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn manifest(bytes: &[u8]) -> DriverManifest {
        DriverManifest::parse(bytes).unwrap().unwrap()
    }

    fn error(bytes: &[u8]) -> std::string::String {
        DriverManifest::parse(bytes).unwrap().unwrap_err().to_string()
    }

    #[test]
    fn all_fields_are_read() {
        let read = manifest(
            br#"{"file_format_version": "1.0.1", "ICD": {"library_path": "../lib\/a.so", "api_version": "1.2.205",
                 "library_arch": "32", "is_portability_driver": true}}"#,
        );
        assert_eq!(read.format_version, Version::new(1, 0, 1));
        assert_eq!(read.library_path.as_slice(), b"../lib/a.so");
        assert_eq!(read.api_version, Version::new(1, 2, 205));
        assert_eq!((read.library_arch, read.portability, read.warning), (Some(32), true, None));
    }

    #[test]
    fn optional_fields_may_be_missing() {
        let read = manifest(
            br#"{"ICD": {"api_version": "1.1", "library_path": "a.so"}, "file_format_version": "1.0.0"}"#,
        );
        assert_eq!((read.library_arch, read.portability, read.warning), (None, false, None));
    }

    #[test]
    fn odd_versions_are_read_with_a_warning() {
        for (format, api_version, warning) in [
            (
                "v1",
                "1.3",
                "line 1: \"file_format_version\" is not a version such as 1.3.290, so it is ignored",
            ),
            ("", "1.3", "line 1: \"file_format_version\" is not a version such as 1.3.290, so it is ignored"),
            ("1.0.0", "v1.3", "line 2: \"api_version\" is not a version such as 1.3.290"),
            ("new", "1.3.x", "line 2: \"api_version\" is not a version such as 1.3.290"),
        ] {
            let read = manifest(
                std::format!(
                    "{{\"file_format_version\": \"{format}\",\n\"ICD\": {{\"library_path\": \"a\", \"api_version\": \"{api_version}\"}}}}"
                )
                .as_bytes(),
            );
            assert_eq!(read.api_version, Version::new(1, 3, 0));
            assert_eq!(read.warning.unwrap().to_string(), warning);
        }
    }

    #[test]
    fn odd_optional_fields_are_ignored_with_a_warning() {
        for field in
            [r#""library_arch": 64"#, r#""library_arch": "arm""#, r#""is_portability_driver": "true""#]
        {
            let text = std::format!(
                "{{\"file_format_version\": \"1.0.1\",\n\"ICD\": {{\"library_path\": \"a\", \"api_version\": \"1.0\", {field}}}}}"
            );
            let read = manifest(text.as_bytes());
            assert_eq!((read.library_arch, read.portability), (None, false));
            assert!(matches!(read.warning, Some(ManifestWarning::FieldIgnored { line: 2, .. })), "{field}");
        }
    }

    #[test]
    fn errors_name_field_and_line() {
        assert_eq!(error(b"[\n]"), "line 1: the document is not an object in braces");
        assert_eq!(error(b"\n{}"), "line 2: \"file_format_version\" is missing");
        assert_eq!(
            error(b"{\"file_format_version\": 1}"),
            "line 1: \"file_format_version\" must be a string"
        );
        let icd = |icd: &str| {
            error(std::format!("{{\"file_format_version\": \"1.0.0\",\n \"ICD\": {icd}}}").as_bytes())
        };
        assert_eq!(error(b"{\"file_format_version\": \"1.0.0\"}"), "line 1: \"ICD\" is missing");
        assert_eq!(icd("\n[]"), "line 3: \"ICD\" must be an object");
        assert_eq!(icd("{\"api_version\": \"1.0\"}"), "line 2: \"library_path\" is missing");
        assert_eq!(icd("{\"library_path\": {}}"), "line 2: \"library_path\" must be a string");
        assert_eq!(
            icd("{\"library_path\": \"\", \"api_version\": \"1.0\"}"),
            "line 2: \"library_path\" is empty"
        );
        assert_eq!(
            icd("{\"library_path\": \"a\\u0000\", \"api_version\": \"1.0\"}"),
            "line 2: \"library_path\" holds a NUL character"
        );
        assert_eq!(icd("{\"library_path\": \"a\"}"), "line 2: \"api_version\" is missing");
        assert_eq!(
            icd("{\"library_path\": \"a\",\n\"api_version\": \"new\"}"),
            "line 3: \"api_version\" is not a version such as 1.3.290"
        );
        assert_eq!(
            error(b"{\"file_format_version\": \"1.0.0\",}"),
            "it is not valid JSON: line 1, column 32: there is a comma before a closing bracket"
        );
    }
}
