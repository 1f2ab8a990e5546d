//! The settings file that changes are written to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use vkload_core::discovery::KnownSettings;
use vkload_linux::POLICY;

use crate::facts::may;
use crate::own_loader::PLATFORM;
use crate::rights;
use crate::settings_edit::{self, Json};

/// The file below a folder of data or configuration.
const FILE: &str = "vulkan/loader_settings.d/vk_loader_settings.json";

/// A file that exists or will be written.
#[derive(Debug)]
pub(super) struct EditedFile {
    pub(super) path: PathBuf,
    /// Its content. `None` if it does not exist.
    pub(super) before: Option<String>,
    pub(super) start: Json,
    /// The system's file that it replaces for this user, whose content is copied.
    pub(super) copied_from: Option<PathBuf>,
}

impl EditedFile {
    /// Returns the file at [`path`]. A file of this user's that does not exist yet begins with the content of the one in use.
    pub(super) fn find(given: Option<&Path>) -> Result<Self, String> {
        let path = path(given)?;
        let before = read(&path)?;
        let copied_from = if given.is_none() && before.is_none() { in_use()? } else { None };
        let start = match (&before, &copied_from) {
            (Some(text), _) => parse(&path, text)?,
            (None, None) => settings_edit::empty(),
            (None, Some(used)) => {
                let mut start = parse(used, &read(used)?.unwrap_or_default())?;
                settings_edit::make_paths_absolute(&mut start, used.parent().unwrap_or(Path::new("/")));
                start
            }
        };
        Ok(Self { path, before, start, copied_from })
    }
}

/// Returns the path of the given file, or of the one in use if this user can write to it, or else of the user's own, where every loader that
/// reads settings looks.
pub(super) fn path(given: Option<&Path>) -> Result<PathBuf, String> {
    let path = match given {
        Some(given) => std::path::absolute(given).map_err(|error| format!("{}: {error}", given.display()))?,
        None => match in_use()?.filter(|used| is_writable(used)) {
            Some(used) => used,
            None => users_file()?,
        },
    };
    if let Some(culprit) = rights::changeable_folder(&path).filter(|_| rights::is_root()) {
        let culprit = culprit.display();
        return Err(format!("root does not write {}: another user can change {culprit}", path.display()));
    }
    // A link stays a link.
    Ok(path.canonicalize().unwrap_or(path))
}

/// Returns the file that programs of this user get.
pub(super) fn in_use() -> Result<Option<PathBuf>, String> {
    let known = KnownSettings::discover(&PLATFORM, &POLICY).map_err(|_| "memory ran out")?;
    let path = PathBuf::from(OsStr::from_bytes(&known.plan.path));
    Ok(Some(path).filter(|path| !path.as_os_str().is_empty()))
}

fn users_file() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
    data.map(|data| data.join(FILE)).ok_or_else(|| "HOME is not set; name the settings file".to_owned())
}

/// Returns whether the file can be replaced in its folder.
fn is_writable(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.parent().is_some_and(|folder| may(folder, libc::W_OK | libc::X_OK))
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(format!("{} is not UTF-8; correct it or move it away", path.display()))
        }
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn parse(path: &Path, text: &str) -> Result<Json, String> {
    match Json::parse(text) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(_) => Err(format!("{} is not a JSON object; correct it or move it away", path.display())),
        Err(error) => {
            Err(format!("{} is not valid JSON ({error}); correct it or move it away", path.display()))
        }
    }
}
