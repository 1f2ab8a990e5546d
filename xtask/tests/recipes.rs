//! The recipes in `packaging` agree with the manifests, the registry and each other.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use md5::{Digest, Md5};
use toml::Table;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const FOLDER: &str = "packaging/yocto/recipes-graphics/vkload";
/// The statements that the Yocto recipes share, including the revision.
const SHARED: &str = "packaging/yocto/recipes-graphics/vkload/vkload.inc";
/// The library as a workspace of its own.
const LIBRARY: &str = "packaging/library/Cargo.toml";

fn text(file: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(file)).expect(file)
}

/// Returns the values of the lines that begin with `start`.
fn values<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    text.lines().filter_map(|line| line.strip_prefix(start)).map(str::trim).collect()
}

/// Returns the version of Vulkan that the library has.
fn vulkan_version() -> String {
    let numbers = text("registry/src/numbers_gen.rs");
    let (_, rest) = numbers.split_once("version of the registry, ").expect("a version");
    rest.split(',').next().unwrap_or_default().to_owned()
}

fn recipes() -> impl Iterator<Item = (&'static str, String)> {
    ["vkload", "vkload-tool"].into_iter().map(|name| (name, text(&format!("{FOLDER}/{name}_git.bb"))))
}

fn git(arguments: &[&str]) -> Option<String> {
    let Output { status, stdout, .. } =
        Command::new("git").current_dir(ROOT).args(arguments).output().ok()?;
    status.success().then(|| String::from_utf8_lossy(&stdout).trim().to_owned())
}

#[test]
fn every_recipe_builds_this_version() {
    let vulkan = vulkan_version();
    for (file, version, of_vulkan) in [
        ("rpm/vkload.spec", "Version:", "%global vulkan "),
        ("arch/PKGBUILD", "pkgver=", "_vulkan="),
        ("alpine/APKBUILD", "pkgver=", "_vulkan="),
        ("buildroot/package/vkload/vkload.mk", "VKLOAD_VERSION = ", "VKLOAD_VULKAN_VERSION = "),
        ("buildroot/package/vkload-tool/vkload-tool.mk", "VKLOAD_TOOL_VERSION = ", ""),
    ] {
        let text = text(&format!("packaging/{file}"));
        assert_eq!(values(&text, version), [env!("CARGO_PKG_VERSION")], "{file}");
        assert!(of_vulkan.is_empty() || values(&text, of_vulkan) == [vulkan.as_str()], "{file}");
    }
    let prefab = text("jni/aar/prefab/prefab.json");
    assert!(prefab.contains(concat!("\"version\": \"", env!("CARGO_PKG_VERSION"), "\"")), "{prefab}");
}

#[test]
fn recipes_require_the_compiler_that_xtask_needs() {
    let oldest = concat!(">=", env!("CARGO_PKG_RUST_VERSION"));
    for file in ["rpm/vkload.spec", "arch/PKGBUILD", "alpine/APKBUILD", "debian/control"] {
        let text = text(&format!("packaging/{file}")).replace([' ', '('], "");
        assert!(text.contains(&format!("cargo{oldest}")), "{file}: {oldest}");
    }
}

#[test]
fn the_layers_manifests_have_the_version_of_the_registry() {
    let version = vulkan_version();
    for layer in ["statistics", "recorder", "faults"] {
        let manifest = text(&format!("layers/{layer}/VkLayer_vkload_{layer}.json"));
        assert!(
            manifest.contains(&format!("\"api_version\": \"{version}\"")),
            "{layer}: it must be {version}"
        );
    }
}

#[test]
fn the_librarys_own_workspace_says_what_the_others_manifests_say() {
    let parse = |file: &str| text(file).parse::<Table>().unwrap();
    let (own, shell, root) = (parse(LIBRARY), parse("platform-linux/cdylib/Cargo.toml"), parse("Cargo.toml"));
    let without_packages = |mut profile: toml::Value| {
        profile.as_table_mut().unwrap().remove("package");
        profile
    };
    assert_eq!(own["profile"]["release"], without_packages(root["profile"]["release"].clone()));
    let (package, shared) = (&own["package"], &root["workspace"]["package"]);
    assert_eq!(package["name"], shell["package"]["name"]);
    assert_eq!(package["rust-version"], shell["package"]["rust-version"]);
    for field in ["version", "edition", "license"] {
        assert_eq!(package[field], shared[field], "{field}");
    }
    let names =
        |manifest: &Table| manifest["dependencies"].as_table().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&own), names(&shell));
}

