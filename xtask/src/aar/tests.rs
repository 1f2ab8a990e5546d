//! The AAR and its Maven repository as `cargo xtask aar` has made them last, read as Android and build tools read them.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use noak::reader::{AttributeContent, Class};
use object::elf;
use roxmltree::Document;
use serde_json::Value;
use zip::{CompressionMethod, ZipArchive};

use super::archive::Files;
use super::content::libraries;
use super::maven::{ALGORITHMS, DOCUMENTATION, GROUP, NAME, SOURCES, SYMBOLS, folder};
use super::*;
use crate::android_abi::{PAGE, small_pages};
use crate::elf::Facts;
use crate::toolchain;
use crate::workspace;

/// The kinds of processor (`e_machine`) of the ABIs.
const MACHINES: &[(&str, u16)] = &[
    ("arm64-v8a", elf::EM_AARCH64),
    ("armeabi-v7a", elf::EM_ARM),
    ("x86_64", elf::EM_X86_64),
    ("x86", elf::EM_386),
];

/// The system's libraries that applications of every level may need, as far as a loader has use for them.
const PUBLIC: &[&str] = &["libandroid.so", "libc.so", "libdl.so", "liblog.so", "libm.so"];

/// The AAR's requirements of an application, in the format of Android's Gradle plugin.
const METADATA: &str = "META-INF/com/android/build/gradle/aar-metadata.properties";

/// The class whose methods have the most parameters.
const BUILDER: &str = "dev/vkload/VulkanLoader$Builder.class";

/// Returns the ABIs of the archives that exist: all of them, or one.
fn made() -> Vec<&'static [Abi]> {
    let Some(_) = std::env::var_os("VKLOAD_TEST_ARTIFACTS") else {
        println!(
            "skipped: `./test.sh all` runs this test, after `cargo xtask android-abi` and `cargo xtask aar`"
        );
        return Vec::new();
    };
    let mut sets: Vec<&[Abi]> = ABIS.chunks(1).chain([ABIS]).collect();
    sets.retain(|abis| path(abis).exists());
    assert!(!sets.is_empty(), "`cargo xtask aar` has made nothing");
    sets
}

fn zip(bytes: &[u8]) -> ZipArchive<Cursor<&[u8]>> {
    ZipArchive::new(Cursor::new(bytes)).unwrap()
}

fn contents(bytes: &[u8]) -> Files {
    let mut archive = zip(bytes);
    let mut files = Files::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        files.insert(file.name().unwrap().into_owned(), content);
    }
    files
}

fn text(files: &Files, name: &str) -> String {
    String::from_utf8(files[name].clone()).unwrap()
}

/// Files of every AAR that have no ABI in their names.
const FILES: &[&str] = &[
    "AndroidManifest.xml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    METADATA,
    "R.txt",
    "classes.jar",
    "cmake/vkload-config-version.cmake",
    "cmake/vkload-config.cmake",
    "include/vkload.h",
    "prefab/modules/vkload/include/vkload.h",
    "prefab/modules/vkload/module.json",
    "prefab/prefab.json",
    "proguard.txt",
];

const OF_ABI: &[&str] = &[
    "jni/ABI/libvkload.so",
    "jni/ABI/libvkload_cutils.so",
    "jni/ABI/libvkload_hardware.so",
    "jni/ABI/libvkload_jni.so",
    "jni/ABI/libvkload_sync.so",
    "prefab/modules/vkload/libs/android.ABI/abi.json",
    "prefab/modules/vkload/libs/android.ABI/libvkload.so",
];

