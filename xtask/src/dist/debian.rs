//! Debian packages.
//!
//! `libvulkan1-vkload` is installed alongside Debian's `libvulkan1`: its library is in a separate folder, which the dynamic linker searches
//! first. So nothing is removed when it is installed, neither `libvulkan1` nor packages that depend on an exact version of it
//! (`libvulkan-dev`), and programs use Debian's loader again after its removal. `vkload` is the command line tool, `libvkload-dev` the
//! static library, `vkload-null-driver` the driver without a GPU, `vkload-statistics-layer` the layer that counts calls,
//! `vkload-recorder-layer` the layer that keeps the last ones, and `vkload-faults-layer` the layer that makes them fail. `vulkan.pc`
//! comes with Vulkan's headers in `libvulkan-dev`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use md5::{Digest, Md5};
use serde::Deserialize;

use super::built::Built;
use super::deb::{self, Entries, Entry};
use super::options::{Options, machine};
use super::output::{emptied, folder, source_date, vulkan_version};
use super::tree::Tree;
use crate::Failure;
use crate::command::{Run, command};
use crate::elf::{Facts, GlibcVersion};
use crate::workspace::{files, root};

const REVISION: &str = "1";

/// Debian's names for the processors that the library has code for.
const ARCHITECTURES: &str = "amd64 arm64 armhf i386 riscv64";

const PACKAGES: &str = "packaging/debian/packages.toml";

#[derive(Deserialize)]
struct Packages {
    package: Vec<Package>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Package {
    name: String,
    section: String,
    /// Whether packages for several processors can be installed at once.
    multi_arch: String,
    /// Fields for the relations to other packages.
    relations: Vec<String>,
    description: String,
    /// Parts of the paths of its files.
    files: Vec<String>,
    /// Other files that packages have in `DEBIAN`, with their contents.
    #[serde(default)]
    control: BTreeMap<String, String>,
}

/// The common inputs of all packages.
struct Packer {
    out: PathBuf,
    vulkan_version: String,
    own_version: String,
    maintainer: String,
    /// Seconds since 1970: the time of everything in the packages.
    time: u64,
    /// `Depends` of programs and libraries.
    c_library: String,
    /// Debian's name for it.
    processor: &'static str,
}

pub(in crate::dist) fn pack(built: &Built, options: &Options) -> Result<(), Failure> {
    let everything = emptied("everything")?;
    let tree = Tree::new(&everything);
    tree.install(built, options)?;
    // The dynamic linker reads these files in the order of their names, and searches the folders in them.
    let search_path = format!("/etc/ld.so.conf.d/00-vkload-{}.conf", machine(options.target)?.1);
    tree.write(Path::new(&search_path), &format!("{}\n", options.shared.display()))?;
    let out = options.out.clone().unwrap_or_else(|| folder().join("packages"));
    fs::create_dir_all(&out)?;
    let programs: Vec<_> = built.tool.iter().chain(&built.plugins).chain([&built.library]).collect();
    let packer = Packer {
        c_library: c_library(&programs)?,
        processor: machine(options.target)?.0,
        out,
        vulkan_version: vulkan_version()?,
        own_version: own_version(),
        maintainer: maintainer(),
        time: source_date()?,
    };
    let packages = packages()?;
    let mut of_packages: Vec<_> = packages.iter().map(|_| Entries::new()).collect();
    for (name, path) in files(&everything)? {
        let takes = |package: &Package| package.files.iter().any(|part| name.contains(part));
        let Some(owner) = packages.iter().position(takes) else { continue };
        of_packages[owner].insert(name, Entry::read(&path)?);
    }
    packages.iter().zip(of_packages).try_for_each(|(package, entries)| packer.make(package, entries))
}

impl Packer {
    fn make(&self, package: &Package, mut entries: Entries) -> Result<(), Failure> {
        let documents = format!("usr/share/doc/{}", package.name);
        entries.insert(format!("{documents}/copyright"), Entry::of(copyright()?));
        entries.insert(
            format!("{documents}/changelog.Debian"),
            Entry::of(changelog(&self.own_version, &self.maintainer, self.time)?),
        );
        let entries = compressed(entries)?;
        let (mut sums, mut configuration, mut size) = (String::new(), String::new(), 0);
        for (name, entry) in &entries {
            size += entry.size().div_ceil(1024);
            if let Entry::File { content, .. } = entry {
                sums.extend(Md5::digest(content).iter().map(|byte| format!("{byte:02x}")));
                sums.push_str(&format!("  {name}\n"));
            }
            if name.starts_with("etc/") {
                configuration.push_str(&format!("/{name}\n"));
            }
        }
        let mut control = Entries::from([
            ("control".to_owned(), Entry::of(self.control(package, size))),
            ("md5sums".to_owned(), Entry::of(sums)),
        ]);
        if !configuration.is_empty() {
            control.insert("conffiles".into(), Entry::of(configuration));
        }
        control.extend(package.control.iter().map(|(name, text)| (name.clone(), Entry::of(self.fill(text)))));
        let file = self.out.join(format!("{}_{}_{}.deb", package.name, self.own_version, self.processor));
        fs::write(&file, deb::package(&control, &entries, self.time)?)?;
        println!("{} ({} bytes)", file.display(), fs::metadata(&file)?.len());
        Ok(())
    }

