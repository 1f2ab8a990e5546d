use super::*;
use crate::manifest::Settings;

const FILE: &str = "vulkan/loader_settings.d/vk_loader_settings.json";

fn settings_of(system: &'static Imaginary) -> KnownSettings {
    KnownSettings::discover(&system.platform(), &POLICY).unwrap()
}

fn settings(members: &str) -> String {
    format!(r#"{{"file_format_version": "1.0.0", "settings": {{{members}}}}}"#)
}

fn path(system: &'static Imaginary) -> String {
    shown(&settings_of(system).plan.path)
}

/// Returns a system with two drivers, `/usr/share/vulkan/icd.d/9.json` and `10.json`, and a settings file.
fn with_settings(members: &str) -> &'static Imaginary {
    let system = Imaginary::new();
    system.file("/usr/share/vulkan/icd.d/9.json", manifest("/lib/9.so"));
    system.file("/usr/share/vulkan/icd.d/10.json", manifest("/lib/10.so"));
    system.file("/etc/vulkan/loader_settings.d/vk_loader_settings.json", settings(members));
    system
}

#[test]
fn the_first_file_of_the_search_counts() {
    let system = Imaginary::new();
    system.set("XDG_CONFIG_HOME", "/ch").set("XDG_DATA_HOME", "/dh").set("HOME", "/h");
    system.set("XDG_CONFIG_DIRS", "/c1:/c2").set("XDG_DATA_DIRS", "/d1:/d2");
    let folders = ["/ch", "/dh", "/c1", "/c2", "/usr/local/etc", "/etc", "/d1", "/d2"];
    for folder in folders.iter().rev() {
        assert!(!path(system).starts_with(&format!("{folder}/")), "{folder}");
        system.file(&format!("{folder}/{FILE}"), settings(""));
        assert_eq!(path(system), format!("{folder}/{FILE}"));
    }
}

#[test]
fn the_home_folder_replaces_unset_variables() {
    for (variable, first, second) in [
        ("", "/h/.config", "/h/.local/share"),
        ("XDG_CONFIG_HOME", "/x", "/h/.local/share"),
        ("XDG_DATA_HOME", "/x", "/h/.config"),
    ] {
        let system = Imaginary::new();
        system.set("HOME", "/h").file(&format!("/etc/xdg/{FILE}"), settings(""));
        if !variable.is_empty() {
            system.set(variable, "/x");
        }
        assert_eq!(path(system), format!("/etc/xdg/{FILE}"), "{variable}");
        system.file(&format!("{second}/{FILE}"), settings(""));
        assert_eq!(path(system), format!("{second}/{FILE}"), "{variable}");
        system.file(&format!("{first}/{FILE}"), settings(""));
        assert_eq!(path(system), format!("{first}/{FILE}"), "{variable}");
    }
    let system = Imaginary::new();
    system.set("HOME", "/h").set("XDG_DATA_HOME", "/x");
    system.file(&format!("/h/.local/share/{FILE}"), settings(""));
    assert_eq!(path(system), "", "the variable says that data is elsewhere");
}

