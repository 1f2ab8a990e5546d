//! Debian packages.
//!
//! `libvulkan1-vkload` is installed alongside Debian's `libvulkan1`: its library is in a separate folder, which the dynamic linker searches
//! first. So nothing is removed when it is installed, neither `libvulkan1` nor packages that depend on an exact version of it
//! (`libvulkan-dev`), and programs use Debian's loader again after its removal. `vkload` is the command line tool, `libvkload-dev` the
//! static library, `vkload-null-driver` the driver without a GPU, `vkload-statistics-layer` the layer that counts calls. `vulkan.pc` comes
//! with Vulkan's headers in `libvulkan-dev`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::built::Built;
use super::options::{Options, machine};
use super::tree::Tree;
use super::{emptied, folder, vulkan_version};
use super::{null_driver, statistics_layer};
use crate::Failure;
use crate::build::{finish, root};
use crate::elf::Facts;

/// The revision of the packaging.
const REVISION: &str = "1";

/// A package: its name, its description, and its files.
struct Package {
    name: &'static str,
    section: &'static str,
    /// Whether packages for several processors can be installed at once.
    multi_arch: &'static str,
    /// Fields for the relations to other packages. `{version}` is the Vulkan version, `{own}` the packages' own version.
    relations: &'static [&'static str],
    description: &'static str,
    takes: fn(&str) -> bool,
    /// Other files that packages have in `DEBIAN`, with their contents.
    control: &'static [(&'static str, &'static str)],
}

const PACKAGES: &[Package] = &[
    Package {
        name: "libvulkan1-vkload",
        section: "libs",
        multi_arch: "same",
        // For systems without Debian's, which it does not need.
        relations: &["Provides: libvulkan1 (= {version})"],
        description: "Vulkan loader that says why a driver is not used\n\
                      The library between programs that use Vulkan and the drivers and layers of the\n\
                      system, which programs get instead of the one in libvulkan1. Programs, drivers\n\
                      and layers go on working unmodified. Bad manifests and broken drivers end in a\n\
                      message, and a reason is given for every driver that cannot be used.",
        takes: |path| path.contains("/libvulkan.so") || path.starts_with("etc/ld.so.conf.d/"),
        control: &[
            ("shlibs", "libvulkan 1 libvulkan1 (>= {version})\n"),
            ("triggers", "activate-noawait ldconfig\n"),
        ],
    },
    Package {
        name: "vkload",
        section: "utils",
        multi_arch: "foreign",
        relations: &["Recommends: libvulkan1-vkload (= {own})"],
        description: "tells what the Vulkan loader finds\n\
                      Lists drivers, layers and devices, tells why a driver or layer is not used and\n\
                      what to do, and runs programs on another Vulkan library.",
        takes: |path| {
            path.starts_with("usr/bin/")
                || path.starts_with("usr/share/")
                    && !path.contains("/doc/")
                    && !is_of_null_driver(path)
                    && !is_of_statistics_layer(path)
        },
        control: &[],
    },
    Package {
        name: "libvkload-dev",
        section: "libdevel",
        multi_arch: "same",
        relations: &["Suggests: libvulkan-dev"],
        description: "Vulkan loader to link into a program\n\
                      A static library with the commands of Vulkan, for programs that bring their\n\
                      loader. It needs nothing but the C library; drivers are loaded by the dynamic\n\
                      linker all the same. Vulkan's headers are in libvulkan-dev.",
        takes: |path| path.ends_with("/libvkload.a") || path.ends_with("/vkload.pc"),
        control: &[],
    },
    Package {
        name: "vkload-null-driver",
        section: "libs",
        multi_arch: "same",
        relations: &["Suggests: vkload"],
        description: "Vulkan driver without a GPU, for tests\n\
                      Memory, buffers, images, copies and synchronisation work; nothing is drawn. It\n\
                      has every extension on request, several devices, and calls that fail or wait\n\
                      when a test says so. No program uses it until the variable VK_DRIVER_FILES is\n\
                      /usr/share/vkload/null-driver/vkload_null.json.",
        takes: is_of_null_driver,
        control: &[],
    },
    Package {
        name: "vkload-statistics-layer",
        section: "libs",
        multi_arch: "same",
        relations: &["Suggests: vkload"],
        description: "Vulkan layer that counts calls, their time and their bytes\n\
                      Tells how often a program calls each command of Vulkan, how long the calls\n\
                      take and on which threads, as a table, as JSON, and as a trace for Perfetto.\n\
                      No program uses it until the variable VK_INSTANCE_LAYERS has the layer's name,\n\
                      VK_LAYER_VKLOAD_statistics.",
        takes: is_of_statistics_layer,
        control: &[],
    },
];

fn is_of_null_driver(path: &str) -> bool {
    [null_driver::LIBRARY, null_driver::FOLDER, null_driver::OVERRIDES].iter().any(|part| path.contains(part))
}

