use super::*;

#[test]
fn a_disabled_layer_is_neither_active_nor_listed_nor_to_be_had() {
    let case = Case::new().implicit(&["I"]).explicit(&["E", "F"]).application(&["E"]);
    let case = case.set("VK_LOADER_LAYERS_DISABLE", "i,E");
    assert_eq!(case.listed(), ["F"]);
    assert_eq!(case.refused(), pairs(&[("E", "disabled")]));
    let plan = case.plan();
    assert!(plan.activate(&LayerRequest::default()).unwrap().layers.is_empty());
    assert_eq!(
        case.explained("I"),
        "a pattern of VK_LOADER_LAYERS_DISABLE matches its name; change or unset the variable"
    );
}

#[test]
fn words_match_every_layer_of_a_kind() {
    let cases = [
        ("~all~", &[][..]),
        ("*", &[]),
        ("**", &[]),
        ("~implicit~", &["E", "F"]),
        ("~EXPLICIT~", &["I", "J"]),
        (" ~implicit~ , f", &["E"]),
        ("~nothing~", &["I", "J", "E", "F"]),
        ("", &["I", "J", "E", "F"]),
    ];
    for (disable, left) in cases {
        let case = Case::new().implicit(&["I", "J"]).explicit(&["E", "F"]);
        assert_eq!(case.set("VK_LOADER_LAYERS_DISABLE", disable).listed(), left, "{disable}");
    }
}

#[test]
fn patterns_match_names_in_any_case() {
    for pattern in ["VK_LAYER_acme_HUD", "*hud", "vk_layer_acme*", "*ACME*", "vk*hud"] {
        let case = Case::new().explicit(&["VK_LAYER_ACME_hud"]);
        assert_eq!(case.set("VK_LOADER_LAYERS_ENABLE", pattern).active(), ["VK_LAYER_ACME_hud"], "{pattern}");
    }
}

#[test]
fn enabled_layers_come_in_the_order_of_the_patterns() {
    let case = Case::new().explicit(&["A1", "A2", "B", "C"]);
    assert_eq!(case.set("VK_LOADER_LAYERS_ENABLE", "c,a*,*").active(), ["C", "A1", "A2", "B"]);
}

#[test]
fn more_than_sixteen_patterns_count() {
    let case = Case::new().explicit(&["A"]);
    assert_eq!(case.set("VK_LOADER_LAYERS_ENABLE", &("x,".repeat(40) + "A")).active(), ["A"]);
}

#[test]
fn an_enabled_layer_cannot_be_disabled() {
    for variable in ["VK_LOADER_LAYERS_ENABLE", "VK_INSTANCE_LAYERS"] {
        let case = Case::new().implicit(&["I"]).explicit(&["E"]);
        let case = case.set("VK_LOADER_LAYERS_DISABLE", "~all~").set(variable, "E");
        assert_eq!(case.active(), ["E"], "{variable}");
        case.system.set(variable, "I");
        assert_eq!(case.active(), ["I"], "{variable}");
    }
}

#[test]
fn an_allowed_layer_is_not_disabled() {
    let case = Case::new().implicit(&["I", "J"]).explicit(&["E"]);
    let case = case.implicit_with(&["K"], r#", "enable_environment": {"ON": "1"}"#);
    let case = case.set("VK_LOADER_LAYERS_DISABLE", "*").set("VK_LOADER_LAYERS_ALLOW", "I,E,K");
    assert_eq!(case.active(), ["I"]);
    assert_eq!(case.listed(), ["I", "K", "E"]);
    assert_eq!(case.set("VK_LOADER_LAYERS_ALLOW", "~implicit~").listed(), ["I", "J", "K"]);
}

#[test]
fn the_word_for_all_enables_all_and_those_for_a_kind_nothing() {
    let case = Case::new().explicit(&["E", "F"]).set("VK_LOADER_LAYERS_ENABLE", "~implicit~,~explicit~");
    assert!(case.active().is_empty());
    assert_eq!(case.set("VK_LOADER_LAYERS_ENABLE", "~All~").active(), ["E", "F"]);
}

#[test]
fn llp_loader_13_an_elevated_process_ignores_the_variables_and_says_so() {
    let variables = [
        "VK_INSTANCE_LAYERS",
        "VK_LOADER_LAYERS_ENABLE",
        "VK_LOADER_LAYERS_DISABLE",
        "VK_LOADER_LAYERS_ALLOW",
    ];
    for variable in variables {
        let case = Case::new().implicit(&["I"]).explicit(&["E"]).set(variable, "*").set(variable, "E");
        case.system.elevate();
        assert_eq!(case.active(), ["I"], "{variable}");
        assert_eq!(case.listed(), ["I", "E"], "{variable}");
        let note = "is ignored because this process is elevated (LLP_LOADER_13)";
        assert_eq!(case.notes(), [format!("{variable} {note}")]);
    }
}

#[test]
fn an_elevated_process_lets_its_user_leave_a_layer_out_and_not_turn_one_on() {
    let case = || {
        let case = Case::new().implicit(&["I", "J"]).set("NO_I", "1").set("ON", "1");
        case.implicit_with(&["K"], r#", "enable_environment": {"ON": "1"}"#)
    };
    assert_eq!(case().active(), ["J", "K"]);
    let elevated = case();
    elevated.system.elevate();
    assert_eq!(elevated.active(), ["J"]);
}