#[test]
fn an_elevated_process_reads_and_writes_no_file() {
    let system = Imaginary::new();
    system.set("HOME", "/h").set("XDG_CONFIG_HOME", "/ch").elevate();
    let log = settings(r#""log_locations": [{"destinations": ["/tmp/log"]}], "stderr_log": ["all"]"#);
    system.file(&format!("/h/.local/share/{FILE}"), &log).file(&format!("/ch/{FILE}"), &log);
    assert_eq!(path(system), "");
    system.file(&format!("/etc/{FILE}"), &log);
    let found = settings_of(system);
    assert_eq!(shown(&found.plan.path), format!("/etc/{FILE}"));
    assert!(found.plan.in_force().unwrap().log_locations.is_empty());
    assert!(!found.plan.in_force().unwrap().stderr_log.is_silent());
    assert_eq!(
        found.plan.file.warnings[0].to_string(),
        "line 1: \"log_locations\" is not allowed in elevated processes, so it is ignored"
    );
}

#[test]
fn the_program_is_asked_for_only_if_it_matters() {
    let system = with_settings("");
    settings_of(system);
    assert!(!system.calls().iter().any(|call| call.starts_with("executable")));
    let system = with_settings(r#""app_keys": ["/bin/a"]"#);
    assert!(settings_of(system).plan.in_force().is_none());
    system.run("/bin/a");
    assert!(settings_of(system).plan.in_force().is_some());
}

#[test]
fn a_file_that_cannot_be_used_hides_those_after_it() {
    let system = Imaginary::new();
    system
        .set("HOME", "/h")
        .file(&format!("/h/.config/{FILE}"), "{")
        .file(&format!("/etc/{FILE}"), settings(""));
    let found = settings_of(system);
    assert!(found.plan.in_force().is_none());
    assert_eq!(found.plan.unusable.unwrap().id(), "manifest-not-json");
    system.failing(&format!("/h/.config/{FILE}"), crate::platform::FileError::Denied);
    assert_eq!(settings_of(system).plan.unusable.unwrap().id(), "manifest-unreadable");
}

#[test]
fn a_change_of_the_file_shows() {
    let system = with_settings("");
    let found = settings_of(system);
    assert!(found.snapshot.still_true(&system.platform()).unwrap());
    system.file(&format!("/etc/{FILE}"), settings(r#""layers": []"#));
    assert!(!found.snapshot.still_true(&system.platform()).unwrap());
    let found = settings_of(system);
    system.file(&format!("/etc/xdg/{FILE}"), settings(""));
    assert!(!found.snapshot.still_true(&system.platform()).unwrap(), "one that goes before it");
}

#[test]
fn additional_drivers_come_first_so_that_their_devices_come_last_in_their_order() {
    let system = with_settings(r#""additional_drivers": [{"path": "/a.json"}, {"path": "b.json"}]"#);
    system.file("/a.json", manifest("/lib/a.so"));
    system.file("/etc/vulkan/loader_settings.d/b.json", manifest("/lib/b.so"));
    assert_eq!(used(&plan_of(system)), ["/lib/b.so", "/lib/a.so", "/lib/9.so", "/lib/10.so"]);
    assert_eq!(plan_of(system).searched[1].origin.to_string(), "the settings file");
    system.set("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/9.json").set("VK_LOADER_DRIVERS_DISABLE", "b.*");
    assert_eq!(used(&plan_of(system)), ["/lib/a.so", "/lib/9.so"], "filters apply");
}

#[test]
fn additional_drivers_may_be_the_only_ones() {
    let members =
        r#""additional_drivers": [{"path": "/a.json"}], "additional_drivers_use_exclusively": true"#;
    let system = with_settings(members);
    system.file("/a.json", manifest("/lib/a.so"));
    assert_eq!(used(&plan_of(system)), ["/lib/a.so"]);
    let system = with_settings(r#""additional_drivers_use_exclusively": true"#);
    assert_eq!(used(&plan_of(system)).len(), 2);
}

#[test]
fn a_list_of_devices_makes_the_variables_of_drivers_idle() {
    let system = with_settings(r#""device_configurations": []"#);
    system.set("VK_DRIVER_FILES", "/a.json").set("VK_LOADER_DRIVERS_SELECT", "none");
    let plan = plan_of(system);
    assert_eq!(used(&plan).len(), 2);
    assert_eq!(
        notes(&plan),
        [
            "VK_DRIVER_FILES is ignored, since the settings file lists devices (\"device_configurations\")",
            "VK_LOADER_DRIVERS_SELECT is ignored, since the settings file lists devices (\"device_configurations\")"
        ]
    );
}

#[test]
fn variables_behind_settings_are_not_read_again() {
    let system = with_settings("");
    let settings = settings_of(system);
    system.calls();
    discover(&system.platform(), &POLICY, &REQUEST, &settings, &mut Snapshot::new()).unwrap();
    let asked = |name: &str| system.calls().iter().any(|call| call == &format!("variable {name}"));
    assert!(!asked("XDG_DATA_DIRS"));
    let none: Option<&Settings> = KnownSettings::default().plan.in_force().map(|_| unreachable!());
    assert!(none.is_none());
}
