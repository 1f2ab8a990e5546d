//! The additional functions of the system that a loader inside an application calls.

use std::ffi::CStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use platform_android::system::Namespace;
use platform_android_apk::{ApplicationSystem, NamespaceRequest};
use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::FileError;

use crate::Android;
use crate::system::reason;

impl ApplicationSystem for Android {
    fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory> {
        let name = name.to_string_lossy();
        let value = self.change().variables.get(name.as_ref()).cloned();
        value.map(|value| text(&[value.as_bytes()])).transpose()
    }

    fn own_folders(&self) -> Result<[Text; 2], OutOfMemory> {
        let [data, libraries] = self.change().own_folders;
        Ok([text(&[data.as_bytes()])?, text(&[libraries.as_bytes()])?])
    }

    fn make_folder(&self, path: &CStr) -> Result<(), FileError> {
        self.record("make-folder", path);
        match fs::create_dir(self.here(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map_err(|error| not_written(&error)),
        }
    }

    fn create(&self, path: &CStr, content: &[u8]) -> Result<(), FileError> {
        self.record("create", path);
        let room = self.change().room.unwrap_or(content.len());
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o400)
            .open(self.here(path))
            .map_err(|error| not_written(&error))?;
        file.write_all(content.get(..room).unwrap_or(content)).map_err(|error| not_written(&error))?;
        if room < content.len() { Err(FileError::Other(libc::ENOSPC)) } else { Ok(()) }
    }

    fn rename(&self, from: &CStr, to: &CStr) -> Result<(), FileError> {
        self.record("rename", to);
        fs::rename(self.here(from), self.here(to)).map_err(|error| not_written(&error))
    }

    fn remove(&self, path: &CStr) {
        self.record("remove", path);
        let path = self.here(path);
        let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
    }

    fn is_running(&self, process: u32) -> bool {
        self.change().running.contains(&process)
    }

    fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text> {
        let NamespaceRequest { name, folder, permitted } = request;
        let (name, folder) = (name.to_string_lossy(), folder.to_string_lossy());
        let mut world = self.change();
        world.calls.push(format!("namespace {name} {folder} {}", permitted.to_string_lossy()));
        if !world.makes_namespaces {
            return Err(text(&[b"the tests' linker makes none"]).unwrap_or_default());
        }
        // Paths are absolute, so the folder for looking up names does not matter. Several may have
        // the same name.
        let unique = format!("{name} {folder}");
        let folder = if world.namespaces_lack_libraries { "/nowhere" } else { "" };
        world.namespaces.insert(unique.clone(), folder.to_owned());
        Ok(world.namespace(&unique))
    }
}

/// Returns why something cannot be written.
fn not_written(error: &io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
            FileError::NotAFile
        }
        _ => reason(error),
    }
}
