//! The folders in which layers are searched for.
#![forbid(unsafe_code)]

use platform_android::Switch;
use platform_android::host::Host;
use platform_android::layers::{Folder, Origin, Search};
use vkload_core::memory::{OutOfMemory, TryGrow, Vec, text};

use super::policy::Source;

/// Returns the folders of these sources, as they are now; `searched` is called with the ones left
/// out.
pub(super) fn folders(
    sources: &[Source],
    host: &Host,
    searched: &mut dyn FnMut(Folder, Search) -> Result<(), OutOfMemory>,
) -> Result<Vec<Folder>, OutOfMemory> {
    let system = host.system;
    let mut folders = Vec::new();
    for source in sources {
        match source {
            Source::DebugFolder(path) => {
                let path = text(&[path.to_bytes()])?;
                let folder = Folder { path, origin: Origin::DebugFolder, only: None };
                if system.debuggable() {
                    folders.try_push(folder)?;
                } else {
                    searched(folder, Search::NotDebuggable)?;
                }
            }
            Source::FrameworkPaths => {
                let paths = system.layer_paths()?;
                for path in paths.split(|byte| *byte == b':').filter(|path| !path.is_empty()) {
                    let path = text(&[path.strip_suffix(b"/").unwrap_or(path)])?;
                    folders.try_push(Folder { path, origin: Origin::Application, only: None })?;
                }
            }
            Source::Listed { .. } if !host.is_on(Switch::DeviceLayers) => {}
            Source::Listed { property, folder, origin } => {
                let names = system.whole_property(property)?;
                if !names.is_empty() {
                    let path = text(&[folder.to_bytes()])?;
                    folders.try_push(Folder { path, origin: *origin, only: Some(names) })?;
                }
            }
        }
    }
    Ok(folders)
}
