//! The settings file, together with the loader service.

use super::*;

const FILE: &str = "vulkan/loader_settings.d/vk_loader_settings.json";
const MINE: &str = r#""additional_drivers": [{"path": "/mine.json"}]"#;

/// Returns a system with a driver in its loader service, another and a settings file in the package.
fn with_settings(members: &str) -> &'static Imaginary {
    let system = with_service();
    system.file("/mine.json", manifest("/libmine.so"));
    system.file(
        &format!("/pkg/data/{FILE}"),
        format!(r#"{{"file_format_version": "1.0.0", "settings": {{{members}}}}}"#),
    );
    system
}

#[test]
fn settings_that_say_which_drivers_there_are_replace_the_service() {
    let system = with_settings(&format!(r#"{MINE}, "additional_drivers_use_exclusively": true"#));
    assert_eq!(used(&plan_on_fuchsia(system)), ["/libmine.so"]);
    let calls = system.calls();
    assert!(!calls.iter().any(|call| call.contains(MANIFESTS)), "the service is not asked: {calls:?}");
}

#[test]
fn drivers_that_settings_add_come_before_those_of_the_service() {
    let plan = plan_on_fuchsia(with_settings(MINE));
    assert_eq!(used(&plan), ["/libmine.so", "0-libvulkan_a.so"]);
    assert_eq!(plan.searched[0].origin, Origin::Settings);
}

#[test]
fn a_variable_replaces_the_service_beside_settings_that_add() {
    let system = with_settings(MINE);
    system.file("/other.json", manifest("/libother.so")).set("VK_DRIVER_FILES", "/other.json");
    assert_eq!(used(&plan_on_fuchsia(system)), ["/libmine.so", "/libother.so"]);
}

#[test]
fn the_settings_file_is_looked_for_on_the_search_paths_in_order() {
    let system = Imaginary::new();
    let searched = || -> StdVec<String> {
        let settings = KnownSettings::discover(&system.platform(), &FUCHSIA).unwrap();
        let found = settings.searched(&FUCHSIA).unwrap();
        found.iter().map(|file| shown(&file.path).replace(&format!("/{FILE}"), "")).collect()
    };
    assert_eq!(searched(), ["/vulkan-loader-configuration", "/pkg/data"], "nothing stands in for variables");
    system.set("HOME", "/h").set("XDG_CONFIG_DIRS", "/c1:/c2").set("XDG_DATA_DIRS", "/d1");
    let built_in = ["/vulkan-loader-configuration", "/pkg/data"];
    let rest = ["/c1", "/c2", built_in[0], built_in[1], "/d1"];
    assert_eq!(searched(), [&["/h/.config", "/h/.local/share"], &rest[..]].concat());
    system.set("XDG_CONFIG_HOME", "/ch").set("XDG_DATA_HOME", "/dh");
    assert_eq!(searched(), [&["/ch", "/dh"], &rest[..]].concat());
}

#[test]
fn settings_for_certain_programs_are_for_none() {
    let system = with_settings("");
    system.file(
        &format!("/pkg/data/{FILE}"),
        format!(
            r#"{{"file_format_version": "1.0.0", "settings_array": [{{"app_keys": ["/pkg/bin/app", ""], {MINE}}},
            {{"additional_drivers": [{{"path": "/any.json"}}]}}]}}"#
        ),
    );
    system.file("/any.json", manifest("/libany.so"));
    assert_eq!(used(&plan_on_fuchsia(system)), ["/libany.so", "0-libvulkan_a.so"]);
}
