//! The loader service.

use std::path::Path;
use std::sync::Arc;

use crate::Status;

use super::kernel::{Kernel, Object, Server};
use super::memory::Content;

const GET: u64 = 0x73db_bfb6_2e99_320a;
const CONNECT_TO_MANIFEST_FS: u64 = 0x0454_d855_8778_81cc;
const CONNECT_TO_DEVICE_FS: u64 = 0x11cd_633f_2f5f_f6d7;
const GET_SUPPORTED_FEATURES: u64 = 0x381a_bfce_1728_92bd;

/// Replaces the right answer of the service: changes the bytes, and the number of handles.
pub type Answers = fn(method: &str, bytes: &mut Vec<u8>, handles: &mut usize);

/// The service: manifests, and the libraries named in them.
pub struct LoaderService {
    libraries: Vec<(String, Arc<Content>)>,
    features: u32,
    answers: Answers,
}

pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) objects: Vec<Object>,
}

/// Returns the name of the method that a message calls.
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
    pub fn new() -> Self {
        Self { libraries: Vec::new(), features: 0x7, answers: |_, _, _| {} }
    }

    /// Adds a driver: a library of this machine, and a manifest with the service's name of it.
    pub fn with_driver(mut self, library: &Path) -> Self {
        let file = library.file_name().expect("a file").to_string_lossy();
        let name = format!("{}-{file}", self.libraries.len());
        let content = Content::of(library, &name);
        self.libraries.push((name, content));
        self
    }

    pub(crate) fn manifests(&self) -> impl Iterator<Item = (String, String)> {
        self.libraries.iter().map(|(name, _)| {
            let text = format!(
                r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{name}", "api_version": "1.3.0"}}}}"#
            );
            (format!("{name}.json"), text)
        })
    }

    pub fn with_features(mut self, features: u32) -> Self {
        self.features = features;
        self
    }

    pub fn answering(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }

    /// Accepts a message that has no answer, and the handle that came with it.
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

    pub(crate) fn answer(&self, bytes: &[u8]) -> Answer {
        let mut reply = bytes[..16].to_vec();
        // The bit that the kernel sets in the numbers of a process's calls.
        reply[3] = 0x80;
        let mut object = None;
        match ordinal(bytes) {
            GET_SUPPORTED_FEATURES => reply.extend(self.features.to_le_bytes()),
            GET => {
                let length =
                    usize::try_from(u64::from_le_bytes(bytes[16..24].try_into().unwrap_or_default()));
                let name = String::from_utf8_lossy(&bytes[32..32 + length.unwrap_or_default()]).into_owned();
                let library = self.libraries.iter().find(|library| library.0 == name);
                object = library.map(|library| Object::Memory(Arc::clone(&library.1)));
                reply.extend(if object.is_some() { [255; 4] } else { [0; 4] });
            }
            other => panic!("{other:#x} has no answer"),
        }
        reply.extend([0; 4]);
        let mut handles = usize::from(object.is_some());
        (self.answers)(method(bytes), &mut reply, &mut handles);
        let more = || Object::Memory(Content::new("no library"));
        let objects = (0..handles).map(|_| object.take().unwrap_or_else(more)).collect();
        Answer { bytes: reply, objects }
    }
}

impl Default for LoaderService {
    fn default() -> Self {
        Self::new()
    }
}
