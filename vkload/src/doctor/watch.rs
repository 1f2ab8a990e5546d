//! `vkload doctor --watch`: looks again each time something changes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use std::{fs, thread};

use super::{diagnosed, output};
use crate::arguments::DoctorArguments;
use crate::diagnosis::answer;
use crate::facts::own_variables;
use crate::output::Format;
use crate::output::{fail, print_escaped as print_output};
use crate::planned::Planned;

/// The interval between checks for changes. Files under `/sys` and `/dev` send no change notifications.
const PAUSE: Duration = Duration::from_secs(1);

/// The modification time, size and mode of a file, or `None` if it does not exist.
type FileState = Option<(Option<SystemTime>, u64, u32)>;

/// Prints the answer, and again whenever it may be another one, until it is interrupted.
pub(super) fn run(options: &DoctorArguments) -> ExitCode {
    let mut before = BTreeMap::new();
    loop {
        let now = states(options);
        if now != before {
            before = now;
            let case = match diagnosed(options) {
                Ok(case) => case,
                Err(problem) => return fail(&problem),
            };
            let text = output::render(&answer(case), Format::Text, options.all);
            let code = print_output(
                &format!("{text}\n-- watching for changes; press Ctrl-C to end --\n\n"),
                ExitCode::SUCCESS,
            );
            if code != ExitCode::SUCCESS {
                return code;
            }
        }
        thread::sleep(PAUSE);
    }
}

/// Returns the state of every file and folder that the answer depends on.
fn states(options: &DoctorArguments) -> BTreeMap<PathBuf, FileState> {
    let mut paths: Vec<PathBuf> =
        ["/dev/dri", "/dev", "/etc/ld.so.cache", "/proc/modules", "/sys/bus/pci/devices"]
            .map(PathBuf::from)
            .into();
    for folder in ["/dev/dri", "/dev"] {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let devices = entries.map(|entry| entry.path()).filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            ["renderD", "card", "nvidia", "kfd", "dxg"].iter().any(|start| name.starts_with(start))
        });
        paths.extend(devices);
    }
    let program = options.program.first().map(Path::new);
    if let Ok(planned) = Planned::for_program(&own_variables(), program, usize::BITS) {
        let searched = planned.drivers.searched.iter().chain(planned.layers.searched.iter());
        paths.extend(searched.map(|one| path_of(&one.path)));
        let named = planned.drivers.drivers.iter().flat_map(|driver| [&driver.path, &driver.library]);
        let of_layers = planned.layers.layers.iter().flat_map(|layer| [&layer.path, &layer.library]);
        paths.extend(named.chain(of_layers).map(|path| path_of(path)));
        paths.push(path_of(&planned.settings.plan.path));
    }
    paths
        .into_iter()
        .map(|path| {
            let state = state(&path);
            (path, state)
        })
        .collect()
}

fn path_of(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}

fn state(path: &Path) -> FileState {
    use std::os::unix::fs::PermissionsExt as _;
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok(), found.len(), found.permissions().mode()))
}
