//! The function that a driver calls to connect to something: a driver has no namespace, and the
//! loader knows where its devices are.

use core::ffi::CStr;

use crate::system::Handle;
use crate::system::{RawHandle, Status, System};

/// The prefix of names that lead to the devices of the loader service.
const DEVICES: &[u8] = b"/loader-gpu-devices";

/// Connects `handle` to `name`: in the folder `devices` of the loader service if the name begins
/// with `/loader-gpu-devices`, else in the process's namespace.
///
/// # Errors
/// [`Status::UNAVAILABLE`] for a device without a service; [`Status::BAD_PATH`] for a name that is
/// neither; else the system's status. The handle is consumed in every case.
pub(crate) fn open_in_namespace(
    system: &dyn System,
    devices: Option<RawHandle>,
    name: &CStr,
    handle: Handle,
) -> Result<(), Status> {
    let Some(below) = name.to_bytes_with_nul().strip_prefix(DEVICES) else {
        return system.connect(name, handle);
    };
    let devices = devices.ok_or(Status::UNAVAILABLE)?;
    // Paths below a folder do not begin with a slash. A slash alone is the folder, as in Fuchsia's fork of Khronos' loader.
    let path = match below {
        [0] => c".",
        [b'/', 0] => c"/",
        [b'/', path @ ..] => CStr::from_bytes_with_nul(path).map_err(|_| Status::BAD_PATH)?,
        _ => return Err(Status::BAD_PATH),
    };
    system.connect_at(devices, path, handle)
}
