//! The packages that files belong to, from the package manager's lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::files::{entries, name_of, read};
use super::packages::Manager;
use crate::lossless;

/// The packages of files, by path. The package is empty if none has the file; files about which nothing is known are left out.
pub(crate) type Owners = BTreeMap<String, String>;

/// Debian's name of this processor, which it adds to the names of packages that may be installed for several.
const PROCESSOR: &str = match std::env::consts::ARCH.as_bytes() {
    b"x86_64" => ":amd64",
    b"aarch64" => ":arm64",
    b"arm" => ":armhf",
    b"x86" => ":i386",
    b"riscv64" => ":riscv64",
    b"loongarch64" => ":loong64",
    _ => "",
};

/// Returns the packages that these files belong to.
pub(super) fn collect(root: &Path, manager: Option<Manager>, paths: &[&str]) -> Owners {
    match manager {
        Some(Manager::Apt) => by_lists(&root.join("var/lib/dpkg/info"), paths),
        Some(Manager::Pacman) => by_folders(&root.join("var/lib/pacman/local"), paths),
        Some(Manager::Apk) => by_database(&read(&root.join("lib/apk/db/installed")), paths),
        Some(Manager::Dnf | Manager::RpmOstree | Manager::Zypper) if root == Path::new("/") => by_rpm(paths),
        _ => Owners::new(),
    }
}

/// Returns the names that a file has where `/lib` is a link to `/usr/lib`.
fn names(path: &str) -> [String; 2] {
    let other = match path.strip_prefix("/usr/") {
        Some(rest) if rest.starts_with("lib") => format!("/{rest}"),
        _ if path.starts_with("/lib") => format!("/usr{path}"),
        _ => path.to_owned(),
    };
    [path.to_owned(), other]
}

/// Returns the packages by lists, each the name of a package and its files, one a line. Nothing is known without lists.
fn search<'a>(lists: impl Iterator<Item = (String, String)>, paths: &[&'a str], prefix: &str) -> Owners {
    let mut wanted: BTreeMap<String, &'a str> = BTreeMap::new();
    for path in paths {
        wanted.extend(names(path).map(|name| (name.strip_prefix(prefix).unwrap_or(&name).to_owned(), *path)));
    }
    let mut owners = Owners::new();
    let mut any = false;
    for (package, files) in lists {
        any = true;
        for line in files.lines() {
            if let Some(path) = wanted.get(line) {
                owners.insert((*path).to_owned(), package.clone());
            }
        }
    }
    if any {
        for path in paths {
            owners.entry((*path).to_owned()).or_default();
        }
    }
    owners
}

fn by_lists(folder: &Path, paths: &[&str]) -> Owners {
    let lists = entries(folder).into_iter().filter_map(|file| {
        let name = name_of(&file);
        let package = name.strip_suffix(".list")?;
        let package = package.strip_suffix(PROCESSOR).unwrap_or(package).to_owned();
        Some((package, lossless::text(&fs::read(&file).ok()?)))
    });
    search(lists, paths, "")
}

fn by_folders(folder: &Path, paths: &[&str]) -> Owners {
    let lists = entries(folder).into_iter().filter_map(|folder| {
        let files = lossless::text(&fs::read(folder.join("files")).ok()?);
        // NAME-VERSION-RELEASE.
        let name = name_of(&folder);
        let package = name.rsplitn(3, '-').last().unwrap_or_default().to_owned();
        Some((package, files))
    });
    search(lists, paths, "/")
}

fn by_database(text: &str, paths: &[&str]) -> Owners {
    let list = |package: &str| {
        let (mut name, mut folder, mut files) = (String::new(), "", String::new());
        for line in package.lines() {
            match line.split_once(':') {
                Some(("P", value)) => value.clone_into(&mut name),
                Some(("F", value)) => folder = value,
                Some(("R", value)) => files += &format!("{folder}/{value}\n"),
                _ => {}
            }
        }
        (name, files)
    };
    search(text.split("\n\n").filter(|package| !package.is_empty()).map(list), paths, "/")
}

/// Asks rpm, whose database only it can read. It prints a line for each file.
fn by_rpm(paths: &[&str]) -> Owners {
    let mut rpm = Command::new("/usr/bin/rpm");
    rpm.args(["--query", "--file", "--queryformat", "%{NAME}\n"])
        .args(paths.iter().map(|path| lossless::system(path)))
        .env("LC_ALL", "C");
    let Ok(output) = rpm.stdin(Stdio::null()).stderr(Stdio::null()).output() else { return Owners::new() };
    let told = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = told.lines().collect();
    if lines.len() != paths.len() {
        return Owners::new();
    }
    let package = |line: &str| if line.contains(' ') { String::new() } else { line.to_owned() };
    paths.iter().zip(lines).map(|(path, line)| ((*path).to_owned(), package(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_package_by_either_name_of_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(&format!("var/lib/dpkg/info/libvulkan1{PROCESSOR}.list"), "/.\n/usr/lib/x/libvulkan.so.1\n");
        write("var/lib/dpkg/info/other.list", "/lib/y/liby.so\n");
        write(
            "var/lib/pacman/local/vulkan-icd-loader-1.4.309-1/files",
            "%FILES%\nusr/lib/x/libvulkan.so.1\n",
        );
        write("lib/apk/db/installed", "P:vulkan-loader\nF:usr/lib/x\nR:libvulkan.so.1\n\nP:b\nF:c\nR:d\n");
        let paths = ["/lib/x/libvulkan.so.1", "/usr/lib/y/liby.so", "/opt/z"];
        let found = |manager| {
            let owners = collect(root.path(), Some(manager), &paths);
            paths.map(|path| owners.get(path).cloned().unwrap_or_else(|| "unknown".to_owned()))
        };
        assert_eq!(found(Manager::Apt), ["libvulkan1", "other", ""]);
        assert_eq!(found(Manager::Pacman), ["vulkan-icd-loader", "", ""]);
        assert_eq!(found(Manager::Apk), ["vulkan-loader", "", ""]);
        assert_eq!(found(Manager::Xbps), ["unknown"; 3]);
    }
}
