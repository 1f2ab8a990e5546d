//! Checks a Maven repository, as Gradle and Maven read it: from the list of versions to the descriptions, from these to the
//! files, and from each file to its checksums.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node};
use serde_json::Value;

use super::checksums::ALGORITHMS;
use super::{GROUP, NAME, SYMBOLS, VERSION, folder, path};
use crate::aar::archive::read;

type Files = BTreeMap<String, Vec<u8>>;

/// A build's request, and the suffix of the file that it must get.
const ASKED: &[(&[(&str, &str)], &str)] = &[
    (&[("org.gradle.category", "library"), ("org.gradle.usage", "java-api")], ".aar"),
    (&[("org.gradle.category", "library"), ("org.gradle.usage", "java-runtime")], ".aar"),
    (&[("org.gradle.category", "documentation"), ("org.gradle.docstype", "sources")], super::SOURCES),
    (&[("org.gradle.category", "documentation"), ("org.gradle.docstype", "javadoc")], super::DOCUMENTATION),
];

/// Returns the problems of a repository with these files, by their paths.
pub(super) fn complaints(files: &Files) -> Vec<String> {
    let mut named = BTreeSet::from([path(SYMBOLS), path(".module"), path(".pom")]);
    let mut found = of_versions(files, &mut named);
    found.extend(of_pom(files, &mut named));
    found.extend(of_module(files, &mut named));
    for name in &named {
        match files.get(name) {
            Some(content) => found.extend(of_sums(files, name, content)),
            None => found.push(format!("{name} is missing")),
        }
    }
    let belongs = |name: &str| {
        let file = ALGORITHMS.iter().find_map(|(algorithm, _)| name.strip_suffix(&format!(".{algorithm}")));
        named.contains(file.unwrap_or(name))
    };
    found.extend(files.keys().filter(|name| !belongs(name)).map(|name| format!("nothing names {name}")));
    found.extend(of_archives(files));
    found
}

/// Checks a file's four checksum files.
fn of_sums(files: &Files, name: &str, content: &[u8]) -> Vec<String> {
    let of = |(algorithm, sum): &(&str, super::checksums::Sum)| {
        let beside = format!("{name}.{algorithm}");
        match files.get(&beside) {
            None => Some(format!("{beside} is missing")),
            Some(written) if *written != sum(content).into_bytes() => {
                Some(format!("{beside} is not the checksum of the file"))
            }
            Some(_) => None,
        }
    };
    ALGORITHMS.iter().filter_map(of).collect()
}

fn of_versions(files: &Files, named: &mut BTreeSet<String>) -> Vec<String> {
    let name = format!("{}/maven-metadata.xml", folder());
    let check = |root: Node<'_, '_>| {
        let is = |tag, expected| {
            root.descendants().any(|node| node.has_tag_name(tag) && node.text() == Some(expected))
        };
        let expected = [("groupId", GROUP), ("artifactId", NAME), ("release", VERSION), ("version", VERSION)];
        let missing = expected.iter().filter(|(tag, value)| !is(*tag, *value));
        missing.map(|(tag, value)| format!("{name}: no <{tag}> is {value}")).collect()
    };
    let found = xml(files, &name, check);
    named.insert(name);
    found
}

fn of_pom(files: &Files, named: &mut BTreeSet<String>) -> Vec<String> {
    let name = path(".pom");
    let text = |project: Node<'_, '_>, tag: &str| -> Option<String> {
        project.children().find(|node| node.tag_name().name() == tag)?.text().map(str::to_owned)
    };
    xml(files, &name, |project| {
        let expected = [("groupId", GROUP), ("artifactId", NAME), ("version", VERSION), ("packaging", "aar")];
        let wrong = expected.iter().filter(|(tag, value)| text(project, tag).as_deref() != Some(*value));
        let mut found: Vec<String> =
            wrong.map(|(tag, value)| format!("{name}: <{tag}> is not {value}")).collect();
        // The path at which Maven looks for the file.
        if let Some(packaging) = text(project, "packaging") {
            named.insert(path(&format!(".{packaging}")));
        }
        let marker = "do_not_remove: published-with-gradle-metadata";
        let comments = project.children().filter(Node::is_comment);
        if !comments.filter_map(|it| it.text()).any(|it| it.trim() == marker) {
            found
                .push(format!("{name}: without the comment {marker:?} Gradle does not read its description"));
        }
        found
    })
}

