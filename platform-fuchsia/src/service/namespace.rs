//! What a driver calls to connect to something: it has no namespace of its own, and the loader knows where its devices
//! are.

use core::ffi::CStr;

use crate::handle::Handle;
use crate::system::{RawHandle, Status, System};

/// Below this, names lead to the devices of the loader service.
const DEVICES: &[u8] = b"/loader-gpu-devices";

/// The longest name of a device.
const LONGEST: usize = 255;

/// Connects `handle` to `name`: in the folder `devices` of the loader service where the name begins with
/// `/loader-gpu-devices`, else in the process's namespace.
///
/// # Errors
/// [`Status::BAD_PATH`] for a name that is neither, or a device without a service; else what the system says. The handle is
/// gone in every case.
pub(crate) fn open_in_namespace(
    system: &dyn System,
    devices: Option<RawHandle>,
    name: &CStr,
    handle: Handle,
) -> Result<(), Status> {
    let Some(below) = name.to_bytes().strip_prefix(DEVICES) else {
        return system.connect(name, handle);
    };
    let devices = devices.ok_or(Status::BAD_PATH)?;
    let path = match below {
        [] => b".",
        [b'/', path @ ..] if !path.is_empty() => path,
        _ => return Err(Status::BAD_PATH),
    };
    let mut buffer = [0; LONGEST + 1];
    let room = buffer.get_mut(..path.len()).filter(|room| room.len() <= LONGEST).ok_or(Status::BAD_PATH)?;
    room.copy_from_slice(path);
    let path = CStr::from_bytes_until_nul(&buffer).map_err(|_| Status::BAD_PATH)?;
    system.connect_at(devices, path, handle)
}
