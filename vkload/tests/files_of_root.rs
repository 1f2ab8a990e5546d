//! Files that root writes with the tool while another user plants links, folders and files: nothing else changes.

use crate::two_users;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::Command;

use two_users::{Machine, OTHER};

const SETTINGS: &str = r#"{"file_format_version": "1.0.0", "settings": {}}"#;
const SECRET: &str = "root:only";

/// Plants a settings file of the other user's, whose undo file would write their text, and returns the arguments that name it.
fn planted(machine: &Machine) -> String {
    let file = machine.path("theirs/vk_loader_settings.json");
    fs::write(&file, "{}").unwrap();
    let undo = r#"{"changes": [{"before": "theirs", "after": "{}", "folders": ["/nowhere"]}]}"#;
    fs::write(machine.path("theirs/vk_loader_settings.json.undo"), undo).unwrap();
    for name in ["theirs/vk_loader_settings.json", "theirs/vk_loader_settings.json.undo"] {
        chown(machine.path(name), Some(OTHER), Some(OTHER)).unwrap();
    }
    file.display().to_string()
}

#[test]
fn settings_are_not_written_in_a_folder_of_another_user() {
    let Some(machine) = Machine::new() else { return };
    fs::write(machine.path("secret"), SECRET).unwrap();
    let file = planted(&machine);
    let before = fs::read_dir(machine.path("theirs")).unwrap().count();
    for arguments in [["settings", &file, "--undo"], ["settings", &file, "--layer=VK_LAYER_TEST_theirs=off"]]
    {
        let (code, text) = machine.root_runs(&arguments, &[]);
        assert!(code == Some(2) && text.contains("another user can change"), "{text}");
    }
    // Their link to a file of root's.
    let root = machine.path("settings.json");
    fs::write(&root, SETTINGS).unwrap();
    symlink(&root, machine.path("theirs/link.json")).unwrap();
    let link = machine.path("theirs/link.json").display().to_string();
    let driver = machine.path("of-root.json").display().to_string();
    let (code, text) = machine.root_runs(&["settings", &link, "--driver", &driver], &[]);
    assert!(code == Some(2) && fs::read_to_string(&root).unwrap() == SETTINGS, "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    assert_eq!(fs::read_dir(machine.path("theirs")).unwrap().count(), before + 1);
}

/// The file is root's, in a folder of root's, and its undo file is not.
#[test]
fn an_undo_file_of_another_user_is_not_used() {
    let Some(machine) = Machine::new() else { return };
    planted(&machine);
    let file = machine.path("settings.json");
    fs::write(&file, "{}").unwrap();
    fs::rename(machine.path("theirs/vk_loader_settings.json.undo"), machine.path("settings.json.undo"))
        .unwrap();
    let name = file.display().to_string();
    let (code, text) = machine.root_runs(&["settings", &name, "--undo"], &[]);
    assert!(code == Some(2) && text.contains("is not used"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
}

/// A recorded folder is removed only if the file was in it.
#[test]
fn undo_removes_no_folder_elsewhere() {
    let Some(machine) = Machine::new() else { return };
    fs::create_dir(machine.path("empty")).unwrap();
    let (file, empty) = (machine.path("settings.json"), machine.path("empty"));
    fs::write(&file, "{}").unwrap();
    let undo = serde_json::json!({ "changes": [{ "before": "old", "after": "{}", "folders": [empty] }] });
    fs::write(machine.path("settings.json.undo"), undo.to_string()).unwrap();
    let (code, text) = machine.root_runs(&["settings", &file.display().to_string(), "--undo"], &[]);
    assert!(code == Some(0) && empty.is_dir() && fs::read_to_string(&file).unwrap() == "old", "{text}");
}

#[test]
fn a_recording_follows_no_link_and_replaces_no_other_file() {
    let Some(machine) = Machine::new() else { return };
    fs::write(machine.path("secret"), SECRET).unwrap();
    fs::create_dir(machine.path("shared")).unwrap();
    machine.mode("shared", 0o1777);
    let shared = |name: &str| machine.path("shared").join(name);
    // The first is the recording itself, the second was once written on the way.
    for planted in ["recording.json", "recording.json.new"] {
        symlink(machine.path("secret"), shared(planted)).unwrap();
        Command::new("chown").args(["-h", &OTHER.to_string()]).arg(shared(planted)).status().unwrap();
    }
    for command in ["info", "doctor"] {
        let file = shared("recording.json").display().to_string();
        let (_, text) = machine.root_runs(&[command, "--record", &file], &[]);
        assert_eq!(fs::read_to_string(machine.path("secret")).unwrap(), SECRET, "{text}");
        let written = fs::symlink_metadata(&file).unwrap();
        assert!(
            written.is_file() && written.uid() == 0 && written.permissions().mode() & 0o022 == 0,
            "{text}"
        );
        assert!(shared("recording.json.new").is_symlink(), "{text}");
    }
    // In a folder that they may change, their links in the folders' names included.
    let theirs = machine.path("theirs/recording.json").display().to_string();
    let (code, text) = machine.root_runs(&["info", "--record", &theirs], &[]);
    assert!(
        code == Some(2) && text.contains("another user can change") && !Path::new(&theirs).exists(),
        "{text}"
    );
}

#[test]
fn a_recording_goes_to_what_standard_output_is() {
    let Some(machine) = Machine::new() else { return };
    let file = fs::File::create(machine.path("output")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let status =
        command.args(["info", "--json", "--record", "/proc/self/fd/1"]).stdout(file).status().unwrap();
    assert!(status.success());
    assert!(fs::read_to_string(machine.path("output")).unwrap().contains("\"recording\": 1"));
}

#[test]
fn a_loader_beside_a_copy_of_the_tool_in_a_shared_folder_is_not_used() {
    let Some(machine) = Machine::new() else { return };
    fs::create_dir(machine.path("shared")).unwrap();
    machine.mode("shared", 0o777);
    let (tool, library) = (machine.path("shared/vkload"), machine.path("shared/libvulkan.so.1"));
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_vkload")).arg(&tool).status().unwrap().success());
    fs::write(&library, b"vkloadIsALoader\0").unwrap();
    for owner in [0, OTHER] {
        chown(&library, Some(owner), None).unwrap();
        let output = Command::new(&tool).args(["exec", "--", "/bin/true"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(126) && text.contains("another user can change"), "{text}");
    }
    let mut command = Command::new(&tool);
    let named = command.args(["exec", "--library"]).arg(&library).args(["--", "/bin/true"]).status().unwrap();
    assert!(named.success());
}

#[test]
fn private_folders_are_not_made_where_another_user_could_exchange_them() {
    let Some(machine) = Machine::new() else { return };
    let library = machine.path("libvulkan.so.1");
    fs::write(&library, b"vkloadIsALoader\0").unwrap();
    let theirs = machine.path("theirs").display().to_string();
    for name in ["XDG_RUNTIME_DIR", "TMPDIR"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vkload"));
        command
            .args(["exec", "--library"])
            .arg(&library)
            .args(["--", "/usr/bin/env"])
            .env_remove("XDG_RUNTIME_DIR");
        let output = command.env(name, &theirs).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let refused =
            name == "TMPDIR" && !output.status.success() && text.contains("another user can change");
        let elsewhere = name == "XDG_RUNTIME_DIR" && !text.contains(&format!("LD_LIBRARY_PATH={theirs}"));
        assert!(refused || elsewhere, "{text}");
        assert!(!machine.path("theirs/vkload").exists() && !machine.path("theirs/vkload-0").exists());
    }
}
