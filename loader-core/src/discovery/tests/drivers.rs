use super::*;
use crate::manifest::Version;

const FOLDER: &str = "/usr/share/vulkan/icd.d";

/// Returns a system with these manifests in one folder.
fn system_with(manifests: &[(&str, String)]) -> &'static Imaginary {
    let system = Imaginary::new();
    for (name, content) in manifests {
        system.file(&format!("{FOLDER}/{name}"), content);
    }
    system
}

fn ids(plan: &Plan) -> StdVec<&'static str> {
    decisions(plan).into_iter().map(|(_, id)| id).collect()
}

#[test]
fn files_are_taken_in_the_order_of_their_names() {
    let names = ["10_b.json", "9_a.json", "README", "x.JSON", "x.json~", ".json", "a.json"];
    let manifests = names.map(|name| (name, manifest(name)));
    assert_eq!(used(&plan_of(system_with(&manifests))), [".json", "9_a.json", "10_b.json", "a.json"]);
}

#[test]
fn a_library_is_a_name_or_a_path() {
    let plan = plan_of(system_with(&[
        ("1.json", manifest("libvulkan_a.so")),
        ("2.json", manifest("../../lib/b.so")),
        ("3.json", manifest("./c.so")),
        ("4.json", manifest("/opt/$LIB/d.so")),
        ("5.json", manifest("/opt//e.so")),
    ]));
    let expected = [
        "libvulkan_a.so",
        "/usr/share/vulkan/icd.d/../../lib/b.so",
        "/usr/share/vulkan/icd.d/./c.so",
        "/opt/$LIB/d.so",
        "/opt//e.so",
    ];
    assert_eq!(used(&plan), expected);
}

