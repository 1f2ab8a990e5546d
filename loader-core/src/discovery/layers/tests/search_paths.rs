use super::*;
use crate::discovery::{Origin, SearchResult};

fn searched(case: &Case) -> StdVec<String> {
    case.plan().searched.iter().map(|searched| shown(&searched.path)).collect()
}

#[test]
fn the_default_search_paths_apply_to_either_kind() {
    let case = Case::new().set("HOME", "/home/me");
    let roots = [
        "/home/me/.config",
        "/etc/xdg",
        "/usr/local/etc",
        "/etc",
        "/home/me/.local/share",
        "/usr/local/share",
        "/usr/share",
    ];
    let folders = ["implicit_layer.d", "explicit_layer.d"];
    let expected: StdVec<_> = folders
        .iter()
        .flat_map(|folder| roots.iter().map(move |root| format!("{root}/vulkan/{folder}")))
        .collect();
    assert_eq!(searched(&case), expected);
    let case = Case::new();
    assert_eq!(case.plan().searched[7].origin, Origin::BuiltIn("EXTRASYSCONFDIR"));
}

#[test]
fn a_variable_replaces_the_search_of_its_kind() {
    for (variable, kind) in [("VK_LAYER_PATH", "E"), ("VK_IMPLICIT_LAYER_PATH", "I")] {
        let mine = manifest("X", r#""disable_environment": {"NO": ""}"#);
        let case = Case::new().implicit(&["I"]).explicit(&["E"]).file("/x/x.json", &mine);
        let case = case.set(variable, "/x:/gone");
        let listed = case.listed();
        assert!(listed.contains(&"X".to_string()) && !listed.contains(&kind.to_string()), "{listed:?}");
        assert_eq!(listed.len(), 2);
        assert_eq!(case.set(variable, "/x/x.json").listed(), listed, "a path of a file works too");
    }
}

#[test]
fn an_adding_variable_comes_first_unless_the_search_is_replaced() {
    let case = Case::new().explicit(&["E"]).file("/x/e.json", &manifest("E", ""));
    let case = case.file("/y/y.json", &manifest("Y", "")).set("VK_ADD_LAYER_PATH", "/x");
    let index = case.plan().usable(b"E").unwrap();
    assert_eq!(shown(&case.plan().layers[index].path), "/x/e.json");
    let case = case.set("VK_LAYER_PATH", "/y");
    assert_eq!(case.listed(), ["Y"]);
    assert_eq!(case.notes(), ["VK_ADD_LAYER_PATH is ignored, since VK_LAYER_PATH is set"]);
}

#[test]
fn implicit_layers_have_an_adding_variable_too() {
    let extra = manifest("X", r#""disable_environment": {"NO": ""}"#);
    let case = Case::new().implicit(&["A"]).file("/x/x.json", &extra);
    assert_eq!(case.set("VK_ADD_IMPLICIT_LAYER_PATH", "/x").active(), ["X", "A"]);
}

#[test]
fn an_empty_variable_rules_out_its_kind() {
    let case = Case::new().implicit(&["I"]).explicit(&["E"]).set("VK_LAYER_PATH", "");
    assert_eq!(case.listed(), ["I"]);
    assert_eq!(
        case.notes(),
        ["VK_LAYER_PATH is set but empty, which excludes every explicit layer; unset it"]
    );
}

#[test]
fn llp_loader_13_an_elevated_process_ignores_the_variables_and_the_users_folders() {
    let evil = manifest("evil", r#""disable_environment": {"NO": ""}"#);
    let case = Case::new().implicit(&["I"]).explicit(&["E"]).set("HOME", "/h").set("XDG_DATA_HOME", "/d");
    let folders = ["/h/.config/vulkan", "/d/vulkan", "/c/vulkan"];
    let case = folders.iter().fold(case.set("XDG_CONFIG_DIRS", "/c"), |case, folder| {
        case.file(&format!("{folder}/implicit_layer.d/x.json"), &evil)
            .file(&format!("{folder}/explicit_layer.d/x.json"), &evil)
    });
    assert_eq!(case.listed().len(), 3);
    let variables =
        ["VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH", "VK_LAYER_PATH", "VK_ADD_LAYER_PATH"];
    let case = variables.iter().fold(case, |case, variable| case.set(variable, "/c"));
    case.system.elevate();
    assert_eq!(case.listed(), ["I", "E"]);
    assert_eq!(case.notes().len(), 4);
}

#[test]
fn a_manifest_that_is_found_twice_is_read_once() {
    let case =
        Case::new().explicit(&["E"]).set("VK_ADD_LAYER_PATH", &format!("{EXPLICIT}/E.json:{EXPLICIT}"));
    assert_eq!(case.skipped(), pairs(&[("E", "-"), ("", "manifest-repeated")]));
    assert_eq!(case.plan().searched.last().unwrap().result, SearchResult::Repeated);
}

#[test]
fn a_manifest_may_be_found_as_implicit_and_as_explicit() {
    let case = Case::new().implicit(&["A"]).set("VK_LAYER_PATH", IMPLICIT);
    assert_eq!(case.skipped(), pairs(&[("A", "-"), ("A", "name-taken")]));
}
