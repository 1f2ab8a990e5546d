//! The workspace, as cargo describes it.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Failure;
use crate::build::root;

/// Returns cargo's description of the workspace, with these further arguments.
pub(crate) fn metadata(arguments: &[&str]) -> Result<Value, Failure> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(["metadata", "--format-version=1", "--locked"]).args(arguments);
    Ok(serde_json::from_slice(&cargo.stderr(Stdio::inherit()).output()?.stdout)?)
}

/// Returns the packages of the workspace, in the order of their folders.
pub(crate) fn packages() -> Result<Vec<Value>, Failure> {
    let mut metadata = metadata(&["--no-deps"])?;
    let mut packages = metadata["packages"].as_array_mut().map(std::mem::take).unwrap_or_default();
    packages.sort_by(|one, other| one["manifest_path"].as_str().cmp(&other["manifest_path"].as_str()));
    Ok(packages)
}
