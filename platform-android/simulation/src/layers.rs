//! Layers that tests put into the system: see `modules/layer.c` for their options.

use std::fs;
use std::path::Path;

use crate::Android;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/modules/layer.c");

impl Android {
    /// Compiles a library with these layers, one to three. `options` are compiler options:
    /// `-DNAME=VALUE`.
    pub fn layer(&self, path: &str, names: &[&str], options: &[&str]) {
        let mut all = vec![format!("-DTRACE=\"{}\"", self.host_path("/layers.trace").display())];
        all.extend(names.iter().enumerate().map(|(index, name)| format!("-DLAYER_{index}={name}")));
        all.extend(options.iter().map(|option| (*option).to_owned()));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        self.compile(path, Path::new(SOURCE), &all);
    }

    /// Returns the calls that layers received since the last time: "LAYER COMMAND".
    pub fn layer_calls(&self) -> Vec<String> {
        let trace = self.host_path("/layers.trace");
        let text = fs::read_to_string(&trace).unwrap_or_default();
        let _ = fs::remove_file(trace);
        text.lines().map(str::to_owned).collect()
    }
}
