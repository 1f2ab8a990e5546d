//! Checks an AAR after reading it back.

use std::collections::BTreeSet;

use crate::android_abi::{Library, PAGE, small_pages};
use crate::android_options::{Abi, OLDEST};
use crate::build::SOURCES;
use crate::elf::Facts;

use super::archive::{Packed, read};
use super::{content, libraries};

/// The kinds of processor (`e_machine`) of the ABIs.
const MACHINES: &[(&str, u16)] = &[("arm64-v8a", 183), ("armeabi-v7a", 40), ("x86_64", 62), ("x86", 3)];

/// The version of class files of Java 8.
const JAVA_8: &[u8] = &[0, 52];

/// Returns the problems of an AAR for these ABIs.
pub(crate) fn complaints(files: &[Packed], abis: &[Abi]) -> Vec<String> {
    let mut found = layout(files, abis);
    let content =
        |name: &str| files.iter().find(|file| file.name == name).map(|file| file.content.as_slice());
    for (abi, _) in abis {
        for library in libraries() {
            let name = content::library(abi, library.file);
            let Some(bytes) = content(&name) else { continue };
            let complaints = match Facts::read(bytes) {
                Ok(facts) => of_library(library, &facts, abi),
                Err(error) => vec![error.to_string()],
            };
            found.extend(complaints.into_iter().chain(folder(bytes)).map(|it| format!("{name}: {it}")));
            found.extend(not_kept(bytes, content("proguard.txt").unwrap_or_default()));
        }
    }
    found.extend(content("AndroidManifest.xml").and_then(of_manifest));
    found.extend(content(content::METADATA).map(of_metadata).unwrap_or_default());
    match read(content("classes.jar").unwrap_or_default()) {
        Ok(classes) => found.extend(of_classes(&classes)),
        Err(error) => found.push(format!("classes.jar: {error}")),
    }
    found
}

/// Checks the list of files and their layout in the archive.
fn layout(files: &[Packed], abis: &[Abi]) -> Vec<String> {
    let mut found = Vec::new();
    let expected = content::names(abis);
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    found.extend(
        expected
            .iter()
            .filter(|name| !names.contains(&name.as_str()))
            .map(|name| format!("{name} is missing")),
    );
    let strays = names.iter().filter(|name| !expected.iter().any(|it| it == *name));
    found.extend(strays.map(|name| format!("{name} does not belong in it")));
    if !names.is_sorted() {
        found.push("the files are not in the order of their names".into());
    }
    for file in files {
        if !file.is_stored {
            found.push(format!("{} is compressed", file.name));
        }
        if file.name.ends_with(".so") && !file.start.is_multiple_of(PAGE) {
            found.push(format!(
                "{} does not begin with a page of 16 KiB, but at {:#x}",
                file.name, file.start
            ));
        }
    }
    found
}

/// Checks a library's effects on the rest of an application's process.
fn of_library(library: &Library, facts: &Facts, abi: &str) -> Vec<String> {
    let mut found = facts.wrong.clone();
    let machine = MACHINES.iter().find(|(name, _)| *name == abi).map(|(_, machine)| *machine);
    if machine != Some(facts.machine) {
        found.push(format!("it is for the processor {}, not for {abi}", facts.machine));
    }
    if facts.soname != library.soname {
        found.push(format!("SONAME is {:?}", facts.soname));
    }
    for needed in facts.needed.iter().filter(|needed| !PUBLIC.contains(&needed.as_str())) {
        found.push(format!("it needs {needed}, which is not open to applications"));
    }
    found.extend(small_pages(facts));
    found
}

/// Returns a complaint if a library names the folder in which the crates lay that it was made of.
fn folder(library: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(library);
    let at = text.find(&format!("/{SOURCES}/"))?;
    let before = text.get(..at)?.rsplit(|it: char| it.is_control() || it == '\u{fffd}').next()?;
    Some(format!("it names a folder of the machine that made it: {before}/{SOURCES}"))
}

/// The system's libraries that applications of every level may need, as far as a loader has use for them.
const PUBLIC: &[&str] = &["libandroid.so", "libc.so", "libdl.so", "liblog.so", "libm.so"];

/// Classes that a library names and that shrinking may rename.
fn not_kept(library: &[u8], rules: &[u8]) -> Vec<String> {
    let rules = String::from_utf8_lossy(rules);
    let kept: BTreeSet<_> = rules.lines().filter_map(|line| line.strip_prefix("-keep class ")).collect();
    let kept: BTreeSet<_> = kept.iter().filter_map(|rule| rule.split_whitespace().next()).collect();
    let text = String::from_utf8_lossy(library);
    let named = text.match_indices("dev/vkload/").map(|(at, _)| text.get(at..).unwrap_or_default());
    let named = named.filter_map(|name| name.split('\0').next()).map(|name| name.replace('/', "."));
    named
        .filter(|name| !kept.contains(name.as_str()))
        .map(|name| format!("proguard.txt does not keep {name}, which is looked up by its name"))
        .collect()
}