#[test]
fn an_aar_has_its_files_in_order_stored_and_libraries_begin_with_a_page() {
    for abis in made() {
        let bytes = fs::read(path(abis)).unwrap();
        let mut archive = zip(&bytes);
        let mut names = Vec::new();
        for index in 0..archive.len() {
            let file = archive.by_index(index).unwrap();
            let name = file.name().unwrap().into_owned();
            assert_eq!(file.compression(), CompressionMethod::Stored, "{name}");
            assert!(!name.ends_with(".so") || file.data_start().unwrap().is_multiple_of(PAGE), "{name}");
            names.push(name);
        }
        let of_abis = abis.iter().flat_map(|(abi, _)| OF_ABI.iter().map(|name| name.replace("ABI", abi)));
        let expected: BTreeSet<_> = FILES.iter().map(|name| (*name).to_owned()).chain(of_abis).collect();
        assert_eq!(names, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn the_same_files_make_the_same_bytes() {
    let file = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
    let one = [file("jni/x86/libb.so", b"b"), file("R.txt", b""), file("jni/x86/liba.so", b"a")];
    let mut other = one.clone();
    other.reverse();
    let bytes = archive::archive(&one.into()).unwrap();
    assert_eq!(bytes, archive::archive(&other.into()).unwrap());
    assert_eq!(bytes[16 * 1024], b'a');
}

#[test]
fn each_library_is_for_its_abi_and_large_pages_and_needs_public_libraries() {
    for abis in made() {
        let files = contents(&fs::read(path(abis)).unwrap());
        for (abi, library) in abis.iter().flat_map(|(abi, _)| libraries().map(move |library| (abi, library)))
        {
            let name = content::library(abi, library.file);
            let facts = Facts::read(&files[&name]).unwrap();
            assert_eq!(facts.wrong, [""; 0], "{name}");
            assert_eq!(MACHINES.iter().find(|(known, _)| known == abi).unwrap().1, facts.machine, "{name}");
            assert_eq!(facts.soname, library.soname, "{name}");
            assert!(
                facts.needed.iter().all(|needed| PUBLIC.contains(&needed.as_str())),
                "{:?}",
                facts.needed
            );
            assert_eq!(small_pages(&facts), [""; 0], "{name}");
            // A path of the machine that compiled it would begin so.
            let text = String::from_utf8_lossy(&files[&name]);
            assert!(!text.contains(&format!("/{}/", toolchain::SOURCES)), "{name}");
        }
    }
}

#[test]
fn a_class_that_is_looked_up_by_its_name_is_kept() {
    for abis in made() {
        let files = contents(&fs::read(path(abis)).unwrap());
        let rules = text(&files, "proguard.txt");
        let kept =
            rules.lines().filter_map(|line| line.strip_prefix("-keep class ")?.split_whitespace().next());
        let kept: BTreeSet<_> = kept.collect();
        let mut named = 0;
        for (name, library) in files.iter().filter(|(name, _)| name.ends_with(".so")) {
            let library = String::from_utf8_lossy(library);
            for (at, _) in library.match_indices("dev/vkload/") {
                let class = library[at..].split('\0').next().unwrap().replace('/', ".");
                assert!(
                    kept.contains(class.as_str()),
                    "{name} looks up {class}, which proguard.txt does not keep"
                );
                named += 1;
            }
        }
        assert!(named > 0);
    }
}

#[test]
fn the_manifest_and_the_metadata_state_the_package_and_the_oldest_level() {
    for abis in made() {
        let files = contents(&fs::read(path(abis)).unwrap());
        let manifest = text(&files, "AndroidManifest.xml");
        let manifest = Document::parse(&manifest).unwrap();
        assert_eq!(manifest.root_element().attribute("package"), Some("dev.vkload"));
        let sdk = manifest.descendants().find(|node| node.has_tag_name("uses-sdk")).unwrap();
        let level = sdk.attributes().find(|attribute| attribute.name() == "minSdkVersion").unwrap();
        assert_eq!(level.value(), OLDEST_OF_APPLICATIONS.to_string());
        let metadata = text(&files, METADATA);
        let oldest = format!("minCompileSdk={OLDEST_OF_APPLICATIONS}");
        for line in ["aarFormatVersion=1.0", "aarMetadataVersion=1.0", &oldest] {
            assert!(metadata.lines().any(|it| it == line), "{line}: {metadata}");
        }
    }
}

#[test]
fn classes_are_the_loaders_alone_and_for_java_8_and_name_parameters() {
    for abis in made() {
        let classes = contents(&contents(&fs::read(path(abis)).unwrap())["classes.jar"]);
        for name in ["dev/vkload/Native.class", BUILDER, "dev/vkload/android/AndroidLoader.class"] {
            assert!(classes.contains_key(name), "{name}");
        }
        for (name, content) in &classes {
            let inner = name.strip_prefix("dev/vkload/").expect(name);
            assert!(
                !inner.trim_start_matches("android/").contains('/') && name.ends_with(".class"),
                "{name}"
            );
            let class = Class::new(content).unwrap();
            assert_eq!((class.version().major, class.version().minor), (52, 0), "{name}");
            let names_parameters = class.methods().into_iter().any(|method| {
                let attributes = method.unwrap().attributes();
                attributes.into_iter().any(|it| {
                    matches!(
                        it.unwrap().read_content(class.pool()),
                        Ok(AttributeContent::MethodParameters(_))
                    )
                })
            });
            assert!(name != BUILDER || names_parameters, "{name}");
        }
    }
}

fn repository(abis: &[Abi]) -> Files {
    let paths = workspace::files(&maven_folder(abis)).unwrap();
    paths.into_iter().map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

#[test]
fn a_repository_has_its_files_and_each_its_checksums() {
    for abis in made() {
        let files = repository(abis);
        let ends = [".aar", SOURCES, DOCUMENTATION, SYMBOLS, ".module", ".pom"];
        let names = ends.map(maven::path).into_iter().chain([format!("{}/maven-metadata.xml", folder())]);
        let mut expected = BTreeSet::new();
        for name in names {
            for (algorithm, sum) in ALGORITHMS {
                let beside = format!("{name}.{algorithm}");
                assert_eq!(text(&files, &beside), sum(&files[&name]), "{beside}");
                expected.insert(beside);
            }
            expected.insert(name);
        }
        assert!(files.keys().eq(&expected), "{:?}", files.keys());
    }
}

#[test]
fn checksums_are_those_that_the_standards_give_for_abc() {
    let sums: Vec<_> = ALGORITHMS.iter().map(|(_, sum)| sum(b"abc")).collect();
    let starts = ["90015098", "a9993e36", "ba7816bf", "ddaf35a1"];
    assert!(sums.iter().zip(starts).all(|(sum, start)| sum.starts_with(start)), "{sums:?}");
    assert!(sums.iter().map(String::len).eq([32, 40, 64, 128]));
}

#[test]
fn maven_finds_the_version_and_the_aar() {
    for abis in made() {
        let files = repository(abis);
        let list = text(&files, &format!("{}/maven-metadata.xml", folder()));
        let list = Document::parse(&list).unwrap();
        for (tag, value) in
            [("groupId", GROUP), ("artifactId", NAME), ("release", VERSION), ("version", VERSION)]
        {
            let is_it = |node: roxmltree::Node<'_, '_>| node.has_tag_name(tag) && node.text() == Some(value);
            assert!(list.descendants().any(is_it), "<{tag}>");
        }
        let pom = text(&files, &maven::path(".pom"));
        let pom = Document::parse(&pom).unwrap();
        let project = pom.root_element();
        for (tag, value) in
            [("groupId", GROUP), ("artifactId", NAME), ("version", VERSION), ("packaging", "aar")]
        {
            let node = project.children().find(|node| node.tag_name().name() == tag).expect(tag);
            assert_eq!(node.text(), Some(value), "<{tag}>");
        }
        // Without this comment Gradle does not read its own description.
        let marker = "do_not_remove: published-with-gradle-metadata";
        let mut comments = project.children().filter(roxmltree::Node::is_comment);
        assert!(comments.any(|comment| comment.text().is_some_and(|text| text.trim() == marker)));
    }
}

/// A build's request, and the suffix of the file that it must get.
const REQUESTS: &[(&[(&str, &str)], &str)] = &[
    (&[("org.gradle.category", "library"), ("org.gradle.usage", "java-api")], ".aar"),
    (&[("org.gradle.category", "library"), ("org.gradle.usage", "java-runtime")], ".aar"),
    (&[("org.gradle.category", "documentation"), ("org.gradle.docstype", "sources")], SOURCES),
    (&[("org.gradle.category", "documentation"), ("org.gradle.docstype", "javadoc")], DOCUMENTATION),
];

#[test]
fn gradle_finds_one_file_for_each_request() {
    for abis in made() {
        let files = repository(abis);
        let module = text(&files, &maven::path(".module"));
        let packed: String = module.split_whitespace().collect();
        assert!(packed.starts_with(r#"{"formatVersion":"1.1","#), "Gradle refuses {module}");
        let module: Value = serde_json::from_str(&module).unwrap();
        for (key, value) in [("group", GROUP), ("module", NAME), ("version", VERSION)] {
            assert_eq!(module["component"][key], value, "{key}");
        }
        for (attributes, end) in REQUESTS {
            let matches = |variant: &&Value| {
                attributes.iter().all(|(key, value)| variant["attributes"][*key] == *value)
            };
            let found: Vec<_> = module["variants"].as_array().unwrap().iter().filter(matches).collect();
            let [variant] = found[..] else { panic!("{attributes:?}: {found:?}") };
            let [file] = &variant["files"].as_array().unwrap()[..] else { panic!("{variant}") };
            let name = format!("{}/{VERSION}/{}", folder(), file["url"].as_str().unwrap());
            assert_eq!(name, maven::path(end));
            assert_eq!(file["size"], files[&name].len());
            assert!(ALGORITHMS.iter().all(|(key, sum)| file[*key] == sum(&files[&name])), "{file}");
        }
    }
}

#[test]
fn each_class_has_its_source_and_public_ones_have_a_page() {
    for abis in made() {
        let files = repository(abis);
        let names = |end: &str| contents(&files[&maven::path(end)]).into_keys().collect::<BTreeSet<_>>();
        let classes = contents(&contents(&files[&maven::path(".aar")])["classes.jar"]);
        let sources = names(SOURCES);
        // Classes within others are in the others' sources.
        for class in classes.keys().filter(|name| !name.contains('$')) {
            assert!(sources.contains(&class.replace(".class", ".java")), "{class}");
        }
        let pages = names(DOCUMENTATION);
        for page in ["index.html", "dev/vkload/VulkanLoader.html", "dev/vkload/android/AndroidLoader.html"] {
            assert!(pages.contains(page), "{page}");
        }
    }
}
