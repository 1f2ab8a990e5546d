//! Whether the window systems answer that variables name.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};

use super::variables::Variables;
use crate::lossless;

/// Returns the variables that name a window system which does not answer, with their values.
pub(super) fn dead(variables: &Variables) -> Vec<(String, String)> {
    let value = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let x = value("DISPLAY").filter(|value| x_socket(value).is_some_and(|path| !answers(&path)));
    let wayland = value("WAYLAND_DISPLAY").filter(|name| {
        let folder = value("XDG_RUNTIME_DIR").map(lossless::path);
        let path = folder.unwrap_or_default().join(lossless::path(name));
        path.is_absolute() && !answers(&path)
    });
    let named = [("DISPLAY", x), ("WAYLAND_DISPLAY", wayland)].into_iter();
    named.filter_map(|(name, value)| Some((name.to_owned(), value?.clone()))).collect()
}

/// Returns the socket of a display on this machine: `:0`, `:0.0`, `unix:0`. `None` for others, as with SSH.
fn x_socket(display: &str) -> Option<PathBuf> {
    let (host, number) = display.rsplit_once(':')?;
    let number = number.split('.').next().filter(|number| number.bytes().all(|it| it.is_ascii_digit()))?;
    let is_here = host.is_empty() || host == "unix";
    (is_here && !number.is_empty()).then(|| PathBuf::from(format!("/tmp/.X11-unix/X{number}")))
}

/// Returns whether a server may listen at this socket. X servers may have one without a file.
fn answers(path: &Path) -> bool {
    let is_dead = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::ConnectionRefused);
    let without_file = || {
        let address = SocketAddr::from_abstract_name(path.as_os_str().as_encoded_bytes());
        address.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
    };
    UnixStream::connect(path).err().is_none_or(|error| !is_dead(error.kind())) || without_file()
}
