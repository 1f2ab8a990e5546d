use super::*;

#[test]
fn components_come_in_order_before_the_meta_layer() {
    let case = Case::new().explicit(&["A", "B", "C"]).meta("M", &["C", "A"]).application(&["B", "M"]);
    assert_eq!(case.active(), ["B", "C", "A", "M"]);
    let plan = case.plan();
    let active = case.activated(&plan);
    let meta = plan.usable(b"M").unwrap();
    assert_eq!(active.layers[1].because, ActivationCause::Component { of: meta });
    let chain: StdVec<_> = active.chain(&plan).map(|(_, layer)| shown(layer.name())).collect();
    assert_eq!(chain, ["B", "C", "A"], "a meta-layer has no library");
}

#[test]
fn a_component_that_is_active_already_stays_where_it_is() {
    let case = Case::new().explicit(&["A", "B"]).meta("M", &["A", "B", "A"]);
    let case = case.set("VK_INSTANCE_LAYERS", "B").application(&["M", "A"]);
    assert_eq!(case.active(), ["B", "A", "M"]);
}

#[test]
fn meta_layers_may_be_nested() {
    let case = Case::new().explicit(&["A", "B", "C"]).meta("M", &["A", "N", "C"]).meta("N", &["B", "O"]);
    let case = case.meta("O", &["A"]).application(&["M"]);
    assert_eq!(case.active(), ["A", "B", "O", "N", "C", "M"]);
    let plan = case.plan();
    let libraries = plan.libraries(plan.usable(b"M").unwrap()).unwrap();
    let names: StdVec<_> = libraries.iter().map(|index| shown(plan.layers[*index].name())).collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(plan.libraries(0).unwrap().as_slice(), [0], "a layer stands for itself");
}

#[test]
fn llp_loader_10_a_missing_component_drops_the_meta_layer() {
    let case = Case::new().explicit(&["A"]).meta("M", &["A", "gone"]).meta("N", &["M"]).application(&["M"]);
    assert_eq!(
        case.skipped(),
        pairs(&[("A", "-"), ("M", "component-missing"), ("N", "component-missing")]),
        "and the meta-layers that it is a component of"
    );
    assert_eq!(case.refused(), pairs(&[("M", "component-missing")]));
    assert_eq!(case.listed(), ["A"]);
    assert_eq!(case.explained("M"), "its component gone does not exist or cannot be used; install it");
}

#[test]
fn llp_loader_10_an_older_component_drops_the_meta_layer_and_a_newer_one_does_not() {
    let older = manifest("A", "").replace("1.3.0", "1.2.999");
    let same = manifest("B", "");
    let newer = manifest("C", "").replace("1.3.0", "1.4.1");
    let case = Case::new()
        .file(&format!("{EXPLICIT}/a.json"), &older)
        .file(&format!("{EXPLICIT}/b.json"), &same)
        .file(&format!("{EXPLICIT}/c.json"), &newer)
        .file(&format!("{EXPLICIT}/m.json"), &meta_manifest("M", &["B", "A"], "1.3.7", ""))
        .file(&format!("{EXPLICIT}/n.json"), &meta_manifest("N", &["B", "C"], "1.3.7", ""));
    let expected = [("A", "-"), ("B", "-"), ("C", "-"), ("M", "component-too-old"), ("N", "-")];
    assert_eq!(case.skipped(), pairs(&expected));
    assert_eq!(
        case.explained("M"),
        "its component A is made for a lower version of Vulkan than the layer itself"
    );
}

#[test]
fn a_meta_layer_that_contains_itself_is_dropped() {
    let case = Case::new().explicit(&["A"]).meta("M", &["A", "M"]).application(&["M"]);
    assert_eq!(case.refused(), pairs(&[("M", "component-cycle")]));
    assert_eq!(case.explained("M"), "it contains itself through its component M");
}

#[test]
fn meta_layers_in_a_circle_are_all_dropped() {
    let case = Case::new().explicit(&["A"]).meta("M", &["N"]).meta("N", &["A", "O"]).meta("O", &["M"]);
    let case = case.meta("P", &["A"]).meta("Q", &["P", "O"]);
    assert_eq!(case.listed(), ["A", "P"]);
    assert_eq!(case.skipped()[3], ("O".to_string(), "component-cycle"));
}

#[test]
fn llp_loader_10_an_older_component_drops_the_meta_layer_even_where_a_variable_disables_it() {
    let case = Case::new()
        .file(&format!("{EXPLICIT}/a.json"), &manifest("A", "").replace("1.3.0", "1.2.999"))
        .file(&format!("{EXPLICIT}/m.json"), &meta_manifest("M", &["A"], "1.3.7", ""))
        .set("VK_LOADER_LAYERS_DISABLE", "A");
    assert_eq!(case.skipped(), pairs(&[("A", "disabled"), ("M", "component-too-old")]));
}

#[test]
fn a_disabled_component_is_left_out() {
    let case = Case::new().explicit(&["A", "B"]).meta("M", &["A", "B"]).application(&["M"]);
    assert_eq!(case.set("VK_LOADER_LAYERS_DISABLE", "A").active(), ["B", "M"]);
}

#[test]
fn an_implicit_component_needs_its_variables() {
    let case = Case::new().implicit_with(&["I"], r#", "enable_environment": {"ON": "1"}"#);
    let case = case.explicit(&["A"]).meta("M", &["I", "A"]).meta("N", &["M"]);
    assert_eq!(case.plan().libraries(2).unwrap().len(), 1);
    let case = case.application(&["N"]);
    assert_eq!(case.active(), ["A", "M", "N"]);
    case.system.set("ON", "1").set("NO_I", "1");
    assert_eq!(case.active(), ["A", "M", "N"]);
    case.system.unset("NO_I");
    assert_eq!(case.active(), ["I", "A", "M", "N"]);
}

#[test]
fn an_implicit_meta_layer_brings_its_components() {
    let case = Case::new().explicit(&["A"]).implicit(&["I", "Z"]).implicit_meta("M", &["A", "Z"], "");
    assert_eq!(case.active(), ["I", "A", "Z", "M"]);
}

#[test]
fn a_component_that_a_variable_names_is_active_at_that_position() {
    let case = Case::new().explicit(&["A", "B"]).implicit_meta("M", &["A", "B"], "");
    let case = case.set("VK_INSTANCE_LAYERS", "A");
    assert_eq!(case.active(), ["B", "M", "A"]);
    case.system.set("VK_INSTANCE_LAYERS", "M:A");
    assert_eq!(case.active(), ["A", "B", "M"], "the first position in the list");
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn a_long_row_of_nested_meta_layers_does_no_harm() {
    let case = Case::new().explicit(&["A"]);
    let last = 3000;
    for number in 0..last {
        let inner = if number == 0 { "A".to_string() } else { format!("M{}", number - 1) };
        let path = format!("{EXPLICIT}/M{number}.json");
        case.system.file(&path, meta_manifest(&format!("M{number}"), &[&inner, &inner], "1.3.0", ""));
    }
    let case = case.application(&["M2999"]);
    assert_eq!(case.active().len(), last + 1);
}