/// Reads and checks an XML file, if it exists.
fn xml(files: &Files, name: &str, check: impl FnOnce(Node<'_, '_>) -> Vec<String>) -> Vec<String> {
    let Some(content) = files.get(name) else { return vec![] };
    match Document::parse(&String::from_utf8_lossy(content)) {
        Ok(document) => check(document.root_element()),
        Err(error) => vec![format!("{name}: {error}")],
    }
}

fn of_module(files: &Files, named: &mut BTreeSet<String>) -> Vec<String> {
    let name = path(".module");
    let Some(content) = files.get(&name) else { return vec![] };
    let module: Value = match serde_json::from_slice(content) {
        Ok(module) => module,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let mut found = Vec::new();
    let text = String::from_utf8_lossy(content);
    if !text.split_whitespace().collect::<String>().starts_with("{\"formatVersion\":\"1.1\",") {
        found.push("it does not begin with its formatVersion, 1.1".to_owned());
    }
    for (key, value) in [("group", GROUP), ("module", NAME), ("version", VERSION)] {
        if module["component"][key] != value {
            found.push(format!("its {key} is {}, not {value}", module["component"][key]));
        }
    }
    let variants = module["variants"].as_array().map_or(&[][..], Vec::as_slice);
    for (attributes, end) in ASKED {
        let matches =
            |variant: &&Value| attributes.iter().all(|(key, value)| variant["attributes"][*key] == *value);
        let chosen: Vec<_> = variants.iter().filter(matches).collect();
        match chosen[..] {
            [variant] => found.extend(of_variant(variant, end, files, named)),
            _ => found.push(format!("{} variants are for {attributes:?}", chosen.len())),
        }
    }
    found.into_iter().map(|it| format!("{name}: {it}")).collect()
}

/// Returns the files of a variant: one, with its size and checksums.
fn of_variant(variant: &Value, end: &str, files: &Files, named: &mut BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    let file = &variant["files"][0];
    let url = file["url"].as_str().unwrap_or_default();
    // Gradle resolves it against the folder of the description.
    let name = format!("{}/{VERSION}/{url}", folder());
    named.insert(name.clone());
    if name != path(end) || !variant["files"][1].is_null() {
        found.push(format!("the variant {} does not have the one file {}", variant["name"], path(end)));
    }
    let Some(content) = files.get(&name) else { return found };
    if file["size"] != content.len() {
        found.push(format!("{url} has {} bytes, not {}", content.len(), file["size"]));
    }
    let wrong = ALGORITHMS.iter().filter(|(algorithm, sum)| file[*algorithm] != sum(content));
    found.extend(wrong.map(|(algorithm, _)| format!("{url} has another {algorithm}")));
    found
}

/// Checks that each class of the AAR has its source and, if it is public, a page.
fn of_archives(files: &Files) -> Vec<String> {
    let names = |content: &[u8]| -> BTreeSet<String> {
        read(content).unwrap_or_default().into_iter().map(|file| file.name).collect()
    };
    let empty = Vec::new();
    let content = |end: &str| files.get(&path(end)).unwrap_or(&empty);
    let aar = read(content(".aar")).unwrap_or_default();
    let classes = aar.iter().find(|file| file.name == "classes.jar").map(|file| names(&file.content));
    let Some(classes) = classes else { return vec!["the AAR has no classes.jar".into()] };
    let (sources, pages) = (names(content(super::SOURCES)), names(content(super::DOCUMENTATION)));
    let mut found = Vec::new();
    // Classes within others are in the others' sources.
    for class in classes.iter().filter_map(|name| name.strip_suffix(".class")).filter(|it| !it.contains('$'))
    {
        if !sources.contains(&format!("{class}.java")) {
            found.push(format!("{} has no {class}.java", path(super::SOURCES)));
        }
    }
    for page in ["index.html", "dev/vkload/VulkanLoader.html", "dev/vkload/android/VulkanContext.html"] {
        if !pages.contains(page) {
            found.push(format!("{} has no {page}", path(super::DOCUMENTATION)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aar::archive::archive;
    use crate::aar::maven::{Published, files};

    fn packed(names: &[&str]) -> Vec<u8> {
        archive(&names.iter().map(|name| ((*name).to_owned(), name.as_bytes().to_vec())).collect()).unwrap()
    }

    /// Returns a repository as it is made.
    fn good() -> Files {
        let classes = packed(&["dev/vkload/Driver.class", "dev/vkload/Driver$One.class"]);
        let pages = ["index.html", "dev/vkload/VulkanLoader.html", "dev/vkload/android/VulkanContext.html"];
        let published = Published {
            aar: archive(&[("classes.jar".to_owned(), classes)].into()).unwrap(),
            sources: packed(&["dev/vkload/Driver.java"]),
            documentation: packed(&pages),
        };
        with_sums(files(published, packed(&["x86/libvkload.so"])))
    }

    fn with_sums(files: Files) -> Files {
        let mut all = files.clone();
        for (name, content) in files {
            all.extend(ALGORITHMS.iter().map(|(end, sum)| (format!("{name}.{end}"), sum(&content).into())));
        }
        all
    }

    /// Returns the problems after a change to one file, with its checksums corrected.
    fn changed(end: &str, change: impl Fn(&str) -> String) -> Vec<String> {
        let mut files = good();
        files.retain(|name, _| !ALGORITHMS.iter().any(|(end, _)| name.ends_with(&format!(".{end}"))));
        let (name, content) = files.iter().find(|(name, _)| name.ends_with(end)).unwrap();
        let (name, content) = (name.clone(), change(&String::from_utf8_lossy(content)));
        files.insert(name, content.into_bytes());
        complaints(&with_sums(files))
    }

    #[test]
    fn r170_a_repository_is_right_and_the_same_each_time() {
        assert_eq!(complaints(&good()), [""; 0]);
        assert_eq!(good(), good());
        assert_eq!(good().len(), 7 * 5);
    }

    #[test]
    fn r170_each_missing_and_each_stray_file_is_named() {
        for name in good().keys() {
            let mut files = good();
            files.remove(name);
            let found = complaints(&files);
            assert!(found.iter().any(|it| it.contains(name)), "{name}: {found:?}");
        }
        let mut files = good();
        files.insert(path("-old.jar"), vec![]);
        assert_eq!(complaints(&files), [format!("nothing names {}", path("-old.jar"))]);
    }

    #[test]
    fn r170_a_wrong_checksum_is_named() {
        for (algorithm, _) in ALGORITHMS {
            let mut files = good();
            let name = path(&format!(".aar.{algorithm}"));
            files.get_mut(&name).unwrap()[0] ^= 1;
            assert_eq!(complaints(&files), [format!("{name} is not the checksum of the file")]);
            let key = format!("\"{algorithm}\": \"");
            let found = changed(".module", |text| text.replacen(&key, &format!("{key}0"), 1));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].ends_with(&format!(".aar has another {algorithm}")), "{found:?}");
        }
    }

    #[test]
    fn r170_what_a_build_tool_would_not_find_is_named() {
        let version = format!("\"version\": \"{VERSION}\"");
        for (end, from, to, expected) in [
            (".module", "\"size\": ", "\"size\": 1", "bytes, not 1"),
            (".module", "\"java-api\"", "\"java-runtime\"", "0 variants are for"),
            (".module", "vkload-", "other-", "does not have the one file"),
            (".module", "  \"formatVersion\": \"1.1\",\n", "", "begin with its formatVersion"),
            (".module", &version, "\"version\": \"7\"", "its version is \"7\""),
            (".pom", "published-with", "published-without", "Gradle does not read its description"),
            (".pom", ">aar<", ">jar<", "<packaging> is not aar"),
            (".pom", "<groupId>dev", "<groupId>org", "<groupId> is not dev.vkload"),
            (".pom", "</project>", "", ".pom: "),
            ("maven-metadata.xml", "<release>", "<release>1", "no <release> is"),
        ] {
            let found = changed(end, |text| {
                assert!(text.contains(from), "{from}");
                text.replace(from, to)
            });
            assert!(found.iter().any(|it| it.contains(expected)), "{from} to {to}: {found:?}");
        }
    }

    #[test]
    fn r170_a_class_without_its_source_and_a_missing_page_are_named() {
        let mut files = good();
        files.insert(
            path(".aar"),
            archive(&[("classes.jar".to_owned(), packed(&["dev/vkload/New.class"]))].into()).unwrap(),
        );
        files.insert(path(super::super::DOCUMENTATION), packed(&["index.html"]));
        let found = of_archives(&files);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].ends_with("has no dev/vkload/New.java"), "{found:?}");
    }
}
