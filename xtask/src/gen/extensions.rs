//! The files that list the extensions.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::Failure;
use crate::r#gen::commands::{header, wrapped};
use crate::r#gen::model::Extension;
use crate::r#gen::{Generated, Numbered, naming};

/// The files, each with its first extension number and that of the next.
const FILES: [(u16, u16); 3] = [(1, 200), (200, 400), (400, u16::MAX)];

pub(super) fn files(registry: &Numbered) -> Result<Vec<Generated>, Failure> {
    let extensions = &registry.registry.extensions;
    let known: BTreeSet<&str> = extensions.iter().map(|extension| extension.name.as_str()).collect();
    let mut files = Vec::new();
    for (start, end) in FILES {
        let about = if end == u16::MAX { format!("from {start}") } else { format!("{start} to {}", end - 1) };
        let mut text = format!("{}//! Extensions with numbers {about}.\n\n", header());
        text.push_str("use crate::registry::source::extensions;\n\n");
        let _ = writeln!(text, "extensions! {{");
        for (id, extension) in extensions.iter().enumerate() {
            if (start..end).contains(&extension.number) {
                text.push_str(&row(id, extension, &known)?);
            }
        }
        text.push_str("}\n");
        files.push(Generated::registry(&format!("extensions_{start}_gen.rs"), text));
    }
    Ok(files)
}

/// `12 CONSTANT "VK_name" Kind version 3 on Platform became Core(1) needs CONDITION;`
fn row(id: usize, extension: &Extension, known: &BTreeSet<&str>) -> Result<String, Failure> {
    let kind = if extension.instance { "Instance" } else { "Device" };
    let constant = naming::extension(&extension.name);
    let mut words =
        vec![format!("{id} {constant} \"{}\" {kind} version {}", extension.name, extension.spec_version)];
    if let Some(platform) = &extension.platform {
        words.push(format!("on {}", naming::platform(platform)));
    }
    if let Some(target) = &extension.promoted_to {
        words.push(format!("became {}", promotion(target, known)?));
    }
    if let Some(condition) = &extension.depends {
        words.push(format!("needs {}", condition.rust(known)));
    }
    Ok(wrapped(&words))
}

fn promotion(target: &str, known: &BTreeSet<&str>) -> Result<String, Failure> {
    if let Some(minor) = target.strip_prefix("VK_VERSION_1_") {
        return Ok(format!("Core({minor})"));
    }
    if known.contains(target) {
        return Ok(format!("Extension({})", naming::extension(target)));
    }
    Err(format!("an extension was promoted to {target}, which is not in the registry").into())
}