    /// Returns the description of a package with files of this size, in units of 1,024 bytes.
    fn control(&self, package: &Package, size: usize) -> String {
        let mut text = format!(
            "Package: {}\nSource: vkload\nVersion: {}\nArchitecture: {}\nMaintainer: {}\nInstalled-Size: {size}\n",
            package.name, self.own_version, self.processor, self.maintainer
        );
        if package.section != "libdevel" {
            text.push_str(&format!("Depends: {}\n", self.c_library));
        }
        for relation in &package.relations {
            text.push_str(&format!("{}\n", self.fill(relation)));
        }
        let Package { section, multi_arch, description, .. } = package;
        text + &format!(
            "Section: {section}\nPriority: optional\nMulti-Arch: {multi_arch}\nHomepage: {}\nDescription: {}\n",
            env!("CARGO_PKG_REPOSITORY"),
            description.replace('\n', "\n ")
        )
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{version}", &self.vulkan_version).replace("{own}", &self.own_version)
    }
}

fn packages() -> Result<Vec<Package>, Failure> {
    let Packages { package } = toml::from_str(&fs::read_to_string(root().join(PACKAGES))?)?;
    Ok(package)
}

fn own_version() -> String {
    format!("{}-{REVISION}", env!("CARGO_PKG_VERSION"))
}

fn maintainer() -> String {
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    format!(
        "{} <{}>",
        variable("DEBFULLNAME", "The vkload authors"),
        variable("DEBEMAIL", "vkload@example.org")
    )
}

/// Returns the generated files of a source package's folder `debian`, by their names.
pub(crate) fn source_files() -> Result<[(&'static str, String); 3], Failure> {
    let (maintainer, home) = (maintainer(), env!("CARGO_PKG_REPOSITORY"));
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    let mut control = format!(
        "Source: vkload\nSection: libs\nPriority: optional\nMaintainer: {maintainer}\n\
         Build-Depends: cargo (>= {oldest}), rustc (>= {oldest})\nStandards-Version: 4.6.2\n\
         Rules-Requires-Root: no\nHomepage: {home}\nVcs-Browser: {home}\nVcs-Git: {home}.git\n"
    );
    let version = vulkan_version()?;
    for Package { name, section, multi_arch, relations, description, .. } in packages()? {
        control.push_str(&format!("\nPackage: {name}\nArchitecture: {ARCHITECTURES}\nSection: {section}\n"));
        for relation in relations {
            control.push_str(&relation.replace("{version}", &version).replace("{own}", "${binary:Version}"));
            control.push('\n');
        }
        let description = description.replace('\n', "\n ");
        control.push_str(&format!("Multi-Arch: {multi_arch}\nDescription: {description}\n"));
    }
    let changelog = changelog(&own_version(), &maintainer, source_date()?)?;
    Ok([("control", control), ("changelog", changelog), ("copyright", copyright()?)])
}

/// Returns the changes of this release, from `CHANGELOG.md`.
fn changelog(version: &str, maintainer: &str, time: u64) -> Result<String, Failure> {
    let all = fs::read_to_string(root().join("CHANGELOG.md"))?;
    let latest = all.split("\n## ").nth(1).unwrap_or_default();
    let mut text = format!("vkload ({version}) unstable; urgency=medium\n\n");
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
    let date = command("date -u -R -d").arg(format!("@{time}")).env("LC_ALL", "C").read()?;
    Ok(text + &format!("\n -- {maintainer}  {date}\n"))
}

/// Compresses manual pages and changelogs.
fn compressed(entries: Entries) -> Result<Entries, Failure> {
    let compress = |(name, entry): (String, Entry)| match entry {
        Entry::File { content, .. } if name.contains("/man/") || name.ends_with("/changelog.Debian") => {
            Ok((name + ".gz", Entry::of(deb::gzip(&content)?)))
        }
        entry => Ok((name, entry)),
    };
    entries.into_iter().map(compress).collect()
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
    let mut newest = GlibcVersion::default();
    for file in files {
        newest = Facts::of(file)?.glibc_versions().map(|(_, version)| version).fold(newest, Ord::max);
    }
    Ok(format!("libc6 (>= {newest})"))
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