#[test]
fn the_revision_is_a_commit_of_this_history() {
    let shared = text(SHARED);
    let [revision] = values(&shared, "SRCREV ?= ")[..] else { panic!("{shared}") };
    let revision = revision.trim_matches('"');
    assert!(revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit()), "{revision}");
    if git(&["rev-parse", "--is-shallow-repository"]).is_some_and(|it| it == "false") {
        assert!(git(&["merge-base", "--is-ancestor", revision, "HEAD"]).is_some(), "{revision}");
        // It builds with the compiler that the layer has to bring.
        for (name, recipe) in recipes() {
            let manifest = git(&["show", &format!("{revision}:{}", manifest_of(name))]).unwrap();
            assert!(states(&manifest, oldest_rust(&recipe)), "{manifest}");
        }
    }
}

fn manifest_of(recipe: &str) -> &'static str {
    if recipe == "vkload" { LIBRARY } else { "vkload/Cargo.toml" }
}

/// Returns the version that the recipe asks for in words.
fn oldest_rust(recipe: &str) -> &str {
    let line = recipe.lines().find_map(|line| line.strip_prefix("# Rust ")).unwrap();
    line.split_once(" or newer").unwrap().0
}

fn states(manifest: &str, rust: &str) -> bool {
    manifest.contains(&format!("rust-version = \"{rust}\""))
}

#[test]
fn the_recipes_ask_for_the_rust_that_the_crates_state() {
    for (name, recipe) in recipes() {
        assert!(states(&text(manifest_of(name)), oldest_rust(&recipe)), "{name}");
    }
    for package in ["loader-core", "platform-linux", "registry", "shell"] {
        let manifest = text(&format!("{package}/Cargo.toml"));
        assert!(states(&manifest, oldest_rust(&recipes().next().unwrap().1)), "{package}");
    }
}

#[test]
fn licences_match_the_recipes_and_their_includes_exist() {
    let shared = text(SHARED);
    let mut licences = 0;
    for word in shared.split_whitespace().filter(|word| word.starts_with("file://") && word.contains("md5="))
    {
        let (name, checksum) = word["file://".len()..].split_once(";md5=").unwrap();
        let bytes = text(name).into_bytes();
        let actual: String = Md5::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(actual, checksum, "{name}");
        licences += 1;
    }
    assert_eq!(licences, 2);
    for (name, recipe) in recipes() {
        let included: Vec<_> = recipe.lines().filter_map(|line| line.strip_prefix("require ")).collect();
        assert_eq!(included, ["vkload.inc", &format!("{name}-crates.inc")]);
    }
}

/// OE-core removes functions of its classes (`oe_cargo_build` in 6.1), and keeps the tasks that call them.
#[test]
fn recipes_call_no_function_of_a_class() {
    for (name, recipe) in recipes() {
        for line in recipe.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let words = line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            for word in words {
                assert!(!word.starts_with("oe_") && !word.starts_with("cargo_"), "{name}: {line}");
            }
        }
    }
}

#[test]
fn every_option_of_packageconfig_is_used() {
    for (_, recipe) in recipes() {
        let all = recipe + &text(SHARED);
        for option in all.lines().filter_map(|line| line.strip_prefix("PACKAGECONFIG[")) {
            let name = option.split(']').next().unwrap();
            assert!(all.contains(&format!("'PACKAGECONFIG', '{name}'")), "{name}");
        }
    }
}

#[test]
fn packages_that_need_the_other_loader_get_this_one() {
    let (_, library) = recipes().next().unwrap();
    for line in [
        "PROVIDES = \"vulkan-loader\"",
        "RPROVIDES:${PN} = \"vulkan-loader ",
        "RPROVIDES:${PN}-dev = \"vulkan-loader-dev ",
    ] {
        assert!(library.lines().any(|given| given.starts_with(line)), "{line}");
    }
}

/// A recipe's shell functions are plain shell. `--check` runs them as BitBake does.
#[test]
fn the_library_is_installed_with_its_links() {
    let (_, recipe) = recipes().next().unwrap();
    let (_, rest) = recipe.split_once("\ndo_install() {\n").unwrap();
    let (install, _) = rest.split_once("\n}\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (image, built) = (folder.path().join("image"), folder.path().join("build"));
    fs::create_dir_all(built.join("target/any/release")).unwrap();
    fs::write(built.join("target/any/release/libvulkan.so"), "library").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-u", "-c", install]).env("S", ROOT).env("B", &built).env("D", &image);
    shell
        .env("CARGO_TARGET_SUBDIR", "any/release")
        .env("libdir", "/usr/lib")
        .env("includedir", "/usr/include");
    assert!(shell.status().unwrap().success());
    let libraries = image.join("usr/lib");
    assert_eq!(fs::read_to_string(libraries.join("libvulkan.so")).unwrap(), "library");
    let package = fs::read_to_string(libraries.join("pkgconfig/vulkan.pc")).unwrap();
    assert!(package.contains("Version: 1.4.") && package.contains("Libs: -L/usr/lib"), "{package}");
}
