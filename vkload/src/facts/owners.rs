//! The packages that files belong to, from the package manager's lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
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
        Some(Manager::Dnf | Manager::RpmOstree | Manager::Zypper) if root == Path::new("/") => by_rpm(paths),
        Some(manager) => search(installed(root, manager).into_iter(), paths),
        None => Owners::new(),
    }
}

/// The files of a package: those that a list names, one a line, or these lines.
pub(super) enum Files {
    List(PathBuf),
    Lines(String),
}

/// Returns the installed packages with their files. Empty if only the manager's own tool can read them (rpm).
pub(super) fn installed(root: &Path, manager: Manager) -> Vec<(String, Files)> {
    let dpkg = |list: PathBuf| {
        let name = name_of(&list);
        let package = name.strip_suffix(".list")?;
        Some((package.strip_suffix(PROCESSOR).unwrap_or(package).to_owned(), Files::List(list)))
    };
    // NAME-VERSION-RELEASE.
    let pacman = |folder: PathBuf| {
        let package = name_of(&folder).rsplitn(3, '-').last().unwrap_or_default().to_owned();
        (package, Files::List(folder.join("files")))
    };
    match manager {
        Manager::Apt => entries(&root.join("var/lib/dpkg/info")).into_iter().filter_map(dpkg).collect(),
        Manager::Pacman => entries(&root.join("var/lib/pacman/local")).into_iter().map(pacman).collect(),
        Manager::Apk => {
            let all = read(&root.join("lib/apk/db/installed"));
            all.split("\n\n").filter(|package| !package.is_empty()).map(apk).collect()
        }
        _ => Vec::new(),
    }
}

fn apk(package: &str) -> (String, Files) {
    let (mut name, mut folder, mut files) = (String::new(), "", String::new());
    for line in package.lines() {
        match line.split_once(':') {
            Some(("P", value)) => value.clone_into(&mut name),
            Some(("F", value)) => folder = value,
            Some(("R", value)) => files += &format!("{folder}/{value}\n"),
            _ => {}
        }
    }
    (name, Files::Lines(files))
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

/// Returns the packages by their files, which some managers list without the first slash. Nothing is known without packages.
fn search<'a>(packages: impl Iterator<Item = (String, Files)>, paths: &[&'a str]) -> Owners {
    let mut wanted: BTreeMap<String, &'a str> = BTreeMap::new();
    for path in paths {
        wanted.extend(names(path).map(|name| (name.trim_start_matches('/').to_owned(), *path)));
    }
    let (mut owners, mut any) = (Owners::new(), false);
    for (package, files) in packages {
        any = true;
        let files = match files {
            Files::List(list) => lossless::text(&fs::read(&list).unwrap_or_default()),
            Files::Lines(lines) => lines,
        };
        for line in files.lines() {
            if let Some(path) = wanted.get(line.trim_start_matches('/')) {
                owners.insert((*path).to_owned(), package.clone());
            }
        }
    }
    for path in paths.iter().filter(|_| any) {
        owners.entry((*path).to_owned()).or_default();
    }
    owners
}

/// Asks rpm, whose database only it can read. It prints a line for each file: one with a space is a message, since no package has such a name.
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