fn is_of_statistics_layer(path: &str) -> bool {
    [statistics_layer::LIBRARY, statistics_layer::MANIFEST, statistics_layer::OVERRIDES]
        .iter()
        .any(|part| path.contains(part))
}

/// The common inputs of all packages.
struct Packer {
    /// Everything, installed.
    everything: PathBuf,
    out: PathBuf,
    versions: Versions,
    maintainer: String,
    /// Seconds since 1970: the time of everything in the packages.
    time: String,
    /// `Depends` of programs and libraries.
    c_library: String,
    /// Debian's name for it.
    processor: &'static str,
}

struct Versions {
    vulkan: String,
    own: String,
}

/// Makes all packages.
pub(super) fn pack(built: &Built, options: &Options) -> Result<(), Failure> {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return Err("there is no dpkg-deb here; without --deb, dist installs into any folder".into());
    }
    let everything = emptied("everything")?;
    let tree = Tree::new(&everything);
    tree.install(built, options)?;
    tree.write(&search_path(options)?, &format!("{}\n", options.shared.display()))?;
    let out = options.out.clone().unwrap_or_else(|| folder().join("packages"));
    fs::create_dir_all(&out)?;
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let files: Vec<_> = built
        .tool
        .iter()
        .chain(&built.null_driver)
        .chain(&built.statistics_layer)
        .chain([&built.library])
        .collect();
    let packer = Packer {
        c_library: c_library(&files)?,
        processor: machine(options.target)?.0,
        everything,
        out,
        versions: Versions {
            vulkan: vulkan_version()?,
            own: format!("{}-{REVISION}", env!("CARGO_PKG_VERSION")),
        },
        maintainer: format!(
            "{} <{}>",
            variable("DEBFULLNAME", "The vkload authors"),
            variable("DEBEMAIL", "vkload@example.org")
        ),
        time: source_date()?,
    };
    PACKAGES.iter().try_for_each(|package| packer.make(package))
}

/// Returns the file that makes the dynamic linker search the library's folder: it reads these files in the order of their names.
fn search_path(options: &Options) -> Result<PathBuf, Failure> {
    Ok(Path::new("/etc/ld.so.conf.d").join(format!("00-vkload-{}.conf", machine(options.target)?.1)))
}

impl Packer {
    fn make(&self, package: &Package) -> Result<(), Failure> {
        let stage = emptied(&format!("stage/{}", package.name))?;
        let tree = Tree::new(&stage);
        let (mut lines, mut configuration) = (String::new(), String::new());
        for file in files(&self.everything)?.iter().filter(|file| (package.takes)(file)) {
            let (from, to) = (self.everything.join(file), stage.join(file));
            fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
            finish(Command::new("cp").arg("-d").args([&from, &to]))?;
            if file.contains("/man/") {
                compress(&to)?;
            }
        }
        let documents = Path::new("/usr/share/doc").join(package.name);
        tree.write(&documents.join("copyright"), &copyright()?)?;
        tree.write(&documents.join("changelog.Debian"), &self.changelog()?)?;
        compress(&tree.path(&documents.join("changelog.Debian")))?;
        for file in files(&stage)? {
            if !stage.join(&file).is_symlink() {
                lines.push_str(&format!("{}  {file}\n", md5(&stage.join(&file))?));
            }
            if file.starts_with("etc/") {
                configuration.push_str(&format!("/{file}\n"));
            }
        }
        let control = stage.join("DEBIAN");
        fs::create_dir(&control)?;
        fs::write(control.join("md5sums"), lines)?;
        if !configuration.is_empty() {
            fs::write(control.join("conffiles"), configuration)?;
        }
        fs::write(control.join("control"), self.control(package, &stage)?)?;
        for (name, text) in package.control {
            fs::write(control.join(name), self.versions.fill(text))?;
        }
        finish(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&stage))?;
        let file = self.out.join(format!("{}_{}_{}.deb", package.name, self.versions.own, self.processor));
        let mut pack = Command::new("dpkg-deb");
        pack.env("SOURCE_DATE_EPOCH", &self.time).args(["--root-owner-group", "-Zxz", "--build"]);
        finish(pack.args([&stage, &file]).stdout(std::process::Stdio::null()))?;
        println!("{} ({} bytes)", file.display(), fs::metadata(&file)?.len());
        Ok(())
    }

    fn control(&self, package: &Package, stage: &Path) -> Result<String, Failure> {
        let mut size = 0;
        for file in files(stage)? {
            size += fs::symlink_metadata(stage.join(file))?.len().div_ceil(1024);
        }
        let mut text = format!(
            "Package: {}\nSource: vkload\nVersion: {}\nArchitecture: {}\nMaintainer: {}\nInstalled-Size: {size}\n",
            package.name, self.versions.own, self.processor, self.maintainer
        );
        if package.section != "libdevel" {
            text.push_str(&format!("Depends: {}\n", self.c_library));
        }
        for relation in package.relations {
            text.push_str(&self.versions.fill(relation));
            text.push('\n');
        }
        text.push_str(&format!(
            "Section: {}\nPriority: optional\nMulti-Arch: {}\nHomepage: {}\nDescription: {}\n",
            package.section,
            package.multi_arch,
            env!("CARGO_PKG_REPOSITORY"),
            package.description.replace('\n', "\n ")
        ));
        Ok(text)
    }

    /// Returns the changes of this release, from `CHANGELOG.md`.
    fn changelog(&self) -> Result<String, Failure> {
        let all = fs::read_to_string(root().join("CHANGELOG.md"))?;
        let latest = all.split("\n## ").nth(1).unwrap_or_default();
        let mut text = format!("vkload ({}) unstable; urgency=medium\n\n", self.versions.own);
        // The list's items, without the headings between them.
        let items: Vec<&str> = latest
            .lines()
            .skip_while(|line| !line.starts_with("- "))
            .filter(|line| !line.starts_with('#'))
            .collect();
        let items = items.join("\n");
        for change in items.trim_start_matches("- ").split("\n- ") {
            text.push_str(&wrap(change, "  * ", "    "));
        }
        let date = output(
            Command::new("date").env("LC_ALL", "C").args(["-u", "-R", "-d"]).arg(format!("@{}", self.time)),
        )?;
        text.push_str(&format!("\n -- {}  {date}\n", self.maintainer));
        Ok(text)
    }
}