#[test]
fn a_library_of_another_pointer_width_is_skipped() {
    let plan = plan_of(system_with(&[
        ("1.json", manifest_with("32.so", r#", "library_arch": "32""#)),
        ("2.json", manifest_with("64.so", r#", "library_arch": "64""#)),
        ("3.json", manifest_with("arm.so", r#", "library_arch": "arm""#)),
    ]));
    assert_eq!(ids(&plan), ["library-arch-mismatch", "use", "use"]);
    assert!(plan.drivers[2].warning.is_some());
}

#[test]
fn ldp_loader_4_a_driver_of_another_api_is_skipped() {
    let with_version = |version: &str| manifest("v.so").replace("1.3.204", version);
    let plan = plan_of(system_with(&[
        ("1.json", with_version("2.0.0")),
        ("2.json", with_version("0.9.0")),
        ("3.json", with_version("1.1.0.0")),
        ("4.json", with_version("0.1.1.7")),
    ]));
    assert_eq!(
        ids(&plan),
        ["api-version-incompatible", "api-version-incompatible", "api-version-incompatible", "use"]
    );
    assert_eq!(plan.drivers[3].api_version, Version::new(1, 1, 7));
}

#[test]
fn portability_drivers_are_used_if_asked_for() {
    let system = system_with(&[
        ("1.json", manifest_with("part.so", r#", "is_portability_driver": true"#)),
        ("2.json", manifest_with("whole.so", r#", "is_portability_driver": false"#)),
    ]);
    let plan = plan_of(system);
    assert_eq!(ids(&plan), ["portability-not-asked", "use"]);
    assert!(plan.drivers[0].portability);

    let request = Request { portability: true };
    let plan =
        discover(&system.platform(), &POLICY, &request, &KnownSettings::default(), &mut Snapshot::new())
            .unwrap();
    assert_eq!(ids(&plan), ["use", "use"]);
}

#[test]
fn one_library_is_one_driver() {
    let system = system_with(&[
        ("1.json", manifest("/lib/a.so")),
        ("2.json", manifest("/usr/lib/a.so")),
        ("3.json", manifest("b.so")),
        ("4.json", manifest("b.so")),
        ("5.json", manifest("/gone/a.so")),
        ("6.json", manifest("/gone/a.so")),
    ]);
    system.file("/usr/lib/a.so", "").link("/lib/a.so", "/usr/lib/a.so");
    let plan = plan_of(system);
    let expected = ["use", "duplicate-library", "use", "duplicate-library", "use", "duplicate-library"];
    assert_eq!(ids(&plan), expected);
    assert_eq!(plan.drivers[1].decision, DriverDecision::Skip(SkipReason::Duplicate { of: 0 }));
    assert_eq!(plan.drivers[5].decision, DriverDecision::Skip(SkipReason::Duplicate { of: 4 }));
}

#[test]
fn a_skipped_driver_does_not_make_another_one_a_duplicate() {
    let plan = plan_of(system_with(&[
        ("1.json", manifest_with("a.so", r#", "library_arch": "32""#)),
        ("2.json", manifest("a.so")),
    ]));
    assert_eq!(ids(&plan), ["library-arch-mismatch", "use"]);
}

#[test]
fn drivers_are_selected_and_disabled_by_file_name() {
    let names = ["intel_icd.json", "lvp_icd.json", "nvidia_icd.json"];
    let system = system_with(&names.map(|name| (name, manifest(name))));
    system.set("VK_LOADER_DRIVERS_DISABLE", "LVP*");
    assert_eq!(ids(&plan_of(system)), ["use", "disabled", "use"]);

    system.set("VK_LOADER_DRIVERS_SELECT", "lvp_icd.json,*intel*");
    assert_eq!(ids(&plan_of(system)), ["use", "use", "not-selected"], "what is selected cannot be disabled");

    system.set("VK_LOADER_DRIVERS_SELECT", "");
    assert_eq!(ids(&plan_of(system)), ["use", "disabled", "use"], "an empty list selects nothing and all");
}

#[test]
fn a_word_matches_every_driver() {
    let system = system_with(&[("a.json", manifest("a.so")), ("b.json", manifest("b.so"))]);
    system.set("VK_LOADER_DRIVERS_SELECT", "~all~");
    assert_eq!(used(&plan_of(system)), ["a.so", "b.so"]);
    system.unset("VK_LOADER_DRIVERS_SELECT").set("VK_LOADER_DRIVERS_DISABLE", "~ALL~");
    assert!(used(&plan_of(system)).is_empty());
}

#[test]
fn a_disabled_manifest_is_not_even_read() {
    let system = system_with(&[("a.json", manifest("a.so"))]);
    system.set("VK_LOADER_DRIVERS_DISABLE", "*");
    assert_eq!(ids(&plan_of(system)), ["disabled"]);
    assert!(!system.calls().iter().any(|call| call.starts_with("read")));
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn a_thousand_manifests_take_as_many_calls_as_there_are_files() {
    let manifests: StdVec<_> =
        (0..1000).map(|number| (format!("{number}.json"), manifest(&format!("/lib/{number}.so")))).collect();
    let system = Imaginary::new();
    for (name, content) in &manifests {
        system.file(&format!("{FOLDER}/{name}"), content);
    }
    let plan = plan_of(system);
    assert_eq!(used(&plan).len(), 1000);
    assert_eq!(used(&plan)[999], "/lib/999.so");
    let calls = system.calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("read")).count(), 1000);
    assert!(calls.len() < 3100, "{}", calls.len());
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn too_many_manifests_are_cut_with_a_note() {
    let system = Imaginary::new();
    for number in 0..4100 {
        system.file(&format!("{FOLDER}/{number}.json"), "");
    }
    let plan = plan_of(system);
    assert_eq!(plan.drivers.len(), 4096);
    assert_eq!(plan.notes.as_slice(), [Note::TooManyManifests { left_out: 4 }]);
    assert_eq!(plan.searched[4].result, SearchResult::Folder { manifests: 4100 });
}

#[test]
fn only_one_driver_costs_no_look_at_its_library() {
    let system = system_with(&[("a.json", manifest("/lib/a.so"))]);
    plan_of(system);
    assert!(!system.calls().iter().any(|call| call.ends_with("/lib/a.so")));
}
