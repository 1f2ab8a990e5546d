use super::*;

#[test]
fn implicit_layers_are_active_by_themselves_and_explicit_ones_are_not() {
    let case = Case::new().implicit(&["I"]).explicit(&["E"]);
    assert_eq!(case.active(), ["I"]);
    assert_eq!(case.listed(), ["I", "E"], "an application may enable both");
    assert_eq!(case.explained("E"), "nothing enables it");
}

#[test]
fn the_order_is_implicit_then_variables_then_the_application() {
    let case = Case::new().implicit(&["I"]).explicit(&["A", "B", "C", "D"]);
    let case = case.set("VK_INSTANCE_LAYERS", "C:A").set("VK_LOADER_LAYERS_ENABLE", "D").application(&["B"]);
    assert_eq!(case.active(), ["I", "C", "A", "D", "B"]);
    let plan = case.plan();
    let reasons: StdVec<_> = case.activated(&plan).layers.iter().map(|it| it.because.to_string()).collect();
    let expected = [
        "implicit",
        "VK_INSTANCE_LAYERS",
        "VK_INSTANCE_LAYERS",
        "VK_LOADER_LAYERS_ENABLE",
        "the application",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn the_application_chooses_the_order_of_its_layers() {
    let case = Case::new().explicit(&["A", "B", "C"]).application(&["C", "A", "B"]);
    assert_eq!(case.active(), ["C", "A", "B"]);
}

#[test]
fn llp_loader_3_only_the_first_of_equal_names_counts() {
    let case = Case::new().implicit(&["I"]).explicit(&["A", "B"]);
    let case = case.set("VK_INSTANCE_LAYERS", "A:A").application(&["B", "I", "A", "B"]);
    assert_eq!(case.active(), ["I", "A", "B"]);
}

#[test]
fn implicit_layers_are_ordered_by_search_path_then_by_file_name_then_as_in_the_file() {
    let layer = |name: &str| {
        let all = manifest(name, r#""disable_environment": {"NO": ""}"#);
        all[all.find("\"layer\": ").unwrap() + 9..all.len() - 1].to_string()
    };
    let several =
        format!(r#"{{"file_format_version": "1.0.1", "layers": [{}, {}]}}"#, layer("Z"), layer("Y"));
    let case = Case::new()
        .file(
            "/usr/share/vulkan/implicit_layer.d/10.json",
            &manifest("C", r#""disable_environment": {"NO": ""}"#),
        )
        .file("/usr/share/vulkan/implicit_layer.d/9.json", &several)
        .file("/etc/vulkan/implicit_layer.d/99.json", &manifest("E", r#""disable_environment": {"NO": ""}"#));
    assert_eq!(case.active(), ["E", "Z", "Y", "C"]);
}

#[test]
fn an_implicit_layer_that_a_variable_names_takes_its_position_there() {
    let case = Case::new().implicit(&["I", "J"]).explicit(&["A"]).set("VK_INSTANCE_LAYERS", "A:I");
    assert_eq!(case.active(), ["J", "A", "I"]);
}

#[test]
fn an_implicit_layer_that_the_application_names_stays_where_it_is() {
    let case = Case::new().implicit(&["I"]).explicit(&["A"]).application(&["A", "I"]);
    assert_eq!(case.active(), ["I", "A"]);
}

#[test]
fn layers_that_do_not_work_above_another_are_moved_below() {
    let [mangohud, other, renderdoc] =
        ["VK_LAYER_MANGOHUD_overlay_x86_64", "VK_LAYER_N", "VK_LAYER_RENDERDOC_Capture"];
    let case = Case::new().implicit(&[mangohud, other, renderdoc]);
    assert_eq!(case.active(), [other, renderdoc, mangohud]);
    let reason = "RenderDoc returns no vkCreateDevice without an instance, which this layer needs";
    assert_eq!(case.notes(), [format!("the layer {mangohud} is called after {renderdoc}: {reason}")]);
    let two = ["VK_LAYER_MANGOHUD_overlay_x86", mangohud, renderdoc];
    assert_eq!(Case::new().implicit(&two).active()[0], renderdoc);
    for kept in [[mangohud, other], [other, renderdoc]] {
        assert_eq!(Case::new().implicit(&kept).active(), kept);
    }
    let named = Case::new().implicit(&[mangohud, renderdoc]).set("VK_INSTANCE_LAYERS", renderdoc);
    assert_eq!(named.active(), [renderdoc, mangohud]);
}

#[test]
fn an_unknown_name_in_a_variable_stops_nothing() {
    let case = Case::new().explicit(&["A"]).set("VK_INSTANCE_LAYERS", "nope: A ::");
    assert_eq!(case.active(), ["A"]);
    assert_eq!(
        case.notes(),
        [
            "VK_INSTANCE_LAYERS names the layer nope, which is not installed; correct the name or install the layer"
        ]
    );
    assert_eq!(case.plan().notes[0].level(), crate::log::Level::Error);
}

#[test]
fn an_unknown_name_of_the_application_is_refused() {
    let case = Case::new().explicit(&["A"]).application(&["A", "nope", "a"]);
    assert_eq!(case.refused(), pairs(&[("nope", "unknown"), ("a", "unknown")]));
    let plan = case.plan();
    let words = case.activated(&plan).refused[0].because.explain(&plan).to_string();
    assert_eq!(words, "no layer of this name is installed");
}

#[test]
fn a_layer_that_was_found_and_cannot_be_used_says_why() {
    let case = Case::new().file(&format!("{EXPLICIT}/a.json"), &manifest("A", r#""library_arch": "32""#));
    let case = case.application(&["A"]).set("VK_INSTANCE_LAYERS", "A");
    assert_eq!(case.refused(), pairs(&[("A", "library-arch-mismatch")]));
    let plan = case.plan();
    let words = case.activated(&plan).refused[0].because.explain(&plan).to_string();
    let expected = "the layer is for 32-bit programs and this is a 64-bit one";
    assert_eq!(words, format!("{EXPLICIT}/a.json: {expected}"));
    assert_eq!(case.notes(), ["VK_INSTANCE_LAYERS names the layer A, which was found but cannot be used"]);
    assert_eq!(case.explained("A"), "the layer is for 32-bit programs and this is a 64-bit one");
}

#[test]
fn llp_loader_6_enable_environment_needs_the_exact_value() {
    let case = Case::new().implicit_with(&["I"], r#", "enable_environment": {"ON": "1"}"#);
    for (value, active) in [("1", true), ("0", false), ("", false), ("10", false), ("1 ", false)] {
        case.system.set("ON", value);
        assert_eq!(case.active().len(), usize::from(active), "{value:?}");
    }
    case.system.unset("ON");
    assert!(case.active().is_empty());
    assert_eq!(case.explained("I"), "it is active only if ON is set to \"1\"");
    assert_eq!(case.listed(), ["I"]);
}

#[test]
fn llp_loader_7_disable_environment_works_with_any_value() {
    for value in ["1", "0", ""] {
        let case = Case::new().implicit_with(&["I"], r#", "enable_environment": {"ON": "1"}"#);
        let case = case.set("ON", "1").set("NO_I", value);
        assert!(case.active().is_empty(), "{value:?}");
        assert_eq!(case.explained("I"), "NO_I is set, which disables it");
    }
}

#[test]
fn disable_environment_beats_every_variable_of_the_loader() {
    for variable in ["VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE", "VK_LOADER_LAYERS_ALLOW"] {
        let case = Case::new().implicit(&["I"]).set("NO_I", "0").set(variable, "I");
        assert!(case.active().is_empty(), "{variable}");
    }
}

#[test]
fn a_layer_that_the_application_names_is_loaded_regardless_of_its_variables() {
    let case = Case::new().implicit_with(&["I"], r#", "enable_environment": {"ON": "1"}"#);
    let case = case.set("NO_I", "1").application(&["I"]);
    assert_eq!(case.active(), ["I"]);
}

#[test]
fn being_named_by_a_variable_stands_for_enable_environment() {
    for variable in ["VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"] {
        let case = Case::new().implicit_with(&["I"], r#", "enable_environment": {"ON": "1"}"#);
        assert_eq!(case.set(variable, "I").active(), ["I"], "{variable}");
    }
}

#[test]
fn the_first_found_of_equal_names_wins() {
    let case = Case::new()
        .file("/etc/vulkan/explicit_layer.d/z.json", &manifest("A", r#""library_arch": "64""#))
        .file("/usr/share/vulkan/explicit_layer.d/a.json", &manifest("A", ""))
        .file("/usr/local/etc/vulkan/explicit_layer.d/a.json", &manifest("A", r#""library_arch": "32""#));
    let plan = case.plan();
    assert_eq!(
        case.skipped(),
        pairs(&[("A", "library-arch-mismatch"), ("A", "-"), ("A", "name-taken")]),
        "a layer that cannot be used takes no name"
    );
    assert_eq!(plan.usable(b"A"), Some(1));
    assert_eq!(case.listed(), ["A"]);
    let reason = plan.layers[2].skipped.unwrap();
    assert_eq!(
        reason.explain(&plan, 2).to_string(),
        "/etc/vulkan/explicit_layer.d/z.json comes first and has the same name"
    );
}

#[test]
fn an_implicit_layer_beats_an_explicit_one_of_the_same_name() {
    let case = Case::new().implicit_with(&["A"], r#", "enable_environment": {"ON": "1"}"#).explicit(&["A"]);
    assert_eq!(case.skipped(), pairs(&[("A", "-"), ("A", "name-taken")]));
    assert_eq!(case.application(&["A"]).active(), ["A"]);
}

#[test]
fn llp_loader_4_a_layer_of_another_api_is_skipped() {
    let with_version = |name: &str, version: &str| manifest(name, "").replace("1.3.0", version);
    let case = Case::new()
        .file(&format!("{EXPLICIT}/1.json"), &with_version("A", "2.0.0"))
        .file(&format!("{EXPLICIT}/2.json"), &with_version("B", "1.1.0.0"))
        .file(&format!("{EXPLICIT}/3.json"), &with_version("C", "0.1.1.0"))
        .application(&["A", "C"]);
    let incompatible = "api-version-incompatible";
    assert_eq!(case.skipped(), pairs(&[("A", incompatible), ("B", incompatible), ("C", "-")]));
    assert_eq!(case.refused(), pairs(&[("A", incompatible)]));
    assert_eq!(case.plan().layers[0].skipped.unwrap().policy(), Some("LLP_LOADER_4"));
}

#[test]
fn llp_loader_4_a_layer_of_major_version_0_is_used_with_a_warning() {
    let odd = manifest("A", "").replace("1.3.0", "0.9.3");
    let case = Case::new().file(&format!("{EXPLICIT}/1.json"), &odd).application(&["A"]);
    assert_eq!(case.active(), ["A"]);
    let plan = case.plan();
    let warning = plan.layers[0].warning.unwrap().to_string();
    assert_eq!(warning, "its API version 0.9.3 is of major version 0; it is taken as 1");
}

#[test]
fn llp_loader_4_a_layer_older_than_the_application_is_active_and_marked() {
    let mut case = Case::new().implicit(&["I"]);
    for (wanted, older) in [((1, 2), false), ((1, 3), false), ((1, 4), true)] {
        case.api_version = Version::new(wanted.0, wanted.1, 99);
        let plan = case.plan();
        assert_eq!(case.activated(&plan).layers[0].older, older, "{wanted:?}");
    }
}

#[test]
fn only_implicit_layers_get_pre_instance_functions() {
    let fields = r#""pre_instance_functions": {"vkEnumerateInstanceVersion": "f"}"#;
    let case = Case::new().implicit_with(&["I", "J", "K"], &format!(", {fields}"));
    let case = case.file(&format!("{EXPLICIT}/e.json"), &manifest("E", fields)).implicit(&["L"]);
    let case = case.set("VK_INSTANCE_LAYERS", "E:J").set("NO_K", "1");
    let plan = case.plan();
    assert_eq!(case.active(), ["I", "L", "E", "J"]);
    let active = case.activated(&plan);
    let names: StdVec<_> = active.pre_instance(&plan).map(|(_, layer)| shown(layer.name())).collect();
    assert_eq!(names, ["I", "J"]);
}

#[test]
fn a_library_is_a_name_or_a_path_beside_the_manifest() {
    let with_library = |name: &str, path: &str| manifest(name, "").replace(&format!("lib{name}.so"), path);
    let case = Case::new()
        .file(&format!("{EXPLICIT}/1.json"), &with_library("A", "liba.so"))
        .file(&format!("{EXPLICIT}/2.json"), &with_library("B", "../b.so"))
        .file(&format!("{EXPLICIT}/3.json"), &with_library("C", "/opt/$LIB/c.so"))
        .meta("M", &["A"]);
    let libraries: StdVec<_> = case.plan().layers.iter().map(|layer| shown(&layer.library)).collect();
    assert_eq!(libraries, ["liba.so", "/usr/share/vulkan/explicit_layer.d/../b.so", "/opt/$LIB/c.so", ""]);
}
