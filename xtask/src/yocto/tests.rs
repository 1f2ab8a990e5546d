use std::process::Command;

use md5::{Digest, Md5};
use toml::Table;

use super::*;

fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

fn recipes() -> impl Iterator<Item = (&'static str, String)> {
    RECIPES.iter().map(|(name, _)| (*name, text(&format!("{FOLDER}/{name}_git.bb"))))
}

#[test]
fn the_lists_of_crates_are_those_of_the_lock_files() {
    let shared = text(SHARED);
    for (name, lock) in RECIPES {
        let expected = list(&crates(lock, revision_of(&shared).unwrap()).unwrap());
        let on_disk = text(&list_of(name));
        assert!(on_disk == expected, "{} is stale: run `cargo xtask yocto`", list_of(name));
        assert!(
            on_disk.contains("crate://crates.io/libc/") && !on_disk.contains("/loader-core/"),
            "{on_disk}"
        );
    }
}

#[test]
fn the_library_is_locked_with_the_versions_that_are_tested() {
    let (library, all) = (locked(&text(LIBRARY_LOCK)), locked(&text("Cargo.lock")));
    assert!(
        library.iter().all(|(name, checksum)| all.get(name) == Some(checksum)),
        "run `cargo xtask yocto`"
    );
    cargo("metadata --offline --locked --format-version=1 --manifest-path").arg(LIBRARY).read().unwrap();
}

#[test]
fn the_librarys_own_workspace_says_what_the_others_manifests_say() {
    let parse = |file: &str| text(file).parse::<Table>().unwrap();
    let (own, shell, root) = (parse(LIBRARY), parse("platform-linux/cdylib/Cargo.toml"), parse("Cargo.toml"));
    assert_eq!(own["features"], shell["features"]);
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
fn every_locked_crate_is_listed_with_its_checksum() {
    let lock = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\
                source = \"registry\"\nchecksum = \"00ff\"\n";
    let list = list(&locked(lock));
    assert!(list.contains("    crate://crates.io/a/1.2.3 \\\n\"\n"), "{list}");
    assert!(list.ends_with("\n\nSRC_URI[a-1.2.3.sha256sum] = \"00ff\"\n") && !list.contains("own"), "{list}");
}

#[test]
fn the_revision_is_a_commit_of_this_history() {
    let shared = text(SHARED);
    let revision = revision_of(&shared).unwrap();
    assert!(revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit()), "{revision}");
    if git(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|it| it.trim() == "false") {
        assert!(git(&["merge-base", "--is-ancestor", revision, "HEAD"]).is_ok(), "{revision}");
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
        let bytes = fs::read(root().join(name)).unwrap();
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
    shell.args(["-e", "-u", "-c", install]).env("S", root()).env("B", &built).env("D", &image);
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
