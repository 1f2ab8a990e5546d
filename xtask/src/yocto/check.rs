//! `cargo xtask yocto --check`: lints the recipes for each series that the layer supports, parses them with BitBake, and runs the library's
//! tasks as BitBake runs them.
//!
//! `PYTHONPATH` has to lead to the packages in `packaging/yocto/requirements.txt`. Instead of OE-core's classes, `packaging/yocto/series`
//! describes the functions and variables of each series.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{FOLDER, LIBRARY, RECIPES};
use crate::Failure;
use crate::command::{Run, command};
use crate::elf::Facts;
use crate::shell::SHELLS;
use crate::toolchain::{cargo, host};
use crate::workspace::{make_empty, root, target_folder};

const LAYER: &str = "packaging/yocto/conf/layer.conf";
const EXPAND: &str = "packaging/yocto/series/expand.py";

/// Asks whether a page on the network exists.
const NEEDS_NETWORK: &str = "oelint.vars.homepageping";

/// A fixed list for a build that nothing runs.
const FIXED: &[&str] = &["PACKAGECONFIG=fixed-drivers", "VKLOAD_FIXED_DRIVERS=/usr/lib/libvulkan_any.so"];

/// A recipe as BitBake has parsed it.
#[derive(Deserialize)]
struct Parsed {
    /// The shell scripts of the tasks.
    tasks: BTreeMap<String, String>,
    /// Commands that neither the series nor the recipe defines.
    unknown: Vec<String>,
    /// Variables that are used in a task and have no value.
    undefined: Vec<String>,
    variables: BTreeMap<String, Option<String>>,
}

impl Parsed {
    fn variable(&self, name: &str) -> &str {
        self.variables.get(name).and_then(Option::as_deref).unwrap_or_default()
    }
}

pub(super) fn run() -> Result<(), Failure> {
    missing_functions_are_found()?;
    let layer = fs::read_to_string(root().join(LAYER))?;
    let build = Build::prepare()?;
    for series in series(&layer) {
        lint(series)?;
        for (name, _) in RECIPES {
            check_text(series, name)?;
        }
        build.library(series, &[])?;
        println!("{series}: the recipes are good, and the library's tasks ran");
    }
    // Not optimised, since a second library takes as long as the first.
    let debug = ["BUILD_MODE:forcevariable=", "BUILD_DIR:forcevariable=debug"];
    build.library("blacksail", &[FIXED, &debug].concat())
}

/// Returns the series that the layer supports.
fn series(layer: &str) -> impl Iterator<Item = &str> {
    let line = layer.lines().find_map(|line| line.strip_prefix("LAYERSERIES_COMPAT_vkload = \""));
    line.unwrap_or_default().trim_end_matches('"').split_whitespace()
}

fn recipe(name: &str) -> String {
    format!("{FOLDER}/{name}_git.bb")
}

fn lint(series: &str) -> Result<(), Failure> {
    let mut lint = command("python3 -m oelint_adv --quiet --mode all --relpaths --release");
    lint.args([series, "--suppress", NEEDS_NETWORK]);
    lint.args(RECIPES.iter().map(|(name, _)| recipe(name))).finish()
}

/// Parses a recipe as a series does, with these settings of the user.
fn parse(series: &str, name: &str, settings: &[&str]) -> Result<Parsed, Failure> {
    let mut expand = command("python3");
    expand.args([EXPAND, series, &recipe(name)]).args(settings);
    Ok(serde_json::from_str(&expand.read()?)?)
}

/// Checks the variables and commands of a recipe with each of its options.
fn check_text(series: &str, name: &str) -> Result<(), Failure> {
    for option in ["", "fixed-drivers"] {
        let parsed = parse(series, name, &[&format!("PACKAGECONFIG={option}")])?;
        let (unknown, undefined) = (parsed.unknown.join(" "), parsed.undefined.join(" "));
        if !unknown.is_empty() || !undefined.is_empty() {
            return Err(format!("{series} has no {unknown} {undefined}, which {name} uses").into());
        }
        // OE-core has read SPDX expressions since 6.1.
        let licence = if series == "blacksail" { "MIT OR Apache-2.0" } else { "MIT | Apache-2.0" };
        expect(&parsed, "LICENSE", |value| value == licence)?;
        expect(&parsed, "RUSTFLAGS", |value| value.ends_with("-C force-frame-pointers=yes"))?;
    }
    Ok(())
}

