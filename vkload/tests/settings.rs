//! `vkload settings` as a user meets it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};

const FILE: &str = "vulkan/loader_settings.d/vk_loader_settings.json";

/// Runs it with a home folder, and nothing else of the environment.
fn vkload(home: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.env_clear().env("HOME", home).env("XDG_CONFIG_DIRS", home).env("XDG_DATA_DIRS", home);
    vkload.envs(variables.iter().copied()).arg("settings").args(arguments).output().expect("vkload runs")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

#[test]
fn without_a_file_it_shows_the_search_paths() {
    let home = tempfile::tempdir().expect("a folder");
    let output = vkload(home.path(), &[], &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = text(&output);
    assert!(text.starts_with("No settings file exists.\n"), "{text}");
    let missing: Vec<_> = text.lines().filter(|line| line.contains("nothing")).collect();
    assert!(
        missing[0].contains("/.config/vulkan/loader_settings.d/")
            && missing[0].contains("XDG_CONFIG_HOME is unset")
    );
    assert!(missing[1].contains("/.local/share/vulkan/loader_settings.d/"), "{text}");
    assert!(missing.len() >= 6, "{text}");
}

#[test]
fn it_shows_what_counts_for_a_program() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join(".local/share").join(FILE);
    write(
        &file,
        "{\"file_format_version\": \"1.0.0\", \"settings_array\": [\n\
         {\"app_keys\": [\"/usr/bin/game\"], \"layers\": []},\n\
         {\"stderr_log\": [\"info\"]}]}",
    );
    let any = text(&vkload(home.path(), &[], &[]));
    assert!(
        any.starts_with(&format!("{}, line 3, has these settings for programs:\n", file.display())),
        "{any}"
    );
    assert!(
        any.contains("\"stderr_log\": [") && any.contains("Programs that it names\n  /usr/bin/game\n"),
        "{any}"
    );
    let game = text(&vkload(home.path(), &[], &["--program", "/usr/bin/game"]));
    assert!(
        game.contains(", line 2, has these settings for /usr/bin/game:\n") && game.contains("\"layers\": []"),
        "{game}"
    );
    let only = "{\"file_format_version\": \"1.0.0\", \"settings\": {\"app_keys\": [\"/usr/bin/game\"], \"layers\": []}}";
    write(&file, only);
    let any = text(&vkload(home.path(), &[], &[]));
    assert!(any.contains(" has no settings for programs that it does not name.\n"), "{any}");
}

#[test]
fn a_file_is_checked_with_fields_and_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.json");
    write(
        &file,
        "{\"file_format_version\": \"1.0.0\",\n\"settings\": {\n\"layres\": [],\n\"stderr_log\": [\"loud\"]}}",
    );
    let path = file.to_str().expect("UTF-8");
    let output = vkload(folder.path(), &[], &[path]);
    assert_eq!(output.status.code(), Some(1));
    let text_of = text(&output);
    assert!(text_of.contains("line 3: \"layres\" is not a field of this object"), "{text_of}");
    assert!(
        text_of.contains("line 4: \"stderr_log\" has a value that the format does not define"),
        "{text_of}"
    );

    let json: serde_json::Value =
        serde_json::from_str(&text(&vkload(folder.path(), &[], &[path, "--json"]))).expect("JSON");
    assert_eq!(json["file"], path);
    assert_eq!(json["warnings"][0]["field"], "layres");
    assert_eq!(json["warnings"][0]["line"], 3);
    assert_eq!(json["settings"]["stderr_log"][0], "loud");

    write(&file, "{\n\"settings\":");
    let output = vkload(folder.path(), &[], &[path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("is ignored: it is not valid JSON: line 2"), "{}", text(&output));
}

#[test]
fn a_good_file_ends_with_0_and_a_missing_one_with_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.json");
    write(&file, "{\"file_format_version\": \"1.0.0\", \"settings\": {}}");
    let path = file.to_str().expect("UTF-8");
    assert_eq!(vkload(folder.path(), &[], &[path]).status.code(), Some(0));
    let output = vkload(folder.path(), &[], &["/nowhere.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere.json"));
}

#[test]
fn the_file_of_vulkan_configurator_that_is_not_looked_at_is_told() {
    let home = tempfile::tempdir().expect("a folder");
    write(
        &home.path().join(".local/share").join(FILE),
        "{\"file_format_version\": \"1.0.0\", \"settings\": {}}",
    );
    let output = vkload(home.path(), &[("XDG_DATA_HOME", "/elsewhere")], &[]);
    assert_eq!(output.status.code(), Some(1));
    let text_of = text(&output);
    assert!(text_of.contains("is not looked at, since XDG_DATA_HOME is /elsewhere"), "{text_of}");

    write(&home.path().join(".config").join(FILE), "{\"file_format_version\": \"1.0.0\", \"settings\": {}}");
    let text_of = text(&vkload(home.path(), &[], &[]));
    assert!(text_of.contains("is ignored, since another file comes first"), "{text_of}");
}

#[test]
fn a_path_that_is_not_utf_8_is_shown_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(OsStr::from_bytes(b"settings-\xff.json"));
    write(&file, "{\"file_format_version\": \"1.0.0\", \"settings\": {}}");
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    let output = vkload.args(["settings", "--json"]).arg(&file).output().expect("vkload runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["file"].as_str().is_some_and(|path| path.contains("/settings-")), "{report:#}");
}

#[test]
fn a_reader_that_stops_early_is_not_a_failure() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let home = tempfile::tempdir().expect("a folder");
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.env_clear().env("HOME", home.path()).arg("settings").stdout(writer);
    let output = vkload.output().expect("vkload runs");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
