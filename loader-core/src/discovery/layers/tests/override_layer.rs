use super::*;

const OVERRIDE: &str = "VK_LAYER_LUNARG_override";

#[test]
fn llp_loader_11_the_override_layer_and_its_components_come_after_all_other_implicit_layers() {
    let case = Case::new().implicit(&["I", "Z", "VK_LAYER_ZZ"]).explicit(&["A", "B"]);
    let case = case.implicit_meta(OVERRIDE, &["A", "I"], "").set("VK_INSTANCE_LAYERS", "B");
    assert_eq!(case.active(), ["VK_LAYER_ZZ", "Z", "A", "I", OVERRIDE, "B"]);
    let plan = case.plan();
    assert_eq!(case.activated(&plan).layers[4].because, ActivationCause::Override);
}

#[test]
fn without_disable_environment_it_is_not_used() {
    let manifest = meta_manifest(OVERRIDE, &["A"], "1.3.0", "");
    let case = Case::new().explicit(&["A"]).file(&format!("{IMPLICIT}/o.json"), &manifest);
    assert!(case.active().is_empty());
    assert_eq!(case.skipped()[0].1, "no-disable-environment");
}

#[test]
fn override_paths_replace_the_search_for_explicit_layers() {
    let case = Case::new().explicit(&["A", "B"]).implicit(&["I"]);
    let case = case.file("/opt/layers/a.json", &manifest("A", "")).file("/opt/c.json", &manifest("C", ""));
    let case =
        case.implicit_meta(OVERRIDE, &["A"], r#", "override_paths": ["/opt/layers/", "/opt/c.json", ""]"#);
    assert_eq!(case.listed(), ["I", OVERRIDE, "A", "C"]);
    assert_eq!(case.active(), ["I", "A", OVERRIDE]);
    let plan = case.plan();
    assert_eq!(shown(&plan.layers[plan.usable(b"A").unwrap()].path), "/opt/layers/a.json");
    assert_eq!(plan.searched.last().unwrap().origin, crate::discovery::Origin::OverrideLayer);
}

#[test]
fn a_layer_that_may_be_hidden_is_not_called_missing() {
    let hidden = |case: Case| {
        let case = case.explicit(&["A"]).application(&["A"]).set("VK_INSTANCE_LAYERS", "A");
        let plan = case.plan();
        let refused = case.activated(&plan).refused[0].because.explain(&plan).to_string();
        let notes = case.notes();
        let [(_, by_application), (_, by_variable)] =
            [&refused, notes.last().unwrap()].map(|words| words.split_once(", since ").unwrap());
        assert_eq!(by_application, by_variable);
        by_variable.to_string()
    };
    assert_eq!(hidden(Case::new().set("VK_LAYER_PATH", "/else")), "VK_LAYER_PATH replaces the search path");
    assert_eq!(hidden(Case::new().set("VK_LAYER_PATH", ":")), "VK_LAYER_PATH replaces the search path");
    let settings = r#"{"file_format_version": "1.0.0", "settings": {"layers": []}}"#;
    let path = "/etc/vulkan/loader_settings.d/vk_loader_settings.json";
    assert_eq!(hidden(Case::new().file(path, settings)), "the settings file lists all layers");
    let case = Case::new().implicit_meta(OVERRIDE, &[], r#", "override_paths": ["/else"]"#);
    assert_eq!(hidden(case), "the override layer sets the search path (\"override_paths\")");
}

#[test]
fn relative_override_paths_are_beside_the_manifest() {
    let case = Case::new().file("/usr/share/vulkan/implicit_layer.d/more/a.json", &manifest("A", ""));
    let case = case.implicit_meta(OVERRIDE, &["A"], r#", "override_paths": ["more"]"#);
    assert_eq!(case.active(), ["A", OVERRIDE]);
}

#[test]
fn override_paths_beat_the_variables_and_say_so() {
    let case = Case::new().file("/opt/a.json", &manifest("A", "")).file("/x/b.json", &manifest("B", ""));
    let case = case.implicit_meta(OVERRIDE, &[], r#", "override_paths": ["/opt"]"#);
    let case = case.set("VK_LAYER_PATH", "/x").set("VK_ADD_LAYER_PATH", "/y");
    assert_eq!(case.listed(), [OVERRIDE, "A"]);
    let because = "is ignored, since the override layer says where to search (\"override_paths\")";
    assert_eq!(case.notes(), [format!("VK_LAYER_PATH {because}"), format!("VK_ADD_LAYER_PATH {because}")]);
}

#[test]
fn with_neither_components_nor_library_it_is_skipped_and_rules_nothing_out() {
    let fields = r#", "disable_environment": {"OFF": "1"}, "blacklisted_layers": ["I"]"#;
    let odd = meta_manifest(OVERRIDE, &["A"], "1.3.0", fields);
    let odd = odd.replace("\"component_layers\"", "\"other\"");
    let case = Case::new().implicit(&["I"]).file(&format!("{IMPLICIT}/o.json"), &odd);
    assert_eq!(case.active(), ["I"]);
    assert!(
        case.skipped().iter().any(|(_, reason)| *reason == "manifest-field-missing"),
        "{:?}",
        case.skipped()
    );
}

#[test]
fn llp_loader_12_a_blacklisted_layer_is_neither_active_nor_listed_nor_to_be_had() {
    let case = Case::new().implicit(&["I", "J"]).explicit(&["A", "B"]);
    let fields = format!(r#", "blacklisted_layers": ["I", "A", "gone", "{OVERRIDE}"]"#);
    let case = case.implicit_meta(OVERRIDE, &["B"], &fields).application(&["A"]);
    assert_eq!(case.listed(), ["J", OVERRIDE, "B"]);
    assert_eq!(case.refused(), pairs(&[("A", "blacklisted")]));
    assert_eq!(case.explained("I"), format!("the override layer in {IMPLICIT}/{OVERRIDE}.json excludes it"));
    assert_eq!(case.set("VK_LOADER_LAYERS_ENABLE", "*").listed(), ["J", OVERRIDE, "B"]);
}

#[test]
fn app_keys_limit_it_to_some_programs() {
    let fields = r#", "app_keys": ["/bin/one", "/bin/two"], "blacklisted_layers": ["I"]"#;
    let case = || Case::new().implicit(&["I"]).explicit(&["A"]).implicit_meta(OVERRIDE, &["A"], fields);
    let one = case();
    one.system.run("/bin/two");
    assert_eq!(one.active(), ["A", OVERRIDE]);
    for program in ["/bin/on", "/bin/twoo", "two"] {
        let other = case();
        other.system.run(program);
        assert_eq!(other.active(), ["I"], "{program}");
        assert_eq!(other.skipped()[1].1, "other-program");
    }
    assert_eq!(case().active(), ["I"], "an unknown program matches no rule");
}

#[test]
fn empty_app_keys_mean_every_program() {
    let case = Case::new().explicit(&["A"]).implicit_meta(OVERRIDE, &["A"], r#", "app_keys": []"#);
    assert_eq!(case.active(), ["A", OVERRIDE]);
    assert!(!case.system.calls().iter().any(|call| call.starts_with("executable")), "it need not be known");
}

#[test]
fn one_that_lists_the_program_beats_one_for_all_programs() {
    let fields = |more: &str| format!(r#", "disable_environment": {{"NO": "1"}}{more}"#);
    let manifest =
        |component: &str, more: &str| meta_manifest(OVERRIDE, &[component], "1.3.0", &fields(more));
    let case = Case::new().explicit(&["A", "B", "C"]);
    let case = case
        .file(&format!("{IMPLICIT}/1.json"), &manifest("A", ""))
        .file(&format!("{IMPLICIT}/2.json"), &manifest("B", r#", "app_keys": ["/bin/me"]"#))
        .file(&format!("{IMPLICIT}/3.json"), &manifest("C", ""));
    assert_eq!(case.active(), ["A", OVERRIDE]);
    case.system.run("/bin/me");
    assert_eq!(case.active(), ["B", OVERRIDE]);
    let skipped: StdVec<_> = case.skipped()[..3].iter().map(|(_, id)| *id).collect();
    assert_eq!(skipped, ["name-taken", "-", "name-taken"]);
}

#[test]
fn a_disabled_override_layer_overrides_nothing() {
    let no = format!("NO_{OVERRIDE}");
    for (variable, value) in [(no.as_str(), "0"), ("VK_LOADER_LAYERS_DISABLE", "*override")] {
        let case = Case::new().implicit(&["I"]).explicit(&["A"]);
        let fields = r#", "blacklisted_layers": ["I"], "override_paths": ["/nowhere"]"#;
        let case = case.implicit_meta(OVERRIDE, &["A"], fields).set(variable, value);
        assert_eq!(case.active(), ["I"], "{variable}");
        assert!(case.listed().contains(&"A".to_string()), "{variable}");
    }
}

#[test]
fn with_a_missing_component_it_is_dropped_and_rules_out_nothing() {
    let case = Case::new().implicit(&["I", "J"]).explicit(&["A"]);
    let case = case.implicit_meta(OVERRIDE, &["J", "gone"], r#", "blacklisted_layers": ["I"]"#);
    assert_eq!(case.active(), ["I", "J"]);
    assert_eq!(case.skipped()[2], (OVERRIDE.to_string(), "component-missing"));
}

#[test]
fn a_meta_layer_with_a_blacklisted_component_is_dropped() {
    let case = Case::new().explicit(&["A", "B"]).meta("M", &["A", "B"]);
    let case = case.implicit_meta(OVERRIDE, &[], r#", "blacklisted_layers": ["A"]"#);
    assert_eq!(case.listed(), [OVERRIDE, "B"]);
}

#[test]
fn it_enables_its_components_unless_a_variable_disables_them() {
    let enabling = r#", "enable_environment": {"ON": "1"}"#;
    let case = || Case::new().implicit_with(&["I", "J"], enabling).implicit_meta(OVERRIDE, &["J", "I"], "");
    assert_eq!(case().active(), ["J", "I", OVERRIDE]);
    assert_eq!(case().set("ON", "1").set("NO_J", "1").active(), ["I", OVERRIDE]);
    let nested =
        Case::new().implicit_with(&["I"], enabling).meta("M", &["I"]).implicit_meta(OVERRIDE, &["M"], "");
    assert_eq!(nested.active(), ["I", "M", OVERRIDE], "also by way of another meta-layer");
}

#[test]
fn it_gives_no_pre_instance_functions_to_explicit_layers() {
    let fields = r#""pre_instance_functions": {"vkEnumerateInstanceVersion": "f"}"#;
    let case = Case::new().file(&format!("{EXPLICIT}/a.json"), &manifest("A", fields));
    let case = case.implicit_meta(OVERRIDE, &["A"], "");
    let plan = case.plan();
    assert_eq!(case.active(), ["A", OVERRIDE]);
    assert_eq!(case.activated(&plan).pre_instance(&plan).count(), 0);
}

#[test]
fn llp_loader_13_it_is_ignored_in_the_users_folder_when_elevated() {
    let fields = r#", "disable_environment": {"NO": "1"}, "blacklisted_layers": ["I"]"#;
    let case = Case::new().implicit(&["I"]).explicit(&["A"]).set("HOME", "/home/me");
    let path = "/home/me/.local/share/vulkan/implicit_layer.d/o.json";
    let case = case.file(path, &meta_manifest(OVERRIDE, &["A"], "1.3.0", fields));
    assert_eq!(case.active(), ["A", OVERRIDE]);
    case.system.elevate();
    assert_eq!(case.active(), ["I"]);
}

#[test]
fn an_explicit_layer_of_that_name_is_a_layer_like_others() {
    let case = Case::new().implicit(&["I"]).explicit(&["A"]);
    let manifest = meta_manifest(OVERRIDE, &["A"], "1.3.0", r#", "blacklisted_layers": ["I"]"#);
    let case = case.file(&format!("{EXPLICIT}/o.json"), &manifest);
    assert_eq!(case.active(), ["I"]);
    assert_eq!(case.application(&[OVERRIDE]).active(), ["I", "A", OVERRIDE]);
}
