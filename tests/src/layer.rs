//! Layers made to measure.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use ash::vk;

use crate::{Sandbox, compile};

/// A layer to be installed: by default explicit, of interface version 2, passing everything on and recording it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Layer {
    name: String,
    implicit: bool,
    exports: Vec<String>,
    library: Option<String>,
    library_path: Option<String>,
    configuration: &'static str,
    behaviours: String,
    fields: String,
    api: String,
    file_format: String,
    manifest: Option<String>,
    folder: Option<String>,
}

impl Layer {
    /// Exports the negotiation: what interface version 2 asks for.
    pub const NEGOTIATE: &[&str] = &["-DEXPORT_NEGOTIATE"];
    /// Exports `vkGetInstanceProcAddr` and `vkGetDeviceProcAddr`.
    pub const PLAIN: &[&str] = &["-DEXPORT_PLAIN"];
    /// Exports the negotiation and the functions by their plain names: interface version 1.
    pub const NEGOTIATE_PLAIN: &[&str] = &["-DEXPORT_NEGOTIATE", "-DEXPORT_PLAIN"];
    /// Exports functions under names that only its manifest gives: `test_lookup`, `test_device_lookup`, `test_negotiate`.
    pub const OTHER: &[&str] = &["-DEXPORT_OTHER"];

    /// Returns a layer whose manifest is `NAME.json` and whose library is `libNAME.so` in the sandbox's `lib`.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            implicit: false,
            exports: vec!["-DEXPORT_NEGOTIATE".to_owned()],
            library: None,
            library_path: None,
            configuration: "layer",
            behaviours: String::new(),
            fields: String::new(),
            api: "1.3.0".to_owned(),
            file_format: "1.2.0".to_owned(),
            manifest: None,
            folder: None,
        }
    }

    /// Makes it active unless the variable `NO_NAME` is set.
    pub fn implicit(mut self) -> Self {
        self.implicit = true;
        let variable = format!("{{\"NO_{}\": \"1\"}}", self.name);
        self.field("disable_environment", &variable)
    }

    /// Sets its exports, one of the constants of this type.
    pub fn exports(mut self, switches: &[&str]) -> Self {
        self.exports = switches.iter().map(|&switch| switch.to_owned()).collect();
        self
    }

    /// Exports `NAMEGetInstanceProcAddr` and `NAMEGetDeviceProcAddr`.
    pub fn exports_its_name(mut self) -> Self {
        self.exports = vec!["-DEXPORT_NAMED".to_owned(), format!("-DLAYER_NAME={}", self.name)];
        self
    }

    /// Its library also holds the layer `second`, which exports functions with that name in front.
    pub fn holds(mut self, second: &str) -> Self {
        self.exports.push(format!("-DSECOND={second}"));
        self
    }

    /// Lies in the library of the layer `first`, which [`Self::holds`] it.
    pub fn held_by(mut self, first: &str) -> Self {
        self.library = Some(format!("lib/lib{first}.so"));
        self.configuration = "second";
        self
    }

    /// Lies in the library of the driver of this name, which [`Driver::holds_layer`](crate::Driver::holds_layer).
    pub fn inside_driver(mut self, driver: &str) -> Self {
        self.library = Some(format!("lib/lib{driver}.so"));
        self
    }

    /// Adds a behaviour of `tests/layers/`, in addition to passing calls on.
    pub fn does(mut self, behaviour: &str) -> Self {
        writeln!(self.behaviours, "do={behaviour}").unwrap();
        self
    }

    pub fn does_with(self, behaviour: &str, number: i64) -> Self {
        self.does(&format!("{behaviour}:{number}"))
    }

    pub fn refuses(self, result: vk::Result) -> Self {
        self.does_with("refuse", result.as_raw().into())
    }

    /// Adds a field to the manifest's `layer` object, the value in JSON.
    pub fn field(mut self, key: &str, value: &str) -> Self {
        write!(self.fields, ", \"{key}\": {value}").unwrap();
        self
    }

    pub fn instance_extension(self, name: &str) -> Self {
        self.field("instance_extensions", &format!("[{{\"name\": \"{name}\", \"spec_version\": \"1\"}}]"))
    }

    pub fn device_extension(self, name: &str) -> Self {
        self.field("device_extensions", &format!("[{{\"name\": \"{name}\", \"spec_version\": \"1\"}}]"))
    }

    pub fn api(mut self, version: &str) -> Self {
        version.clone_into(&mut self.api);
        self
    }

    pub fn library_path(mut self, path: &str) -> Self {
        self.library_path = Some(path.to_owned());
        self
    }

    /// Sets the whole manifest as text, with `LIBRARY` for the path of its library.
    pub fn manifest(mut self, text: &str) -> Self {
        self.manifest = Some(text.to_owned());
        self
    }

    /// Sets the folder of its manifest in the sandbox.
    pub fn folder(mut self, folder: &str) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Puts its library, configuration and manifest into the sandbox. Gives the path of the manifest.
    pub fn install(&self, sandbox: &Sandbox) -> PathBuf {
        let library = self.install_library(sandbox);
        let kind = if self.implicit { "implicit" } else { "explicit" };
        let folder = self.folder.clone().unwrap_or_else(|| format!("data/vulkan/{kind}_layer.d"));
        sandbox.write(format!("{folder}/{}.json", self.name), self.manifest_text(library.to_str().unwrap()))
    }

    /// Puts its library and configuration into the sandbox. Gives the path of the library.
    pub fn install_library(&self, sandbox: &Sandbox) -> PathBuf {
        let own = format!("lib/lib{}.so", self.name);
        let library = sandbox.path(self.library.as_ref().unwrap_or(&own));
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        if self.library.is_none() {
            // A copy, not a link: the dynamic linker takes two links for one library.
            let switches: Vec<&str> = self.exports.iter().map(String::as_str).collect();
            fs::copy(compile::layer(&switches), &library).unwrap();
        }
        let configuration = format!(
            "label={}\ntrace={}\ncalls={}\nloader={}\n{}",
            self.name,
            sandbox.path(format!("out/{}.trace", self.name)).display(),
            sandbox.path("out/calls").display(),
            crate::compile::library_under_test().display(),
            self.behaviours,
        );
        fs::write(format!("{}.{}.cfg", library.display(), self.configuration), configuration).unwrap();
        library
    }

    fn manifest_text(&self, library: &str) -> String {
        if let Some(text) = &self.manifest {
            return text.replace("LIBRARY", library);
        }
        let library = self.library_path.as_deref().unwrap_or(library);
        let Self { name, api, fields, file_format, .. } = self;
        format!(
            "{{\"file_format_version\": \"{file_format}\", \"layer\": {{\"name\": \"{name}\", \"type\": \"GLOBAL\", \
             \"library_path\": \"{library}\", \"api_version\": \"{api}\", \"implementation_version\": \"1\", \
             \"description\": \"test layer\"{fields}}}}}\n"
        )
    }
}
