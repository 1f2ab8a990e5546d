//! Whether the window systems answer that variables name.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};

use super::files::below;
use super::variables::Variables;
use crate::lossless;

/// Returns the variables that name a window system which does not answer, with their values.
pub(super) fn dead(root: &Path, variables: &Variables) -> Vec<(String, String)> {
    let value = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let x = value("DISPLAY").filter(|value| x_socket(value).is_some_and(|path| !answers(root, &path)));
    let wayland = value("WAYLAND_DISPLAY").filter(|name| {
        let folder = value("XDG_RUNTIME_DIR").map(lossless::path);
        let path = folder.unwrap_or_default().join(lossless::path(name));
        path.is_absolute() && !answers(root, &path)
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
fn answers(root: &Path, path: &Path) -> bool {
    let is_dead = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::ConnectionRefused);
    let without_file = || {
        let address = SocketAddr::from_abstract_name(path.as_os_str().as_encoded_bytes());
        root == Path::new("/") && address.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
    };
    UnixStream::connect(below(root, path)).err().is_none_or(|error| !is_dead(error.kind())) || without_file()
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::{UnixListener, UnixStream};

    #[test]
    fn a_display_is_dead_if_nobody_listens_at_its_socket() {
        let root = tempfile::tempdir().unwrap();
        let run = root.path().join("run");
        std::fs::create_dir(&run).unwrap();
        let listener = UnixListener::bind(run.join("wayland-0")).unwrap();
        let variables = |display: &str, wayland: &str| {
            let all = [("DISPLAY", display), ("WAYLAND_DISPLAY", wayland), ("XDG_RUNTIME_DIR", "/run")];
            all.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
        };
        let dead = |display, wayland| {
            let all = super::dead(root.path(), &variables(display, wayland));
            all.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(dead("localhost:10.0", "wayland-0"), [""; 0]);
        assert_eq!(dead("", ""), [""; 0]);
        assert_eq!(dead(":0", "wayland-1"), ["DISPLAY", "WAYLAND_DISPLAY"]);
        // Children of other threads may have a copy of the listener for a moment, so it is not only closed.
        UnixStream::from(OwnedFd::from(listener)).shutdown(Shutdown::Both).unwrap();
        assert_eq!(dead("", "wayland-0"), ["WAYLAND_DISPLAY"], "the file is still there");
    }
}
