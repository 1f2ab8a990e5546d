//! Where environment variables are set: files of shells and log-ins, systemd units, desktop entries, Steam's launch options.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{content, entries, name_of, read};
use super::variables::Variables;
use crate::lossless;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Assignment {
    pub(crate) variable: String,
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) setter: Setter,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "by")]
pub(crate) enum Setter {
    /// A shell, or the log-in.
    #[default]
    LogIn,
    /// The desktop, when it starts the program.
    Desktop,
    /// systemd, when it starts this unit.
    Unit { name: String, of_user: bool },
    /// Steam, when it starts a game.
    Steam,
}

/// Files that shells and log-ins read, below the home folder and below the root. Blanks separate them.
const OF_HOME: &str = ".profile .bash_profile .bash_login .bashrc .zshenv .zprofile .zshrc .xprofile .xsessionrc .xinitrc \
    .pam_environment .config/fish/config.fish";
const OF_SYSTEM: &str = "/etc/environment /etc/profile /etc/bash.bashrc /etc/bashrc /etc/zsh/zshenv \
    /etc/security/pam_env.conf";
const FOLDERS_OF_HOME: &[&str] =
    &[".config/environment.d", ".config/plasma-workspace/env", ".config/fish/conf.d"];
const FOLDERS_OF_SYSTEM: &[&str] =
    &["/etc/environment.d", "/usr/lib/environment.d", "/etc/profile.d", "/etc/X11/Xsession.d"];
/// Folders of desktop entries and of units.
const ENTRIES_OF_HOME: &str = ".local/share/applications";
const ENTRIES_OF_SYSTEM: &[&str] = &["/usr/local/share/applications", "/usr/share/applications"];
const UNITS_OF_USER: &[&str] = &["/etc/systemd/user", "/usr/lib/systemd/user"];
const UNITS_OF_SYSTEM: &[&str] = &["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"];
/// Steam's folders below the home folder.
const STEAM: &[&str] = &[
    ".local/share/Steam/userdata",
    ".steam/steam/userdata",
    ".var/app/com.valvesoftware.Steam/.local/share/Steam/userdata",
];
/// Larger files are not read.
const SIZE_LIMIT: u64 = 8 << 20;

