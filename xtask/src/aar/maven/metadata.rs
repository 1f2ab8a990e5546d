//! The metadata that a build tool reads first: a POM (Maven), a description of the variants (Gradle), the list of versions.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::content::VERSION;
use super::{ALGORITHMS, DOCUMENTATION, GROUP, NAME, SOURCES, file_name};
use crate::Failure;

/// A variant in Gradle's description: its name, its file name's suffix, and its attributes in addition to [`COMMON`].
struct Variant(&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// What Android's Gradle plugin gives to the variants of a library that it publishes. The one for compilers and the one for the
/// application have the same file, as all of the API's classes are the library's own.
const VARIANTS: &[Variant] = &[
    Variant("api", ".aar", &[LIBRARY, AAR, ("org.gradle.usage", "java-api")]),
    Variant("runtime", ".aar", &[LIBRARY, AAR, RUNTIME]),
    Variant("sources", SOURCES, &[DOCUMENTS, ("org.gradle.docstype", "sources"), RUNTIME]),
    Variant("javadoc", DOCUMENTATION, &[DOCUMENTS, ("org.gradle.docstype", "javadoc"), RUNTIME]),
];

const COMMON: (&str, &str) = ("org.gradle.dependency.bundling", "external");
const LIBRARY: (&str, &str) = ("org.gradle.category", "library");
const DOCUMENTS: (&str, &str) = ("org.gradle.category", "documentation");
const AAR: (&str, &str) = ("org.gradle.libraryelements", "aar");
const RUNTIME: (&str, &str) = ("org.gradle.usage", "java-runtime");

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Gradle's description. Gradle refuses a file that does not begin with the version of the format.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Module {
    format_version: &'static str,
    component: Value,
    variants: Vec<Value>,
}

/// Returns Gradle's description (version 1.1 of its format, which Gradle 6 and newer read). It has no dependencies.
pub(super) fn module(archives: &[(&str, Vec<u8>)]) -> Result<String, Failure> {
    let component = json!({
        "group": GROUP, "module": NAME, "version": VERSION, "attributes": { "org.gradle.status": "release" }
    });
    let variant = |Variant(name, end, attributes): &Variant| {
        let content = archives.iter().find(|(of, _)| of == end).map_or(&[][..], |(_, content)| content);
        let mut file = json!({ "name": file_name(end), "url": file_name(end), "size": content.len() });
        for (algorithm, sum) in ALGORITHMS {
            file[algorithm] = sum(content).into();
        }
        let attributes: BTreeMap<_, _> = attributes.iter().copied().chain([COMMON]).collect();
        json!({ "name": name, "attributes": attributes, "files": [file] })
    };
    let variants = VARIANTS.iter().map(variant).collect();
    Ok(serde_json::to_string_pretty(&Module { format_version: "1.1", component, variants })?)
}

/// Returns Maven's description. The comment directs Gradle to its own.
pub(super) fn pom() -> String {
    let license = |name: &str, url: &str| {
        format!(
            "    <license><name>{name}</name><url>{url}</url><distribution>repo</distribution></license>\n"
        )
    };
    let licenses = license("MIT", "https://opensource.org/license/mit")
        + &license("Apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0.txt");
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <!-- do_not_remove: published-with-gradle-metadata -->
  <modelVersion>4.0.0</modelVersion>
  <groupId>{GROUP}</groupId>
  <artifactId>{NAME}</artifactId>
  <version>{VERSION}</version>
  <packaging>aar</packaging>
  <name>vkload</name>
  <description>A Vulkan loader that applications bring along, with its Java API</description>
  <url>{REPOSITORY}</url>
  <licenses>
{licenses}  </licenses>
  <developers>
    <developer><name>The vkload authors</name><url>{REPOSITORY}</url></developer>
  </developers>
  <scm><url>{REPOSITORY}</url></scm>
</project>
"#
    )
}

/// Returns the list of versions, which build tools read for `latest.release` and ranges.
pub(super) fn versions() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>{GROUP}</groupId>
  <artifactId>{NAME}</artifactId>
  <versioning>
    <latest>{VERSION}</latest>
    <release>{VERSION}</release>
    <versions>
      <version>{VERSION}</version>
    </versions>
  </versioning>
</metadata>
"#
    )
}
