//! The sample application (`jni/sample`) on this machine: its activity is Java, its native half is
//! compiled with its own `CMakeLists.txt`. The loader beneath is `fake/libvkload.c`, which forwards
//! to this repository's Linux loader with the null driver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::{
    are_there, driver, finish, has_what_the_sample_needs, java_files, jni, native_half, sample_flags,
    system_loader, which,
};

/// Compilers for the processors of Android's ABIs.
const COMPILERS: &[&str] =
    &["aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc", "x86_64-linux-gnu-gcc", "i686-linux-gnu-gcc"];

fn read(name: &str) -> String {
    fs::read_to_string(jni(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the sample and everything that it needs, in a folder.
fn built() -> TempDir {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let shared = |name: &str, source: PathBuf, include: PathBuf| {
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-pthread", "-o"]).arg(path(&format!("lib{name}.so"))).arg(source);
        finish(compiler.arg(format!("-Wl,-soname,lib{name}.so")).arg("-I").arg(include).arg("-ldl"));
    };
    shared("vkload", jni("tests/fake/libvkload.c"), jni("include"));
    shared("log", jni("tests/sample/liblog.c"), jni("tests/sample"));
    fs::copy(native_half(), path("libvkload_jni.so")).unwrap();

    let mut cmake = Command::new("cmake");
    cmake.args(["-G", "Ninja", "-S"]).arg(jni("sample/src/main/cpp")).arg("-B").arg(folder.path());
    cmake.arg(format!("-DCMAKE_C_FLAGS={}", sample_flags().join(" ")));
    cmake.arg(format!("-DCMAKE_SHARED_LINKER_FLAGS=-L{} -Wl,-z,defs", folder.path().display()));
    finish(&mut cmake);
    finish(Command::new("cmake").arg("--build").arg(folder.path()));

    let mut sources = vec![];
    for name in ["java", "android", "stubs", "sample/src/main/java", "tests/sample/java"] {
        java_files(&jni(name), &mut sources);
    }
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-Xlint:all,-options,-serial", "-Werror", "-encoding", "UTF-8", "-d"]);
    finish(javac.arg(path("classes")).args(sources));
    folder
}

/// Returns the folder of Kotlin's libraries: next to its compiler, or Debian's.
fn kotlin_libraries() -> String {
    let compiler = fs::canonicalize(which("kotlinc").unwrap()).unwrap();
    let folders = [compiler.ancestors().nth(2).unwrap().join("lib"), "/usr/share/java".into()];
    let names = ["kotlin-stdlib.jar", "kotlin-stdlib-jdk7.jar"];
    let files = names.iter().filter_map(|name| folders.iter().map(|it| it.join(name)).find(|it| it.exists()));
    files.map(|file| file.display().to_string()).collect::<Vec<_>>().join(":")
}

/// Compiles Kotlin with the classes of the sample. Returns the compiler's output, and whether it
/// succeeded.
fn kotlinc(folder: &Path, sources: &[PathBuf]) -> (String, bool) {
    let mut kotlinc = Command::new("kotlinc");
    kotlinc.args(["-no-reflect", "-jvm-target", "1.8", "-cp"]);
    kotlinc.arg(format!("{}:{}", folder.join("classes").display(), kotlin_libraries()));
    let output = kotlinc.arg("-d").arg(folder.join("kotlin")).args(sources).output().unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.success())
}

/// Returns the sample's output in a build of this kind, with an activity instead of the first.
fn run(folder: &Path, build: &str, activity: &[&str]) -> String {
    let manifest = folder.join("null.json");
    let library = driver("libvkload_null.so");
    let text = format!(
        r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{}", "api_version": "1.4.0"}}}}"#,
        library.display()
    );
    fs::write(&manifest, text).unwrap();
    let mut java = Command::new("java");
    java.args(["-Xcheck:jni", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
    let libraries = if activity.is_empty() { String::new() } else { kotlin_libraries() };
    java.arg(format!("{0}/classes:{0}/kotlin:{libraries}", folder.display()));
    java.arg(format!("-Djava.library.path={}", folder.display()));
    java.args(["dev.vkload.sample.Run", build]).args(activity).env_remove("JAVA_TOOL_OPTIONS");
    java.env("LD_LIBRARY_PATH", folder).env("FAKE_VULKAN", system_loader());
    java.env("VK_DRIVER_FILES", manifest).env("VK_LAYER_PATH", folder).env("VK_IMPLICIT_LAYER_PATH", folder);
    finish(&mut java)
}

#[test]
fn the_sample_lists_the_devices_and_a_debug_build_has_the_validation_layer() {
    if !has_what_the_sample_needs() {
        return;
    }
    let folder = built();
    for (build, layers) in [("release", ""), ("debug", "\"VK_LAYER_KHRONOS_validation\"")] {
        let said = run(folder.path(), build, &[]);
        // The options that the loader got follow.
        let told = said.strip_prefix("log 4 sample: null\n").expect(&said);
        assert!(told.contains(&format!("\"layers\":[{layers}]")), "{said}");
        assert!(told.contains("/data/app/sample/lib") && told.lines().count() == 1, "{said}");
    }
}

#[test]
fn the_sample_in_kotlin_lists_the_devices_and_nothing_of_the_api_may_be_null_there() {
    if !has_what_the_sample_needs() || !are_there(&["kotlinc"]) {
        return;
    }
    let folder = built();
    // The annotations are not packaged: their names in the classes are enough.
    fs::remove_dir_all(folder.path().join("classes/org")).unwrap();
    let page = folder.path().join("Page.kt");
    let code = code_of_the_page("kotlin").into_iter().find(|code| code.contains("AndroidLoader")).unwrap();
    let (imports, code) = code.split_once("\n\n").unwrap();
    let class = "class Page : android.app.Activity() { lateinit var loader: VulkanLoader; fun start() {\n";
    fs::write(&page, format!("{imports}\n{class}{code}}} }}\n")).unwrap();
    let (said, is_compiled) = kotlinc(folder.path(), &[jni("sample/src/main/kotlin"), page]);
    assert!(is_compiled && !said.contains(".kt:"), "{said}");
    for build in ["release", "debug"] {
        let said = run(folder.path(), build, &["KotlinActivity"]);
        assert!(said.contains("sample: null: ") && said.contains(", Vulkan 1\n"), "{said}");
    }

    // Before this version Kotlin accepts code that JSpecify's annotations forbid.
    let version = finish(Command::new("kotlinc").arg("-version"));
    let version = version.split("kotlinc-jvm ").nth(1).unwrap_or_default();
    let mut numbers = version.split(['.', '-']).map_while(|part| part.parse().ok());
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < (2, 1) {
        println!("skipped: kotlinc {}.{} does not read JSpecify's annotations", version.0, version.1);
        return;
    }
    let source = folder.path().join("Null.kt");
    fs::write(&source, "fun none() { dev.vkload.VulkanLoader.builder().layer(null) }\n").unwrap();
    let (said, is_compiled) = kotlinc(folder.path(), &[source]);
    assert!(!is_compiled && said.contains("Null.kt:1"), "{said}");
}

/// Returns the code in a language on the page about applications.
fn code_of_the_page(language: &str) -> Vec<String> {
    let page = read("../docs/android-apk.md");
    let blocks = page.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| Some(block.strip_prefix(language)?.strip_prefix('\n')?.to_owned())).collect()
}

#[test]
fn the_pages_code_in_cpp_compiles() {
    if !has_what_the_sample_needs() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("page.cpp");
    let [options, messages] = &code_of_the_page("cpp")[..] else { panic!("two blocks") };
    let (includes, options) = options.split_once("\n\n").unwrap();
    let (function, info) = messages.split_once("\n   }\n").unwrap();
    let start = format!("void start() {{\n{options}{info}(void)vkGetInstanceProcAddr, (void)info; }}\n");
    fs::write(&file, format!("#define VK_NO_PROTOTYPES\n{includes}\n{function}}}\n{start}")).unwrap();
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-fsyntax-only"]).arg(format!("-I{}", jni("include").display()));
    finish(compiler.args(sample_flags()).arg("-Wno-missing-field-initializers").arg(file));
}

#[test]
fn the_native_half_can_be_mapped_with_pages_of_16_kib() {
    if !has_what_the_sample_needs() || !are_there(&["readelf"]) {
        return;
    }
    let folder = built();
    let segments = finish(Command::new("readelf").arg("-lW").arg(folder.path().join("libsample.so")));
    let loads: Vec<_> = segments.lines().filter(|line| line.trim_start().starts_with("LOAD")).collect();
    assert!(!loads.is_empty() && loads.iter().all(|line| line.ends_with("0x4000")), "{segments}");
}

/// The Gradle that the sample's own file names has a sum to check.
#[test]
fn the_samples_gradle_has_a_sum() {
    let properties = read("sample/gradle/wrapper/gradle-wrapper.properties");
    let sum = properties.lines().find_map(|line| line.strip_prefix("distributionSha256Sum="));
    assert!(sum.is_some_and(|sum| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit())));
}

#[test]
fn the_native_half_compiles_for_the_processors_of_all_abis() {
    if !has_what_the_sample_needs() || !are_there(COMPILERS) {
        return;
    }
    for compiler in COMPILERS {
        let mut compiler = Command::new(compiler);
        compiler.args(sample_flags().iter().flat_map(|flag| flag.split(' ')));
        // The processor's own headers come first.
        compiler.args(["-fsyntax-only", "-idirafter", "/usr/include"]);
        finish(compiler.arg(jni("sample/src/main/cpp/sample.c")));
    }
}

#[test]
fn the_project_names_the_repository_that_is_made_and_its_oldest_level() {
    let project = read("sample/build.gradle.kts");
    let line = concat!("    implementation(\"dev.vkload:vkload:", env!("CARGO_PKG_VERSION"), "\")\n");
    assert!(project.contains(line), "{project}");
    assert!(read("../docs/android-apk.md").contains(line), "docs/android-apk.md");
    assert!(
        read("sample/settings.gradle.kts").contains("maven { url = uri(\"../../target/android/maven\") }")
    );
    let oldest = |text: &str, key: &str| -> u32 {
        let value = text.split(key).nth(1).unwrap();
        value.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    let of_aar = oldest(&read("aar/AndroidManifest.xml"), "android:minSdkVersion=\"");
    assert!(oldest(&project, "minSdk = ") >= of_aar.max(26), "the validation layer needs 26");
    let native = project.split("path = file(\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(read(&format!("sample/{native}")).contains("add_library(sample "));
    let manifest = read("sample/src/main/AndroidManifest.xml");
    assert!(
        manifest.contains("android:name=\".MainActivity\"")
            && manifest.contains("android:name=\".KotlinActivity\"")
            && project.contains("namespace = \"dev.vkload.sample\"")
    );
    assert!(
        read("sample/src/main/java/dev/vkload/sample/MainActivity.java")
            .contains("package dev.vkload.sample;")
    );
}