/// Returns the lines that set any of these variables for programs of this user, or for the process with this number and program.
pub(super) fn collect(variables: &Variables, home: &str, process: Option<(u32, &Path)>) -> Vec<Assignment> {
    let names: Vec<&str> = variables.keys().map(String::as_str).filter(|name| is_telling(name)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let home = Path::new(home);
    let mut files: Vec<(PathBuf, Setter)> = Vec::new();
    let listed =
        OF_HOME.split(' ').map(|name| home.join(name)).chain(OF_SYSTEM.split(' ').map(PathBuf::from));
    let folders = FOLDERS_OF_HOME.iter().map(|name| home.join(name));
    let folders = folders.chain(FOLDERS_OF_SYSTEM.iter().map(PathBuf::from));
    let of_folders = folders.flat_map(|folder| entries(&folder));
    files.extend(listed.chain(of_folders).map(|file| (file, Setter::LogIn)));
    if let Some((id, program)) = process {
        files.extend(unit_files(home, id));
        files.extend(desktop_entries(home, variables, program));
        let of_steam = STEAM.iter().flat_map(|folder| entries(&home.join(folder)));
        files.extend(of_steam.map(|user| (user.join("config/localconfig.vdf"), Setter::Steam)));
    }
    let mut all: Vec<Assignment> = Vec::new();
    for (file, setter) in files {
        for assignment in assignments(&file, &setter, &names) {
            if !all.contains(&assignment) {
                all.push(assignment);
            }
        }
    }
    all
}

/// Returns whether a user may want to know where this variable is set.
fn is_telling(name: &str) -> bool {
    let general = ["HOME", "PATH", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"];
    !general.contains(&name) && !name.starts_with("XDG_SESSION") && !name.starts_with("XDG_SEAT")
}

fn assignments(file: &Path, setter: &Setter, names: &[&str]) -> Vec<Assignment> {
    let text = content(file, SIZE_LIMIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let of_line = |(index, line): (usize, &str)| {
        let set = names.iter().filter(|name| sets(line, name)).map(|name| (*name).to_owned());
        set.map(|variable| Assignment {
            variable,
            file: lossless::of(file),
            line: index + 1,
            setter: setter.clone(),
        })
        .collect::<Vec<_>>()
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

/// Returns whether this line sets the variable: `export NAME=`, `Environment=NAME=`, `env NAME=`, fish's `set -x NAME`, PAM's `NAME DEFAULT=`.
fn sets(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with(['#', ';']) {
        return false;
    }
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + name.len()..).unwrap_or_default();
        let is_whole =
            !before.ends_with(|last: char| last.is_ascii_alphanumeric() || matches!(last, '_' | '$' | '{'));
        let by_set = before.starts_with("set ") || before.starts_with("setenv ");
        is_whole
            && (after.starts_with('=')
                || after.starts_with(" DEFAULT=")
                || (by_set && after.starts_with(' ')))
    })
}

/// Returns the systemd service of a process, and whether it is one of its user's.
pub(crate) fn service(id: u32) -> Option<(String, bool)> {
    let groups = read(Path::new(&format!("/proc/{id}/cgroup")));
    let mut paths = groups.lines().filter_map(|line| line.rsplit(':').next());
    let path = paths.find(|path| path.contains(".service") && !path.ends_with(".scope"))?;
    let name = path.rsplit('/').find(|part| part.ends_with(".service") && !part.starts_with("user@"))?;
    Some((name.to_owned(), path.contains("/user@")))
}

fn unit_files(home: &Path, id: u32) -> Vec<(PathBuf, Setter)> {
    let Some((name, of_user)) = service(id) else { return Vec::new() };
    let own = of_user.then(|| home.join(".config/systemd/user"));
    let folders = if of_user { UNITS_OF_USER } else { UNITS_OF_SYSTEM };
    let folders = own.into_iter().chain(folders.iter().map(PathBuf::from));
    let setter = Setter::Unit { name: name.clone(), of_user };
    let of_folder = |folder: PathBuf| {
        let drop_ins = entries(&folder.join(format!("{name}.d")));
        [folder.join(&name)].into_iter().chain(drop_ins)
    };
    folders.flat_map(of_folder).map(|file| (file, setter.clone())).collect()
}

fn desktop_entries(home: &Path, variables: &Variables, program: &Path) -> Vec<(PathBuf, Setter)> {
    let launched = variables.get("GIO_LAUNCHED_DESKTOP_FILE").map(PathBuf::from);
    let folders = [home.join(ENTRIES_OF_HOME)].into_iter().chain(ENTRIES_OF_SYSTEM.iter().map(PathBuf::from));
    let name = name_of(program);
    let starts = |file: &PathBuf| {
        name_of(file).ends_with(".desktop")
            && read(file).lines().any(|line| line.starts_with("Exec=") && line.contains(name.as_str()))
    };
    let all = folders.flat_map(|folder| entries(&folder)).filter(starts);
    launched.into_iter().chain(all).map(|file| (file, Setter::Desktop)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_sets_a_variable_in_the_languages_of_all_files() {
        for line in [
            "export VK_A=x",
            "  VK_A=x",
            "Environment=VK_A=x",
            "Environment=\"OTHER=y\" \"VK_A=x\"",
            "Exec=env VK_A=x game",
            "set -gx VK_A x",
            "VK_A DEFAULT=x",
            "\t\"LaunchOptions\"\t\t\"VK_A=x %command%\"",
        ] {
            assert!(sets(line, "VK_A"), "{line}");
        }
        for line in
            ["# export VK_A=x", "export VK_AB=x", "export XVK_A=x", "echo $VK_A", "unset VK_A", "${VK_A=x}"]
        {
            assert!(!sets(line, "VK_A"), "{line}");
        }
    }
}