impl Versions {
    fn fill(&self, text: &str) -> String {
        text.replace("{version}", &self.vulkan).replace("{own}", &self.own)
    }
}

fn copyright() -> Result<String, Failure> {
    let mit = fs::read_to_string(root().join("LICENSE-MIT"))?;
    let holder =
        mit.lines().find(|line| line.starts_with("Copyright")).unwrap_or("Copyright The vkload authors");
    let terms = mit.split_once("Permission is").map_or("", |(_, rest)| rest);
    let terms: String = format!("Permission is{terms}")
        .lines()
        .map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: vkload\n\
         Source: {}\n\nFiles: *\n{}\nLicense: Apache-2.0 or MIT\n\nLicense: Apache-2.0\n \
         On Debian systems the text of this license is in /usr/share/common-licenses/Apache-2.0.\n\nLicense: MIT\n{terms}",
        env!("CARGO_PKG_REPOSITORY"),
        holder.replace("Copyright (c)", "Copyright:")
    ))
}

/// Returns the words of `text` in lines of at most 76 characters, of which the first one begins otherwise than the others.
fn wrap(text: &str, first: &str, others: &str) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    for word in text.split_whitespace() {
        if line.len() + word.len() > 76 {
            lines.extend([line.trim_end(), "\n"]);
            others.clone_into(&mut line);
        }
        line.extend([word, " "]);
    }
    lines.extend([line.trim_end(), "\n"]);
    lines
}

/// Returns the newest version of the C library that any of the files needs, as a dependency.
fn c_library(files: &[&PathBuf]) -> Result<String, Failure> {
    let mut newest = (2, 0);
    for file in files {
        for version in Facts::of(file)?.versions.values() {
            let Some(version) = version.strip_prefix("GLIBC_") else { continue };
            let mut numbers = version.split('.').filter_map(|part| part.parse::<u32>().ok());
            newest = newest.max((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)));
        }
    }
    Ok(format!("libc6 (>= {}.{})", newest.0, newest.1))
}

/// Returns the time that packages bear: what `SOURCE_DATE_EPOCH` says, or the time of the last change.
fn source_date() -> Result<String, Failure> {
    if let Ok(given) = env::var("SOURCE_DATE_EPOCH") {
        return Ok(given);
    }
    output(Command::new("git").current_dir(root()).args(["log", "-1", "--format=%ct"]))
        .map_err(|error| format!("set SOURCE_DATE_EPOCH, since git does not tell the time: {error}").into())
}

/// Returns the files and links below `folder`, in order, relative to it.
fn files(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path();
                found.push(path.strip_prefix(folder)?.to_str().ok_or("a name that is not UTF-8")?.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn compress(file: &Path) -> Result<(), Failure> {
    finish(Command::new("gzip").args(["-9", "-n", "-f"]).arg(file))
}

fn md5(file: &Path) -> Result<String, Failure> {
    let line = output(Command::new("md5sum").arg(file))?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_owned())
}

/// Returns a command's output, trimmed.
fn output(command: &mut Command) -> Result<String, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program} ended with {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_between_words() {
        let wrapped = wrap(&"word ".repeat(20), "  * ", "    ");
        let lines: Vec<_> = wrapped.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  * word") && lines[1].starts_with("    word"), "{wrapped}");
        assert!(lines.iter().all(|line| line.len() <= 76 && line.ends_with("word")), "{wrapped}");
    }
}
