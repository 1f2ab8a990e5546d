//! The user who runs the program, and other users.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::variables::Variables;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) id: u32,
    pub(crate) home: String,
    /// The groups of this process, by name if they have one.
    pub(crate) groups: Vec<String>,
    /// The limit on the address space of this process (`ulimit -v`), in bytes, if one is set.
    pub(crate) address_space: Option<u64>,
    /// The groups that the user gets at log-in.
    pub(crate) member_of: Vec<String>,
}

impl User {
    /// Returns variables that every log-in sets and that are not set, as in a service, and their usual values.
    pub(crate) fn absent(&self, variables: &Variables) -> Vec<(String, String)> {
        // This program leaves out what root may not follow.
        if ["SUDO_UID", "PKEXEC_UID"].iter().any(|name| variables.contains_key(*name)) {
            return Vec::new();
        }
        let runtime = format!("/run/user/{}", self.id);
        let usual = [("HOME", self.home.as_str()), ("XDG_RUNTIME_DIR", runtime.as_str())];
        let is_absent = |(name, value): &(&str, &str)| {
            variables.get(*name).is_none_or(String::is_empty) && Path::new(value).is_dir()
        };
        usual.into_iter().filter(is_absent).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

pub(super) struct Database {
    users: String,
    groups: String,
}

impl Database {
    pub(super) fn read() -> Self {
        let text = |name: &str| fs::read_to_string(Path::new("/etc").join(name)).unwrap_or_default();
        Self { users: text("passwd"), groups: text("group") }
    }

    pub(super) fn user_name(&self, id: u32) -> String {
        named(&self.users, id).unwrap_or_else(|| id.to_string())
    }

    pub(super) fn group_name(&self, id: u32) -> String {
        named(&self.groups, id).unwrap_or_else(|| id.to_string())
    }

    fn home(&self, id: u32) -> Option<String> {
        let line = self.users.lines().find(|line| line.split(':').nth(2) == Some(&id.to_string()))?;
        line.split(':').nth(5).map(str::to_owned)
    }

    /// Returns the groups whose lists have this user.
    fn groups_of(&self, user: &str) -> Vec<String> {
        let has =
            |line: &&str| line.split(':').nth(3).is_some_and(|list| list.split(',').any(|name| name == user));
        self.groups.lines().filter(has).filter_map(|line| line.split(':').next()).map(str::to_owned).collect()
    }
}

/// Returns the name in a line of `name:password:number:…`.
fn named(lines: &str, id: u32) -> Option<String> {
    let number = id.to_string();
    let line = lines.lines().find(|line| line.split(':').nth(2) == Some(&number))?;
    line.split(':').next().map(str::to_owned)
}

pub(super) fn collect(home: Option<&String>) -> User {
    let database = Database::read();
    // SAFETY: these calls cannot fail and have no preconditions.
    let (id, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let name = database.user_name(id);
    let mut groups = vec![group];
    let mut more = [0; 256];
    // SAFETY: the array has the capacity that is passed.
    let count = unsafe { libc::getgroups(256, more.as_mut_ptr()) };
    groups.extend(more.iter().take(usize::try_from(count).unwrap_or(0)));
    let mut groups: Vec<String> = groups.into_iter().map(|id| database.group_name(id)).collect();
    groups.sort();
    groups.dedup();
    let home = home.cloned().or_else(|| database.home(id)).unwrap_or_default();
    User { member_of: database.groups_of(&name), address_space: address_space(), name, id, home, groups }
}

// The limit has 32 bits on some processors.
#[allow(clippy::useless_conversion)]
fn address_space() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the structure is valid.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then(|| u64::from(limit.rlim_cur))
}
