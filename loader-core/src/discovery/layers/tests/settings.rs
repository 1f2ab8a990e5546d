use super::*;

const FILE: &str = "/etc/vulkan/loader_settings.d/vk_loader_settings.json";

/// Creates three implicit layers I, J and K, three explicit layers A, B and C, and a settings file that lists
/// `layers`: each a name and its control, `+`, `-` or `?`, or `*` for the position of the others.
fn listing(layers: &[&str]) -> Case {
    let case = Case::new().implicit(&["I", "J", "K"]).explicit(&["A", "B", "C"]);
    let entry = |layer: &&str| {
        let (name, control) = layer.split_at(layer.len() - 1);
        let control = match control {
            "+" => "on",
            "-" => "off",
            "?" => "auto",
            _ => return r#"{"control": "unordered_layer_location"}"#.to_string(),
        };
        let (folder, implicit) = if "IJK".contains(name) { (IMPLICIT, true) } else { (EXPLICIT, false) };
        format!(
            r#"{{"name": "{name}", "path": "{folder}/{name}.json", "control": "{control}",
                "treat_as_implicit_manifest": {implicit}}}"#
        )
    };
    let entries: StdVec<_> = layers.iter().map(entry).collect();
    case.settings(&entries.join(", "))
}

impl Case {
    fn settings(self, layers: &str) -> Self {
        let text = format!(r#"{{"file_format_version": "1.0.0", "settings": {{"layers": [{layers}]}}}}"#);
        self.file(FILE, &text)
    }
}

#[test]
fn layers_that_are_on_are_active_in_the_order_of_the_list() {
    assert_eq!(listing(&["B+", "I+", "A+"]).active(), ["B", "I", "A"]);
    let plan = listing(&["B+"]).plan();
    let active = plan.activate(&LayerRequest::default()).unwrap();
    assert_eq!(active.layers[0].because.to_string(), "the settings file");
}

#[test]
fn the_application_gets_its_layers_in_the_order_of_the_list() {
    let case = listing(&["B?", "I?", "A+", "C?"]).application(&["C", "B"]);
    assert_eq!(case.active(), ["B", "I", "A", "C"]);
}

#[test]
fn without_a_position_for_others_there_are_none() {
    let case = listing(&["A?", "I?"]).application(&["B"]);
    assert_eq!(case.refused(), pairs(&[("B", "unknown")]));
    assert_eq!(case.listed(), ["A", "I"]);
    assert_eq!(case.notes(), ["the settings file lists all layers, so others are not searched for"]);
}

#[test]
fn an_empty_list_means_no_layer() {
    assert!(listing(&[]).listed().is_empty());
    assert!(listing(&[]).active().is_empty());
}

#[test]
fn others_go_to_the_lists_position_for_them() {
    let case = listing(&["B+", "*", "I+"]).application(&["C"]);
    assert_eq!(case.active(), ["B", "J", "K", "C", "I"]);
    assert_eq!(case.listed(), ["B", "J", "K", "A", "C", "I"]);
}

#[test]
fn a_layer_that_is_off_cannot_be_had() {
    let case = listing(&["A-", "I-", "*"]).application(&["A", "B"]);
    assert_eq!(case.refused(), pairs(&[("A", "settings-off")]));
    assert_eq!(listing(&["A-", "I-", "*"]).active(), ["J", "K"]);
    let mut skipped = listing(&["A-", "*"]).skipped();
    skipped.retain(|(name, _)| name == "A");
    assert_eq!(skipped, pairs(&[("A", "settings-off"), ("A", "settings-off")]), "wherever it is found");
}

#[test]
fn on_beats_variables_and_auto_does_not() {
    let with = |control: &str| listing(&[control]).set("NO_I", "1");
    assert_eq!(with("I+").active(), ["I"]);
    assert!(with("I?").active().is_empty());
    let with = |control: &str| listing(&[control]).set("VK_LOADER_LAYERS_DISABLE", "~all~");
    assert_eq!(with("I+").active(), ["I"]);
    assert_eq!(with("A+").active(), ["A"]);
    assert!(with("I?").active().is_empty());
}

#[test]
fn variables_enable_layers_of_the_list_in_its_order() {
    let case = listing(&["C?", "B?", "A?"]).set("VK_INSTANCE_LAYERS", "A:B");
    assert_eq!(case.active(), ["B", "A"]);
    assert_eq!(listing(&["C?", "B?"]).set("VK_LOADER_LAYERS_ENABLE", "*").active(), ["C", "B"]);
}

#[test]
fn one_name_in_two_manifests_is_two_layers_and_one_manifest_is_one() {
    let entry = |path: &str| format!(r#"{{"name": "A", "path": "{path}", "control": "on"}}"#);
    let list = [entry("/a.json"), entry("/b.json"), entry("/a.json")].join(", ");
    let case =
        Case::new().file("/a.json", &manifest("A", "")).file("/b.json", &manifest("A", "")).settings(&list);
    assert_eq!(case.active(), ["A", "A"]);
    assert_eq!(case.skipped(), pairs(&[("A", "-"), ("A", "-"), ("A", "manifest-repeated")]));
}

#[test]
fn a_name_other_than_the_manifests_is_not_a_layer() {
    let case = Case::new()
        .file("/a.json", &manifest("A", ""))
        .settings(r#"{"name": "B", "path": "/a.json", "control": "on"}"#);
    assert_eq!(case.skipped(), pairs(&[("A", "settings-name")]));
    assert!(case.active().is_empty());
}

#[test]
fn a_manifest_that_cannot_be_read_has_a_reason() {
    let case = listing(&["I?"]).settings(r#"{"name": "B", "path": "/none.json", "control": "on"}"#);
    assert_eq!(case.skipped(), pairs(&[("", "manifest-not-found")]));
}

#[test]
fn a_layer_that_is_found_elsewhere_is_used_if_the_listed_manifest_cannot_be() {
    let missing =
        r#"{"name": "A", "path": "/gone.json", "control": "auto"}, {"control": "unordered_layer_location"}"#;
    let case = Case::new().explicit(&["A"]).settings(missing).application(&["A"]);
    assert_eq!(case.active(), ["A"]);
    let here = missing.replace("/gone", "/here");
    let case = Case::new().explicit(&["A"]).file("/here.json", &manifest("A", "")).settings(&here);
    assert_eq!(case.skipped(), pairs(&[("A", "-"), ("A", "settings-elsewhere")]));
}

#[test]
fn a_list_of_layers_beats_the_override_layer() {
    let fields = r#", "blacklisted_layers": ["B"]"#;
    let case = listing(&["A?", "*"]).implicit_meta("VK_LAYER_LUNARG_override", &["A", "C"], fields);
    assert!(!case.skipped().contains(&("B".to_string(), "blacklisted")));
}

#[test]
fn only_what_counts_as_implicit_answers_before_there_is_an_instance() {
    let fields = r#""disable_environment": {"OFF": "1"},
        "pre_instance_functions": {"vkEnumerateInstanceVersion": "v"}"#;
    for (implicit, expected) in [(true, 1), (false, 0)] {
        let list = format!(
            r#"{{"name": "A", "path": "/a.json", "control": "on", "treat_as_implicit_manifest": {implicit}}}"#
        );
        let case = Case::new().file("/a.json", &manifest("A", fields)).settings(&list);
        let plan = case.plan();
        let active = plan.activate(&LayerRequest::default()).unwrap();
        assert_eq!(active.pre_instance(&plan).count(), expected);
    }
}

#[test]
fn a_listed_meta_layer_brings_its_components() {
    let case = listing(&["A?", "*"]).meta("M", &["B", "A"]);
    let list = format!(
        r#"{{"name": "M", "path": "{EXPLICIT}/M.json", "control": "on"}}, {{"control": "unordered_layer_location"}}"#
    );
    assert_eq!(case.settings(&list).active(), ["B", "A", "M", "I", "J", "K"]);
}
