use super::*;
use crate::discovery::{Request, discover};

/// Returns a system with layers of both kinds, and a snapshot of it.
fn learned() -> (Case, Snapshot) {
    let case = Case::new().implicit_with(&["I"], r#", "enable_environment": {"ON": "1"}"#);
    let case = case.explicit(&["A"]).set("HOME", "/h");
    let mut snapshot = Snapshot::new();
    discover_layers(
        &case.system.platform(),
        &POLICY,
        LayerScope::All,
        &KnownSettings::default(),
        &mut snapshot,
    )
    .unwrap();
    case.system.calls();
    (case, snapshot)
}

fn holds(case: &Case, snapshot: &Snapshot) -> bool {
    snapshot.still_true(&case.system.platform()).unwrap()
}

#[test]
fn an_unchanged_state_is_recognised_without_opening_files() {
    let (case, snapshot) = learned();
    assert!(holds(&case, &snapshot));
    let calls = case.system.calls();
    assert!(!calls.iter().any(|call| call.starts_with("read")), "{calls:?}");
    let listed = calls.iter().filter(|call| call.starts_with("list")).count();
    assert_eq!(listed, 12, "only folders that are missing: {calls:?}");
    let on_files = calls.iter().filter(|call| !call.starts_with("variable")).count();
    assert_eq!(on_files, 7 + 7 + 2, "one for each folder and manifest");
}

#[test]
fn what_decides_about_layers_shows_when_it_changes() {
    type Change = fn(&Imaginary) -> &Imaginary;
    let changes: [(&str, Change); 8] = [
        ("an enabling variable", |system| system.set("ON", "1")),
        ("a disabling variable", |system| system.set("NO_I", "")),
        ("names", |system| system.set("VK_INSTANCE_LAYERS", "A")),
        ("patterns", |system| system.set("VK_LOADER_LAYERS_DISABLE", "*")),
        ("a search path", |system| system.set("VK_ADD_IMPLICIT_LAYER_PATH", "/x")),
        ("a new manifest", |system| system.file(&format!("{IMPLICIT}/x.json"), "")),
        ("another manifest", |system| system.file(&format!("{EXPLICIT}/A.json"), "")),
        ("privileges", |system| system.elevate()),
    ];
    for (what, change) in changes {
        let (case, snapshot) = learned();
        change(case.system);
        assert!(!holds(&case, &snapshot), "{what}");
    }
}

#[test]
fn drivers_and_layers_may_share_a_snapshot() {
    let (case, mut snapshot) = learned();
    let platform = case.system.platform();
    discover(&platform, &POLICY, &Request { portability: true }, &KnownSettings::default(), &mut snapshot)
        .unwrap();
    assert!(!case.system.calls().contains(&"variable XDG_DATA_DIRS".to_string()), "it is known already");
    let Step::Ready(plan) =
        plan_layers(&snapshot, &POLICY, LayerScope::All, &KnownSettings::default()).unwrap()
    else {
        panic!("everything was asked")
    };
    assert_eq!(plan.listed().count(), 2);
}

#[test]
fn a_question_is_asked_once_in_a_search() {
    let (case, _) = learned();
    case.plan();
    let mut calls = case.system.calls();
    calls.retain(|call| !call.starts_with("fingerprint"));
    let all = calls.len();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), all);
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn many_layers_take_as_many_calls_as_there_are_files() {
    let case = Case::new();
    for number in 0..1000 {
        case.system.file(&format!("{EXPLICIT}/{number}.json"), manifest(&format!("E{number}"), ""));
    }
    for number in 0..100 {
        let fields = format!(r#""disable_environment": {{"NO_{number}": "1"}}"#);
        case.system.file(&format!("{IMPLICIT}/{number}.json"), manifest(&format!("I{number}"), &fields));
    }
    let plan = case.plan();
    let calls = case.system.calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("read")).count(), 1100);
    assert!(calls.len() < 3400, "{}", calls.len());
    assert_eq!(plan.listed().count(), 1100);
    let active = plan.activate(&LayerRequest::default()).unwrap();
    assert_eq!(active.layers.len(), 100);
    assert_eq!(plan.layers[active.layers[99].layer].name(), b"I99");
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn too_many_layers_are_cut_with_a_note() {
    let list = "{},".repeat(255) + "{}";
    let content = format!(r#"{{"file_format_version": "1.0.1", "layers": [{list}]}}"#);
    let case = Case::new();
    for number in 0..17 {
        case.system.file(&format!("{EXPLICIT}/{number}.json"), &content);
    }
    let plan = case.plan();
    assert_eq!(plan.layers.len(), 4096);
    assert_eq!(plan.notes.as_slice(), [LayerNote::TooManyLayers { left_out: 256 }]);
}

/// Returns the plan for layers active without an application, and whether explicit ones were searched for.
fn active_only(case: &Case) -> (StdVec<String>, bool) {
    case.system.calls();
    let platform = case.system.platform();
    let plan = discover_layers(
        &platform,
        &POLICY,
        LayerScope::Active,
        &KnownSettings::default(),
        &mut Snapshot::new(),
    )
    .unwrap();
    let searched = case.system.calls().iter().any(|call| call.contains("explicit_layer.d"));
    let active = plan.activate(&LayerRequest::default()).unwrap();
    (active.layers.iter().map(|layer| shown(plan.layers[layer.layer].name())).collect(), searched)
}

#[test]
fn explicit_layers_are_searched_for_only_if_they_may_be_active() {
    let case = || Case::new().implicit(&["I"]).explicit(&["A"]);
    assert_eq!(active_only(&case()), (case().active(), false));
    let set = |variable| case().set(variable, "A");
    for case in [
        set("VK_INSTANCE_LAYERS"),
        set("VK_LOADER_LAYERS_ENABLE"),
        case().implicit_meta("M", &["A"], ""),
        case().implicit_meta("VK_LAYER_LUNARG_override", &["A"], ""),
    ] {
        assert_eq!(active_only(&case), (case.active(), true));
    }
}

#[test]
fn a_copy_of_a_snapshot_knows_the_same() {
    let case = Case::new().implicit(&["I"]).explicit(&["A"]);
    let platform = case.system.platform();
    let mut snapshot = Snapshot::new();
    discover_layers(&platform, &POLICY, LayerScope::Active, &KnownSettings::default(), &mut snapshot)
        .unwrap();
    let mut copy = snapshot.copy().unwrap();
    assert_eq!(copy.records(), snapshot.records());
    case.system.calls();
    let plan =
        discover_layers(&platform, &POLICY, LayerScope::All, &KnownSettings::default(), &mut copy).unwrap();
    assert_eq!(plan.listed().count(), 2);
    assert!(!case.system.calls().iter().any(|call| call.contains("implicit_layer.d")));
}