fn of_manifest(manifest: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(manifest);
    let manifest = match roxmltree::Document::parse(&text) {
        Ok(manifest) => manifest,
        Err(error) => return Some(format!("AndroidManifest.xml: {error}")),
    };
    let sdk = manifest.descendants().find(|node| node.has_tag_name("uses-sdk"));
    let level =
        sdk.and_then(|node| node.attributes().find(|it| it.name() == "minSdkVersion")?.value().parse().ok());
    let package = manifest.root_element().attribute("package");
    (package != Some("dev.vkload") || level != Some(OLDEST))
        .then(|| format!("AndroidManifest.xml is for {package:?} from level {level:?} on, not {OLDEST}"))
}

/// Checks the metadata for Android's Gradle plugin: the required entries, and the Java level of the classes.
fn of_metadata(properties: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(properties);
    let level = OLDEST.to_string();
    let expected = [("aarFormatVersion", "1.0"), ("aarMetadataVersion", "1.0"), ("minCompileSdk", &*level)];
    let has = |key, value| text.lines().any(|line| line.split_once('=') == Some((key, value)));
    let missing = expected.iter().filter(|(key, value)| !has(*key, *value));
    missing.map(|(key, value)| format!("{}: {key} is not {value}", content::METADATA)).collect()
}

/// The class whose methods have the most parameters.
const BUILDER: &str = "dev/vkload/VulkanLoader$Builder.class";

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn of_classes(classes: &[Packed]) -> Vec<String> {
    let mut found = Vec::new();
    for name in ["dev/vkload/Native.class", BUILDER, "dev/vkload/android/VulkanContext.class"] {
        if !classes.iter().any(|class| class.name == name) {
            found.push(format!("classes.jar: {name} is missing"));
        }
    }
    for class in classes {
        let name = class.name.strip_prefix("dev/vkload/").unwrap_or_default();
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        if !["", "android"].contains(&package) || !name.ends_with(".class") {
            found.push(format!("classes.jar: {} does not belong in it", class.name));
        }
        if class.content.get(6..8) != Some(JAVA_8) {
            found.push(format!("classes.jar: {} is not for Java 8", class.name));
        }
        if class.name == BUILDER && !contains(&class.content, b"MethodParameters") {
            found.push(format!("classes.jar: {} does not name the parameters of its methods", class.name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::android_abi::LIBRARIES;
    use crate::android_options::ABIS;
    use crate::elf::Segment;

    const ONE: &[Abi] = &[ABIS[0]];

    fn file(name: &str, content: &[u8]) -> Packed {
        Packed { name: name.to_owned(), is_stored: true, start: 0, content: content.to_vec() }
    }

    fn good() -> Vec<Packed> {
        content::names(ONE).iter().map(|name| file(name, b"")).collect()
    }

    #[test]
    fn r125_a_missing_and_a_stray_file_are_named() {
        assert_eq!(layout(&good(), ONE), [""; 0]);
        assert_eq!(layout(&good(), ABIS).len(), 3 * 7);
        let mut files = good();
        files.retain(|file| file.name != "jni/arm64-v8a/libvkload_jni.so");
        assert_eq!(layout(&files, ONE), ["jni/arm64-v8a/libvkload_jni.so is missing"]);
        let mut files = good();
        files.push(file("jni/arm64-v8a/libc++_shared.so", b""));
        let found = layout(&files, ONE);
        assert_eq!(found[0], "jni/arm64-v8a/libc++_shared.so does not belong in it");
        assert_eq!(found[1..], ["the files are not in the order of their names"]);
    }

    #[test]
    fn r125_libraries_must_be_stored_and_begin_with_a_page() {
        let change = |change: fn(&mut Packed)| {
            let mut files = good();
            change(files.iter_mut().find(|file| file.name == "jni/arm64-v8a/libvkload.so").unwrap());
            layout(&files, ONE)
        };
        assert_eq!(change(|file| file.is_stored = false), ["jni/arm64-v8a/libvkload.so is compressed"]);
        let found = change(|file| file.start = 4096);
        assert_eq!(found, ["jni/arm64-v8a/libvkload.so does not begin with a page of 16 KiB, but at 0x1000"]);
    }

    #[test]
    fn r125_a_library_of_another_processor_or_for_small_pages_or_with_other_needs_is_named() {
        let segment = Segment { offset: 0, address: 0, align: PAGE, is_readable: true, is_executable: false };
        let good = Facts {
            machine: 183,
            soname: "libvkload.so".into(),
            needed: vec!["libc.so".into(), "liblog.so".into()],
            segments: vec![segment],
            ..Facts::default()
        };
        let of = |facts: &Facts, abi: &str| of_library(&LIBRARIES[1], facts, abi);
        assert_eq!(of(&good, "arm64-v8a"), [""; 0]);
        assert_eq!(of(&good, "x86_64"), ["it is for the processor 183, not for x86_64"]);
        let needed = vec!["libhardware.so".into()];
        let found = of(&Facts { needed, ..good.clone() }, "arm64-v8a");
        assert_eq!(found, ["it needs libhardware.so, which is not open to applications"]);
        let segments = vec![Segment { align: 4096, ..segment }];
        assert_eq!(of(&Facts { segments, ..good.clone() }, "arm64-v8a").len(), 1);
        assert_eq!(of(&Facts { soname: "libvulkan.so".into(), ..good }, "arm64-v8a").len(), 1);
        let broken = complaints(&[file("jni/arm64-v8a/libvkload.so", b"no library")], ONE);
        assert!(broken.iter().any(|it| it.starts_with("jni/arm64-v8a/libvkload.so: ")), "{broken:?}");
    }

    #[test]
    fn r125_a_folder_of_the_machine_that_made_a_library_is_named() {
        assert_eq!(folder(b"\0crates/spin-0.12.0/src/mutex.rs\0"), None);
        let found = folder(b"\xff\0/home/me/.cargo/registry/src/index/spin-0.12.0/src/mutex.rs\0").unwrap();
        assert_eq!(found, "it names a folder of the machine that made it: /home/me/.cargo/registry/src");
    }

    #[test]
    fn r128_a_class_that_is_looked_up_by_its_name_must_be_kept() {
        let library = b"\x7fELF\0dev/vkload/Native\0open\0";
        assert_eq!(not_kept(library, b"-keep class dev.vkload.Native {\n"), [""; 0]);
        let found = not_kept(library, b"# dev.vkload.Native\n-keep class dev.vkload.Other\n");
        assert_eq!(found, ["proguard.txt does not keep dev.vkload.Native, which is looked up by its name"]);
    }

    #[test]
    fn r125_the_manifest_is_of_the_package_and_the_oldest_level() {
        let with = |package: &str, level: &str| {
            let text = format!(
                r#"<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{package}">
                <uses-sdk android:minSdkVersion="{level}"/></manifest>"#
            );
            of_manifest(text.as_bytes())
        };
        assert_eq!(with("dev.vkload", "24"), None);
        assert!(with("dev.vkload", "21").is_some() && with("org.other", "24").is_some());
        assert!(of_manifest(b"<manifest").is_some());
    }

    #[test]
    fn r170_the_gradle_plugin_is_told_the_formats_and_the_oldest_level() {
        let good = "aarFormatVersion=1.0\naarMetadataVersion=1.0\nminCompileSdk=24\n";
        assert_eq!(of_metadata(good.as_bytes()), [""; 0]);
        let found = of_metadata(good.replace("24", "35").as_bytes());
        assert_eq!(found, [format!("{}: minCompileSdk is not 24", content::METADATA)]);
        assert_eq!(of_metadata(b"").len(), 3);
    }

    #[test]
    fn r125_classes_are_the_loaders_alone_and_for_java_8() {
        let class = |name: &str, version: u8| file(name, &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, version]);
        let mut builder = class(BUILDER, 52);
        builder.content.extend(b"MethodParameters");
        let good = [
            class("dev/vkload/Native.class", 52),
            builder.clone(),
            class("dev/vkload/android/VulkanContext.class", 52),
        ];
        assert_eq!(of_classes(&good), [""; 0]);
        assert_eq!(of_classes(&good[1..]), ["classes.jar: dev/vkload/Native.class is missing"]);
        let found = of_classes(&[good[0].clone(), class(BUILDER, 52), good[2].clone()]);
        assert!(
            found.len() == 1 && found[0].ends_with("does not name the parameters of its methods"),
            "{found:?}"
        );
        for (name, version) in [
            ("android/content/Context.class", 52),
            ("dev/vkload/sample/MainActivity.class", 52),
            ("dev/vkload/Driver.class", 61),
        ] {
            let found = of_classes(&[good.as_slice(), &[class(name, version)]].concat());
            assert!(found.len() == 1 && found[0].contains(name), "{found:?}");
        }
    }
}
