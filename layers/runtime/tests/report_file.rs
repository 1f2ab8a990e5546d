//! Files that layers write while another user plants links and files in the same folder.

use std::ffi::CString;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use vkload_layer_runtime::report_file;

const SECRET: &str = "secret";

fn write(path: &Path, append: bool) -> bool {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    report_file(&path, append).is_ok_and(|mut file| file.write_all(b"report").is_ok())
}

#[test]
fn a_file_of_ones_own_is_replaced_or_continued() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report");
    for (append, expected) in [(false, "report"), (true, "reportreport"), (false, "report")] {
        assert!(write(&file, append));
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    }
    assert!(write(Path::new("/dev/null"), false) && write(Path::new("/dev/fd/1"), true));
}

#[test]
fn links_and_files_of_others_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    fs::write(path("secret"), SECRET).unwrap();
    symlink(path("secret"), path("link")).unwrap();
    symlink(path("new"), path("dangling")).unwrap();
    fs::hard_link(path("secret"), path("hard-link")).unwrap();
    fs::write(path("theirs"), SECRET).unwrap();
    fs::set_permissions(path("theirs"), Permissions::from_mode(0o666)).unwrap();
    let mut planted = vec!["link", "dangling", "hard-link"];
    if chown(path("theirs"), Some(64_999), None).is_ok() {
        planted.push("theirs");
    } else {
        eprintln!("skipped: only root can make another user's file");
    }
    for name in planted {
        for append in [false, true] {
            assert!(!write(&path(name), append), "{name}");
        }
    }
    assert!(!path("new").exists());
    for name in ["secret", "theirs"] {
        assert_eq!(fs::read_to_string(path(name)).unwrap(), SECRET, "{name}");
    }
}
