//! The loader service.

use std::path::{Path, PathBuf};

use platform_fuchsia::Status;
use tempfile::TempDir;

use crate::kernel::{Kernel, Object, Server};

/// What a driver connects to, to tell that it reached a device.
pub const DEVICE_OPENED: &str = "/loader-gpu-devices/class/gpu/000";

const GET: u64 = 0x73db_bfb6_2e99_320a;
const CONNECT_TO_MANIFEST_FS: u64 = 0x0454_d855_8778_81cc;
const CONNECT_TO_DEVICE_FS: u64 = 0x11cd_633f_2f5f_f6d7;
const GET_SUPPORTED_FEATURES: u64 = 0x381a_bfce_1728_92bd;

/// What the service answers to a question, in place of the right answer: changes the bytes, and how many handles come.
pub type Answers = fn(method: &str, bytes: &mut Vec<u8>, handles: &mut usize);

/// The service: a folder of manifests, and the libraries that they name.
pub struct LoaderService {
    folder: TempDir,
    libraries: Vec<(String, PathBuf)>,
    features: u32,
    answers: Answers,
}

pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) objects: Vec<Object>,
}

/// The name of the method that a message is to.
pub(crate) fn method(bytes: &[u8]) -> &'static str {
    match ordinal(bytes) {
        GET => "Get",
        CONNECT_TO_MANIFEST_FS => "ConnectToManifestFs",
        CONNECT_TO_DEVICE_FS => "ConnectToDeviceFs",
        GET_SUPPORTED_FEATURES => "GetSupportedFeatures",
        _ => "unknown",
    }
}

fn ordinal(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[8..16].try_into().unwrap_or_default())
}

impl LoaderService {
    /// A service without drivers.
    ///
    /// # Panics
    /// If no folder can be made for its manifests.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, libraries: Vec::new(), features: 0x7, answers: |_, _, _| {} }
    }

    /// Adds a driver: a manifest that names the library as the service does, and the library's file.
    ///
    /// # Panics
    /// If the manifest cannot be written.
    #[must_use]
    pub fn with_driver(mut self, library: &Path) -> Self {
        let file = library.file_name().expect("a file").to_string_lossy();
        let name = format!("{}-{file}", self.libraries.len());
        let manifest = format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{name}", "api_version": "1.3.0"}}}}"#
        );
        std::fs::write(self.folder.path().join(format!("{name}.json")), manifest).expect("the manifest");
        self.libraries.push((name, library.to_owned()));
        self
    }

    /// Says which features the service has.
    #[must_use]
    pub fn with_features(mut self, features: u32) -> Self {
        self.features = features;
        self
    }

    /// Changes what the service answers.
    #[must_use]
    pub fn answering(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }

    pub(crate) fn manifests(&self) -> &Path {
        self.folder.path()
    }

    /// Takes a message that has no answer, and the handle that came with it.
    pub(crate) fn take(&self, kernel: &mut Kernel, bytes: &[u8], object: Object) -> Result<(), Status> {
        match ordinal(bytes) {
            CONNECT_TO_MANIFEST_FS => {
                assert_eq!(bytes[16..], [1, 0, 0, 0, 255, 255, 255, 255], "it waits for the drivers");
                kernel.serve_object(Some(&object), Server::Manifests);
            }
            CONNECT_TO_DEVICE_FS => {
                assert_eq!(bytes[16..], [255, 255, 255, 255, 0, 0, 0, 0]);
                kernel.serve_object(Some(&object), Server::Devices);
            }
            other => panic!("{other:#x} has an answer"),
        }
        assert_eq!(bytes[..8], [0, 0, 0, 0, 2, 0, 0, 1]);
        Ok(())
    }

    /// Answers a message.
    pub(crate) fn answer(&self, bytes: &[u8]) -> Answer {
        let mut reply = bytes[..16].to_vec();
        // As the kernel numbers the calls of a process.
        reply[3] = 0x80;
        let mut object = None;
        match ordinal(bytes) {
            GET_SUPPORTED_FEATURES => reply.extend(self.features.to_le_bytes()),
            GET => {
                let length =
                    usize::try_from(u64::from_le_bytes(bytes[16..24].try_into().unwrap_or_default()));
                let name = String::from_utf8_lossy(&bytes[32..32 + length.unwrap_or_default()]).into_owned();
                let library = self.libraries.iter().find(|library| library.0 == name);
                object = library.map(|library| Object::Memory(library.1.clone()));
                reply.extend(if object.is_some() { [255; 4] } else { [0; 4] });
            }
            other => panic!("{other:#x} has no answer"),
        }
        reply.extend([0; 4]);
        let mut handles = usize::from(object.is_some());
        (self.answers)(method(bytes), &mut reply, &mut handles);
        let more = || Object::Memory(self.folder.path().join("none"));
        let objects = (0..handles).map(|_| object.take().unwrap_or_else(more)).collect();
        Answer { bytes: reply, objects }
    }
}

impl Default for LoaderService {
    fn default() -> Self {
        Self::new()
    }
}
