use super::*;
use crate::discovery::tests::hostile::no_manifests;
use crate::platform::FileError;

/// Files without a usable layer, and the reason that each must get.
fn bad_manifests() -> StdVec<(&'static str, StdVec<u8>, &'static str)> {
    let good = manifest("X", r#""disable_environment": {"NO_X": "1"}"#);
    let with = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replace(from, to).into_bytes()
    };
    let mut all = no_manifests(&good);
    all.extend([
        ("no format version", with("file_format_version", "version"), "manifest-field-missing"),
        ("no layer", with("\"layer\"", "\"ICD\""), "manifest-field-missing"),
        ("no name", with("\"name\"", "\"title\""), "manifest-field-missing"),
        ("no type", with("\"type\"", "\"kind\""), "manifest-field-missing"),
        ("no library", with("library_path", "library"), "manifest-field-missing"),
        ("no version", with("api_version", "version"), "manifest-field-missing"),
        ("no own version", with("implementation_version", "version"), "manifest-field-missing"),
        ("no description", with("description", "about"), "manifest-field-missing"),
        ("layer is a string", b"{\"file_format_version\": \"1.0.0\", \"layer\": \"X\"}".to_vec(), INVALID),
        ("layers is an object", with("\"layer\"", "\"layers\""), INVALID),
        ("name is a number", with("\"X\"", "7"), INVALID),
        ("name is empty", with("\"X\"", "\"\""), INVALID),
        ("name with NUL", with("\"X\"", "\"X\\u0000Y\""), INVALID),
        ("name too long", with("\"X\"", &format!("\"{}\"", "x".repeat(256))), INVALID),
        ("unknown type", with("GLOBAL", "WORLDWIDE"), INVALID),
        ("device layer", with("GLOBAL", "DEVICE"), "device-layer"),
        ("library is a number", with("\"libX.so\"", "7"), INVALID),
        ("library is empty", with("libX.so", ""), INVALID),
        ("library with NUL", with("libX.so", "x\\u0000.so"), INVALID),
        ("version is a number", with("\"1.3.0\"", "1.3"), INVALID),
        ("version is words", with("1.3.0", "the newest"), INVALID),
        ("version is huge", with("1.3.0", "1.99999999999999999999.0"), INVALID),
        ("another pointer width", with("\"type\"", "\"library_arch\": \"32\", \"type\""), ARCH),
        ("version of another API", with("1.3.0", "4.6.0"), "api-version-incompatible"),
        ("library and components", with("\"type\"", "\"component_layers\": [\"A\"], \"type\""), INVALID),
        ("no components", with("\"library_path\": \"libX.so\"", "\"component_layers\": []"), INVALID),
        ("components no list", with("\"library_path\": \"libX.so\"", "\"component_layers\": \"A\""), INVALID),
        ("components no names", with("\"library_path\": \"libX.so\"", "\"component_layers\": [1]"), INVALID),
        ("no way to disable", with("disable_environment", "disable"), "no-disable-environment"),
        ("nothing to disable", with("{\"NO_X\": \"1\"}", "{}"), "no-disable-environment"),
        ("disabling is a list", with("{\"NO_X\": \"1\"}", "[]"), "no-disable-environment"),
        ("disabling is nameless", with("NO_X", ""), "no-disable-environment"),
    ]);
    all
}

const INVALID: &str = "manifest-field-invalid";
const ARCH: &str = "library-arch-mismatch";

/// Files that look odd but work with the loaders that they were shipped for.
fn odd_manifests() -> StdVec<(&'static str, StdVec<u8>)> {
    let good = manifest("ODD", r#""disable_environment": {"NO_ODD": "1"}"#);
    let with = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replace(from, to).into_bytes()
    };
    let library = "\"library_path\"";
    let twice = "\"library_path\": \"libODD.so\", \"library_path\": \"second.so\", \"x\"";
    std::vec![
        ("byte-order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("trailing bytes", [good.as_bytes(), b"\n} and more \0\xff"].concat()),
        ("duplicate keys", with(library, twice)),
        ("keys in another case", with("library_path", "Library_Path")),
        ("control characters", with("\"layer\"", "\"note\": \"a\u{1}\nb\t\", \"layer\"")),
        ("unknown keys", with("\"layer\"", "\"note\": [{\"deep\": [[]]}, 1e400, null], \"layer\"")),
        ("unknown keys in the layer", with(library, "\"note\": {\"a\": [true]}, \"library_path\"")),
        ("unknown format version", with("1.2.1", "7.0.0")),
        ("escapes", with("libODD.so", "lib\\u004fDD.so")),
        (
            "a number for the layer's own version",
            with("\"implementation_version\": \"1\"", "\"implementation_version\": 1")
        ),
        ("a pointer width of another type", with(library, "\"library_arch\": 64, \"library_path\"")),
        ("functions that are a list", with(library, "\"functions\": [], \"library_path\"")),
        (
            "functions with empty names",
            with(library, "\"functions\": {\"vkGetInstanceProcAddr\": \"\"}, \"library_path\"")
        ),
        ("extensions that are an object", with(library, "\"instance_extensions\": {}, \"library_path\"")),
        (
            "extensions without names",
            with(library, "\"device_extensions\": [{}, 7, null, {\"name\": \"\"}], \"library_path\"")
        ),
        (
            "pre-instance functions of another type",
            with(library, "\"pre_instance_functions\": 7, \"library_path\"")
        ),
        ("not UTF-8", [b"{\"note\": \"\xff\xfe\", ", &good.as_bytes()[1..]].concat()),
    ]
}