fn expect(parsed: &Parsed, name: &str, is_good: impl Fn(&str) -> bool) -> Result<(), Failure> {
    let value = parsed.variable(name);
    if is_good(value) { Ok(()) } else { Err(format!("{name} is {value}").into()) }
}

/// Checks the check: a task that calls the function that OE-core removed is found.
fn missing_functions_are_found() -> Result<(), Failure> {
    let unknown =
        |series| parse(series, "vkload", &["do_compile:append= oe_cargo_build"]).map(|it| it.unknown);
    if unknown("wrynose")?.is_empty() && unknown("blacksail")? == ["oe_cargo_build"] {
        Ok(())
    } else {
        Err("a function that blacksail lacks is not found".into())
    }
}

/// The folders in which tasks run. Every series has the same, so that cargo compiles once.
struct Build {
    folder: PathBuf,
}

impl Build {
    /// Provides the crates that the library's recipe lists, and no others.
    fn prepare() -> Result<Self, Failure> {
        let folder = target_folder().join("yocto");
        let (all, listed) = (folder.join("all-crates"), folder.join("crates"));
        make_empty(&all)?;
        make_empty(&listed)?;
        let mut vendor = cargo("vendor --quiet --locked --versioned-dirs --manifest-path");
        vendor.arg(LIBRARY).arg(&all).read()?;
        let parsed = parse("blacksail", "vkload", &[])?;
        for word in parsed.variable("SRC_URI").split_whitespace() {
            let Some((name, version)) = crate_of(word) else { continue };
            let folder = format!("{name}-{version}");
            // The revision that the recipe builds may need others.
            if all.join(&folder).is_dir() {
                fs::rename(all.join(&folder), listed.join(&folder))?;
            }
        }
        Ok(Self { folder })
    }

    /// Runs the tasks of the library's recipe, and checks the installed files.
    fn library(&self, series: &str, settings: &[&str]) -> Result<(), Failure> {
        let folders = [
            format!("S:forcevariable={}", root().display()),
            format!("TMPDIR={}", self.folder.display()),
            format!("CARGO_VENDORING_DIRECTORY={}", self.folder.join("crates").display()),
            format!("RUST_HOST_SYS:forcevariable={}", host()?),
        ];
        let settings: Vec<_> = folders.iter().map(String::as_str).chain(settings.iter().copied()).collect();
        let parsed = parse(series, "vkload", &settings)?;
        let (built, image) = (Path::new(parsed.variable("B")), Path::new(parsed.variable("D")));
        make_empty(image)?;
        fs::create_dir_all(built)?;
        let library = built.join("target").join(parsed.variable("CARGO_TARGET_SUBDIR")).join("libvulkan.so");
        if library.exists() {
            fs::remove_file(library)?;
        }
        for task in ["do_configure", "do_compile", "do_install"] {
            self.task(&parsed, task, built)?;
        }
        let libraries = image.join("usr/lib");
        fs::read(libraries.join("pkgconfig/vulkan.pc"))?;
        check_library(&libraries.join("libvulkan.so.1"))
    }

    fn task(&self, parsed: &Parsed, name: &str, folder: &Path) -> Result<(), Failure> {
        let script = self.folder.join(format!("run.{name}"));
        fs::write(&script, parsed.tasks.get(name).ok_or("a task is missing")?)?;
        let mut shell = command("sh -e");
        // Cargo's own would replace the recipe's.
        for variable in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "RUSTFLAGS"] {
            shell.env_remove(variable);
        }
        shell.arg(&script).current_dir(folder).read().map(drop)
    }
}

/// Checks the name of the library and its commands. `cargo xtask abi` checks everything else of the same code.
fn check_library(library: &Path) -> Result<(), Failure> {
    let shell = SHELLS.first().ok_or("no shell")?;
    let facts = Facts::of(library)?;
    let listed = fs::read_to_string(root().join(shell.exports))?;
    if facts.soname != shell.name || !facts.exports.keys().eq(listed.lines()) {
        return Err(format!(
            "{} is not {} with the commands in {}",
            library.display(),
            shell.name,
            shell.exports
        )
        .into());
    }
    Ok(())
}

/// Returns the name and the version of a crate in `SRC_URI`.
fn crate_of(address: &str) -> Option<(&str, &str)> {
    address.strip_prefix("crate://crates.io/")?.split_once('/')
}
