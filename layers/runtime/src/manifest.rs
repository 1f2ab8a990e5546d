//! The manifest of a layer, from its declaration.

use core::ffi::CStr;
use core::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use ash::vk;
use vkload_registry::HEADER_VERSION;

use crate::layer::{Extension, Layer};

const LAYER_SETTINGS: Extension =
    Extension::new(vk::EXT_LAYER_SETTINGS_NAME, vk::EXT_LAYER_SETTINGS_SPEC_VERSION);

/// The extension with which a device that is older than Vulkan 1.3 lists tools.
const TOOLING_INFO: Extension = Extension::new(vk::EXT_TOOLING_INFO_NAME, vk::EXT_TOOLING_INFO_SPEC_VERSION)
    .with_commands(&[c"vkGetPhysicalDeviceToolPropertiesEXT"]);

pub(crate) fn instance_extensions<L: Layer>() -> impl Iterator<Item = &'static Extension> {
    L::INSTANCE_EXTENSIONS.iter().chain((!L::SETTINGS.is_empty()).then_some(&LAYER_SETTINGS))
}

pub(crate) fn device_extensions<L: Layer>() -> impl Iterator<Item = &'static Extension> {
    L::DEVICE_EXTENSIONS.iter().chain(L::TOOL.is_some().then_some(&TOOLING_INFO))
}

/// Returns a layer's manifest, a JSON file that a loader reads (`VkLayer_*.json`). The library's path is absolute, or relative to the
/// manifest.
pub fn manifest<L: Layer>(library: &str) -> String {
    let version = HEADER_VERSION;
    let mut fields = vec![
        ("name", quoted(&L::NAME.to_string_lossy())),
        ("type", quoted("GLOBAL")),
        ("library_path", quoted(library)),
        (
            "api_version",
            quoted(&format!(
                "{}.{}.{}",
                vk::api_version_major(version),
                vk::api_version_minor(version),
                vk::api_version_patch(version)
            )),
        ),
        ("implementation_version", quoted(&L::VERSION.to_string())),
        ("description", quoted(L::DESCRIPTION)),
    ];
    let of_instance: Vec<_> = instance_extensions::<L>().map(extension).collect();
    let of_device: Vec<_> = device_extensions::<L>().map(extension).collect();
    for (name, rows) in [("instance_extensions", of_instance), ("device_extensions", of_device)] {
        if !rows.is_empty() {
            fields.push((name, format!("[\n            {}\n        ]", rows.join(",\n            "))));
        }
    }
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("        \"{name}\": {value}")).collect();
    format!(
        "{{\n    \"file_format_version\": \"1.2.0\",\n    \"layer\": {{\n{}\n    }}\n}}\n",
        fields.join(",\n")
    )
}

/// Compares a file with the layer's [`manifest`], for a test in the layer's crate. Writes the file if it does not exist.
///
/// # Errors
/// The file is another manifest, or cannot be read or written.
pub fn check_manifest<L: Layer>(file: impl AsRef<Path>, library: &str) -> Result<(), String> {
    let (file, manifest) = (file.as_ref(), manifest::<L>(library));
    let name = file.display();
    match fs::read_to_string(file) {
        Ok(text) if text == manifest => Ok(()),
        Ok(_) => {
            Err(format!("{name} differs from the layer's declaration; delete it, and run the test again"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::write(file, manifest).map_err(|error| format!("cannot write {name}: {error}"))
        }
        Err(error) => Err(format!("cannot read {name}: {error}")),
    }
}

fn extension(extension: &Extension) -> String {
    let text = |name: &CStr| quoted(&name.to_string_lossy());
    let mut row =
        format!("{{\"name\": {}, \"spec_version\": \"{}\"", text(extension.name), extension.spec_version);
    if !extension.commands.is_empty() {
        let commands: Vec<_> = extension.commands.iter().map(|command| text(command)).collect();
        let _ = write!(row, ", \"entrypoints\": [{}]", commands.join(", "));
    }
    row + "}"
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            control if control < ' ' => _ = write!(quoted, "\\u{:04x}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("C:\\a \"b\"\n\u{e4}"), "\"C:\\\\a \\\"b\\\"\\u000a\u{e4}\"");
    }
}