#[test]
fn odd_manifests_are_used() {
    for (what, content) in odd_manifests() {
        let case = Case::new().implicit(&["0"]);
        case.system.file(&format!("{IMPLICIT}/odd.json"), content);
        assert_eq!(case.active(), ["0", "ODD"], "{what}");
        let plan = case.plan();
        assert_eq!(shown(&plan.layers[1].library), "libODD.so", "{what}");
    }
}

#[test]
fn all_bad_manifests_together_hide_no_good_one() {
    let case = Case::new().implicit(&["z"]).explicit(&["E"]);
    for (number, (_, content, _)) in bad_manifests().into_iter().enumerate() {
        case.system.file(&format!("{IMPLICIT}/{number}.json"), content.clone());
        case.system.file(&format!("{EXPLICIT}/{number}.json"), content);
    }
    assert_eq!(case.active(), ["z"]);
    assert!(case.listed().contains(&"E".to_string()));
}

#[test]
fn a_bad_manifest_is_skipped_with_its_reason_and_harms_nothing_else() {
    let bad = bad_manifests();
    assert!(bad.len() >= 50);
    for (what, content, reason) in bad {
        let case = Case::new().implicit(&["0", "z"]).explicit(&["E"]);
        case.system.file(&format!("{IMPLICIT}/bad.json"), content);
        let ids: StdVec<_> = case.skipped().iter().map(|(_, id)| *id).collect();
        assert_eq!(ids, ["-", reason, "-", "-"], "{what}");
        assert_eq!(case.active(), ["0", "z"], "{what}");
        let plan = case.plan();
        let shown = plan.layers[1].skipped.unwrap().explain(&plan, 1).to_string();
        assert!(shown.len() > 20 && !shown.contains('\n'), "{what}: {shown}");
    }
}

#[test]
fn what_cannot_be_read_is_skipped() {
    let case = Case::new().implicit(&["I"]);
    case.system.failing(&format!("{IMPLICIT}/a.json"), FileError::Denied);
    case.system.folder(&format!("{IMPLICIT}/b.json"));
    case.system.link(&format!("{IMPLICIT}/c.json"), "/gone");
    case.system.failing("/etc/vulkan/implicit_layer.d", FileError::Denied);
    let ids: StdVec<_> = case.skipped().iter().map(|(_, id)| *id).collect();
    assert_eq!(ids, ["-", "manifest-unreadable", "manifest-not-a-file", "manifest-not-found"]);
    assert_eq!(case.active(), ["I"]);
}

#[test]
fn one_bad_layer_of_a_file_does_not_harm_the_others() {
    let layer = |name: &str| {
        let all = manifest(name, "");
        all[all.find("\"layer\": ").unwrap() + 9..all.len() - 1].to_string()
    };
    let content = format!(
        r#"{{"file_format_version": "1.0.1", "layers": [{}, 7, {{}}, {}]}}"#,
        layer("A"),
        layer("B").replace("GLOBAL", "INSTANCE")
    );
    let case = Case::new().file(&format!("{EXPLICIT}/m.json"), &content);
    assert_eq!(
        case.skipped(),
        pairs(&[("A", "-"), ("", INVALID), ("", "manifest-field-missing"), ("B", "-")])
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn a_file_with_very_many_layers_is_cut() {
    let content = format!(r#"{{"file_format_version": "1.0.1", "layers": [{}7]}}"#, "7,".repeat(300_000));
    let case = Case::new().explicit(&["A"]).file(&format!("{EXPLICIT}/m.json"), &content);
    assert_eq!(case.skipped().len(), 257);
    assert_eq!(case.listed(), ["A"]);
}

#[test]
fn an_enabling_variable_that_is_written_wrongly_enables_nothing() {
    for wrong in [r#""ON""#, r#"["ON"]"#, r#"{"ON": 1}"#, r#"{"": "1"}"#, "true"] {
        let case = Case::new().implicit_with(&["I"], &format!(r#", "enable_environment": {wrong}"#));
        let case = case.set("ON", "1");
        assert!(case.active().is_empty(), "{wrong}");
        assert!(case.plan().layers[0].warning.is_some(), "{wrong}");
        assert_eq!(case.explained("I"), "\"enable_environment\" names no variable that could enable it");
    }
}

#[test]
fn an_unknown_format_version_is_only_a_warning() {
    for version in ["0.9.0", "1.0.2", "1.3.0", "9.9.9"] {
        let content = manifest("A", "").replace("1.2.1", version);
        let case = Case::new().file(&format!("{EXPLICIT}/a.json"), &content).application(&["A"]);
        assert_eq!(case.active(), ["A"]);
        let warning = case.plan().layers[0].warning.unwrap().to_string();
        assert!(warning.contains(version), "{warning}");
    }
}

#[test]
fn a_forged_name_cannot_break_a_line() {
    let case = Case::new().explicit(&["A"]).set("VK_INSTANCE_LAYERS", "x\n[Vulkan Loader] ERROR");
    assert!(!case.notes()[0].contains('\n'));
    let case = Case::new().file(&format!("{EXPLICIT}/m.json"), &meta_manifest("M", &["a\nb"], "1.0.0", ""));
    assert!(!case.explained("M").contains('\n'));
}

#[test]
fn fields_of_every_wrong_type_harm_nothing_else() {
    let good = manifest("X", r#""disable_environment": {"NO_X": "1"}"#);
    for value in ["null", "{}", "7", "\"VK_TEST\"", "[null]", "[7]", "[[]]", "[{}]", r#"[{"name": 7}]"#] {
        for field in ["instance_extensions", "device_extensions", "functions", "pre_instance_functions"] {
            let content = good.replace("\"type\"", &format!("\"{field}\": {value}, \"type\""));
            let case = Case::new().implicit(&["0", "z"]).file(&format!("{IMPLICIT}/bad.json"), &content);
            assert_eq!(case.active(), ["0", "X", "z"], "{field}: {value}");
        }
    }
}
