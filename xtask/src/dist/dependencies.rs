//! The crates inside the downloads: a bill of materials, and the texts of their licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::Failure;
use crate::workspace::{metadata, read, root};

/// Beginnings of the names of files with licences, in capitals.
const LICENCE_FILES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Linked code from outside of crates.
const OTHERS: &str = "\
The programs contain Rust's standard library: see COPYRIGHT-rust.html.
The dynamic program contains LLVM's libunwind (Apache-2.0 WITH LLVM-exception).
The static program contains musl (MIT), Copyright (c) 2005-2020 Rich Felker, et al.
";

/// Crates, by their identifiers.
pub(super) struct Dependencies {
    packages: BTreeMap<String, Value>,
    /// The crates that each one needs.
    edges: BTreeMap<String, BTreeSet<String>>,
    /// The checksums of downloaded crates, by name and version.
    checksums: BTreeMap<(String, String), String>,
}

impl Dependencies {
    /// Returns these packages of the workspace and their dependencies on this target.
    pub(super) fn of(names: &[&str], target: &str) -> Result<Self, Failure> {
        let metadata = metadata(&["--filter-platform", target])?;
        let all: BTreeMap<String, &Value> =
            array(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
        let nodes: BTreeMap<String, BTreeSet<String>> =
            array(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), needs(node))).collect();
        let is_named = |package: &&Value| names.iter().any(|name| package["name"] == *name);
        let mut next: Vec<String> =
            all.iter().filter(|(_, package)| is_named(package)).map(|(id, _)| id.clone()).collect();
        let (mut packages, mut edges) = (BTreeMap::new(), BTreeMap::new());
        while let Some(id) = next.pop() {
            let Some(package) = all.get(&id).filter(|_| !packages.contains_key(&id)) else { continue };
            packages.insert(id.clone(), (*package).clone());
            let needed = nodes.get(&id).cloned().unwrap_or_default();
            next.extend(needed.iter().cloned());
            edges.insert(id, needed);
        }
        Ok(Self { packages, edges, checksums: checksums()? })
    }

    /// Returns a CycloneDX bill of materials for this version of vkload.
    pub(super) fn sbom(&self, version: &str) -> Result<String, Failure> {
        let components: Vec<Value> = self.packages.values().map(|package| self.component(package)).collect();
        let dependencies: Vec<Value> = self
            .edges
            .iter()
            .map(|(id, needed)| {
                let needed: Vec<String> = needed.iter().map(|id| self.reference(id)).collect();
                json!({ "ref": self.reference(id), "dependsOn": needed })
            })
            .collect();
        let sbom = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": { "component": { "type": "application", "name": "vkload downloads", "version": version } },
            "components": components,
            "dependencies": dependencies,
        });
        Ok(format!("{sbom:#}\n"))
    }

    fn component(&self, package: &Value) -> Value {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let mut component = json!({
            "type": "library",
            "bom-ref": purl(package),
            "name": name,
            "version": version,
            "purl": purl(package),
            // Older crates separate alternatives by a slash.
            "licenses": [{ "expression": text(&package["license"]).replace('/', " OR ") }],
        });
        if let Some(sum) = self.checksums.get(&(name, version)) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        component
    }

    fn reference(&self, id: &str) -> String {
        self.packages.get(id).map_or_else(String::new, purl)
    }

    /// Returns the texts of the licences of all crates from elsewhere, each text once, below the names of its crates.
    pub(super) fn licences(&self) -> Result<String, Failure> {
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in self.packages.values().filter(|package| !package["source"].is_null()) {
            let name = format!(
                "{} {} ({})",
                text(&package["name"]),
                text(&package["version"]),
                text(&package["license"])
            );
            let files = licence_files(Path::new(&text(&package["manifest_path"])))?;
            if files.is_empty() {
                return Err(format!("{name} has no file with its licence").into());
            }
            for file in files {
                texts
                    .entry(String::from_utf8_lossy(&read(&file)?).into_owned())
                    .or_default()
                    .push(name.clone());
            }
        }
        let sections = texts.iter().map(|(text, names)| {
            format!("\n{}\n{}\n\n{}\n", "=".repeat(80), names.join("\n"), text.trim_end())
        });
        Ok(OTHERS.to_owned() + &sections.collect::<String>())
    }
}

/// Returns the identifiers of the crates that a node needs to run.
fn needs(node: &Value) -> BTreeSet<String> {
    let is_normal = |needed: &&Value| array(&needed["dep_kinds"]).any(|kind| kind["kind"].is_null());
    array(&node["deps"]).filter(is_normal).map(|needed| text(&needed["pkg"])).collect()
}

/// Returns the checksums in the lock file.
fn checksums() -> Result<BTreeMap<(String, String), String>, Failure> {
    let lock: toml::Table = toml::from_str(&fs::read_to_string(root().join("Cargo.lock"))?)?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let field = |package: &toml::Value, name: &str| Some(package.get(name)?.as_str()?.to_owned());
    Ok(packages
        .filter_map(|it| Some(((field(it, "name")?, field(it, "version")?), field(it, "checksum")?)))
        .collect())
}

/// Returns the licence files beside a crate's manifest, in order.
fn licence_files(manifest: &Path) -> Result<Vec<std::path::PathBuf>, Failure> {
    let folder = manifest.parent().ok_or("a manifest without a folder")?;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file() && LICENCE_FILES.iter().any(|start| name.starts_with(start)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns a crate's name in the syntax for packages of all ecosystems.
fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_crates_are_listed_with_checksums_and_licences() {
        let dependencies = Dependencies::of(&["vkload"], "x86_64-unknown-linux-gnu").unwrap();
        let sbom: Value = serde_json::from_str(&dependencies.sbom("1.2.3").unwrap()).unwrap();
        let find = |name: &str| array(&sbom["components"]).find(|component| component["name"] == name);
        let clap = find("clap").unwrap();
        assert!(clap["hashes"][0]["content"].as_str().is_some_and(|sum| sum.len() == 64), "{clap}");
        assert!(find("vkload-core").unwrap()["hashes"].is_null());
        assert!(find("tempfile").is_none(), "only tests need it");
        let of_clap = array(&sbom["dependencies"]).find(|it| it["ref"] == clap["bom-ref"]).unwrap();
        assert!(array(&of_clap["dependsOn"]).any(|it| it == &find("clap_builder").unwrap()["bom-ref"]));
        let licences = dependencies.licences().unwrap();
        assert!(licences.contains("\nclap 4.") && licences.contains("Permission is hereby granted"));
    }
}
